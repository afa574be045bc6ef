#include <gmock/gmock.h>
#include <string>
#include <vector>

#include "lab/simulation/overlay/check.hpp"
#include "simulation/overlay/small_overlay.hpp"

namespace mirab::simulation {
namespace {

using overlay::Scheduler;
using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<std::string> noted_faults(const OverlayScenario& scenario) {
  std::vector<std::string> all;
  for (const Error& notice : fault_notices(scenario, 5)) all.push_back(describe(notice));
  return all;
}

TEST(FaultNotices, WhatEndsThoughItNeverBegan) {
  OverlayScenario scenario = small_scenario(Scheduler::dgdrf);
  scenario.faults.until = seconds(3);
  EXPECT_THAT(noted_faults(scenario),
              ElementsAre("faults.until_s: nothing ends then: there is no loss, duplicate, "
                          "reorder or corrupt"));
  scenario.faults.loss = 0.1;
  EXPECT_THAT(noted_faults(scenario), IsEmpty());
}

TEST(FaultNotices, WhatBeginsWhenTheRunIsOver) {
  OverlayScenario scenario = small_scenario(Scheduler::dgdrf);
  scenario.rules[0].options.patience.lease = 40;
  const Duration late = seconds(10), soon = late - milliseconds(1);
  scenario.faults = {.partitions = {{.from = late, .to = seconds(11), .nodes = 0.5}},
                     .crashes = {{.at = soon, .node = 1}, {.at = late, .node = 2}, {.at = late, .node = 3}},
                     .slow = {{.from = late, .to = seconds(11), .node = 1, .factor = 2}},
                     .joins = {{.at = late, .node = 4}},
                     .leaves = {{.at = late, .node = 0}},
                     .restarts = {{late}}};
  scenario.pauses = {{.from = soon, .to = late, .user = "u0"},
                     {.from = late, .to = seconds(11), .user = "u1"}};
  EXPECT_THAT(noted_faults(scenario), IsEmpty()) << "without a duration it goes on until all has happened";
  scenario.duration = late - milliseconds(50);  // half a tick less
  EXPECT_THAT(noted_faults(scenario),
              ElementsAre("faults.partitions[0].from_s: never happens: the run is over at 10 s",
                          "faults.crashes[1].at_s: never happens: the run is over at 10 s, before 1 more of "
                          "faults.crashes too",
                          "faults.slow[0].from_s: never happens: the run is over at 10 s",
                          "faults.joins[0].at_s: never happens: the run is over at 10 s",
                          "faults.leaves[0].at_s: never happens: the run is over at 10 s",
                          "faults.restarts[0].at_s: never happens: the run is over at 10 s",
                          "pauses[1].from_s: never happens: the run is over at 10 s"));
}

// The note is held against runs: what it is about changes nothing, what happens a moment earlier does.
TEST(FaultNotices, WhatNeverHappensMakesNoDifference) {
  const auto placed = [](Duration crash) {
    OverlayScenario scenario = small_scenario(Scheduler::pdgdrf);
    scenario.duration = milliseconds(950);
    for (std::uint32_t node = 0; node < 5; ++node)
      scenario.faults.crashes.push_back({.at = crash, .node = node, .memory = Memory::lost});
    return run_overlay(small_cluster(5, 2), scenario, 1, 1)->front().shares;
  };
  EXPECT_THAT(placed(milliseconds(999)), testing::Each(0.0));
  EXPECT_THAT(placed(milliseconds(1000)), testing::Each(testing::Gt(0.0)));
}

TEST(FaultNotices, ACrashThatUsersNeverHearOf) {
  OverlayScenario scenario = small_scenario(Scheduler::dgdrf);
  std::vector<Crash>& crashes = scenario.faults.crashes;
  crashes = {{.at = seconds(1), .node = 0, .back = seconds(2)}};
  EXPECT_THAT(noted_faults(scenario), IsEmpty());
  crashes.push_back({.at = seconds(3), .node = 2, .back = seconds(4), .memory = Memory::lost});
  EXPECT_THAT(noted_faults(scenario),
              ElementsAre("faults.crashes[1]: without a lease (patience.lease) users may wait "
                          "without end for a server that loses its memory"));
  crashes[1] = {.at = seconds(3), .node = 2};
  EXPECT_THAT(noted_faults(scenario),
              ElementsAre("faults.crashes[1]: without a lease (patience.lease) users may wait "
                          "without end for a server that never comes back"));
  scenario.rules[0].options.patience.lease = 40;
  EXPECT_THAT(noted_faults(scenario), IsEmpty());
}

TEST(FaultNotices, WhatNeverHappensHasNoConsequences) {
  OverlayScenario scenario = small_scenario(Scheduler::dgdrf);
  for (std::uint32_t node = 0; node < 4; ++node)
    scenario.faults.leaves.push_back({.at = seconds(10), .node = node});
  scenario.faults.crashes = {{.at = seconds(10), .node = 4}};
  EXPECT_THAT(noted_faults(scenario), ElementsAre(HasSubstr("never comes back"), HasSubstr("none is left")));
  scenario.duration = seconds(2);
  EXPECT_THAT(noted_faults(scenario),
              ElementsAre("faults.crashes[0].at_s: never happens: the run is over at 2 s",
                          "faults.leaves[0].at_s: never happens: the run is over at 2 s, before 3 more of "
                          "faults.leaves too"));
}

TEST(FaultNotices, WhoIsBackWhenTheRunIsOverIsNotBack) {
  OverlayScenario scenario = small_scenario(Scheduler::dgdrf);
  scenario.duration = seconds(2);
  scenario.faults.crashes = {{.at = seconds(1), .node = 0, .back = seconds(3)}};
  EXPECT_THAT(
      noted_faults(scenario),
      ElementsAre("faults.crashes[0]: without a lease (patience.lease) users may wait without end for a "
                  "server that comes back only when the run is over"));
}

TEST(FaultNotices, WhoJoinsWhenTheRunIsOverIsNeverThere) {
  OverlayScenario scenario = small_scenario(Scheduler::dgdrf);
  for (std::uint32_t node = 0; node < 4; ++node)
    scenario.faults.leaves.push_back({.at = seconds(1), .node = node});
  scenario.faults.joins = {{.at = seconds(2), .node = 4}};
  EXPECT_THAT(noted_faults(scenario), IsEmpty());
  scenario.duration = seconds(2);
  EXPECT_THAT(noted_faults(scenario), ElementsAre(HasSubstr("never happens"), HasSubstr("none is left")));
}

TEST(FaultNotices, NobodyIsLeft) {
  OverlayScenario scenario = small_scenario(Scheduler::dgdrf);
  scenario.rules[0].options.patience.lease = 40;
  for (std::uint32_t node = 0; node < 4; ++node)
    scenario.faults.leaves.push_back({.at = seconds(3), .node = node});
  EXPECT_THAT(noted_faults(scenario), IsEmpty());
  scenario.faults.crashes = {{.at = seconds(1), .node = 4, .back = seconds(2)}};
  EXPECT_THAT(noted_faults(scenario), IsEmpty());
  scenario.faults.crashes[0].back.reset();
  EXPECT_THAT(
      noted_faults(scenario),
      ElementsAre("faults: all servers leave, or crash and never come back: in the end none is left"));
}

}  // namespace
}  // namespace mirab::simulation
