// Why a task waits: the reasons are right, and what is said to change it does.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "scheduling/engines.hpp"

namespace mirab::scheduling {
namespace {

using ::testing::ElementsAre;

TEST(WhyWaiting, IsAskedOnlyOfJobsThatWait) {
  SmallEngine small("drf");
  small.server({1});
  const JobId job = small.job(small.user(), {1});
  EXPECT_TRUE(small.engine.why_waiting(job)->is_next());
  small.run();
  EXPECT_FALSE(small.engine.why_waiting(job));
  EXPECT_FALSE(small.engine.why_waiting(JobId{77}));
}

TEST(WhyWaiting, CountsEveryServerOnceByWhatIsInTheWay) {
  SmallEngine small("drf", "first-fit", 2);
  small.server({9, 9}, "other");
  small.server({1, 9}, "mine");
  const ServerId drained = small.server({9, 9}, "mine");
  const ServerId full = small.server({4, 8}, "mine");
  const ServerId fuller = small.server({4, 8}, "mine");
  ASSERT_FALSE(small.engine.apply(ServerDrained{drained}, small.now));
  const UserId user = small.user();
  const auto take = [&](ServerId server, Amounts amounts) {
    JobSubmitted job{.user = small.user(), .demand = std::move(amounts)};
    job.servers = {"mine"};
    const JobId id = small.job(job);
    EXPECT_EQ(small.step()->server, server);
    (void)id;
  };
  take(full, {1, 5});
  take(fuller, {2, 6});
  JobSubmitted wanted{.user = user, .demand = {3, 4}};
  wanted.servers = {"mine"};
  const WhyWaiting why = *small.engine.why_waiting(small.job(wanted));
  EXPECT_EQ(why.servers.not_allowed, 1);
  EXPECT_EQ(why.servers.too_small, 1);
  EXPECT_EQ(why.servers.drained, 1);
  EXPECT_EQ(why.servers.full, 2);
  EXPECT_EQ(why.servers.with_room, 0);
  EXPECT_THAT(why.servers.lacking, ElementsAre(1, 2));
  ASSERT_TRUE(why.nearest_miss);
  EXPECT_EQ(why.nearest_miss->server, full);
  EXPECT_THAT(why.nearest_miss->to_free, ElementsAre(0, 1));
  EXPECT_FALSE(why.next);
}

// 10 units; a holds 6 and b 2 of them, both want 1 more: b is before a until a weighs more than three times
// as much.
TEST(WhyWaiting, TellsWhoIsBeforeAndWithWhatWeightNobodyWouldBe) {
  SmallEngine small("drf");
  small.server({10});
  const UserId a = small.user();
  const UserId b = small.user();
  const JobId of_a = small.job(a, {6});
  const JobId of_b = small.job(b, {2});
  small.run();
  const JobId next_of_a = small.job(a, {1});
  const JobId next_of_b = small.job(b, {1});
  const WhyWaiting why = *small.engine.why_waiting(next_of_a);
  EXPECT_EQ(why.ahead, 1);
  EXPECT_EQ(why.next->user, b);
  EXPECT_EQ(why.next->job, next_of_b);
  EXPECT_EQ(why.key, 0.6);
  EXPECT_EQ(why.next->key, 0.2);
  EXPECT_NEAR(*why.with_weight, 3, 1e-12);
  EXPECT_TRUE(small.engine.why_waiting(next_of_b)->is_next());
  EXPECT_NE(of_a, of_b);
}

TEST(WhyWaiting, AnOlderJobOfTheSameUserIsBefore) {
  SmallEngine small("fifo");
  small.server({2});
  const UserId user = small.user();
  small.job(user, {1}, 5);
  const WhyWaiting why = *small.engine.why_waiting(small.job(user, {1}));
  EXPECT_EQ(why.older_jobs, 1);
  EXPECT_FALSE(why.is_next());
  EXPECT_FALSE(why.with_weight) << "first come, first served does not look at weights";
}

/// A few servers, users and jobs, served until nothing fits; then some tasks finish.
struct RandomEngine : SmallEngine {
  std::vector<std::pair<UserId, JobId>> jobs;

  RandomEngine(const std::string& discipline, std::uint64_t seed) : SmallEngine(discipline, "first-fit", 2) {
    Random drawn(seed);
    const auto amount = [&](std::uint64_t most) { return static_cast<std::int64_t>(1 + drawn.below(most)); };
    for (std::uint64_t k = 0; k < 2 + drawn.below(3); ++k) server({amount(8) + 4, amount(8) + 4});
    for (std::uint64_t k = 0; k < 2 + drawn.below(4); ++k) {
      const UserId owner = user(Quantity{amount(3)});
      for (std::uint64_t j = 0; j < 1 + drawn.below(2); ++j)
        jobs.emplace_back(owner, job(owner, {amount(4), amount(4)}, 1 + amount(20)));
    }
    for (const Placed& placed : run()) {
      if (drawn.below(6) == 0) (void)engine.apply(TaskFinished{placed.task}, now);
    }
  }
};

class WhyWaitingIsTrue : public testing::TestWithParam<const char*> {};

// What is missing is given, and the weight that is needed: then it is this very user's task that is placed.
TEST_P(WhyWaitingIsTrue, TheStatedChangeMakesTheTaskRun) {
  int with_room = 0, without_room = 0, with_weight = 0;
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    SCOPED_TRACE(fmt::format("replay: seed {}", seed));
    RandomEngine random(GetParam(), seed);
    const auto& [user, job] = random.jobs[seed % random.jobs.size()];
    std::optional<WhyWaiting> why = random.engine.why_waiting(job);
    if (!why || why->older_jobs > 0) continue;
    ASSERT_EQ(why->servers.with_room > 0, random.engine.fits(job));
    if (why->servers.with_room == 0) {
      ++without_room;
      ASSERT_TRUE(why->nearest_miss);
      const auto server = *random.engine.server(why->nearest_miss->server);
      Amounts capacity = server.capacity;
      for (std::size_t r = 0; r < capacity.size(); ++r) capacity[r] += why->nearest_miss->to_free[r];
      ASSERT_FALSE(random.engine.apply(
          ServerChanged{.server = why->nearest_miss->server, .capacity = capacity}, random.now));
      why = random.engine.why_waiting(job);
      ASSERT_GT(why->servers.with_room, 0) << "what was missing is there";
    } else {
      ++with_room;
    }
    if (why->with_weight) {
      ++with_weight;
      const Quantity weight = *Quantity::from(*why->with_weight * 1.000001);
      ASSERT_FALSE(random.engine.apply(UserReweighted{.user = user, .weight = weight}, random.now));
      why = random.engine.why_waiting(job);
    }
    const std::optional<Placed> placed = random.step();
    ASSERT_TRUE(placed);
    if (why->is_next()) {
      ASSERT_EQ(placed->user, user);
      ASSERT_EQ(placed->job, job);
    } else {
      ASSERT_TRUE(why->next) << "somebody is before, whom no weight passes";
      ASSERT_EQ(placed->user, why->next->user);
    }
  }
  EXPECT_GT(without_room, 20);
  EXPECT_GT(with_room, 20);
  if (GetParam() != std::string("fifo") && GetParam() != std::string("mlf-drs")) EXPECT_GT(with_weight, 20);
}

INSTANTIATE_TEST_SUITE_P(All, WhyWaitingIsTrue,
                         testing::Values("fifo", "round-robin", "drf", "asset", "pf", "tsf", "ps-dsf",
                                         "mlf-drs"),
                         [](const auto& info) {
                           std::string name = info.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace mirab::scheduling
