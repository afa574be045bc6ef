// The properties by name.
#include <algorithm>
#include <array>

#include <mirab/audit/properties.hpp>

namespace mirab {

std::span<const Property> properties() {
  static constexpr std::array kAll = {Property::feasible,
                                      Property::sharing_incentive,
                                      Property::envy_freeness,
                                      Property::pareto_efficiency,
                                      Property::strategy_proofness,
                                      Property::bottleneck_fairness,
                                      Property::single_resource_fairness,
                                      Property::population_monotonicity,
                                      Property::resource_monotonicity,
                                      Property::scale_invariance,
                                      Property::non_wastefulness};
  return kAll;
}

bool is_searched(Property property) {
  constexpr std::array kSearched = {Property::strategy_proofness, Property::population_monotonicity,
                                    Property::resource_monotonicity, Property::scale_invariance};
  return std::find(kSearched.begin(), kSearched.end(), property) != kSearched.end();
}

Rule rule_of(const Choice& mechanism) {
  const auto table = mechanisms();
  const auto row = std::find_if(table.begin(), table.end(),
                                [&](const Mechanism& each) { return each.name == mechanism.name; });
  MIRAB_ASSERT(row != table.end(), "a mechanism of the registry");
  return {.scope = row->scope,
          .divide = [mechanism](const Problem& problem) { return allocate(problem, mechanism); }};
}

Verdict check(Property property, const Division& division, const Rule& rule, const Search& search) {
  const Tolerances& tolerances = search.tolerances;
  switch (property) {
    case Property::feasible:
      return check_feasible(division, tolerances);
    case Property::sharing_incentive: {
      const bool pool = division.scope == Scope::pool;
      return check_sharing_incentive(division, pool ? EqualPart::of_the_pool : EqualPart::of_every_server,
                                     tolerances);
    }
    case Property::envy_freeness:
      return check_envy_freeness(division, tolerances);
    case Property::pareto_efficiency:
      return check_pareto_efficiency(division, tolerances);
    case Property::strategy_proofness:
      return check_strategy_proofness(division, rule, search);
    case Property::single_resource_fairness:
      return check_single_resource_fairness(division, tolerances);
    case Property::bottleneck_fairness:
      return check_bottleneck_fairness(division, tolerances);
    case Property::population_monotonicity:
      return check_population_monotonicity(division, rule, search);
    case Property::resource_monotonicity:
      return check_resource_monotonicity(division, rule, search);
    case Property::scale_invariance:
      return check_scale_invariance(division, rule, search);
    case Property::non_wastefulness:
      return check_non_wastefulness(division, tolerances);
  }
  MIRAB_ASSERT(false, "a property that can be checked");
  return {.property = property};
}

}  // namespace mirab
