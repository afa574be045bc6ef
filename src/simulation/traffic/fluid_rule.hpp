#pragma once

#include <cstddef>
#include <vector>

#include <mirab/model/choice.hpp>
#include <mirab/model/result.hpp>
#include <mirab/simulation/traffic.hpp>

namespace mirab::simulation {

/// A pool mechanism over classes of alike jobs, in shares s_k = φ_k / u_k of a job of class k, of pools of
/// capacity 1: lexicographic max-min of s_k for α = ∞, else max Σ_k n_k g_α(s_k), under
/// Σ_k n_k s_k b_k,r ≤ 1. K classes, m resources.
struct FluidRule {
  std::size_t resources;          ///< m
  std::vector<double> demand;     ///< b_k,r = u_k a'_k,r / C_r, a' as claimed, [k * m + r]
  std::vector<double> yardstick;  ///< u_k, the tasks that count as a share of one, [k]
  double alpha;                   ///< > 0 or infinite

  std::size_t classes() const { return yardstick.size(); }
  const double* row(std::size_t k) const { return demand.data() + k * resources; }
};

/// The rule of a mechanism for a scenario. Errors: another mechanism than drf, max-min, asset, pf and
/// alpha-fair, or a bad option.
Result<FluidRule> fluid_rule(const TrafficScenario& scenario, const Choice& mechanism);

}  // namespace mirab::simulation
