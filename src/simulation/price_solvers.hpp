#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <mirab/simulation/traffic.hpp>

namespace mirab::simulation {

/// The prices of proportional fairness for a population of jobs, and what they took.
struct SolvedPrices {
  std::vector<double> price;  ///< ν, of whole resources, [m]
  int iterations = 0;         ///< evaluations of all classes
  bool converged = false;
};

/// By the dual Newton that the mechanism pf uses. `jobs` is n_k ≥ 0, [k], one > 0; α = 1, μ = 1.
SolvedPrices prices_by_newton(const TrafficScenario& scenario, std::span<const std::int64_t> jobs);

/// By the gradient projection of Bonald and Roberts 2014, equation 9, with a fixed step.
SolvedPrices prices_by_gradient(const TrafficScenario& scenario, std::span<const std::int64_t> jobs,
                                double step);

}  // namespace mirab::simulation
