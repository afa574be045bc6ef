// What a fill guarantees as a whole.
#include <algorithm>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>

#include "random_cases.hpp"
#include "scheduling/clusters.hpp"

namespace mirab::scheduling {
namespace {

using testing::HasSubstr;

std::vector<std::size_t> users(const mirab::Outcome& outcome) {
  std::vector<std::size_t> users;
  for (const FillStep& step : outcome.filling->steps) users.push_back(step.user);
  return users;
}

std::vector<std::size_t> order(const Problem& problem, const std::string& discipline, Tie tie = Tie::first) {
  return users(filled(problem, {.discipline = discipline, .tie = tie}));
}

using Order = std::vector<std::size_t>;

Problem two_users_of_four() { return problem({server("s", {"4"})}, {user("a", {"1"}), user("b", {"1"})}); }

TEST(Fifo, PlacesAllTasksOfAUserBeforeThoseOfTheNext) {
  const Problem cluster = problem({server("s", {"4"})}, {limited(user("a", {"1"}), "3"), user("b", {"1"})});
  EXPECT_EQ(order(cluster, "fifo"), (Order{0, 0, 0, 1}));
  EXPECT_EQ(order(cluster, "fifo", Tie::last), (Order{0, 0, 0, 1}));
}

TEST(RoundRobin, PlacesOneTaskOfEachUserInTurn) {
  EXPECT_EQ(order(two_users_of_four(), "round-robin"), (Order{0, 1, 0, 1}));
  EXPECT_EQ(order(two_users_of_four(), "round-robin", Tie::last), (Order{1, 0, 1, 0}));
}

TEST(RoundRobin, GoesOnWithTheOthersWhenAUserHasNoTasksLeft) {
  const Problem cluster = problem({server("s", {"4"})}, {limited(user("a", {"1"}), "1"), user("b", {"1"})});
  EXPECT_EQ(order(cluster, "round-robin"), (Order{0, 1, 1, 1}));
}

// Slides, Asset Fairness: one CPU is worth two GB, so a task of A costs 6 dollars and one of B 7. The users
// take turns, A being a little behind after each round, until 2 + 2 tasks leave one CPU: room for a third of
// A only.
TEST(Asset, EverybodySpendsTheSameOnTheSlides) {
  const Problem cluster = problem({server("s", {"9", "18"})}, {user("A", {"1", "4"}), user("B", {"3", "1"})});
  EXPECT_EQ(order(cluster, "asset"), (Order{0, 1, 0, 1, 0}));
}

// A third of one resource and a third of the other; in doubles 0.1 + 0.1 + 0.1 is more than 0.3.
TEST(Drf, EqualSharesInDifferentUnitsTie) {
  const Problem cluster =
      problem({server("s", {"0.3", "3Gi"})}, {user("a", {"0.1", "0"}), user("b", {"0", "1Gi"})});
  EXPECT_EQ(order(cluster, "drf", Tie::first), (Order{0, 1, 0, 1, 0, 1}));
  EXPECT_EQ(order(cluster, "drf", Tie::last), (Order{1, 0, 1, 0, 1, 0}));
}

TEST(Drf, SharesThatDifferByAMillionthOfABillionthAreNotEqual) {
  const auto cluster = [](const std::string& b) {
    return problem({server("s", {"4", "4"})},
                   {limited(user("a", {"1", "0"}), "2"), limited(user("b", {"0", b}), "2")});
  };
  // After one task each, the user whose task is smaller comes first, whatever the tie rule.
  EXPECT_EQ(order(cluster("0.999999999999999"), "drf"), (Order{0, 1, 1, 0}));
  EXPECT_EQ(order(cluster("1"), "drf"), (Order{0, 1, 0, 1}));
  EXPECT_EQ(order(cluster("1.000000000000001"), "drf", Tie::last), (Order{1, 0, 0, 1}));
}

TEST(Drf, AUserOfWeightTwoEndsWithTwiceTheShare) {
  const Problem cluster = problem({server("s", {"300", "300"})},
                                  {user("one", {"1", "0.5"}), weighted(user("two", {"1", "0.2"}), "2")});
  for (const char* discipline : {"drf", "asset"}) {
    const mirab::Outcome outcome = filled(cluster, {.discipline = discipline});
    const double spent_one = discipline == std::string("drf") ? 1 : 1.5;
    const double spent_two = discipline == std::string("drf") ? 1 : 1.2;
    EXPECT_NEAR(outcome.allocation.tasks[1] * spent_two, 2 * outcome.allocation.tasks[0] * spent_one, 3);
  }
}

// One pool, small tasks, the CPUs dominant for all N users: the divisible level is 1/N.
TEST(Drf, EndsWithinOneTaskOfTheDivisibleLevel) {
  for (std::uint64_t seed = 1; seed <= random_cases(200); ++seed) {
    SCOPED_TRACE(fmt::format("replay: seed {}", seed));
    Random random(seed);
    const std::size_t user_count = 2 + random.below(6);
    std::vector<User> users;
    std::vector<double> shares;  // of one task
    for (std::size_t n = 0; n < user_count; ++n) {
      const std::uint64_t cpus = 10 + random.below(90);
      users.push_back(
          user(fmt::format("u{}", n), {std::to_string(cpus), std::to_string(random.below(cpus))}));
      shares.push_back(static_cast<double>(cpus) / 100'000);
    }
    const double largest = *std::max_element(shares.begin(), shares.end());
    const mirab::Outcome outcome = filled(problem({server("pool", {"100000", "100000"})}, users), {});
    for (std::size_t n = 0; n < user_count; ++n) {
      EXPECT_NEAR(outcome.allocation.tasks[n] * shares[n], 1.0 / static_cast<double>(user_count), largest);
    }
  }
}

TEST(Freeze, EndsTheFillingWhenTheMostDeprivedUserDoesNotFit) {
  // After b, a comes: its second task does not fit any more, so b waits although it would.
  const Problem cluster = problem({server("s", {"10"})}, {user("a", {"6"}), user("b", {"1"})});
  const mirab::Outcome frozen = filled(cluster, {.discipline = "round-robin:blocking=freeze"});
  EXPECT_EQ(users(frozen), (Order{0, 1}));
  EXPECT_EQ(frozen.filling->unplaced, (std::vector<Unplaced>{Unplaced::no_room, Unplaced::blocked}));
  const mirab::Outcome skipped = filled(cluster, {.discipline = "round-robin:blocking=skip"});
  EXPECT_EQ(users(skipped), (Order{0, 1, 1, 1, 1}));
  EXPECT_EQ(skipped.filling->unplaced, (std::vector<Unplaced>{Unplaced::no_room, Unplaced::no_room}));
}

TEST(Freeze, FcfsIsAnotherNameForFifoThatFreezes) {
  const Problem cluster = problem({server("s", {"10"})}, {user("a", {"6"}), user("b", {"1"})});
  const mirab::Outcome outcome = filled(cluster, {.discipline = "fcfs"});
  EXPECT_EQ(outcome.filling->discipline, "fifo:blocking=freeze");
  EXPECT_EQ(users(outcome), users(filled(cluster, {.discipline = "fifo:blocking=freeze"})));
}

TEST(Freeze, DoesNotWaitForAUserWhoseTasksAreAllPlaced) {
  const Problem cluster = problem({server("s", {"10"})}, {limited(user("a", {"6"}), "1"), user("b", {"1"})});
  EXPECT_EQ(users(filled(cluster, {.discipline = "drf:blocking=freeze"})), (Order{0, 1, 1, 1, 1}));
}

/// It stays the most deprived one.
TEST(Freeze, DoesNotWaitForAUserWhoWaitsForAResource) {
  const mirab::Outcome outcome = filled(
      problem({server("s", {"4", "0"})}, {waiting(user("gpus", {"1", "1"})), user("cpus", {"1", "0"})}),
      {.discipline = "drf:blocking=freeze"});
  EXPECT_EQ(outcome.allocation.tasks, (std::vector<double>{0, 4}));
  EXPECT_EQ(outcome.filling->unplaced[0], Unplaced::no_room);
  EXPECT_EQ(outcome.filling->errors, 0);
}

// Östman, section 5.3. With first come, first served a's first task is right, as all shares are 0; its other
// two are not, as b has less. Of b's tasks none is wrong: a has no task left.
TEST(WrongAllocations, AreThosePastAPoorerUserWhoCouldBePlaced) {
  const Problem cluster = problem({server("s", {"6"})}, {limited(user("a", {"1"}), "3"), user("b", {"1"})});
  EXPECT_EQ(filled(cluster, {.discipline = "fifo"}).filling->errors, 2);
}

TEST(WrongAllocations, DoNotCountPoorerUsersWhoFitNowhere) {
  const Problem cluster = problem({server("s", {"6"})}, {limited(user("a", {"1"}), "3"), user("b", {"7"})});
  EXPECT_EQ(filled(cluster, {.discipline = "fifo"}).filling->errors, 0);
}

TEST(WrongAllocations, CompareSharesOverWeights) {
  const Problem cluster = problem({server("s", {"4"})}, {weighted(user("a", {"1"}), "3"), user("b", {"1"})});
  // Weighted DRF serves a, b, a, a; first come, first served a, a, a, a: its second task has b at 0 before
  // it, its third and fourth too.
  EXPECT_EQ(order(cluster, "drf"), (Order{0, 1, 0, 0}));
  EXPECT_EQ(filled(cluster, {.discipline = "fifo"}).filling->errors, 3);
  EXPECT_EQ(filled(cluster, {.discipline = "round-robin"}).filling->errors, 0) << "a, b, a, a";
}

// 9·10^18 and 0.1 have no common unit: counted in ones, a task of 0.1 takes 1 and a server of 1.99 has 1.
TEST(Fill, RoundedAmountsComeWithANoticeAndNeverOvercommit) {
  User pinned = user("a", {"0.1"});
  pinned.servers = {"s"};
  const mirab::Outcome outcome =
      filled(problem({server("big", {"9000000000000000000"}), server("s", {"1.99"})}, {pinned}), {});
  ASSERT_EQ(outcome.notices.size(), 1U);
  EXPECT_THAT(outcome.notices[0], HasSubstr("r0"));
  EXPECT_EQ(outcome.allocation.tasks[0], 1);
}

TEST(Fill, UsesAnotherDemandOnAServerThatHasOne) {
  User slow = user("a", {"1", "1"});
  slow.demand_on["old"] = amounts({"2", "1"});
  const mirab::Outcome outcome =
      filled(problem({server("old", {"4", "9"}), server("new", {"4", "9"})}, {slow}), {});
  ASSERT_EQ(outcome.allocation.grants.size(), 2U);
  EXPECT_EQ(outcome.allocation.grants[0].tasks, 2);
  EXPECT_THAT(outcome.allocation.grants[0].resources, ::testing::ElementsAre(4, 2));
  EXPECT_EQ(outcome.allocation.grants[1].tasks, 4);
  // Eq. 3.3: 2 tasks at max(2/8, 1/18) and 4 tasks at max(1/8, 1/18).
  EXPECT_EQ(outcome.filling->steps.back().share, 1.0);
}

TEST(Fill, HonoursNamesLabelsAndLimits) {
  Server labelled = server("gpu", {"4"});
  labelled.labels["zone"] = "a";
  User by_name = user("by-name", {"1"});
  by_name.servers = {"cpu"};
  User by_label = user("by-label", {"1"});
  by_label.select["zone"] = {"a", "b"};
  const mirab::Outcome outcome = filled(
      problem({labelled, server("cpu", {"4"})}, {by_name, by_label, limited(user("few", {"1"}), "1.5")}), {});
  EXPECT_EQ(outcome.allocation.tasks, (std::vector<double>{4, 3, 1}));
  EXPECT_EQ(outcome.filling->unplaced,
            (std::vector<Unplaced>{Unplaced::no_room, Unplaced::no_room, Unplaced::nothing}));
}

TEST(Fill, PlacesNothingOfAUserWithLessThanOneTask) {
  const mirab::Outcome outcome =
      filled(problem({server("s", {"4"})}, {limited(user("a", {"1"}), "0.9")}), {});
  EXPECT_EQ(outcome.filling->placed, 0);
  EXPECT_TRUE(outcome.allocation.grants.empty());
  EXPECT_EQ(outcome.filling->unplaced, (std::vector<Unplaced>{Unplaced::nothing}));
}

TEST(Fill, RecordsStepsOnlyWhenAsked) {
  FillOptions silent = options({});
  silent.trace = false;
  Random random(1);
  const Result<mirab::Outcome> outcome = fill(two_users_of_four(), silent, random);
  ASSERT_TRUE(outcome);
  EXPECT_TRUE(outcome->filling->steps.empty());
  EXPECT_EQ(outcome->filling->placed, 4);
}

TEST(Fill, SaysWhatWasAskedFor) {
  const mirab::Outcome outcome = filled(two_users_of_four(), {.discipline = "drf:blocking=freeze",
                                                              .placement = "best-fit:published=true",
                                                              .tie = Tie::random,
                                                              .seed = 42});
  EXPECT_EQ(outcome.filling->discipline, "drf:blocking=freeze");
  EXPECT_EQ(outcome.filling->placement, "best-fit:published=true");
  EXPECT_EQ(outcome.filling->tie, Tie::random);
  EXPECT_EQ(outcome.filling->seed, 42U);
}

/// One random problem under one of all combinations, drawn from the same seed.
struct Drawn {
  Problem problem;
  Filling filling;
};

Drawn draw(std::uint64_t seed) {
  Random random(seed);
  const Problem problem = random_problem(random);
  const auto discipline = disciplines()[random.below(disciplines().size())].name;
  const auto placement = placements()[random.below(placements().size())].name;
  return {.problem = problem,
          .filling = {.discipline = std::string(discipline),
                      .placement = std::string(placement),
                      .tie = static_cast<Tie>(random.below(3)),
                      .seed = seed}};
}

template <class Property>
void for_random_problems(Property property) {
  for (std::uint64_t seed = 1; seed <= random_cases(2'000) && !testing::Test::HasFailure(); ++seed) {
    const Drawn drawn = draw(seed);
    SCOPED_TRACE(
        fmt::format("replay: seed {}, {} {}", seed, drawn.filling.discipline, drawn.filling.placement));
    property(drawn.problem, drawn.filling);
  }
}

TEST(FillOnRandomProblems, NoServerGivesMoreThanItHas) {
  for_random_problems([](const Problem& problem, const Filling& filling) {
    // Per single server, in the double sums of the given amounts.
    std::map<std::pair<std::size_t, std::int64_t>, std::vector<double>> used;
    const mirab::Outcome outcome = filled(problem, filling);
    for (const FillStep& step : outcome.filling->steps) {
      std::vector<double>& sums = used[{step.server, step.instance}];
      sums.resize(problem.resource_count());
      const ResourceVector& demand = problem.demand(step.user, step.server);
      for (std::size_t r = 0; r < sums.size(); ++r) {
        sums[r] += demand[r].value();
        EXPECT_LE(sums[r], problem.servers()[step.server].capacity[r].value() + 1e-9);
      }
      EXPECT_TRUE(problem.eligible(step.user, step.server));
      EXPECT_LT(step.instance, problem.servers()[step.server].count);
    }
  });
}

TEST(FillOnRandomProblems, TheStepsAddUpToTheAllocation) {
  for_random_problems([](const Problem& problem, const Filling& filling) {
    const mirab::Outcome outcome = filled(problem, filling);
    std::map<std::pair<std::size_t, std::size_t>, double> tasks;
    for (const FillStep& step : outcome.filling->steps) tasks[{step.user, step.server}] += 1;
    ASSERT_EQ(outcome.allocation.grants.size(), tasks.size());
    std::vector<double> totals(problem.user_count(), 0.0);
    std::vector<std::vector<double>> used(problem.server_count(),
                                          std::vector<double>(problem.resource_count()));
    auto expected = tasks.begin();
    for (const Grant& grant : outcome.allocation.grants) {
      EXPECT_EQ(std::pair(grant.user, grant.server), expected->first);
      EXPECT_EQ(grant.tasks, expected->second);
      totals[grant.user] += grant.tasks;
      for (std::size_t r = 0; r < problem.resource_count(); ++r) {
        const double amount = grant.tasks * problem.demand(grant.user, grant.server)[r].value();
        EXPECT_NEAR(grant.resources[r], amount, 1e-9);
        used[grant.server][r] += amount;
      }
      ++expected;
    }
    EXPECT_EQ(outcome.allocation.tasks, totals);
    for (std::size_t i = 0; i < used.size(); ++i) {
      const ServerUse& use = outcome.allocation.servers[i];
      for (std::size_t r = 0; r < used[i].size(); ++r) {
        EXPECT_NEAR(use.used[r], used[i][r], 1e-9);
        EXPECT_LE(use.used[r], use.capacity[r]);
      }
    }
  });
}

TEST(FillOnRandomProblems, DrfMakesNoWrongAllocation) {
  for_random_problems([](const Problem& problem, Filling filling) {
    filling.discipline = "drf";
    EXPECT_EQ(filled(problem, filling).filling->errors, 0);
    filling.discipline = "drf:blocking=freeze";
    EXPECT_EQ(filled(problem, filling).filling->errors, 0);
  });
}

TEST(FillOnRandomProblems, TheSameSeedGivesTheSameSteps) {
  for_random_problems([](const Problem& problem, const Filling& filling) {
    const mirab::Outcome once = filled(problem, filling);
    const mirab::Outcome again = filled(problem, filling);
    ASSERT_EQ(once.filling->steps.size(), again.filling->steps.size());
    for (std::size_t k = 0; k < once.filling->steps.size(); ++k) {
      EXPECT_EQ(once.filling->steps[k].user, again.filling->steps[k].user);
      EXPECT_EQ(once.filling->steps[k].server, again.filling->steps[k].server);
      EXPECT_EQ(once.filling->steps[k].instance, again.filling->steps[k].instance);
      EXPECT_EQ(once.filling->steps[k].share, again.filling->steps[k].share);
    }
  });
}

TEST(Fill, ProgressCountsUpAndNeverBeyondWhatIsPlaced) {
  std::vector<std::int64_t> told;
  Random random(1);
  const Problem large = problem({server("s", {"100"}, 200)}, {user("a", {"1"})});
  const auto outcome = fill(large, options({}), random, [&](std::int64_t placed) { told.push_back(placed); });
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->filling->placed, 20'000);
  EXPECT_GE(told.size(), 2U);
  EXPECT_TRUE(std::is_sorted(told.begin(), told.end()));
  EXPECT_LE(told.back(), outcome->filling->placed);
}

TEST(FillErrors, AnUnknownDisciplineOrBlockingIsNamed) {
  const Result<Choice> near = choose_discipline("drff");
  ASSERT_FALSE(near);
  EXPECT_THAT(near.error().message, HasSubstr("drf"));
  Random random(1);
  FillOptions wrong = options({});
  wrong.discipline.options["blocking"] = "wait";
  EXPECT_THAT(fill(two_users_of_four(), wrong, random).error().message, HasSubstr("wait"));
  wrong.discipline = {.name = "lottery", .options = {}, .text = "lottery"};
  EXPECT_THAT(fill(two_users_of_four(), wrong, random).error().message, HasSubstr("lottery"));
}

TEST(FillTrace, HasAMillionStepsAndOfALongerFillingNone) {
  MIRAB_SKIP_LARGE_IF_SANITIZED();
  const mirab::Outcome longest = filled(problem({server("s", {"1000000"})}, {user("a", {"1"})}), {});
  EXPECT_EQ(longest.filling->steps.size(), static_cast<std::size_t>(kMaxSteps));
  EXPECT_EQ(longest.notices, std::vector<std::string>());
  const mirab::Outcome longer = filled(problem({server("s", {"1000001"})}, {user("a", {"1"})}), {});
  EXPECT_EQ(longer.filling->placed, kMaxSteps + 1);
  EXPECT_EQ(longer.filling->steps.size(), 0U);
  EXPECT_EQ(longer.notices,
            std::vector<std::string>{"more than 1000000 tasks were placed: the steps are not recorded"});
}

// u's tasks take r0 by default, and the other resource on the only server: with the default demand its key
// there would stay 0, and v would get nothing.
TEST(PsDsf, CountsTheTasksInTheDemandThatTheyHaveOnTheServer) {
  User u = user("u", {"1", "0"});
  u.demand_on = {{"b", amounts({"0", "1"})}};
  const mirab::Outcome outcome =
      filled(problem({server("b", {"100", "100"})}, {u, user("v", {"0", "1"})}), {.discipline = "ps-dsf"});
  EXPECT_EQ(outcome.allocation.tasks, (std::vector<double>{50, 50}));
}

// A task of the trainer is an eighth of a server of either class, so its keys on both are always equal. Fewer
// wait for the CPUs, which the other cannot use, so it goes there first, wherever they are listed; its 32
// tasks there count on the GPUs, which all go to the other.
TEST(PsDsf, CountsAllTasksInTheDemandOnTheServerWhereverTheyRun) {
  User trainer = user("trainer", {"8", "0"});
  trainer.demand_on = {{"gpus", amounts({"0", "1"})}};
  const std::vector<User> both{trainer, user("other", {"1", "1"})};
  const Server gpus = server("gpus", {"64", "8"}, 4), cpus = server("cpus", {"64", "0"}, 4);
  const auto tasks = [&](const std::vector<Server>& servers) {
    return filled(problem(servers, both), {.discipline = "ps-dsf"}).allocation.tasks;
  };
  EXPECT_EQ(tasks({cpus, gpus}), (std::vector<double>{32, 32}));
  EXPECT_EQ(tasks({gpus, cpus}), (std::vector<double>{32, 32}));
}

// Servers of one capacity are one class, and differ by name: each demand plays for itself.
TEST(PsDsf, ServersOfOneClassMayHaveDifferentDemands) {
  User u = user("u", {"1", "1"});
  u.demand_on = {{"b", amounts({"4", "0"})}};
  const mirab::Outcome outcome =
      filled(problem({server("a", {"8", "8"}), server("b", {"8", "8"})}, {u, user("v", {"1", "1"})}),
             {.discipline = "ps-dsf"});
  EXPECT_EQ(outcome.allocation.tasks, (std::vector<double>{4, 12})) << "on b a task of u counts four times";
}

// u alone: a server of 10 tasks that take 1, and one of a single task, which takes all of it. v alone: 20.
TEST(Tsf, TheYardstickTakesTheDemandOnServersThatAreNotAllowed) {
  Server a = server("a", {"10"});
  Server b = server("b", {"10"});
  a.labels = {{"z", "n"}};
  b.labels = {{"z", "y"}};
  User by_label = user("u", {"1"});
  by_label.demand_on = {{"a", amounts({"10"})}};
  User by_name = by_label;
  by_label.select = {{"z", {"y"}}};
  by_name.servers = {{"b"}};
  for (const User& u : {by_label, by_name}) {
    const mirab::Outcome outcome = filled(problem({a, b}, {u, user("v", {"1"})}), {.discipline = "tsf"});
    EXPECT_EQ(outcome.allocation.tasks[0], 7);
    EXPECT_EQ(outcome.allocation.tasks[1], 13);
  }
}

}  // namespace
}  // namespace mirab::scheduling
