#pragma once

#include <string>
#include <utility>
#include <vector>

#include <mirab/mechanisms/mechanism.hpp>

#include "lab/simulation/traffic.hpp"

namespace mirab::simulation {

/// Classes with these demands and parts of all arrivals, on pools of capacity 1.
inline TrafficScenario traffic_of(std::vector<std::vector<double>> demands, std::vector<double> arrivals,
                                  std::vector<std::string> mechanisms, std::vector<double> loads) {
  TrafficScenario scenario;
  for (std::size_t r = 0; r < demands[0].size(); ++r) {
    scenario.resources.push_back("r" + std::to_string(r + 1));
    scenario.capacity.push_back(1);
  }
  for (std::size_t k = 0; k < demands.size(); ++k) {
    scenario.classes.push_back(
        {.name = "c" + std::to_string(k + 1), .demand = demands[k], .arrivals = arrivals[k]});
  }
  for (const std::string& mechanism : mechanisms) scenario.mechanisms.push_back(*choose_mechanism(mechanism));
  scenario.loads = std::move(loads);
  return scenario;
}

/// Bonald and Roberts 2014, figure 1b: three quarters of the jobs are of the class that takes resource 1.
inline TrafficScenario figure_1b(std::vector<std::string> mechanisms, std::vector<double> loads) {
  return traffic_of({{1, 0.1}, {0.1, 1}}, {0.75, 0.25}, std::move(mechanisms), std::move(loads));
}

}  // namespace mirab::simulation
