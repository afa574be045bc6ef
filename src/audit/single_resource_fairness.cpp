// Single-resource fairness: with one resource, the allocation is max-min fair in it. Asked only where nobody
// demands any other. Source: Ghodsi et al. 2011, section 3.
#include <set>

#include "audit/finding.hpp"
#include "audit/max_min_in.hpp"

namespace mirab {

Verdict check_single_resource_fairness(const Division& division, const Tolerances& tolerances) {
  const Ground ground(division.problem, division.scope);
  std::set<std::size_t> demanded;
  for (std::size_t n = 0; n < ground.users(); ++n) {
    for (std::size_t i = 0; i < ground.places(); ++i) {
      for (std::size_t r = 0; r < ground.resources(); ++r) {
        if (ground.eligible(n, i) && ground.demand(n, i)[r] > 0) demanded.insert(r);
      }
    }
  }
  if (demanded.size() != 1)
    return vacuous(Property::single_resource_fairness, "several resources are demanded");
  return max_min_in(Property::single_resource_fairness, division, ground, *demanded.begin(), tolerances);
}

}  // namespace mirab
