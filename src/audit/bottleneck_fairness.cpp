// Bottleneck fairness: if a resource ρ is demanded most by everybody wherever it may run, d_{n,ρ}/c_{i,ρ} ≥
// d_{n,r}/c_{i,r} for all r, the allocation is max-min in ρ.
//
// Source: Ravi Kiran and Srinuvas, definition 2; on one pool the slides' bottleneck fairness. Without such a
// resource nothing is asked. Example: on (21, 21) users of (3, 2) and (4, 1) both need the first most and
// should have 10.5 of it each.
#include <numeric>

#include "audit/finding.hpp"
#include "audit/max_min_in.hpp"
#include "model/dominance.hpp"

namespace mirab {
namespace {

// Told exactly: 0.3 of 3 is as much as 0.1 of 1.
std::vector<std::size_t> bottlenecks(const Division& division, const Ground& ground) {
  const Problem& problem = division.problem;
  const bool pooled = division.scope == Scope::pool;
  std::vector<std::size_t> left(ground.resources());
  std::iota(left.begin(), left.end(), std::size_t{0});
  for (std::size_t i = 0; i < ground.places(); ++i) {
    const ExactVector capacity = pooled ? exact_pool(problem) : exact(problem.servers()[i].capacity);
    for (std::size_t n = 0; n < ground.users(); ++n) {
      if (!ground.eligible(n, i)) continue;
      const ExactVector demand = exact(pooled ? problem.users()[n].demand : problem.demand(n, i));
      std::erase_if(left, [&](std::size_t r) { return !needs_most(demand, capacity, r); });
      if (left.empty()) return left;
    }
  }
  return left;
}

}  // namespace

Verdict check_bottleneck_fairness(const Division& division, const Tolerances& tolerances) {
  const Ground ground(division.problem, division.scope);
  const std::vector<std::size_t> found = bottlenecks(division, ground);
  if (found.empty()) {
    return vacuous(Property::bottleneck_fairness,
                   "no resource is what everybody needs most wherever it may run");
  }
  return max_min_in(Property::bottleneck_fairness, division, ground, found.front(), tolerances);
}

}  // namespace mirab
