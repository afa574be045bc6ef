#include "lab/simulation/overlay/check.hpp"

#include <functional>
#include <gtest/gtest.h>

#include "simulation/overlay/small_overlay.hpp"

namespace mirab::simulation {
namespace {

using std::chrono::seconds;

struct Bad {
  std::string key;
  std::function<void(OverlayScenario&)> spoil;
};

TEST(CheckOverlay, TellsTheKeyOfWhatMakesNoSense) {
  const Bad bads[] = {
      {"schedulers", [](OverlayScenario& s) { s.rules.clear(); }},
      {"schedulers",
       [](OverlayScenario& s) {
         s.names = {"a", "b"};
       }},
      {"schedulers[0].neighbours", [](OverlayScenario& s) { s.rules[0].options.gossip.view = 0; }},
      {"schedulers[0].hops", [](OverlayScenario& s) { s.rules[0].options.hops = 2'000'000; }},
      {"schedulers[0].slack", [](OverlayScenario& s) { s.rules[0].options.slack = -1; }},
      {"schedulers[0].temperature", [](OverlayScenario& s) { s.rules[0].options.gossip.temperature = 0; }},
      {"schedulers[0].total",
       [](OverlayScenario& s) {
         s.rules[0].scheduler = overlay::Scheduler::probes;
         s.rules[0].options.total = overlay::Total::push_sum;
       }},
      {"schedulers[0].patience.again", [](OverlayScenario& s) { s.rules[0].options.patience.again = 0; }},
      {"schedulers[0].patience.lease",
       [](OverlayScenario& s) {
         s.tick = std::chrono::hours(1);
         s.rules[0].options.patience.lease = 10 * 365 * 24 + 1;
       }},
      {"tick_ms", [](OverlayScenario& s) { s.tick = {}; }},
      {"shuffles_per_tick", [](OverlayScenario& s) { s.shuffles_per_tick = 0; }},
      {"latency_ms.max", [](OverlayScenario& s) { s.latency.max = {}; }},
      {"latency_ms",
       [](OverlayScenario& s) {
         s.latency = {seconds(3), seconds(4)};
       }},
      {"lifetime_ms", [](OverlayScenario& s) { s.wire.lifetime = {}; }},
      {"skew_ms", [](OverlayScenario& s) { s.wire.skew = s.wire.lifetime; }},
      {"quiet", [](OverlayScenario& s) { s.quiet = 0; }},
      {"runtime_s", [](OverlayScenario& s) { s.runtime = Duration{}; }},
      {"duration_s", [](OverlayScenario& s) { s.runtime = seconds(1); }},
      {"duration_s", [](OverlayScenario& s) { s.duration = -seconds(1); }},
      {"tolerances", [](OverlayScenario& s) { s.tolerances = {-1}; }},
      {"faults.loss", [](OverlayScenario& s) { s.faults.loss = 1; }},
      {"faults.corrupt", [](OverlayScenario& s) { s.faults.corrupt = -0.1; }},
      {"faults.crashes[1].at_s",
       [](OverlayScenario& s) {
         s.faults.crashes = {{.at = seconds(1), .node = 4}, {.at = seconds(2), .node = 4}};
       }},
      {"pauses[1].from_s",
       [](OverlayScenario& s) {
         s.pauses = {{.from = {}, .to = seconds(2), .user = "u1"},
                     {.from = seconds(1), .to = seconds(3), .user = "u1"}};
       }},
      {"faults.partitions[0].nodes",
       [](OverlayScenario& s) { s.faults.partitions = {{.from = {}, .to = seconds(1), .nodes = 1}}; }},
      {"faults.partitions[0]",
       [](OverlayScenario& s) { s.faults.partitions = {{.from = {}, .to = seconds(1)}}; }},
      {"faults.partitions[0].users",
       [](OverlayScenario& s) { s.faults.partitions = {{.from = {}, .to = seconds(1), .users = 2}}; }},
      {"faults.restarts[0].at_s", [](OverlayScenario& s) { s.faults.restarts = {{-seconds(1)}}; }},
      {"faults.partitions[0].to_s",
       [](OverlayScenario& s) { s.faults.partitions = {{.from = {}, .to = {}, .nodes = 0.5}}; }},
      {"faults.crashes[1].node",
       [](OverlayScenario& s) {
         s.faults.crashes = {{.at = {}, .node = 4}, {.at = {}, .node = 5}};
       }},
      {"faults.crashes[0].back_s",
       [](OverlayScenario& s) { s.faults.crashes = {{.at = seconds(2), .node = 0, .back = seconds(1)}}; }},
      {"faults.slow[0].factor",
       [](OverlayScenario& s) {
         s.faults.slow = {{.from = {}, .to = seconds(1), .node = 0, .factor = 0.5}};
       }},
      {"faults.joins[1].node",
       [](OverlayScenario& s) {
         s.faults.joins = {{.at = {}, .node = 1}, {.at = seconds(1), .node = 1}};
       }},
      {"faults.leaves[0].node", [](OverlayScenario& s) { s.faults.leaves = {{.at = {}, .node = 9}}; }},
      {"pauses[0].user",
       [](OverlayScenario& s) { s.pauses = {{.from = {}, .to = seconds(1), .user = "nobody"}}; }},
  };
  const Problem cluster = small_cluster(5, 2);
  for (const Bad& bad : bads) {
    OverlayScenario scenario = small_scenario(overlay::Scheduler::pdgdrf);
    ASSERT_FALSE(check_overlay(cluster, scenario));
    bad.spoil(scenario);
    const Check wrong = check_overlay(cluster, scenario);
    ASSERT_TRUE(wrong) << bad.key;
    EXPECT_EQ(wrong->key, bad.key);
    EXPECT_FALSE(wrong->message.empty());
  }
}

// What is refused without a cluster is what is refused with one, but for who is there.
TEST(CheckOverlay, TheScenarioAloneIsCheckedWithoutItsCluster) {
  OverlayScenario scenario = small_scenario(overlay::Scheduler::pdgdrf);
  scenario.faults.crashes = {{.at = {}, .node = 999}};
  EXPECT_FALSE(check(scenario));
  EXPECT_EQ(check_overlay(small_cluster(5, 2), scenario)->message,
            "must be a server of the cluster, from 0 to 4, not 999");
  scenario.quiet = 0;
  EXPECT_EQ(check(scenario)->key, "quiet");
}

TEST(CheckOverlay, ClustersThatAnOverlayCannotServeAreRefusedWithWhoIsMeant) {
  Cluster cluster;
  cluster.resources = {"cpu"};
  cluster.servers = {{.name = "s", .capacity = {Quantity(1)}, .count = 2},
                     {.name = "other", .capacity = {Quantity(1)}}};
  cluster.users = {{.name = "v", .demand = {Quantity(1)}}, {.name = "u", .demand = {Quantity(1)}}};
  EXPECT_FALSE(check_overlay_cluster(*Problem::from(cluster)));
  const auto refusal = [&](const std::function<void(Cluster&)>& spoil) {
    Cluster spoiled = cluster;
    spoil(spoiled);
    const Check wrong = check_overlay_cluster(*Problem::from(spoiled));
    return wrong ? describe(*wrong) : "";
  };
  EXPECT_EQ(refusal([](Cluster& c) { c.users[1].weight = Quantity(2); }),
            "users[1].weight: user 'u' has the weight 2, but an overlay has no weights: must be 1");
  EXPECT_EQ(refusal([](Cluster& c) { c.users[1].servers = {{"s"}}; }),
            "users[1].servers: user 'u' has placement constraints, which an overlay does not support");
  EXPECT_EQ(refusal([](Cluster& c) {
              c.users[1].demand_on = {{"s", {Quantity(2)}}};
            }),
            "users[1].demand_on: user 'u' has demands of its own on some servers, which an overlay does not "
            "support");
  EXPECT_EQ(refusal([](Cluster& c) { c.servers[0].count = 1'000'001; }),
            "servers: must be at most 1000000, copies counted one by one");
}

}  // namespace
}  // namespace mirab::simulation
