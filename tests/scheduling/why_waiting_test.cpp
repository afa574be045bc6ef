// Why a task waits: the reasons are right, and the reported changes have their effect.
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
  small.server({1, 9}, "small");
  const ServerId drained = small.server({9, 9}, "drained");
  const ServerId full = small.server({4, 8}, "full");
  const ServerId fuller = small.server({4, 8}, "fuller");
  ASSERT_FALSE(small.engine.apply(ServerDrained{drained}, small.now));
  const auto take = [&](ServerId server, const std::string& name, Amounts amounts) {
    JobSubmitted job{.user = small.user(), .demand = std::move(amounts)};
    job.servers = {name};
    small.job(job);
    ASSERT_EQ(small.step()->server, server);
  };
  take(full, "full", {1, 5});
  take(fuller, "fuller", {2, 6});
  JobSubmitted wanted{.user = small.user(), .demand = {3, 4}};
  wanted.servers = {"small", "drained", "full", "fuller"};
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

// Of (4, 4) the first server lacks (3, 1), three quarters of what the task takes, the second (2, 2), a half.
TEST(WhyWaiting, TheNearestMissIsTheLeastLargestPartOfTheDemand) {
  SmallEngine small("drf", "first-fit", 2);
  const ServerId first = small.server({4, 4}, "first");
  const ServerId second = small.server({4, 4}, "second");
  const UserId user = small.user();
  small.job(user, {3, 1});
  ASSERT_EQ(small.step()->server, first);
  small.job(user, {2, 2});
  ASSERT_EQ(small.step()->server, second);
  const WhyWaiting why = *small.engine.why_waiting(small.job(user, {4, 4}), small.now);
  EXPECT_EQ(why.nearest_miss->server, second);
  EXPECT_EQ(why.nearest_miss->name, "second");
  EXPECT_THAT(why.nearest_miss->to_free, ElementsAre(2, 2));
}

// 10 units; a holds 6 and b 2 of them, both want 1 more: b is before a until a weighs more than three times
// as much.
TEST(WhyWaiting, TellsWhoIsBeforeAndWithWhatWeightNobodyWouldBe) {
  SmallEngine small("drf");
  small.server({10});
  const UserId a = small.user();
  const UserId b = small.user();
  small.job(a, {6});
  small.job(b, {2});
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

TEST(WhyWaiting, CountsWhatEachWishExcludesAndWhatItExcludesAlone) {
  SmallEngine small("drf");
  small.server({9}, "a", {{"zone", "x"}, {"disk", "ssd"}});
  small.server({9}, "a", {{"zone", "y"}, {"disk", "ssd"}});
  small.server({9}, "b", {{"zone", "y"}, {"disk", "ssd"}});
  small.server({9}, "b", {{"zone", "x"}});
  const ServerId nameless = small.server({9}, "b", {{"zone", "x"}, {"disk", "ssd"}});
  JobSubmitted wanted{.user = small.user(), .demand = {1}};
  wanted.servers = {"a"};
  wanted.select = {{"zone", {"x", "z"}}, {"disk", {"ssd"}}};
  const JobId job = small.job(wanted);
  const WhyWaiting why = *small.engine.why_waiting(job, small.now);
  EXPECT_EQ(why.servers.with_room, 1);
  EXPECT_EQ(why.servers.not_allowed, 4);
  EXPECT_THAT(why.constraints,
              ElementsAre(WhyWaiting::Constraint{.label = "", .excludes = 3, .alone = 1},
                          WhyWaiting::Constraint{.label = "disk", .excludes = 1, .alone = 0},
                          WhyWaiting::Constraint{.label = "zone", .excludes = 2, .alone = 1}));
  EXPECT_EQ(small.engine.why_not_on(job, nameless)->reason, InTheWay::name);
}

TEST(WhyWaiting, TellsOfOneServerWhatIsInTheWay) {
  SmallEngine small("drf", "first-fit", 2, Tie::first, Oversized::wait);
  const ServerId zone_y = small.server({9, 9}, "s", {{"zone", "y"}});
  const ServerId too_small = small.server({1, 3}, "s", {{"zone", "x"}});
  const ServerId full = small.server({9, 9}, "s", {{"zone", "x"}});
  small.job(small.user(), {7, 1});
  ASSERT_EQ(small.step()->server, zone_y);
  JobSubmitted first{.user = small.user(), .demand = {7, 1}};
  first.select = {{"zone", {"x"}}};
  small.job(first);
  ASSERT_EQ(small.step()->server, full);
  first.demand = {3, 4};
  const JobId job = small.job(first);
  EXPECT_EQ(*small.engine.why_not_on(job, zone_y),
            (WhyNotOn{.reason = InTheWay::label, .label = "zone", .missing = {}}));
  EXPECT_EQ(*small.engine.why_not_on(job, too_small),
            (WhyNotOn{.reason = InTheWay::too_small, .label = {}, .missing = {2, 1}}));
  EXPECT_EQ(*small.engine.why_not_on(job, full),
            (WhyNotOn{.reason = InTheWay::full, .label = {}, .missing = {1, 0}}));
  ASSERT_FALSE(small.engine.apply(ServerDrained{full}, small.now));
  EXPECT_EQ(small.engine.why_not_on(job, full)->reason, InTheWay::drained);
  EXPECT_FALSE(small.engine.why_not_on(job, ServerId{99}));
}

TEST(WhyWaiting, WithFreezeItNamesTheTaskThatEverybodyWaitsFor) {
  SmallEngine small("drf:blocking=freeze");
  small.server({10});
  const UserId a = small.user();
  const UserId b = small.user();
  small.job(a, {6});
  small.run();
  const JobId large = small.job(b, {5});
  const JobId fits = small.job(a, {1});
  const WhyWaiting why = *small.engine.why_waiting(fits, small.now);
  EXPECT_EQ(why.servers.with_room, 1);
  EXPECT_EQ(why.users_ahead, 1);
  EXPECT_EQ(why.blocked_by->job, large);
  EXPECT_FALSE(why.is_next());
  EXPECT_FALSE(small.step());
  EXPECT_EQ(small.engine.why_waiting(large, small.now)->blocked_by->job, large) << "its own lack of room";
}

TEST(WhyWaiting, WithRandomTiesEqualKeysAreDrawnForAndNotAhead) {
  SmallEngine small("drf", "first-fit", 1, Tie::random);
  small.server({10});
  const JobId first = small.job(small.user(), {1});
  const JobId second = small.job(small.user(), {1});
  for (const JobId job : {first, second}) {
    const WhyWaiting why = *small.engine.why_waiting(job, small.now);
    EXPECT_EQ(why.users_tied, 1);
    EXPECT_EQ(why.users_ahead, 0);
    EXPECT_FALSE(why.is_next());
    EXPECT_FALSE(why.with_weight) << "0 over any weight is 0";
  }
}

TEST(WhyWaiting, BesideAUserWithNothingNoWeightHelps) {
  SmallEngine small("drf");
  small.server({10});
  const UserId a = small.user();
  small.job(a, {1});
  small.run();
  small.job(small.user(), {1});
  const WhyWaiting why = *small.engine.why_waiting(small.job(a, {1}), small.now);
  EXPECT_EQ(why.users_ahead, 1);
  EXPECT_FALSE(why.with_weight);
}

// The prices of pf follow the weights.
TEST(WhyWaiting, NoWeightIsPromisedWhereOtherKeysChangeWithIt) {
  SmallEngine small("pf");
  small.server({10});
  const UserId a = small.user();
  const UserId b = small.user();
  small.job(a, {6});
  small.job(b, {2});
  small.run();
  const JobId of_a = small.job(a, {1});
  small.job(b, {1});
  const WhyWaiting why = *small.engine.why_waiting(of_a, small.now);
  EXPECT_EQ(why.users_ahead, 1);
  EXPECT_FALSE(why.with_weight);
}

// The rival of the user's own other task is not a rival: the weight is that against the others.
TEST(WhyWaiting, TheUsersOwnTasksAheadAreToldApart) {
  SmallEngine small("drf");
  small.server({10});
  const UserId a = small.user();
  const UserId b = small.user();
  small.job(a, {6});
  small.job(b, {2});
  small.run();
  small.job(a, {2});
  const JobId last = small.job(a, {1});
  small.job(b, {1});
  const WhyWaiting why = *small.engine.why_waiting(last, small.now);
  EXPECT_EQ(why.own_ahead, 1);
  EXPECT_EQ(why.older_jobs, 0);
  EXPECT_EQ(why.users_ahead, 1);
  EXPECT_EQ(why.next->user, b);
  EXPECT_NEAR(*why.with_weight, 3, 1e-12);
}

// Drained servers are of no kind: the job is in no race of PS-DSF.
TEST(WhyWaiting, WhereNoKindOfServerCouldRunItThereIsNoKey) {
  SmallEngine small("ps-dsf", "first-fit", 1, Tie::first, Oversized::wait);
  const JobId job = small.job(small.user(), {1});
  const WhyWaiting why = *small.engine.why_waiting(job, small.now);
  EXPECT_FALSE(why.key);
  EXPECT_FALSE(why.is_next());
}

}  // namespace
}  // namespace mirab::scheduling
