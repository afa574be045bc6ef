#pragma once

#include <string>
#include <string_view>
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

/// Fluid jobs of several classes on a pool of one of each resource; their arrivals are scaled to add up to 1.
inline TrafficScenario fluid_scenario(std::vector<TrafficClass> classes,
                                      const std::vector<std::string_view>& mechanisms,
                                      std::vector<double> loads) {
  TrafficScenario scenario;
  scenario.classes = std::move(classes);
  double arrivals = 0;
  for (const TrafficClass& job_class : scenario.classes) arrivals += job_class.arrivals;
  for (TrafficClass& job_class : scenario.classes) job_class.arrivals /= arrivals;
  for (std::size_t r = 0; r < scenario.classes.front().demand.size(); ++r) {
    scenario.resources.push_back("resource " + std::to_string(r + 1));
    scenario.capacity.push_back(1);
  }
  for (const std::string_view mechanism : mechanisms)
    scenario.mechanisms.push_back(*choose_mechanism(mechanism));
  scenario.loads = std::move(loads);
  return scenario;
}

/// Bonald and Roberts, section 3.3: profiles (1, α) and (β, 1).
inline std::vector<TrafficClass> two_classes(double alpha, double beta, double part_of_first) {
  return {{.name = "1", .demand = {1, alpha}, .arrivals = part_of_first},
          {.name = "2", .demand = {beta, 1}, .arrivals = 1 - part_of_first}};
}

}  // namespace mirab::simulation
