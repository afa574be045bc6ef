// Bottleneck fairness: if a resource ρ is demanded most by everybody wherever it may run, d_{n,ρ}/c_{i,ρ} ≥
// d_{n,r}/c_{i,r} for all r, the allocation is max-min in ρ.
//
// Source: Ravi Kiran and Srinuvas, definition 2; on one pool the slides' bottleneck fairness. Without such a
// resource nothing is asked. Example: on (21, 21) users of (3, 2) and (4, 1) both need the first most and
// should have 10.5 of it each.
#include "audit/finding.hpp"
#include "audit/max_min_in.hpp"

namespace mirab {
namespace {

bool is_bottleneck(const Ground& ground, std::size_t resource) {
  for (std::size_t n = 0; n < ground.users(); ++n) {
    for (std::size_t i = 0; i < ground.places(); ++i) {
      if (!ground.eligible(n, i)) continue;
      const std::vector<double>& d = ground.demand(n, i);
      const std::vector<double>& c = ground.capacity(i);
      if (d[resource] <= 0) return false;
      for (std::size_t r = 0; r < d.size(); ++r) {
        if (d[resource] * c[r] < d[r] * c[resource]) return false;
      }
    }
  }
  return true;
}

}  // namespace

Verdict check_bottleneck_fairness(const Division& division, const Tolerances& tolerances) {
  const Ground ground(division.problem, division.scope);
  for (std::size_t r = 0; r < ground.resources(); ++r) {
    if (is_bottleneck(ground, r))
      return max_min_in(Property::bottleneck_fairness, division, ground, r, tolerances);
  }
  return vacuous(Property::bottleneck_fairness,
                 "no resource is what everybody needs most wherever it may run");
}

}  // namespace mirab
