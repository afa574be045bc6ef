#include "simulation/overlay/check.hpp"

#include <functional>
#include <gmock/gmock.h>

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
      {"schedulers[0].temperature", [](OverlayScenario& s) { s.rules[0].options.gossip.temperature = 0; }},
      {"schedulers[0].total",
       [](OverlayScenario& s) {
         s.rules[0].scheduler = overlay::Scheduler::probes;
         s.rules[0].options.total = overlay::Total::push_sum;
       }},
      {"schedulers[0].patience", [](OverlayScenario& s) { s.rules[0].options.patience.again = 0; }},
      {"tick_ms", [](OverlayScenario& s) { s.tick = {}; }},
      {"shuffles_per_tick", [](OverlayScenario& s) { s.shuffles_per_tick = 0; }},
      {"latency_ms.max", [](OverlayScenario& s) { s.latency.max = {}; }},
      {"lifetime_ms", [](OverlayScenario& s) { s.wire.lifetime = {}; }},
      {"skew_ms", [](OverlayScenario& s) { s.wire.skew = s.wire.lifetime; }},
      {"quiet", [](OverlayScenario& s) { s.quiet = 0; }},
      {"runtime_s", [](OverlayScenario& s) { s.runtime = Duration{}; }},
      {"duration_s", [](OverlayScenario& s) { s.runtime = seconds(1); }},
      {"duration_s", [](OverlayScenario& s) { s.duration = -seconds(1); }},
      {"tolerances", [](OverlayScenario& s) { s.tolerances = {-1}; }},
      {"faults.loss", [](OverlayScenario& s) { s.faults.loss = 1; }},
      {"faults.corrupt", [](OverlayScenario& s) { s.faults.corrupt = -0.1; }},
      {"faults.partitions[0].nodes",
       [](OverlayScenario& s) { s.faults.partitions = {{.from = {}, .to = seconds(1), .nodes = 1}}; }},
      {"faults.partitions[0].nodes",
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

TEST(CheckOverlay, RefusesClustersThatAnOverlayCannotServe) {
  Cluster cluster;
  cluster.resources = {"cpu"};
  cluster.servers = {{.name = "s", .capacity = {Quantity(1)}, .count = 2},
                     {.name = "other", .capacity = {Quantity(1)}}};
  cluster.users = {{.name = "u", .demand = {Quantity(1)}}};
  EXPECT_FALSE(check_overlay_cluster(*Problem::from(cluster)));
  const auto refused = [&](const std::function<void(Cluster&)>& spoil) {
    Cluster spoiled = cluster;
    spoil(spoiled);
    return check_overlay_cluster(*Problem::from(spoiled)).has_value();
  };
  EXPECT_TRUE(refused([](Cluster& c) { c.users[0].weight = Quantity(2); }));
  EXPECT_TRUE(refused([](Cluster& c) { c.users[0].servers = {{"s"}}; }));
  EXPECT_TRUE(refused([](Cluster& c) { c.users[0].demand_on = {{"s", {Quantity(2)}}}; }));
  EXPECT_TRUE(refused([](Cluster& c) { c.servers[0].count = 1'000'001; }));
}

}  // namespace
}  // namespace mirab::simulation
