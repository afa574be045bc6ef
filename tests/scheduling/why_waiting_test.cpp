// Why a task waits: the reasons are right, and what is said to change it does.
#include <gmock/gmock.h>

#include "scheduling/engines.hpp"

namespace mirab::scheduling {
namespace {

using ::testing::ElementsAre;

TEST(WhyWaiting, IsAskedOnlyOfJobsThatWait) {
  SmallEngine small("drf");
  small.server({1});
  const JobId job = small.job(small.user(), {1});
  EXPECT_TRUE(small.engine.why_waiting(job, small.now)->is_next());
  small.run();
  EXPECT_FALSE(small.engine.why_waiting(job, small.now));
  EXPECT_FALSE(small.engine.why_waiting(JobId{77}, small.now));
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
  const WhyWaiting why = *small.engine.why_waiting(small.job(wanted), small.now);
  EXPECT_EQ(why.servers.not_allowed, 1);
  EXPECT_EQ(why.servers.too_small, 1);
  EXPECT_EQ(why.servers.drained, 1);
  EXPECT_EQ(why.servers.full, 2);
  EXPECT_EQ(why.servers.with_room, 0);
  EXPECT_THAT(why.servers.too_small_in, ElementsAre(1, 0));
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
  const WhyWaiting why = *small.engine.why_waiting(next_of_a, small.now);
  EXPECT_EQ(why.users_ahead, 1);
  EXPECT_EQ(why.next->user, b);
  EXPECT_EQ(why.next->job, next_of_b);
  EXPECT_EQ(why.key, 0.6);
  EXPECT_EQ(why.next->key, 0.2);
  EXPECT_NEAR(*why.with_weight, 3, 1e-12);
  EXPECT_TRUE(small.engine.why_waiting(next_of_b, small.now)->is_next());
  EXPECT_NE(of_a, of_b);
}

TEST(WhyWaiting, AnOlderJobOfTheSameUserIsBefore) {
  SmallEngine small("fifo");
  small.server({2});
  const UserId user = small.user();
  small.job(user, {1}, 5);
  const WhyWaiting why = *small.engine.why_waiting(small.job(user, {1}), small.now);
  EXPECT_EQ(why.older_jobs, 1);
  EXPECT_FALSE(why.is_next());
  EXPECT_FALSE(why.with_weight) << "first come, first served does not look at weights";
}

}  // namespace
}  // namespace mirab::scheduling
