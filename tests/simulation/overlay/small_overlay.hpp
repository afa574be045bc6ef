#pragma once

#include <string>

#include <mirab/model/problem.hpp>

#include "lab/simulation/overlay.hpp"

namespace mirab::simulation {

/// This many servers of (10, 10); users demand (2, 1), (1, 2), (2, 1) …, each `tasks` times (0: without
/// limit).
inline Problem small_cluster(std::int64_t servers, std::int64_t users, std::int64_t tasks = 0) {
  Cluster cluster;
  cluster.resources = {"cpu", "memory"};
  cluster.servers.push_back({.name = "s", .capacity = {Quantity(10), Quantity(10)}, .count = servers});
  for (std::int64_t n = 0; n < users; ++n) {
    const std::int64_t cpu = n % 2 == 0 ? 2 : 1;
    cluster.users.push_back({.name = "u" + std::to_string(n), .demand = {Quantity(cpu), Quantity(3 - cpu)}});
    if (tasks > 0) cluster.users.back().tasks = Quantity(tasks);
  }
  return *Problem::from(std::move(cluster));
}

/// One scheduler with views of 4.
inline OverlayScenario small_scenario(overlay::Scheduler scheduler) {
  OverlayScenario scenario;
  OverlayRules rules{.scheduler = scheduler, .options = {}};
  rules.options.gossip.view = 4;
  scenario.rules = {rules};
  scenario.warm_up = 20;
  return scenario;
}

}  // namespace mirab::simulation
