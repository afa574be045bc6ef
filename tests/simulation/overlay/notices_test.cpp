#include <gmock/gmock.h>
#include <string>
#include <vector>

#include "lab/simulation/overlay/check.hpp"
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
  EXPECT_THAT(noted(scenario), ElementsAre("slack: has no effect on dgdrf"));
  scenario.rules.push_back(scenario.rules[0]);
  scenario.rules[1].scheduler = Scheduler::pdgdrf;
  EXPECT_THAT(noted(scenario), ElementsAre("slack: has no effect on any of the schedulers"));
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

TEST(Notices, TasksThatNeverWalk) {
  OverlayScenario scenario = small_scenario(Scheduler::dgdrf);
  scenario.rules[0].options.hops = 0;
  EXPECT_THAT(noted(scenario),
              ElementsAre("hops: no task walks: it runs on the home of its user, or nowhere"));
  scenario.rules[0].scheduler = Scheduler::probes;
  EXPECT_THAT(noted(scenario), ElementsAre("hops: has no effect on probes"));
}

TEST(Notices, ALeaseThatIsOverBeforeItIsRenewed) {
  OverlayScenario scenario = small_scenario(Scheduler::dgdrf);
  std::uint32_t& lease = scenario.rules[0].options.patience.lease;
  lease = 1;
  EXPECT_THAT(noted(scenario), ElementsAre("patience.lease: hosts may hear nothing for 1.3 ticks from a user "
                                           "that is well, and stop its tasks"));
  lease = 2;
  EXPECT_THAT(noted(scenario), IsEmpty());
  scenario.faults.loss = 0.1;
  EXPECT_THAT(
      noted(scenario),
      ElementsAre("patience.lease: hosts may hear nothing for 11.6 ticks from a user that is well, when "
                  "one of its messages is lost, and stop its tasks"));
  scenario.faults.loss = 0;
  scenario.faults.reorder = 0.1;
  EXPECT_THAT(noted(scenario), ElementsAre("patience.lease: hosts may hear nothing for 4.3 ticks from a user "
                                           "that is well, and stop its tasks"));
  scenario.faults.loss = 0.1;
  lease = 40;  // docs/explanation/overlay-safety.md
  EXPECT_THAT(noted(scenario), IsEmpty());
}

// Compared with runs in which messages are held back and nothing else goes wrong. A lease with a notice may
// be enough by luck.
TEST(Notices, ALeaseOfWhichNothingIsSaidStopsNoTask) {
  for (const double reorder : {0.0, 0.5}) {
    for (const std::int64_t latency_ms : {10, 90, 130, 330}) {
      for (const std::uint32_t lease : {1U, 2U, 3U, 4U, 6U, 8U, 12U, 24U}) {
        OverlayScenario scenario = small_scenario(Scheduler::pdgdrf);
        scenario.latency.max = std::chrono::milliseconds(latency_ms);
        scenario.faults.reorder = reorder;
        scenario.rules[0].options.patience.lease = lease;
        scenario.duration = seconds(60);
        const auto runs = run_overlay(small_cluster(5, 2), scenario, 1, 1);
        if (lease > 1 && !noted(scenario).empty()) continue;
        EXPECT_EQ(runs->front().restarted > 0, lease == 1)
            << lease << " ticks, messages of up to " << latency_ms << " ms, held back: " << reorder;
      }
    }
  }
}

TEST(Notices, LatenciesAboveTheLifetime) {
  OverlayScenario scenario = small_scenario(Scheduler::dgdrf);
  scenario.latency.max = seconds(3);
  EXPECT_THAT(
      noted(scenario),
      ElementsAre("latency_ms: messages that take longer than lifetime_ms, 2000, by any clock, are dropped"));
}

TEST(Notices, QuietBesideADuration) {
  OverlayScenario scenario = small_scenario(Scheduler::dgdrf);
  scenario.quiet = 7;
  EXPECT_THAT(noted(scenario), IsEmpty());
  scenario.duration = seconds(9);
  EXPECT_THAT(noted(scenario), ElementsAre("quiet: has no effect: duration_s says when the run is over"));
}

TEST(Notices, WhatGoesWrongInVain) {
  OverlayScenario scenario = small_scenario(Scheduler::dgdrf);
  scenario.faults.until = seconds(3);
  EXPECT_THAT(noted(scenario), ElementsAre(testing::StartsWith("faults.until_s: nothing ends then")));
}

TEST(Notices, AUserThatFitsNowhereStopsTheOthersUnderStuckBlock) {
  Cluster cluster{
      .resources = {"cpu"},
      .servers = {{.name = "s", .capacity = {Quantity(4)}, .count = 9}},
      .users = {{.name = "small", .demand = {Quantity(1)}}, {.name = "big", .demand = {Quantity(5)}}}};
  OverlayScenario scenario = small_scenario(Scheduler::dgdrf);
  EXPECT_THAT(noted(scenario, *Problem::from(cluster)),
              ElementsAre("users[1].demand: a task of user 'big' fits on no server, even an empty one: its "
                          "user keeps the lowest share, and no other is served, unless by `stuck: leave`"));
  scenario.rules[0].options.stuck = overlay::Stuck::leave;
  EXPECT_THAT(noted(scenario, *Problem::from(cluster)),
              ElementsAre("users[1].demand: a task of user 'big' fits on no server, even an empty one"));
}

}  // namespace
}  // namespace mirab::simulation
