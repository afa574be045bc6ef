#include <algorithm>
#include <gmock/gmock.h>

#include "lab/simulation/overlay/faults.hpp"
#include "simulation/overlay/small_overlay.hpp"

namespace mirab::simulation {
namespace {

using std::chrono::seconds;
using What = Change::What;

std::int64_t count_of(const std::vector<bool>& inside) { return std::ranges::count(inside, true); }

TEST(FaultPlan, IsInTheOrderOfTimeFromTheFirstTickOn) {
  OverlayScenario scenario;
  scenario.faults.crashes = {{.at = seconds(5), .node = 3, .back = seconds(8)},
                             {.at = seconds(1), .node = 2}};
  scenario.faults.partitions = {{.from = seconds(2), .to = seconds(5), .nodes = 0.5}};
  scenario.faults.joins = {{.at = seconds(7), .node = 9}};
  scenario.pauses = {{.from = seconds(0), .to = seconds(9), .user = "anna"}};
  const Time origin(seconds(100));
  const FaultPlan plan = plan_of(scenario, roster_of(small_cluster(10, 1)), 1, origin);
  std::vector<std::pair<std::int64_t, What>> happened;
  for (const Change& change : plan.changes)
    happened.emplace_back(std::chrono::duration_cast<seconds>(change.at - origin).count(), change.what);
  EXPECT_THAT(happened, testing::ElementsAre(std::pair(0, What::pause), std::pair(1, What::crash),
                                             std::pair(2, What::cut), std::pair(5, What::heal),
                                             std::pair(5, What::crash), std::pair(7, What::join),
                                             std::pair(8, What::back), std::pair(9, What::resume)));
  EXPECT_EQ(plan.changes[1].index, 1U) << "the second crash of the list is the first to happen";
}

TEST(FaultPlan, WhoIsCutOffIsDrawnFromTheSeedAndIsTheSmallerSide) {
  OverlayScenario scenario;
  scenario.faults.partitions = {{.from = {}, .to = seconds(1), .nodes = 0.3},
                                {.from = {}, .to = seconds(1), .nodes = 0.3},
                                {.from = {}, .to = seconds(1), .nodes = 0.8},
                                {.from = {}, .to = seconds(1), .nodes = 0.001}};
  const Roster roster = roster_of(small_cluster(100, 1));
  const FaultPlan plan = plan_of(scenario, roster, 1, {});
  EXPECT_EQ(count_of(plan.inside[0]), 30);
  EXPECT_EQ(count_of(plan.inside[1]), 30);
  EXPECT_NE(plan.inside[0], plan.inside[1]) << "each is drawn for itself";
  EXPECT_EQ(count_of(plan.inside[2]), 20) << "users stay on the larger side";
  EXPECT_EQ(count_of(plan.inside[3]), 1);
  EXPECT_EQ(plan_of(scenario, roster, 1, {}).inside, plan.inside);
  EXPECT_NE(plan_of(scenario, roster, 2, {}).inside, plan.inside);
}

TEST(FaultPlan, UsersAndTheGatewayAreCutOffWhereThePartitionSaysSo) {
  OverlayScenario scenario;
  using enum Partition::Side;
  scenario.faults.partitions = {{.from = {}, .to = seconds(1), .nodes = 0.3},
                                {.from = {}, .to = seconds(1), .nodes = 0.3, .users = 0.4},
                                {.from = {}, .to = seconds(1), .users = 1, .gateway = inside}};
  const Roster roster = roster_of(small_cluster(10, 5));
  const FaultPlan plan = plan_of(scenario, roster, 1, {});
  const auto users_of = [](const std::vector<bool>& all) {
    return std::vector<bool>(all.begin() + 10, all.begin() + 15);
  };
  EXPECT_EQ(count_of(plan.inside[0]), 3) << "servers only";
  EXPECT_EQ(count_of(users_of(plan.inside[1])), 2);
  EXPECT_EQ(count_of(plan.inside[1]), 3 + 2);
  EXPECT_EQ(count_of(users_of(plan.inside[2])), 5);
  EXPECT_EQ(count_of(plan.inside[2]), 5 + 3) << "no server, but the central one";
  EXPECT_TRUE(plan.inside[2][roster.gateway()]);
  EXPECT_TRUE(plan.inside[2][roster.bootstrap()]);
}

}  // namespace
}  // namespace mirab::simulation
