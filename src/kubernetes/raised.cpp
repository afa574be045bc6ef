// A floor for shares that are no multiples of the demands: bundles, and what a mechanism cannot be made to
// raise.
//
//   held_{n,r} = d_{n,r} + k_r max(0, bundle_{n,r} - d_{n,r})
//   k_r = min(1, (C_r - Σ_n d_{n,r}) / Σ_n max(0, bundle_{n,r} - d_{n,r}))
//
// Example: C = 10, bundles 2, 5 and 3, demands 4, 2 and 1: 4, 5 and 3 are 2 too many; above the demands are
// 0, 3 and 2, of which 3/5 stay: 4, 3.8 and 2.2.
#include "kubernetes/raised.hpp"

#include <algorithm>

namespace mirab::kubernetes {
namespace {

double demand(const Problem& problem, std::size_t n, std::size_t r) {
  return problem.users()[n].demand[r].value();
}

}  // namespace

void raise_to_demands(const Problem& problem, std::vector<std::vector<double>>& held) {
  for (std::size_t r = 0; r < problem.resource_count(); ++r) {
    double floors = 0, above = 0;
    for (std::size_t n = 0; n < held.size(); ++n) {
      floors += demand(problem, n, r);
      above += std::max(0.0, held[n][r] - demand(problem, n, r));
    }
    const double room = std::max(0.0, problem.pool()[r] - floors);
    const double part = above > room ? room / above : 1;
    for (std::size_t n = 0; n < held.size(); ++n) {
      const double floor = demand(problem, n, r);
      held[n][r] = floor + part * std::max(0.0, held[n][r] - floor);
    }
  }
}

}  // namespace mirab::kubernetes
