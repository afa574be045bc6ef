// Half of the servers and the gateway cut off for twice a lease, on a network that is perfect otherwise.
#include <array>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <utility>

#include "lab/simulation/overlay.hpp"

namespace mirab::simulation {
namespace {

using std::chrono::seconds;

/// Large servers and small tasks: a user has many on one host, and takes new ones there all the time.
Cluster roomy() {
  constexpr std::array<std::pair<int, int>, 12> kDemands = {{{10, 4},
                                                             {20, 2},
                                                             {5, 3},
                                                             {40, 8},
                                                             {10, 1},
                                                             {20, 16},
                                                             {80, 8},
                                                             {10, 6},
                                                             {30, 3},
                                                             {20, 12},
                                                             {10, 2},
                                                             {40, 32}}};
  Cluster cluster{.resources = {"cpu", "memory"}, .servers = {}, .users = {}};
  for (int l = 0; l < 60; ++l) {
    const int size = l < 30 ? 1 : 2;
    cluster.servers.push_back(
        {.name = fmt::format("s{}", l), .capacity = {Quantity(160 * size), Quantity(64 * size)}});
  }
  for (const auto& [cpu, memory] : kDemands)
    cluster.users.push_back(
        {.name = fmt::format("u{}", cluster.users.size()), .demand = {Quantity(cpu), Quantity(memory)}});
  return cluster;
}

// The hosts say in vain that leases have run out. Those that talk to their users right after the cut are
// asked all the same what they run.
TEST(LongCut, WhatLostItsLeaseIsMissedThoughItsHostTakesOneTaskAfterTheOther) {
  OverlayScenario scenario;
  scenario.rules = {{.scheduler = overlay::Scheduler::pdgdrf, .options = {}}};
  scenario.rules[0].options.patience.lease = 100;
  scenario.rules[0].options.idle = overlay::Idle::skip;
  scenario.runtime = seconds(20);
  scenario.duration = seconds(100);
  scenario.faults.partitions = {
      {.from = seconds(30), .to = seconds(50), .nodes = 0.5, .gateway = Partition::Side::inside}};
  const Result<Problem> cluster = Problem::from(roomy());
  ASSERT_TRUE(cluster);
  for (const std::uint64_t seed : {1, 5, 6}) {
    const Result<std::vector<OverlayRun>> runs = run_overlay(*cluster, scenario, seed, 1);
    ASSERT_TRUE(runs);
    EXPECT_GT(runs->front().restarted, 0) << "seed " << seed;
    for (const Violation& broken : runs->front().violations)
      ADD_FAILURE() << "seed " << seed << ": " << broken.what;
  }
}

}  // namespace
}  // namespace mirab::simulation
