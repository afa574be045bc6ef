// What to buy, or which weight to give: against all purchases tried one by one, and where it cannot be.
#include <gmock/gmock.h>

#include <mirab/audit/plan.hpp>
#include <mirab/model/random.hpp>

#include "model/clusters.hpp"
#include "random_cases.hpp"

namespace mirab {
namespace {

using testing::amounts;
using testing::cluster_of;
using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::problem_of;
using testing::slides;

ServerKind entry(const std::string& name, std::int64_t price = 1) {
  return {.name = name, .price = Quantity(price)};
}

PlanGoal goal_of(const Problem& problem, std::size_t user, const Quantity& tasks) {
  return {.user = problem.users()[user].name, .tasks = {{user, tasks}}};
}

Result<Plan> planned(const Problem& problem, const std::string& mechanism, std::size_t user,
                     std::int64_t tasks, const std::vector<ServerKind>& kinds,
                     const PlanOptions& options = {}) {
  return plan_purchase(problem, *choose_mechanism(mechanism), goal_of(problem, user, Quantity(tasks)), kinds,
                       options);
}

// What the mechanism gives with counts[k] servers more of entry k.
double tasks_with(const Problem& problem, const std::string& mechanism, std::size_t user,
                  const std::vector<std::int64_t>& counts) {
  Cluster cluster = problem.cluster();
  for (std::size_t k = 0; k < counts.size(); ++k) cluster.servers[k].count += counts[k];
  return allocate(problem_of(cluster), mechanism)->allocation.tasks[user];
}

TEST(Plan, OfTheSlidesDoublesTheServer) {
  const Result<Plan> plan = planned(problem_of(slides()), "drf", 0, 5, {entry("pool", 7)});
  ASSERT_TRUE(plan) << describe(plan.error());
  EXPECT_THAT(plan->bought, ElementsAre(1));
  EXPECT_EQ(plan->price, 7);
  EXPECT_TRUE(plan->exact);
  EXPECT_EQ(plan->least_price, 7);
  EXPECT_THAT(plan->before.allocation.tasks[0], DoubleNear(3, 1e-9));
  EXPECT_THAT(plan->after.allocation.tasks[0], DoubleNear(6, 1e-9));
  EXPECT_EQ(plan->problem.servers()[0].count, 2);
}

TEST(Plan, BuysAKindWithAResourceThatNoServerHasYet) {
  const Cluster cluster{.resources = {"cpu", "gpu"},
                        .servers = {{.name = "plain", .capacity = {Quantity(8), Quantity{}}}},
                        .users = {{.name = "cpus", .demand = {Quantity(1), Quantity{}}},
                                  {.name = "gpus",
                                   .demand = {Quantity(1), Quantity(4)},
                                   .tasks = Quantity(3),
                                   .may_fit_nowhere = true}}};
  const ServerKind fresh{.name = "gpu",
                         .fresh = Server{.name = "gpu", .capacity = {Quantity(8), Quantity(8)}},
                         .price = Quantity(5)};
  for (const char* mechanism : {"drf", "drfh", "hdrfh", "tsf"}) {
    const Result<Plan> plan = planned(problem_of(cluster), mechanism, 1, 3, {fresh});
    ASSERT_TRUE(plan) << describe(plan.error());
    EXPECT_THAT(plan->bought, ElementsAre(2)) << mechanism;
    EXPECT_EQ(plan->before.allocation.tasks[1], 0);
    EXPECT_THAT(plan->after.allocation.tasks[1], DoubleNear(3, 1e-6));
  }
}

// It names a server, which has no GPUs: it waits for one that is bought, and may run there.
TEST(Plan, BuysForAUserWhoNamesServersOnWhichItDoesNotFit) {
  const Cluster cluster{
      .resources = {"cpu", "gpu"},
      .servers = {{.name = "plain", .capacity = {Quantity(8), Quantity{}}},
                  {.name = "closed", .capacity = {Quantity(1), Quantity(1)}}},
      .users = {{.name = "runs", .demand = {Quantity(1), Quantity(1)}, .servers = {{"closed"}}},
                {.name = "waits",
                 .demand = {Quantity(1), Quantity(2)},
                 .tasks = Quantity(3),
                 .servers = {{"plain"}},
                 .may_fit_nowhere = true}}};
  const ServerKind fresh{.name = "gpu",
                         .fresh = Server{.name = "gpu", .capacity = {Quantity(8), Quantity(4)}},
                         .price = Quantity(5)};
  const Result<Plan> plan = planned(problem_of(cluster), "drfh", 1, 3, {fresh});
  ASSERT_TRUE(plan) << describe(plan.error());
  EXPECT_THAT(plan->bought, ElementsAre(2));
  EXPECT_THAT(plan->after.allocation.tasks[1], DoubleNear(3, 1e-6));
  EXPECT_THAT(*plan->problem.users()[1].servers, ElementsAre("plain", "gpu"));
  EXPECT_THAT(*plan->problem.users()[0].servers, ElementsAre("closed")) << "it fits where it may run";
}

// No server has the label that `new` selects.
TEST(Plan, BuysAKindWithALabelThatNoServerHasYet) {
  const Cluster cluster{.resources = {"cpu"},
                        .servers = {{.name = "old", .capacity = {Quantity(8)}}},
                        .users = {{.name = "any", .demand = {Quantity(1)}},
                                  {.name = "new",
                                   .demand = {Quantity(2)},
                                   .tasks = Quantity(3),
                                   .select = {{"model", {"new"}}},
                                   .may_fit_nowhere = true}}};
  const ServerKind fresh{
      .name = "fresh",
      .fresh = Server{.name = "fresh", .capacity = {Quantity(4)}, .labels = {{"model", "new"}}},
      .price = Quantity(5)};
  for (const char* mechanism : {"drfh", "hdrfh", "tsf"}) {
    const Result<Plan> plan = planned(problem_of(cluster), mechanism, 1, 3, {fresh});
    ASSERT_TRUE(plan) << describe(plan.error());
    EXPECT_EQ(plan->before.allocation.tasks[1], 0);
    EXPECT_THAT(plan->after.allocation.tasks[1], DoubleNear(3, 1e-6)) << mechanism;
  }
}

// The cheap one has 8 CPUs only since it runs as much.
TEST(Plan, BuysNoCopyOfAnOverfullServer) {
  Cluster cluster = cluster_of({{8, 8}, {4, 4}}, {{1, 1}});
  cluster.servers[0].is_overfull = true;
  const Problem problem = problem_of(cluster);
  EXPECT_EQ(
      describe(planned(problem, "drfh", 0, 16, {entry("s1"), entry("s2", 9)}).error()),
      "--kind: 's1' is overfull: its capacity is what runs there, more than such a server has; name one "
      "that is not, or a new kind with its capacity");
  const Result<Plan> plan = planned(problem, "drfh", 0, 16, {entry("s2", 9)});
  ASSERT_TRUE(plan) << describe(plan.error());
  EXPECT_THAT(plan->bought, ElementsAre(1));
}

TEST(Plan, BuysNothingForWhatAUserHas) {
  const Result<Plan> plan = planned(problem_of(slides()), "drf", 0, 3, {entry("pool")});
  ASSERT_TRUE(plan);
  EXPECT_THAT(plan->bought, ElementsAre(0));
  EXPECT_EQ(plan->price, 0);
}

// Two or three kinds, prices from 1 to 9: the cheapest of all purchases below the plan's price is the plan.
TEST(Plan, NoPurchaseIsCheaperThanAnExactPlan) {
  int compared = 0;
  for (std::uint64_t seed = 1; seed <= random_cases(60); ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const auto draw = [&](int from, int to) {
      return static_cast<double>(from) +
             static_cast<double>(random.below(static_cast<std::uint64_t>(to - from + 1)));
    };
    const std::size_t kinds = 1 + random.below(3);
    std::vector<std::vector<double>> capacities;
    std::vector<std::vector<double>> demands;
    for (std::size_t k = 0; k < kinds; ++k) capacities.push_back({draw(2, 9), draw(2, 9)});
    for (int n = 0; n < 3; ++n) demands.push_back({draw(1, 3), draw(1, 3)});
    Cluster cluster = cluster_of(capacities, demands);
    if (kinds > 1 && random.below(2) == 0) cluster.users[0].servers = {{"s1"}};
    const Problem problem = problem_of(cluster);
    const std::string mechanism = random.below(2) == 0 ? "drfh" : kinds == 1 ? "drf" : "tsf";
    std::vector<ServerKind> offers;
    for (std::size_t k = 0; k < kinds; ++k)
      offers.push_back(entry("s" + std::to_string(k + 1), static_cast<std::int64_t>(draw(1, 9))));
    const auto wanted = static_cast<std::int64_t>(draw(2, 7));
    const Result<Plan> plan = planned(problem, mechanism, 0, wanted, offers, {.solves = 100'000});
    ASSERT_TRUE(plan) << describe(plan.error());
    ASSERT_TRUE(plan->exact);
    const double enough = static_cast<double>(wanted) * (1 - 1e-6);
    EXPECT_GE(tasks_with(problem, mechanism, 0, plan->bought), enough);
    std::vector<std::int64_t> counts(kinds, 0);
    const auto price = [&] {
      double sum = 0;
      for (std::size_t k = 0; k < kinds; ++k) sum += static_cast<double>(counts[k]) * offers[k].price.value();
      return sum;
    };
    // Every purchase below the price, as the digits of a number.
    for (std::size_t k = 0; k < kinds;) {
      if (price() < plan->price) {
        ++compared;
        ASSERT_LT(tasks_with(problem, mechanism, 0, counts), enough) << price() << " against " << plan->price;
      }
      for (k = 0; k < kinds; ++k) {
        ++counts[k];
        if (price() < plan->price) break;
        counts[k] = 0;
      }
    }
  }
  if (kIsSanitized) return;  // too few cases to meet everything
  EXPECT_GT(compared, 300);
}

// DRF on a pool: more memory lets A fill the CPUs that B needs. B has 2 tasks with 18 memory, 1.5 with 36.
TEST(Plan, FindsTheLeastCountWhereMoreIsNotAlwaysBetter) {
  Cluster cluster = slides();
  cluster.servers.push_back({.name = "memory", .capacity = amounts({0, 1})});
  cluster.servers[0].capacity = amounts({9, 9});
  const Problem problem = problem_of(cluster);
  std::vector<double> tasks;
  for (std::int64_t count = 0; count <= 40; ++count)
    tasks.push_back(tasks_with(problem, "drf", 1, {0, count}));
  const auto most = std::max_element(tasks.begin(), tasks.end());
  ASSERT_LT(tasks.back(), *most - 0.1) << "more memory costs B tasks";
  for (const double part : {0.7, 0.9, 0.99, 1.0}) {
    const Result<Quantity> goal = Quantity::from(*most * part);
    const auto least = std::find_if(tasks.begin(), tasks.end(),
                                    [&](double each) { return each >= goal->value() * (1 - 1e-6); });
    const Result<Plan> plan =
        plan_purchase(problem, *choose_mechanism("drf"), goal_of(problem, 1, *goal), {entry("memory")});
    ASSERT_TRUE(plan) << describe(plan.error());
    EXPECT_THAT(plan->bought, ElementsAre(least - tasks.begin())) << part;
    EXPECT_TRUE(plan->exact);
  }
}

TEST(Plan, OfFewSolvesSaysHowMuchCheaperAnotherMayBe) {
  Cluster cluster = cluster_of({{4, 4}, {6, 5}}, {{1, 1}, {1, 2}, {2, 1}});
  const Problem problem = problem_of(cluster);
  const std::vector<ServerKind> offers{entry("s1", 3), entry("s2", 4)};
  const Result<Plan> rough = planned(problem, "drfh", 0, 30, offers, {.solves = 3});
  const Result<Plan> exact = planned(problem, "drfh", 0, 30, offers, {.solves = 100'000});
  ASSERT_TRUE(rough && exact);
  EXPECT_FALSE(rough->exact);
  EXPECT_TRUE(exact->exact);
  EXPECT_LE(rough->least_price, exact->price);
  EXPECT_GE(rough->price, exact->price);
  EXPECT_GE(rough->after.allocation.tasks[0], 30 * (1 - 1e-6));
}

// Four kinds on all of which the user fits: some 4 million purchases cost less than the plan.
TEST(Plan, WithoutSolvesTriesFewWhereAThousandWouldProveNothing) {
  const Problem problem = problem_of(cluster_of({{4, 4}, {4, 5}, {5, 4}, {5, 5}}, {{1, 1}, {1, 2}, {2, 1}}));
  const std::vector<ServerKind> offers{entry("s1"), entry("s2"), entry("s3"), entry("s4")};
  const Result<Plan> plan = planned(problem, "drfh", 0, 250, offers);
  const Result<Plan> asked = planned(problem, "drfh", 0, 250, offers, {.solves = 400});
  ASSERT_TRUE(plan && asked);
  EXPECT_FALSE(plan->exact);
  EXPECT_LT(plan->solved, 300u);
  EXPECT_GT(asked->solved, 400u);
  EXPECT_LE(plan->least_price, asked->least_price);
  EXPECT_TRUE(planned(problem, "drfh", 0, 12, offers)->exact) << "fewer than 1,000 prove it";
}

// Both users may run on the first kind only, so that the second changes nothing, which no bound knows: A
// alone would have 16 tasks now.
TEST(Plan, DoublesAKindThatDoesNotHelpOnlyWhileHalfOfItIsCheaperThanTheBest) {
  Cluster cluster = cluster_of({{4, 4}, {4, 4}}, {{1, 1}, {1, 1}});
  cluster.servers[0].count = 4;
  for (User& user : cluster.users) user.servers = {{"s1"}};
  const Result<Plan> plan = planned(problem_of(cluster), "drfh", 0, 12, {entry("s1"), entry("s2")});
  ASSERT_TRUE(plan);
  EXPECT_TRUE(plan->exact);
  EXPECT_THAT(plan->bought, ElementsAre(2, 0));
  EXPECT_LE(plan->solved, 12u);
}

TEST(Plan, IsTheSameWithAnyNumberOfThreads) {
  const Problem problem = problem_of(cluster_of({{4, 4}, {6, 5}}, {{1, 1}, {1, 2}, {2, 1}}));
  const std::vector<ServerKind> offers{entry("s1", 3), entry("s2", 4)};
  const Result<Plan> one = planned(problem, "drfh", 0, 12, offers);
  const Result<Plan> four = planned(problem, "drfh", 0, 12, offers, {.execution = {.threads = 4}});
  ASSERT_TRUE(one && four);
  EXPECT_EQ(one->bought, four->bought);
  EXPECT_EQ(one->solved, four->solved);
}

TEST(Plan, BuysANewKindWhichLabelsAllow) {
  Cluster cluster = cluster_of({{4, 4}}, {{1, 1}, {1, 1}});
  cluster.servers[0].labels = {{"disk", "hdd"}};
  cluster.servers.push_back({.name = "s2", .capacity = amounts({2, 2}), .labels = {{"disk", "ssd"}}});
  cluster.users[0].select = {{"disk", {"ssd"}}};
  const ServerKind fresh{
      .name = "fast",
      .fresh = Server{.name = "", .capacity = amounts({8, 8}), .labels = {{"disk", "ssd"}}},
      .price = Quantity(5)};
  const Result<Plan> plan = planned(problem_of(cluster), "drfh", 0, 6, {fresh});
  ASSERT_TRUE(plan) << describe(plan.error());
  EXPECT_THAT(plan->bought, ElementsAre(1));
  EXPECT_EQ(plan->problem.servers().back().name, "fast");
}

TEST(Plan, SaysWhyAGoalCannotBeReached) {
  Cluster cluster = cluster_of({{4, 4}, {4, 4}}, {{1, 1}, {1, 1}});
  cluster.users[0].tasks = Quantity(3);
  cluster.users[1].servers = {{"s1"}};
  cluster.groups = {{.name = "g", .quota = {.limit = {Quantity(2), {}}}}};
  cluster.users.push_back({.name = "C", .demand = amounts({1, 1}), .group = "g"});
  const Problem problem = problem_of(cluster);
  const auto message = [&](std::size_t user, const std::string& kind) {
    return describe(planned(problem, "hdrfh", user, 50, {entry(kind)}).error());
  };
  EXPECT_THAT(message(0, "s1"), HasSubstr("'A' asks for 3 tasks only"));
  EXPECT_THAT(message(1, "s2"),
              HasSubstr("'B' may run on none of these kinds, and without them it cannot have "
                        "50 tasks: its `servers` leave out 's2'"));
  EXPECT_THAT(message(2, "s1"),
              HasSubstr("no purchase and no weight gives 'C' more than 2.0 tasks: the limit of "
                        "'g' is 2.0 cpu, and what is wanted takes 50.0; raise first the limit of 'g' to at "
                        "least 50 cpu"));
  cluster.running = std::vector<Running>{};
  EXPECT_THAT(describe(planned(problem_of(cluster), "given", 0, 2, {entry("s1")}).error()),
              HasSubstr("follows no rule"));
}

// All of g want 8 tasks, and its limit of 6 CPUs holds them, whatever is bought. D alone, who wants 5 of
// these, is held by it too, since C has the other half.
TEST(Plan, SaysWhichLimitHoldsAGroupAndThatNoPurchaseHelps) {
  Cluster cluster = cluster_of({{4, 4}}, {});
  cluster.groups = {{.name = "g", .quota = {.limit = {Quantity(6), {}}}}};
  for (const char* const name : {"C", "D"})
    cluster.users.push_back({.name = name, .demand = amounts({1, 1}), .tasks = Quantity(5), .group = "g"});
  const Problem problem = problem_of(cluster);
  const auto message = [&](const std::string& who, int tasks) {
    return describe(plan_purchase(problem, *choose_mechanism("hdrfh"),
                                  *plan_goal(problem, who, Quantity(tasks)), {entry("s1")})
                        .error());
  };
  EXPECT_THAT(message("g", 8),
              HasSubstr("no purchase and no weight gives 'g' more than 75% of what is wanted "
                        "of each task shape or user: the limit of 'g' is 6.0 cpu, and what "
                        "is wanted takes 8.0; raise first the limit of 'g' to at least 8 cpu"));
  EXPECT_THAT(message("D", 5),
              HasSubstr("'D' gets at most 3.0 tasks in all that was tried; raise first the limit of 'g' on "
                        "cpu"));
  EXPECT_THAT(message("D", 5), ::testing::Not(HasSubstr("--tasks"))) << "it may not be what was asked";
}

// Half of what is wanted: A then has all that its limit allows, and B lacks memory, of which s2 has none.
TEST(Plan, ALimitOfWhoHasAllThatIsWantedIsNotInTheWay) {
  Cluster cluster = cluster_of({{4, 4}, {8, 0}}, {});
  cluster.groups = {{.name = "g"}, {.name = "ga", .parent = "g", .quota = {.limit = {Quantity(3), {}}}}};
  cluster.users.push_back({.name = "A", .demand = amounts({1, 0}), .tasks = Quantity(6), .group = "ga"});
  cluster.users.push_back({.name = "B", .demand = amounts({1, 1}), .tasks = Quantity(40), .group = "g"});
  const Problem problem = problem_of(cluster);
  const std::string message = describe(
      plan_purchase(problem, *choose_mechanism("hdrf"), *plan_goal(problem, "g", Quantity(23)), {entry("s2")})
          .error());
  EXPECT_THAT(message, HasSubstr("'g' gets at most"));
  EXPECT_THAT(message, ::testing::Not(HasSubstr("raise first")));
}

TEST(Plan, NamesTheTaintThatKeepsAUserOffAKind) {
  Cluster cluster = cluster_of({{4, 4}, {8, 8}}, {{1, 1}, {1, 1}});
  cluster.servers[1].taints = {{.key = "dedicated", .value = "ml"}, {.key = "gpu"}};
  cluster.users[0].tolerates = {{.key = "gpu"}};
  EXPECT_EQ(
      describe(planned(problem_of(cluster), "drfh", 0, 9, {entry("s2")}).error()),
      "--kind: 'A' may run on none of these kinds, and without them it cannot have 9 tasks: it does not "
      "tolerate the taints of 's2' (dedicated=ml)");
}

// Memory alone lets A and B have 4.5 tasks each at most, half of the CPUs, and A has 3 now. Servers of both
// resources bring more without end, so only the number of servers that are tried is in the way.
TEST(Plan, SaysWhatTheMostServersBring) {
  Cluster cluster = slides();
  cluster.servers.push_back({.name = "memory", .capacity = amounts({0, 1})});
  const auto message = [&](std::int64_t tasks, const std::string& kind) {
    return describe(planned(problem_of(cluster), "drf", 0, tasks, {entry(kind)}, {.solves = 20}).error());
  };
  const double today = tasks_with(problem_of(cluster), "drf", 0, {0, 0});
  ASSERT_GT(today, 2.9);
  // 9 CPUs: the dominant share of both is of CPUs when memory is plenty.
  EXPECT_THAT(message(20, "memory"),
              HasSubstr("with up to 1048576 more servers of this kind 'A' gets at most "));
  EXPECT_THAT(message(20, "memory"), Not(HasSubstr("at most 0.0 tasks")));
  EXPECT_THAT(message(1'000'000'000'000, "pool"),
              HasSubstr("the search stops at 1048576 more servers of this kind; 'A' gets at most 3145731"));
}

// Of one kind all smaller counts are tried, however few `solves` are given.
TEST(Plan, OfOneKindIsExactWithFewSolves) {
  const Problem problem = problem_of(cluster_of({{4, 4}}, {{1, 1}, {1, 2}, {2, 1}}));
  const Result<Plan> plan = planned(problem, "drfh", 0, 60, {entry("s1", 3)}, {.solves = 1});
  ASSERT_TRUE(plan) << describe(plan.error());
  EXPECT_TRUE(plan->exact);
  EXPECT_GT(plan->bought[0], 20);
  EXPECT_LT(tasks_with(problem, "drfh", 0, {plan->bought[0] - 1}), 60 * (1 - 1e-6));
}

// The shop asks for 6 web and 3 cache tasks, the other user for everything.
Cluster shop() {
  Cluster cluster = cluster_of({{8, 8}}, {{1, 1}, {2, 1}, {1, 2}});
  cluster.groups = {{.name = "shop", .is_user = true}};
  for (const std::size_t n : {std::size_t{1}, std::size_t{2}}) {
    cluster.users[n].shape = n == 1 ? "web" : "cache";
    cluster.users[n].name = "shop/" + *cluster.users[n].shape;
    cluster.users[n].group = "shop";
    cluster.users[n].tasks = Quantity(n == 1 ? 6 : 3);
  }
  return cluster;
}

TEST(Plan, AGoalOfAUserWithShapesIsDividedAsItAsks) {
  const Problem problem = problem_of(shop());
  const auto wanted = [&](const std::string& user, const std::optional<Quantity>& tasks) {
    const Result<PlanGoal> goal = plan_goal(problem, user, tasks);
    std::vector<double> each;
    if (goal) {
      for (const WantedTasks& shape : goal->tasks) each.push_back(shape.tasks.value());
    }
    return each;
  };
  EXPECT_THAT(wanted("shop", {}), ElementsAre(6, 3));
  EXPECT_THAT(wanted("shop", Quantity(3)), ElementsAre(2, 1));
  EXPECT_THAT(wanted("shop/web", {}), ElementsAre(6));
  EXPECT_THAT(wanted("shop/web", Quantity(4)), ElementsAre(4));
  EXPECT_THAT(describe(plan_goal(problem, "shop", Quantity(10)).error()),
              HasSubstr("--tasks: 'shop' asks for 9.0 tasks only"));
  EXPECT_THAT(describe(plan_goal(problem, "A", {}).error()),
              HasSubstr("--tasks: missing: 'A' asks for no number of tasks"));
  Cluster endless = shop();
  endless.users[2].tasks.reset();
  EXPECT_THAT(describe(plan_goal(problem_of(endless), "shop", Quantity(3)).error()),
              HasSubstr("'shop/cache' has no number of tasks"));
}

// The fewest servers with which each shape has all its tasks, against all counts.
TEST(Plan, OfAUserWithShapesReachesTheGoalOfEach) {
  const Problem problem = problem_of(shop());
  const Result<PlanGoal> goal = plan_goal(problem, "shop", {});
  for (const std::string mechanism : {"hdrfh", "drfh", "hdrf"}) {
    const Result<Plan> plan = plan_purchase(problem, *choose_mechanism(mechanism), *goal, {entry("s1", 3)});
    ASSERT_TRUE(plan) << describe(plan.error());
    EXPECT_TRUE(plan->exact);
    EXPECT_THAT(plan->after.allocation.tasks[1], DoubleNear(6, 1e-5));
    EXPECT_THAT(plan->after.allocation.tasks[2], DoubleNear(3, 1e-5));
    EXPECT_GT(plan->bought[0], 0);
    for (std::int64_t less = 0; less < plan->bought[0]; ++less) {
      EXPECT_TRUE(tasks_with(problem, mechanism, 1, {less}) < 6 * (1 - 1e-6) ||
                  tasks_with(problem, mechanism, 2, {less}) < 3 * (1 - 1e-6));
    }
  }
}

TEST(Plan, TheWeightOfAUserWithShapesIsItsOwn) {
  const Problem problem = problem_of(shop());
  const Result<PlanGoal> goal = plan_goal(problem, "shop", Quantity(3));
  const Result<Plan> plan = plan_weight(problem, *choose_mechanism("hdrfh"), *goal);
  ASSERT_TRUE(plan) << describe(plan.error());
  EXPECT_EQ(plan->weight_before, Quantity(1));
  EXPECT_GT(*plan->weight, Quantity(1));
  EXPECT_EQ(plan->problem.groups()[0].weight, *plan->weight);
  EXPECT_THAT(
      describe(plan_weight(problem, *choose_mechanism("drfh"), *goal).error()),
      HasSubstr("--user: drfh knows no groups, and takes each task shape or user of 'shop' for itself"));
}

// Equal entries are put together for the search: the plan is that of one entry with their count.
TEST(Plan, OfManyEqualEntriesIsThatOfOneEntry) {
  Cluster one = cluster_of({{4, 8}, {6, 5}}, {{1, 1}, {1, 2}, {2, 1}});
  one.servers[0].count = 30;
  one.users[2].servers = {{"s1"}};
  Cluster many = one;
  many.servers[0].count = 1;
  for (int i = 0; i < 29; ++i) {
    Server equal = many.servers[0];
    equal.name = "equal" + std::to_string(i);
    many.users[2].servers->push_back(equal.name);
    many.servers.push_back(std::move(equal));
  }
  const Result<Plan> plan = planned(problem_of(one), "drfh", 0, 80, {entry("s1", 3), entry("s2", 4)});
  const Result<Plan> same = planned(problem_of(many), "drfh", 0, 80, {entry("equal7", 3), entry("s2", 4)});
  ASSERT_TRUE(plan && same);
  EXPECT_EQ(plan->bought, same->bought);
  EXPECT_EQ(plan->solved, same->solved);
  EXPECT_THAT(same->after.allocation.tasks[0], DoubleNear(plan->after.allocation.tasks[0], 1e-6));
  EXPECT_EQ(same->problem.server_count(), 31u) << "the changed cluster keeps its entries";
}

// Servers of 3 and 2.98 CPUs, of which a user may have 5.98 tasks and two of 2.98 hold 5.96.
TEST(Plan, SearchedOnAlikeServersIsCheckedOnThemAsTheyAre) {
  Cluster cluster = cluster_of({{3}, {3}}, {{1}});
  cluster.servers[1].capacity[0] = *Quantity::parse("2.98");
  const Problem problem = problem_of(cluster);
  const std::string first = problem.servers()[0].name;
  const auto plan = [&](const std::string& tasks) {
    return plan_purchase(problem, *choose_mechanism("drfh"), goal_of(problem, 0, *Quantity::parse(tasks)),
                         {entry(first)}, {.alike = *Quantity::parse("0.01")});
  };
  const Result<Plan> has = plan("5.97"), lessened = plan("8.97"), more = plan("9");
  ASSERT_TRUE(has && lessened && more);
  EXPECT_THAT(has->bought, ElementsAre(0)) << "the servers as they are have it";
  EXPECT_THAT(lessened->bought, ElementsAre(1))
      << "as they count 8.94 is too little, as they are 8.98 is not";
  EXPECT_THAT(more->bought, ElementsAre(2));
  for (const Result<Plan>* each : {&has, &lessened, &more}) {
    EXPECT_TRUE((*each)->checked);
    EXPECT_FALSE((*each)->exact);
    EXPECT_EQ((*each)->problem.server_count(), 2U);
    EXPECT_DOUBLE_EQ((*each)->before.allocation.tasks[0], 5.98);
  }
}

TEST(Plan, WhoMayRunOnOverfullServersAloneIsToldSo) {
  Cluster cluster = cluster_of({{9}, {4}}, {{1}, {1}});
  cluster.servers[0].is_overfull = true;
  cluster.users[0].servers = {cluster.servers[0].name};
  const Result<Plan> plan = planned(problem_of(cluster), "drfh", 0, 20, {entry(cluster.servers[1].name)});
  ASSERT_FALSE(plan);
  EXPECT_THAT(describe(plan.error()),
              HasSubstr("all on which it may run are overfull, and run more than such"));
}

// Groups t, with users of 2 and 1 tasks, and w, who takes half of what is not t's.
TEST(Plan, OfAGroupIsForAllUsersBelowIt) {
  Cluster cluster = cluster_of({{2}}, {{1}, {1}, {1}});
  cluster.groups = {{.name = "t"}, {.name = "inner", .parent = "t"}};
  cluster.users[0].group = "t";
  cluster.users[1].group = "inner";
  cluster.users[0].tasks = Quantity(2);
  cluster.users[1].tasks = Quantity(1);
  const Problem problem = problem_of(cluster);
  const PlanGoal goal = *plan_goal(problem, "t", {});
  ASSERT_EQ(goal.tasks.size(), 2U);
  EXPECT_EQ(goal.all_tasks(), 3);
  const Result<Plan> plan =
      plan_purchase(problem, *choose_mechanism("hdrf"), goal, {entry(problem.servers()[0].name)});
  ASSERT_TRUE(plan) << describe(plan.error());
  EXPECT_THAT(plan->bought, ElementsAre(2)) << "of 6 CPUs the group has 3";
  const Result<Plan> weight =
      plan_weight(problem, *choose_mechanism("hdrf"), *plan_goal(problem, "t", Quantity(1)));
  ASSERT_TRUE(weight) << describe(weight.error());
  EXPECT_EQ(weight->weight_before, Quantity(1)) << "the weight of the group";
}

// DRF on one resource: weights w and 1 of capacity 10 give 10 w / (w + 1).
TEST(Plan, FindsTheSmallestWeight) {
  const Problem problem = problem_of(cluster_of({{10}}, {{1}, {1}}));
  const auto weight = [&](std::int64_t tasks) {
    return plan_weight(problem, *choose_mechanism("drf"), goal_of(problem, 0, Quantity(tasks)));
  };
  const Result<Plan> eight = weight(8);
  ASSERT_TRUE(eight) << describe(eight.error());
  EXPECT_EQ(eight->weight->text(), "4");
  EXPECT_EQ(eight->too_little->text(), "3.999");
  EXPECT_FALSE(eight->exact) << "weights are a sample";
  EXPECT_TRUE(eight->steady);
  EXPECT_THAT(eight->after.allocation.tasks[0], DoubleNear(8, 1e-9));
  EXPECT_EQ(weight(5)->weight->text(), "1");
  EXPECT_THAT(describe(weight(11).error()),
              HasSubstr("even a weight of 1.074e+09 brings 'A' no more than 10"));
}

}  // namespace
}  // namespace mirab
