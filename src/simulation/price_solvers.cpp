// Prices ν of the divisible proportionally fair shares of the jobs that are there: the two ways to find them,
// for those who compare. A class of n jobs is one user of weight n.
#include "simulation/price_solvers.hpp"

#include <cmath>

#include <mirab/model/assert.hpp>

#include "numerics/dual_newton.hpp"
#include "numerics/price_gradient.hpp"
#include "simulation/traffic_load.hpp"

namespace mirab::simulation {
namespace {

using Eigen::ArrayXd;
using Eigen::Index;

constexpr double kTolerance = 1e-9;
constexpr int kMostIterations = 1'000'000;

struct Population {
  Eigen::ArrayXXd demand;  // in parts of the resources, [class that is there][m]
  ArrayXd jobs;
};

Population population_of(const TrafficScenario& scenario, std::span<const std::int64_t> jobs) {
  std::vector<std::size_t> present;
  for (std::size_t k = 0; k < jobs.size(); ++k) {
    if (jobs[k] > 0) present.push_back(k);
  }
  MIRAB_ASSERT(!present.empty(), "prices of nobody");
  const auto m = static_cast<Index>(scenario.capacity.size());
  Population population{Eigen::ArrayXXd(static_cast<Index>(present.size()), m),
                        ArrayXd(static_cast<Index>(present.size()))};
  for (Index row = 0; row < population.jobs.size(); ++row) {
    const std::size_t k = present[static_cast<std::size_t>(row)];
    population.jobs[row] = static_cast<double>(jobs[k]);
    for (Index r = 0; r < m; ++r) {
      const auto at = static_cast<std::size_t>(r);
      population.demand(row, r) = claims_of(scenario.classes[k])[at] / scenario.capacity[at];
    }
  }
  return population;
}

}  // namespace

SolvedPrices prices_by_newton(const TrafficScenario& scenario, std::span<const std::int64_t> jobs) {
  const Population population = population_of(scenario, jobs);
  const ArrayXd capacity = ArrayXd::Ones(population.demand.cols());
  const ArrayXd no_cap(0);
  const numerics::PricedAmounts found = numerics::solve_dual(
      {population.demand, capacity, population.jobs, no_cap, 1.0}, kTolerance, kTolerance);
  const ArrayXd price = found.log_price.exp();
  return {{price.begin(), price.end()}, found.iterations, found.converged};
}

SolvedPrices prices_by_gradient(const TrafficScenario& scenario, std::span<const std::int64_t> jobs,
                                double step) {
  const Population population = population_of(scenario, jobs);
  const numerics::GradientPrices found =
      numerics::descend_to_prices(population.demand, population.jobs, step, kTolerance, kMostIterations);
  return {{found.price.begin(), found.price.end()}, found.iterations, found.converged};
}

}  // namespace mirab::simulation
