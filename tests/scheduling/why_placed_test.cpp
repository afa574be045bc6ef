// Why a task was placed: who was served before whom, and which server before which.
#include <gmock/gmock.h>

#include "scheduling/engines.hpp"

namespace mirab::scheduling {
namespace {

using ::testing::ElementsAre;

WhyPlaced explained(SmallEngine& small) {
  WhyPlaced why;
  EXPECT_TRUE(small.engine.step(small.now, small.random, why));
  return why;
}

// 10 units: a holds 6, b 2; b is served with 0.2, and a would be next with 0.6.
TEST(WhyPlaced, NamesTheServedUserAndTheRunnerUpWithTheirKeys) {
  SmallEngine small("drf");
  small.server({10});
  const UserId a = small.user();
  const UserId b = small.user();
  small.job(a, {6});
  small.job(b, {2});
  small.run();
  const JobId of_a = small.job(a, {1});
  const JobId of_b = small.job(b, {1});
  const UserId c = *small.engine.apply(UserAdded{.name = "c"}, small.now);
  small.job(c, {9});
  const WhyPlaced why = explained(small);
  EXPECT_EQ(why.user, b);
  EXPECT_EQ(why.job, of_b);
  EXPECT_EQ(why.key, 0.2);
  EXPECT_EQ(why.users_waiting, 3);
  EXPECT_EQ(why.users_fitting, 2) << "9 units are free nowhere";
  EXPECT_EQ(why.runner_up->user, a);
  EXPECT_EQ(why.runner_up->job, of_a);
  EXPECT_EQ(why.runner_up->key, 0.6);
  EXPECT_FALSE(why.line);
  EXPECT_FALSE(why.kind);
}

TEST(WhyPlaced, CountsThoseWhoTie) {
  SmallEngine small("drf");
  small.server({10});
  const UserId first = small.user();
  small.job(first, {1});
  small.job(small.user(), {1});
  small.job(small.user(), {1});
  const WhyPlaced why = explained(small);
  EXPECT_EQ(why.user, first);
  EXPECT_EQ(why.users_tied, 2);
}

TEST(WhyPlaced, NothingIsWrittenWhenNothingIsPlaced) {
  SmallEngine small("drf");
  small.server({1});
  WhyPlaced why;
  why.user = UserId{7};
  EXPECT_FALSE(small.engine.step(small.now, small.random, why));
  EXPECT_EQ(why.user, UserId{7});
}

// (1, 2) in a pool of (8, 8): free (4, 4) stands at a distance of 1/3, free (2, 4) at none.
TEST(WhyPlaced, BestFitMeasuresTheDistanceFromTheTasksProportions) {
  SmallEngine small("drf", "best-fit", 2);
  const ServerId even = small.server({6, 4});
  const ServerId like = small.server({2, 4});
  small.job(small.user(), {1, 2});
  const WhyPlaced why = explained(small);
  EXPECT_EQ(why.server, like);
  EXPECT_EQ(why.servers_with_room, 2);
  EXPECT_EQ(why.runner_up_server, even);
  EXPECT_NEAR(why.measure->chosen, 0, 1e-15);
  EXPECT_NEAR(*why.measure->runner_up, 2 * (0.6 - 1.0 / 3), 1e-12);
  EXPECT_THAT(why.free_before, ElementsAre(2, 4));
  EXPECT_THAT(why.free_after, ElementsAre(1, 2));
}

TEST(WhyPlaced, WorstFitMeasuresTheTasksThatFit) {
  SmallEngine small("drf", "worst-fit");
  small.server({5});
  const ServerId large = small.server({9});
  small.job(small.user(), {2});
  const WhyPlaced why = explained(small);
  EXPECT_EQ(why.server, large);
  EXPECT_EQ(why.measure->chosen, 4.5);
  EXPECT_EQ(why.measure->runner_up, 2.5);
}

// With a mix of nothing but this task every resource that it demands is of use where it fits.
TEST(WhyPlaced, LeastFragmentationMeasuresItsGrowth) {
  SmallEngine small("drf", "least-fragmentation", 2);
  const ServerId wide = small.server({3, 4});
  const ServerId narrow = small.server({2, 4});
  small.job(small.user(), {2, 4});
  const WhyPlaced why = explained(small);
  EXPECT_EQ(why.server, narrow) << "nothing is left there";
  EXPECT_EQ(why.runner_up_server, wide);
  EXPECT_EQ(why.measure->chosen, 0);
  EXPECT_GT(*why.measure->runner_up, 0);
}

TEST(WhyPlaced, FirstFitMeasuresNothing) {
  SmallEngine small("drf");
  small.server({5});
  const ServerId second = small.server({9});
  small.job(small.user(), {2});
  const WhyPlaced why = explained(small);
  EXPECT_FALSE(why.measure);
  EXPECT_EQ(why.runner_up_server, second);
}

TEST(WhyPlaced, ALoneServerHasNoRunnerUp) {
  SmallEngine small("drf", "worst-fit");
  small.server({5});
  small.job(small.user(), {2});
  const WhyPlaced why = explained(small);
  EXPECT_FALSE(why.runner_up_server);
  EXPECT_FALSE(why.measure->runner_up);
  EXPECT_FALSE(why.runner_up);
}

TEST(WhyPlaced, TellsWhetherTheRoomHasJustComeFree) {
  SmallEngine small("drf");
  small.server({1});
  small.job(small.user(), {1}, 3);
  const Placed first = small.run().front();
  ASSERT_FALSE(small.engine.apply(TaskFinished{first.task}, small.now));
  EXPECT_TRUE(explained(small).was_freed);
}

TEST(WhyPlaced, TellsTheLineAndTheRound) {
  for (const char* discipline : {"mlf-drs", "mrfs"}) {
    SmallEngine small(discipline, "first-fit", 2);
    small.server({10, 10});
    const UserId user = small.user();
    small.job(user, {1, 2}, 2);
    small.job(user, {2, 1}, 2);
    EXPECT_EQ(explained(small).line, (WhyPlaced::Line{.resource = 1, .round = 0}));
    EXPECT_EQ(explained(small).line, (WhyPlaced::Line{.resource = 0, .round = 0}));
    EXPECT_EQ(explained(small).line, (WhyPlaced::Line{.resource = 1, .round = 1}));
  }
}

TEST(WhyPlaced, TellsTheKindOfServersThatThePairIsOf) {
  SmallEngine small("ps-dsf");
  small.server({4});
  const ServerId large = small.server({40});
  const UserId user = small.user();
  small.job(user, {2}, 5);
  explained(small);
  const WhyPlaced why = explained(small);
  EXPECT_THAT(*why.kind, ElementsAre(40)) << "2/40 is less than 2/4";
  EXPECT_EQ(why.server, large);
  EXPECT_EQ(why.servers_with_room, 1) << "of that kind";
  EXPECT_EQ(why.key, 2.0 / 40);
}

}  // namespace
}  // namespace mirab::scheduling
