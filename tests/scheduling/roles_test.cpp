// Gangs of several demands: docs/reference/engine.md, "Roles".
#include <gmock/gmock.h>

#include <mirab/scheduling/event_log.hpp>
#include <mirab/scheduling/snapshot.hpp>

#include "scheduling/engines.hpp"

namespace mirab::scheduling {
namespace {

using testing::HasSubstr;
using testing::Pair;

/// The server and the role of each task of a decision, the first one first.
std::vector<std::pair<ServerId, std::int64_t>> places_of(const Placed& placed) {
  std::vector<std::pair<ServerId, std::int64_t>> places = {{placed.server, placed.role}};
  for (const Companion& companion : placed.with) places.emplace_back(companion.server, companion.role);
  return places;
}

TEST(Roles, StartTogetherTheLargestTasksFirst) {
  SmallEngine engine("drf");
  const ServerId small = engine.server({2});
  const ServerId large = engine.server({4});
  const UserId user = engine.user();
  const JobId job = engine.job({.user = user, .roles = {{1, {1}}, {2, {2}}}});
  EXPECT_TRUE(engine.engine.fits(job));
  const auto placed = engine.step();
  ASSERT_TRUE(placed);
  EXPECT_THAT(places_of(*placed), testing::ElementsAre(Pair(small, 1), Pair(large, 1), Pair(large, 0)));
  EXPECT_EQ(engine.engine.user(user)->used, Amounts{5});
  EXPECT_EQ(engine.engine.task(placed->task)->role, 1);
  EXPECT_EQ(engine.engine.broken_invariant(), "");
}

TEST(Roles, WaitUntilAllHaveRoom) {
  SmallEngine engine("drf");
  engine.server({4});
  const UserId user = engine.user();
  engine.job(user, {1});
  const TaskId first = engine.step()->task;
  const JobId job = engine.job({.user = user, .roles = {{1, {1}}, {1, {3}}}});
  EXPECT_FALSE(engine.step());
  const auto why = engine.engine.why_waiting(job, engine.now);
  ASSERT_TRUE(why && why->gang);
  EXPECT_EQ(why->gang->room, 1);
  ASSERT_EQ(why->gang->roles.size(), 2U);
  EXPECT_EQ(why->gang->roles[0].room, 0);
  EXPECT_EQ(why->gang->roles[1].room, 1);
  ASSERT_FALSE(engine.engine.apply(TaskFinished{first}, engine.now));
  EXPECT_EQ(engine.step()->with.size(), 1U);
}

TEST(Roles, ATaskThatFailedWaitsForRoomOfItsOwnRole) {
  SmallEngine engine("drf");
  engine.server({4});
  const UserId user = engine.user();
  const JobId job = engine.job({.user = user, .roles = {{1, {1}}, {1, {3}}}});
  const auto placed = engine.step();
  ASSERT_TRUE(placed);
  ASSERT_FALSE(engine.engine.apply(TaskFailed{placed->with.front().task}, engine.now));
  EXPECT_EQ(engine.engine.job(job)->running, 1);
  const auto again = engine.step();
  ASSERT_TRUE(again);
  EXPECT_EQ(again->role, 0);
  EXPECT_TRUE(again->with.empty());
  EXPECT_EQ(engine.engine.user(user)->used, Amounts{4});
}

TEST(Roles, OfWhichNoneWaitsAreExplainedAsIfAllDid) {
  SmallEngine engine("drf");
  const ServerId its = engine.server({4});
  const ServerId small = engine.server({1});
  const ServerId smaller = engine.server({0});
  const JobId job = engine.job({.user = engine.user(), .roles = {{1, {1}}, {1, {3}}}});
  ASSERT_TRUE(engine.step());
  ASSERT_EQ(engine.engine.job(job)->waiting, 0);
  EXPECT_FALSE(engine.engine.why_waiting(job, engine.now));
  EXPECT_EQ(engine.engine.why_not_on(job, its)->reason, InTheWay::full);
  EXPECT_EQ(engine.engine.why_not_on(job, small)->reason, InTheWay::nothing);
  EXPECT_EQ(engine.engine.why_not_on(job, smaller)->reason, InTheWay::too_small);
}

// docs/reference/engine.md: each server has room for 3 + 2 + 2.
TEST(Roles, FirstFitMayMissAPackingThatExists) {
  SmallEngine engine("drf");
  engine.server({7});
  engine.server({7});
  const auto refused =
      engine.engine.apply(JobSubmitted{.user = engine.user(), .roles = {{2, {3}}, {4, {2}}}}, engine.now);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().key, "roles");
}

TEST(Roles, StandInPlaceOfDemandTasksAndGang) {
  SmallEngine engine("drf");
  engine.server({7});
  const UserId user = engine.user();
  const auto key = [&](const JobSubmitted& job) { return engine.engine.apply(job, engine.now).error().key; };
  EXPECT_EQ(key({.user = user, .demand = {1}, .roles = {{1, {1}}}}), "demand");
  EXPECT_EQ(key({.user = user, .tasks = 2, .roles = {{1, {1}}}}), "tasks");
  EXPECT_EQ(key({.user = user, .gang = 2, .roles = {{1, {1}}}}), "gang");
  EXPECT_EQ(key({.user = user, .demand_on = {{"s", {1}}}, .roles = {{1, {1}}}}), "demand_on");
  EXPECT_EQ(key({.user = user, .roles = {{1, {1}}, {0, {1}}}}), "roles.1.tasks");
  EXPECT_EQ(key({.user = user, .roles = {{1, {1}}, {1, {0}}}}), "roles.1.demand");
  EXPECT_EQ(key({.user = user, .roles = {{1, {8}}}}), "roles.0.demand");
  EXPECT_EQ(key({.user = user}), "demand");
}

TEST(Roles, ASnapshotKeepsWhatWaitsAndRunsOfEach) {
  SmallEngine engine("drf");
  engine.server({4});
  const UserId user = engine.user();
  engine.job({.user = user, .roles = {{1, {1}}, {1, {3}}}});
  const auto placed = engine.step();
  ASSERT_TRUE(placed);
  ASSERT_FALSE(engine.engine.apply(TaskFailed{placed->task}, engine.now));
  const std::string bytes = snapshot(engine.engine);
  auto restored = restore(bytes);
  ASSERT_TRUE(restored) << describe(restored.error());
  EXPECT_EQ(snapshot(*restored), bytes);
  Random random(1);
  const auto again = restored->step(engine.now, random);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->role, 1);
}

}  // namespace
}  // namespace mirab::scheduling
