#include <gtest/gtest.h>

#include "lab/simulation/overlay/faults.hpp"

namespace mirab::simulation {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

TEST(Bounds, AreTheSumsThatTheDocumentStates) {
  overlay::OverlayOptions options;
  options.patience = {.again = 4, .held = 16, .walk = 60, .home = 16, .user = 60, .lease = 40};
  const Bounds bounds = bounds_for(options, {});
  const Duration tick = milliseconds(100);
  EXPECT_EQ(bounds.held, 18 * tick);
  EXPECT_EQ(bounds.agreed, (3 * 4 + 90 + 16) * tick + 4 * (seconds(2) + milliseconds(5)));
  EXPECT_EQ(bounds.placement, (60 + 60 + 16 + 8 * 16 + 2 * 50 + 3 * 4) * tick);
}

// ln 10⁻⁹ / ln(1 - 0.9²) = 12.5
TEST(Bounds, GrowWhereLossNeverEnds) {
  OverlayScenario scenario;
  const Bounds calm = bounds_for({}, scenario);
  scenario.faults.loss = 0.1;
  EXPECT_EQ(bounds_for({}, scenario).agreed - calm.agreed, (13 - 3) * 10 * scenario.tick);
  scenario.faults.until = seconds(9);
  EXPECT_EQ(bounds_for({}, scenario).agreed, calm.agreed);
}

TEST(Bounds, TheLastFaultIsTheLastOfTheWholePlan) {
  Faults faults;
  EXPECT_EQ(last_fault(faults), Duration::zero());
  faults.until = seconds(1);
  faults.partitions = {{.from = seconds(1), .to = seconds(5), .nodes = 0.5}};
  EXPECT_EQ(last_fault(faults), seconds(5));
  faults.crashes = {{.at = seconds(6), .node = 0}, {.at = seconds(2), .node = 1, .back = seconds(7)}};
  EXPECT_EQ(last_fault(faults), seconds(7));
  faults.leaves = {{.at = seconds(8), .node = 2}};
  EXPECT_EQ(last_fault(faults), seconds(8));
  faults.restarts = {{.at = seconds(9)}};
  EXPECT_EQ(last_fault(faults), seconds(9));
}

TEST(Bounds, AServerIsAsSlowAsItEverIs) {
  Faults faults;
  faults.slow = {{.to = seconds(1), .node = 3, .factor = 2},
                 {.from = seconds(1), .to = seconds(3), .node = 3, .factor = 4}};
  EXPECT_EQ(slowest(faults, 3), 4);
  faults.slow.push_back({.from = seconds(2), .to = seconds(4), .node = 3, .factor = 3});
  EXPECT_EQ(slowest(faults, 3), 12) << "factors multiply while both last";
  EXPECT_EQ(slowest(faults, 2), 1);
}

}  // namespace
}  // namespace mirab::simulation
