// Scenario files of the kind overlay: every key is read, and what is wrong is named with file, line and key
// (docs/reference/simulate.md).

#include <chrono>
#include <gmock/gmock.h>
#include <limits>
#include <string>

#include <mirab/overlay/scheduler.hpp>

#include "lab/simulation/scenario.hpp"

namespace mirab::simulation {
namespace {

using namespace std::chrono_literals;
using overlay::Scheduler;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::StartsWith;

Result<Scenario> read(const std::string& text) {
  return read_scenario_text(text, Syntax::yaml, "folder/s.yaml");
}

OverlayScenario overlay_of(const std::string& text) {
  const Result<Scenario> scenario = read(text);
  EXPECT_TRUE(scenario) << describe(scenario.error());
  return scenario ? std::get<OverlayScenario>(scenario->what) : OverlayScenario{};
}

std::string refusal(const std::string& text) {
  const Result<Scenario> scenario = read(text);
  return scenario ? "accepted" : describe(scenario.error());
}

const std::string kSmall = "kind: overlay\ncluster: c.yaml\nschedulers: [dgdrf]\n";

const std::string kEvery = R"(kind: overlay
version: 1
seeds: 3
outputs: {json: out.json}
cluster: park.yaml
schedulers: [centralised-drf, pdgdrf]
neighbours: 4
shuffle: 3
peers: 8
peer_shuffle: 4
temperature: 0.5
oldest: 30
introduce: nobody
remember: 7
hops: 50
best_of: 5
confirm: lowest
search: best-fit
idle: skip
stuck: leave
rise: climb
total: push-sum
push_sum_epoch: 32
slack: 0.1
patience: {again: 5, held: 20, walk: 60, home: 30, user: 200, lease: 80}
tick_ms: 50
ticks: in-step
shuffles_per_tick: 0.2
warm_up: 40
latency_ms: {min: 0.5, max: 20}
lifetime_ms: 1500
skew_ms: 2
faults:
  loss: 0.1
  duplicate: 0.01
  reorder: 0.05
  corrupt: 0.001
  until_s: 60
  partitions:
    - {from_s: 10, to_s: 20, nodes: 0.3}
    - {from_s: 11, to_s: 21, users: 0.5, gateway: inside}
  crashes:
    - {at_s: 5, node: 3, back_s: 8, memory: lost}
    - {at_s: 6.5, node: 4}
  slow: [{from_s: 1, to_s: 2, node: 7, factor: 4}]
  joins: [{at_s: 3, node: 9}]
  leaves: [{at_s: 0, node: 1}]
  restarts: [{at_s: 7}]
pauses: [{user: alice, from_s: 2, to_s: 4}]
runtime_s: 30
duration_s: 100
quiet: 200
tolerances: [0.01, 0.1]
frames: 12
)";

TEST(OverlayScenarioFile, ReadsHowTheSchedulersWork) {
  const OverlayScenario scenario = overlay_of(kEvery);
  ASSERT_EQ(scenario.rules.size(), 2U);
  EXPECT_THAT(scenario.names, ElementsAre("centralised-drf", "pdgdrf"));
  EXPECT_EQ(scenario.rules[0].scheduler, Scheduler::centralised_drf);
  EXPECT_EQ(scenario.rules[1].scheduler, Scheduler::pdgdrf);
  const overlay::OverlayOptions& options = scenario.rules[1].options;
  EXPECT_EQ(options.gossip.view, 4U);
  EXPECT_EQ(options.gossip.shuffle, 3U);
  EXPECT_EQ(options.gossip.peers, 8U);
  EXPECT_EQ(options.gossip.peer_shuffle, 4U);
  EXPECT_EQ(options.gossip.temperature, 0.5);
  EXPECT_EQ(options.gossip.oldest, 30U);
  EXPECT_EQ(options.gossip.introduce, overlay::Introduce::nobody);
  EXPECT_EQ(options.gossip.remember, 7U);
  EXPECT_EQ(options.hops, 50U);
  EXPECT_EQ(options.best_of, 5U);
  EXPECT_EQ(options.confirm, overlay::Confirm::lowest);
  EXPECT_EQ(options.search, overlay::Search::best_fit);
  EXPECT_EQ(options.idle, overlay::Idle::skip);
  EXPECT_EQ(options.stuck, overlay::Stuck::leave);
  EXPECT_EQ(options.rise, overlay::Rise::climb);
  EXPECT_EQ(options.total, overlay::Total::push_sum);
  EXPECT_EQ(options.push_sum_epoch, 32U);
  EXPECT_EQ(options.slack, 0.1);
  EXPECT_EQ(options.patience.again, 5U);
  EXPECT_EQ(options.patience.held, 20U);
  EXPECT_EQ(options.patience.walk, 60U);
  EXPECT_EQ(options.patience.home, 30U);
  EXPECT_EQ(options.patience.user, 200U);
  EXPECT_EQ(options.patience.lease, 80U);
}

TEST(OverlayScenarioFile, ReadsHowTheNetworkWorks) {
  const OverlayScenario scenario = overlay_of(kEvery);
  EXPECT_EQ(scenario.cluster, "folder/park.yaml");
  EXPECT_EQ(scenario.tick, Duration(50ms));
  EXPECT_EQ(scenario.ticks, Ticks::in_step);
  EXPECT_EQ(scenario.shuffles_per_tick, 0.2);
  EXPECT_EQ(scenario.warm_up, 40U);
  EXPECT_EQ(scenario.latency.min, Duration(500us));
  EXPECT_EQ(scenario.latency.max, Duration(20ms));
  EXPECT_EQ(scenario.wire.lifetime, Duration(1500ms));
  EXPECT_EQ(scenario.wire.skew, Duration(2ms));
  EXPECT_EQ(scenario.runtime, Duration(30s));
  EXPECT_EQ(scenario.duration, Duration(100s));
  EXPECT_EQ(scenario.quiet, 200U);
  EXPECT_EQ(scenario.frames, 12U);
  ASSERT_EQ(scenario.pauses.size(), 1U);
  EXPECT_EQ(scenario.pauses[0].user, "alice");
  EXPECT_EQ(scenario.pauses[0].from, Duration(2s));
  EXPECT_EQ(scenario.pauses[0].to, Duration(4s));
}

TEST(OverlayScenarioFile, ReadsWhatGoesWrong) {
  const Faults faults = overlay_of(kEvery).faults;
  EXPECT_EQ(faults.loss, 0.1);
  EXPECT_EQ(faults.duplicate, 0.01);
  EXPECT_EQ(faults.reorder, 0.05);
  EXPECT_EQ(faults.corrupt, 0.001);
  EXPECT_EQ(faults.until, Duration(60s));
  ASSERT_EQ(faults.partitions.size(), 2U);
  EXPECT_EQ(faults.partitions[0].from, Duration(10s));
  EXPECT_EQ(faults.partitions[0].to, Duration(20s));
  EXPECT_EQ(faults.partitions[0].nodes, 0.3);
  EXPECT_EQ(faults.partitions[0].users, 0);
  EXPECT_EQ(faults.partitions[0].gateway, Partition::Side::outside);
  EXPECT_EQ(faults.partitions[1].nodes, 0);
  EXPECT_EQ(faults.partitions[1].users, 0.5);
  EXPECT_EQ(faults.partitions[1].gateway, Partition::Side::inside);
  ASSERT_EQ(faults.crashes.size(), 2U);
  EXPECT_EQ(faults.crashes[0].at, Duration(5s));
  EXPECT_EQ(faults.crashes[0].node, 3U);
  EXPECT_EQ(faults.crashes[0].back, Duration(8s));
  EXPECT_EQ(faults.crashes[0].memory, Memory::lost);
  EXPECT_EQ(faults.crashes[1].at, Duration(6500ms));
  EXPECT_FALSE(faults.crashes[1].back);
  EXPECT_EQ(faults.crashes[1].memory, Memory::kept);
  ASSERT_EQ(faults.slow.size(), 1U);
  EXPECT_EQ(faults.slow[0].to, Duration(2s));
  EXPECT_EQ(faults.slow[0].node, 7U);
  EXPECT_EQ(faults.slow[0].factor, 4);
  ASSERT_EQ(faults.joins.size(), 1U);
  EXPECT_EQ(faults.joins[0].at, Duration(3s));
  EXPECT_EQ(faults.joins[0].node, 9U);
  ASSERT_EQ(faults.leaves.size(), 1U);
  EXPECT_EQ(faults.leaves[0].at, Duration(0s));
  EXPECT_EQ(faults.leaves[0].node, 1U);
  ASSERT_EQ(faults.restarts.size(), 1U);
  EXPECT_EQ(faults.restarts[0].at, Duration(7s));
}

// Östman, 4.4: the defaults of the thesis.
TEST(OverlayScenarioFile, WhatIsNotSaidIsAsInTheThesis) {
  const OverlayScenario scenario = overlay_of(kSmall);
  const overlay::OverlayOptions& options = scenario.rules.at(0).options;
  EXPECT_EQ(options.gossip.view, 10U);
  EXPECT_EQ(options.gossip.shuffle, 0U);
  EXPECT_EQ(options.gossip.temperature, std::numeric_limits<double>::infinity());
  EXPECT_EQ(options.search, overlay::Search::walk);
  EXPECT_EQ(scenario.tick, Duration(100ms));
  EXPECT_THAT(scenario.tolerances, ElementsAre(0, 0.01, 0.05, 0.10, 0.15));
  EXPECT_FALSE(scenario.duration);
  EXPECT_THAT(scenario.faults.crashes, IsEmpty());
}

TEST(OverlayScenarioFile, EverySchedulerOfTheTableIsKnown) {
  for (const overlay::SchedulerRow& row : overlay::schedulers()) {
    const std::string text = "kind: overlay\ncluster: c.yaml\nschedulers: [" + std::string(row.name) + "]\n";
    EXPECT_EQ(overlay_of(text).rules.at(0).scheduler, row.scheduler) << row.name;
  }
}

TEST(OverlayScenarioFile, ASchedulerMayHaveOptionsOfItsOwnOverThoseOfAll) {
  const OverlayScenario scenario = overlay_of(R"(kind: overlay
cluster: c.yaml
neighbours: 6
patience: {again: 7}
schedulers:
  - pdgdrf
  - {scheduler: pdgdrf, neighbours: 2, search: best-fit, patience: {lease: 40}}
  - {scheduler: pdgdrf, temperature: infinite, shuffle: all, name: "as in the thesis"}
)");
  EXPECT_THAT(scenario.names, ElementsAre("pdgdrf", "pdgdrf:neighbours=2,search=best-fit,patience.lease=40",
                                          "as in the thesis"));
  EXPECT_EQ(scenario.rules[0].options.gossip.view, 6U);
  EXPECT_EQ(scenario.rules[1].options.gossip.view, 2U);
  EXPECT_EQ(scenario.rules[1].options.search, overlay::Search::best_fit);
  EXPECT_EQ(scenario.rules[1].options.patience.lease, 40U);
  EXPECT_EQ(scenario.rules[1].options.patience.again, 7U);
  EXPECT_EQ(scenario.rules[2].options.search, overlay::Search::walk);
}

TEST(OverlayScenarioFile, ToleranceZeroIsAlwaysTheFirst) {
  EXPECT_THAT(overlay_of(kEvery).tolerances, ElementsAre(0, 0.01, 0.1));
  EXPECT_THAT(overlay_of(kSmall + "tolerances: [0, 0.2]\n").tolerances, ElementsAre(0, 0.2));
}

TEST(OverlayScenarioFile, ALatencyMayBeOneNumber) {
  const OverlayScenario scenario = overlay_of(kSmall + "latency_ms: 5\n");
  EXPECT_EQ(scenario.latency.min, Duration(5ms));
  EXPECT_EQ(scenario.latency.max, Duration(5ms));
}

// docs/reference/simulate.md: a time counts in the unit of its key, or has a unit.
TEST(OverlayScenarioFile, ATimeMayHaveAUnit) {
  const OverlayScenario scenario = overlay_of(kSmall +
                                              "tick_ms: 0.2s\nlatency_ms: {min: 3, max: 20ms}\n"
                                              "lifetime_ms: 1min\nduration_s: 10min\nruntime_s: 500ms\n"
                                              "faults: {until_s: 0.5h, leaves: [{at_s: 2min, node: 1}]}\n"
                                              "pauses: [{user: a, from_s: 1.1, to_s: 1d}]\n");
  EXPECT_EQ(scenario.tick, Duration(200ms));
  EXPECT_EQ(scenario.latency.min, Duration(3ms));
  EXPECT_EQ(scenario.latency.max, Duration(20ms));
  EXPECT_EQ(scenario.wire.lifetime, Duration(60s));
  EXPECT_EQ(scenario.duration, Duration(600s));
  EXPECT_EQ(scenario.runtime, Duration(500ms));
  EXPECT_EQ(scenario.faults.until, Duration(1800s));
  EXPECT_EQ(scenario.faults.leaves.at(0).at, Duration(120s));
  EXPECT_EQ(scenario.pauses.at(0).from, Duration(1100ms));
  EXPECT_EQ(scenario.pauses.at(0).to, Duration(86400s));
}

TEST(OverlayScenarioFile, NamesTheLineAndTheKeyOfWhatIsWrong) {
  const auto with_faults = [](const std::string& faults) { return kSmall + "faults: {" + faults + "}\n"; };
  const auto with_schedulers = [](const std::string& list) {
    return "kind: overlay\ncluster: c.yaml\nschedulers: " + list + "\n";
  };
  for (const auto& [text, expected] : std::vector<std::pair<std::string, std::string>>{
           {"kind: overlay\nschedulers: [dgdrf]\n", "1: cluster: missing"},
           {"kind: overlay\ncluster: c\n", "1: schedulers: missing"},
           {with_schedulers("[]"), "3: schedulers: must have from 1 to 100 entries"},
           {with_schedulers("dgdrf"), "3: schedulers: must be a list"},
           {with_schedulers("[dgdfr]"), "3: schedulers[0]: must be one of centralised-drf, "},
           {with_schedulers("[dgdrf, dgdrf]"),
            "3: schedulers[1]: schedulers[0] is already called 'dgdrf'; `name` tells"},
           {with_schedulers("[{neighbours: 2}]"), "3: schedulers[0].scheduler: missing"},
           {with_schedulers("[{scheduler: [a]}]"), "3: schedulers[0].scheduler: must be one of"},
           {with_schedulers("[{scheduler: dgdrf, nieghbours: 2}]"),
            "3: schedulers[0].nieghbours: unknown key; did you mean neighbours"},
           {with_schedulers("[{scheduler: centralised-drf, neighbours: 2}]"),
            "3: schedulers[0].neighbours: has no effect on centralised-drf"},
           {with_schedulers("[{scheduler: centralised-fifo, search: directed}]"),
            "3: schedulers[0].search: directed has no effect on centralised-fifo"},
           {with_schedulers("[dgdrf, {scheduler: probes, total: push-sum}]"),
            "3: schedulers[1].total: has no effect on probes"},
           {with_schedulers("[{scheduler: dgdrf, hops: -1}]"),
            "3: schedulers[0].hops: must be a whole number"},
           {with_schedulers("[{scheduler: dgdrf, name: ''}]"), "3: schedulers[0].name: must not be empty"},
           {with_schedulers("[{scheduler: dgdrf, patience: {again: 0}}]"),
            "3: schedulers[0].patience.again: must be a whole number from 1"},
           {kSmall + "workload: w\n", "4: workload: unknown key"},
           {kSmall + "neighbours: 0\n", "4: neighbours: must be a whole number from 1 to 1000, not '0'"},
           {kSmall + "shuffle: 0\n", "4: shuffle: must be all, or a whole number from 1 to 1000, not '0'"},
           {kSmall + "temperature: 0\n", "4: temperature: must be infinite, or a number above 0, not '0'"},
           {kSmall + "search: best\n", "4: search: must be one of walk, best-fit, directed, not 'best'"},
           {kSmall + "slack: -1\n", "4: slack: "},
           {kSmall + "patience: {lease: 10s}\n",
            "4: patience.lease: must be a whole number from 0 to 1073741824, not '10s': it is counted in "
            "ticks"},
           {kSmall + "lease: 100\n", "4: lease: unknown key; did you mean patience.lease"},
           {with_schedulers("[{scheduler: dgdrf, lease: 100}]"),
            "3: schedulers[0].lease: unknown key; did you mean patience.lease"},
           {with_schedulers("[{scheduler: dgdrf, tick_ms: 10}]"),
            "3: schedulers[0].tick_ms: is the same for all schedulers: write it next to `schedulers`"},
           {kSmall + "tick_ms: 1d\npatience: {lease: 1000000000}\n",
            "3: schedulers[0].patience.lease: must be less than ten years, not 1000000000 ticks of 86400 s"},
           {kSmall + "patience: {agian: 4}\n",
            "4: patience.agian: unknown key; did you mean again? Known are again, held"},
           {kSmall + "tick_ms: 0\n", "4: tick_ms: must be at least a microsecond, not 0"},
           {kSmall + "tick_ms: 1e18\n", "4: tick_ms: must be less than thirty years"},
           {kSmall + "ticks: in_step\n", "4: ticks: must be one of staggered, in-step"},
           {kSmall + "shuffles_per_tick: 0\n", "4: shuffles_per_tick: must be from 0.001 to 1000, not 0"},
           {kSmall + "shuffles_per_tick: 1e9\n",
            "4: shuffles_per_tick: must be from 0.001 to 1000, not 1000000000"},
           {kSmall + "warm_up: 1.5\n", "4: warm_up: must be a whole number"},
           {kSmall + "latency_ms: {max: 20}\n",
            "4: latency_ms.min: missing: must be {min: 1, max: 10}, or one number for both"},
           {kSmall + "latency_ms: [1, 10]\n",
            "4: latency_ms: must be {min: 1, max: 10}, or one number for both"},
           {kSmall + "latency_ms: {min: 2}\n", "4: latency_ms.max: missing: must be {min: 1, max: 10}"},
           {kSmall + "latency_ms: {mean: 2, max: 3}\n",
            "4: latency_ms.mean: unknown key; known are min, max"},
           {kSmall + "latency: {max: 20}\n", "4: latency: unknown key; did you mean latency_ms"},
           {kSmall + "latency_ms: {min: 2, max: 1}\n",
            "4: latency_ms.max: must not be below min, 2, as 1 is"},
           {kSmall + "lifetime_ms: 0\n", "4: lifetime_ms: must be at least a nanosecond, not 0"},
           {kSmall + "duration_s: 0\n", "4: duration_s: must be at least a nanosecond, not 0"},
           {kSmall + "quiet: 0\n", "4: quiet: must be at least 1 tick, not 0"},
           {kSmall + "tolerances: [0.1, 0.1]\n", "4: tolerances[1]: must be above the one before it"},
           {kSmall + "tolerances: []\n", "4: tolerances: must have from 1"},
           {kSmall + "frames: 1001\n", "4: frames: must be a whole number from 0 to 1000"},
           {kSmall + "pauses: [{user: a, from_s: 2, to_s: 2}]\n",
            "4: pauses[0].to_s: must be later than from_s, 2 s, not 2 s"},
           {kSmall + "pauses: [{from_s: 1, to_s: 2}]\n", "4: pauses[0].user: missing"},
           {with_faults("loss: 1"), "4: faults.loss: must be a probability below 1, not 1"},
           {with_faults("loss: -0.1"), "4: faults.loss: must be a probability below 1, like 0.1, not '-0.1'"},
           {with_faults("loss: 5 %"), "4: faults.loss: must be a probability below 1, like 0.05, not '5 %'"},
           {with_faults("loss: 200%"), "4: faults.loss: must be a probability below 1, like 0.1, not '200%'"},
           {with_faults("loss: {a: 1}"), "4: faults.loss: must be a probability below 1, like 0.1"},
           {with_faults("duplicate: ten%"),
            "4: faults.duplicate: must be a probability below 1, like 0.1, not 'ten%'"},
           {with_faults("partitions: [{from_s: 1, to_s: 2, nodes: 33%}]"),
            "4: faults.partitions[0].nodes: must be a part of the servers, which are drawn, like 0.33, not "
            "'33%'"},
           {with_faults("partitions: [{from_s: 1, to_s: 2, nodes: [0, 1, 2]}]"),
            "4: faults.partitions[0].nodes: must be a part of the servers, which are drawn, like 0.1"},
           {with_faults("partitions: [{from_s: 1, to_s: 2, users: [a]}]"),
            "4: faults.partitions[0].users: must be a part of the users, who are drawn, like 0.1"},
           {kSmall + "tolerances: [5%]\n",
            "4: tolerances[0]: must be a part of the lowest share, like 0.05, not '5%'"},
           {with_faults("los: 0.1"), "4: faults.los: unknown key; did you mean loss"},
           {with_faults("partitions: [{from_s: 1, to_s: 2, nodes: 1}]"),
            "4: faults.partitions[0].nodes: must be a part of the servers, below 1, not 1"},
           {with_faults("partitions: [{from_s: 1, nodes: 0.5}]"), "4: faults.partitions[0].to_s: missing"},
           {with_faults("partitions: [{from_s: 1, to_s: 2, users: 1.5}]"),
            "4: faults.partitions[0].users: must be a part of the users, at most 1"},
           {with_faults("partitions: [{from_s: 1, to_s: 2, gateway: in}]"),
            "4: faults.partitions[0].gateway: must be one of outside, inside"},
           {with_faults("partitions: [{from_s: 1, to_s: 2, gateway: outside}]"),
            "4: faults.partitions[0]: separates no node"},
           {with_faults("restarts: [{}]"), "4: faults.restarts[0].at_s: missing"},
           {with_faults("crashes: [{at_s: 1}]"), "4: faults.crashes[0].node: missing"},
           {with_faults("crashes: [{at_s: 1, node: m-28}]"),
            "4: faults.crashes[0].node: must be a whole number from 0 to 999999, not 'm-28': servers are "
            "numbered from 0 to one less than there are"},
           {with_faults("crashes: [{at_s: 1, node: 1.5}]"),
            "4: faults.crashes[0].node: must be a whole number from 0 to 999999, not '1.5'"},
           {with_faults("slow: [{from_s: 1, to_s: 2, node: 1, factor: 1e9}]"),
            "4: faults.slow[0].factor: must be from 1 to 1000000, not 1000000000"},
           {with_faults("leaves: [{at_s: 1, node: 1}], joins: [{at_s: 1, node: 1}]"),
            "4: faults.leaves[0].at_s: the server joins only at 1 s"},
           {with_schedulers("[{scheduler: dgdrf, name: \"a\\nb\"}]"),
            "3: schedulers[0].name: must be one line, without control characters"},
           {with_schedulers("[{scheduler: dgdrf, name: \"a\\u009bb\"}]"),
            "3: schedulers[0].name: must be one line, without control characters"},
           {with_schedulers("[{scheduler: dgdrf, slack: 2}]"),
            "3: schedulers[0].slack: has no effect on dgdrf"},
           {with_schedulers("[{scheduler: dgdrf, best_of: 3}]"),
            "3: schedulers[0].best_of: has no effect without `search: best-fit`"},
           {kSmall + "shuffle: some\n",
            "4: shuffle: must be all, or a whole number from 1 to 1000, not 'some'"},
           {kSmall + "temperature: inf\n",
            "4: temperature: must be infinite, or a number above 0, not 'inf'"},
           {kSmall + "temperature: -1\n", "4: temperature: must be infinite, or a number above 0, not '-1'"},
           {kSmall + "tick_ms: 1e-9\n", "4: tick_ms: must be at least a microsecond"},
           {kSmall + "tick_ms: fast\n",
            "4: tick_ms: must be a time of at least 0, like 100 (milliseconds), 0.1s or 2min, not 'fast'"},
           {kSmall + "duration_s: 2k\n",
            "4: duration_s: must be a time of at least 0, like 300 (seconds), 90min, 1h or 2d, not '2k'"},
           {kSmall + "duration_s: -1\n", "4: duration_s: must be a time of at least 0"},
           {kSmall + "latency_ms: 3s\n", "4: latency_ms: no message takes less than 3000 ms"},
           {with_faults("crashes: [{at_s: 1, node: 1, back_s: 1}]"),
            "4: faults.crashes[0].back_s: must be later than at_s, 1 s, not 1 s"},
           {with_faults("crashes: [{at_s: 1, node: 1, memory: gone}]"),
            "4: faults.crashes[0].memory: must be one of kept, lost"},
           {with_faults("slow: [{from_s: 1, to_s: 2, node: 1, factor: 0.5}]"),
            "4: faults.slow[0].factor: must be from 1 to 1000000, not 0.5"},
           {with_faults("joins: [{at_s: 1, node: 1, back_s: 2}]"), "4: faults.joins[0].back_s: unknown key"},
           {with_faults("leaves: [5]"), "4: faults.leaves[0]: must be a map"}}) {
    EXPECT_THAT(refusal(text), StartsWith("folder/s.yaml:" + expected)) << text;
  }
}

}  // namespace
}  // namespace mirab::simulation
