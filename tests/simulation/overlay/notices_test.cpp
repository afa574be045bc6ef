#include "simulation/overlay/notices.hpp"

#include <gmock/gmock.h>
#include <string>
#include <vector>

#include "simulation/overlay/small_overlay.hpp"

namespace mirab::simulation {
namespace {

using overlay::Scheduler;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> noted(const OverlayScenario& scenario,
                               const Problem& cluster = small_cluster(5, 2)) {
  std::vector<std::string> all;
  for (const Error& notice : notices(cluster, scenario)) all.push_back(describe(notice));
  return all;
}

TEST(Notices, NothingIsNotedOfAnOrdinaryScenario) {
  for (const Scheduler scheduler : {Scheduler::centralised_fifo, Scheduler::probes, Scheduler::dgdrf}) {
    OverlayScenario scenario;
    scenario.rules = {{.scheduler = scheduler, .options = {}}};
    EXPECT_THAT(noted(scenario), IsEmpty());
  }
}

TEST(Notices, AnOptionIsNotedWhenNoSchedulerHasAUseForIt) {
  OverlayScenario scenario = small_scenario(Scheduler::dgdrf);
  scenario.rules[0].options.slack = 2;
  EXPECT_THAT(noted(scenario), ElementsAre("slack: makes no difference to dgdrf"));
  scenario.rules.push_back(scenario.rules[0]);
  scenario.rules[1].scheduler = Scheduler::pdgdrf;
  EXPECT_THAT(noted(scenario), ElementsAre("slack: makes no difference to any of the schedulers"));
  scenario.rules[1].scheduler = Scheduler::level;
  EXPECT_THAT(noted(scenario), IsEmpty());
}

TEST(Notices, ViewsThatAreLargerThanWhatThereIs) {
  OverlayScenario scenario = small_scenario(Scheduler::dgdrf);
  scenario.rules[0].options.gossip.view = 5;
  scenario.rules[0].options.gossip.peer_shuffle = 11;
  EXPECT_THAT(noted(scenario),
              ElementsAre("neighbours: 5 are more than the 4 others that a server has",
                          "peer_shuffle: an exchange sends 10 entries at most, all of the view (peers)"));
  scenario.rules.push_back(small_scenario(Scheduler::pdgdrf).rules[0]);
  EXPECT_EQ(noted(scenario)[0], "schedulers[0].neighbours: 5 are more than the 4 others that a server has");
}

TEST(Notices, LatenciesAboveTheLifetime) {
  OverlayScenario scenario = small_scenario(Scheduler::dgdrf);
  scenario.latency.max = seconds(3);
  EXPECT_THAT(
      noted(scenario),
      ElementsAre("latency_ms: messages that take longer than lifetime_ms, 2000, by any clock, are dropped"));
}

TEST(Notices, WhatEndsThoughItNeverBegan) {
  OverlayScenario scenario = small_scenario(Scheduler::dgdrf);
  scenario.faults.until = seconds(3);
  EXPECT_THAT(noted(scenario), ElementsAre("faults.until_s: nothing ends then: there is no loss, duplicate, "
                                           "reorder or corrupt"));
  scenario.faults.loss = 0.1;
  EXPECT_THAT(noted(scenario), IsEmpty());
}

TEST(Notices, QuietBesideADuration) {
  OverlayScenario scenario = small_scenario(Scheduler::dgdrf);
  scenario.quiet = 7;
  EXPECT_THAT(noted(scenario), IsEmpty());
  scenario.duration = seconds(9);
  EXPECT_THAT(noted(scenario),
              ElementsAre("quiet: makes no difference: duration_s says when the run is over"));
}

TEST(Notices, NobodyIsLeft) {
  OverlayScenario scenario = small_scenario(Scheduler::dgdrf);
  for (std::uint32_t node = 0; node < 4; ++node)
    scenario.faults.leaves.push_back({.at = seconds(3), .node = node});
  EXPECT_THAT(noted(scenario), IsEmpty());
  scenario.faults.crashes = {{.at = seconds(1), .node = 4, .back = seconds(2)}};
  EXPECT_THAT(noted(scenario), IsEmpty());
  scenario.faults.crashes[0].back.reset();
  EXPECT_THAT(noted(scenario),
              ElementsAre("faults: all servers leave, or crash for ever: in the end nobody is there"));
}

TEST(Notices, AUserThatFitsNowhereStopsTheOthersUnderStuckBlock) {
  Cluster cluster{
      .resources = {"cpu"},
      .servers = {{.name = "s", .capacity = {Quantity(4)}, .count = 9}},
      .users = {{.name = "small", .demand = {Quantity(1)}}, {.name = "big", .demand = {Quantity(5)}}}};
  OverlayScenario scenario = small_scenario(Scheduler::dgdrf);
  EXPECT_THAT(noted(scenario, *Problem::from(cluster)),
              ElementsAre("users[1].demand: a task of user 'big' fits on no server, even an empty one: it is "
                          "the poorest for ever, and nobody else is served, unless by `stuck: leave`"));
  scenario.rules[0].options.stuck = overlay::Stuck::leave;
  EXPECT_THAT(noted(scenario, *Problem::from(cluster)),
              ElementsAre("users[1].demand: a task of user 'big' fits on no server, even an empty one"));
}

}  // namespace
}  // namespace mirab::simulation
