// Measures of one allocation as chapter 7 of Hamzeh's thesis takes them.
//
// Source: Hamzeh, Fairness for Resource Allocation in Cloud Computing: utilisation (7.8) of granted bundles,
// β (4.24, 4.25) as max - min over resources, Jain's index of groups (4.26, 4.27), tasks by lemma 4.14.
// A bundle need not be in proportion to a task, so that granted resources need not be of use: `run` and
// `tasks` count what can run, min_r bundle_r / d_{n,r}. Dominance is that on the server of a bundle (4.4.3),
// and that in the pool for Jain's index and the sharing incentive, which look at all that a user holds.
// Known failures: β is over resources that dominate somebody (or somebody not): where nobody is dominated by
// a resource, nobody can hold it as such, and the printed formula would be 1 at any allocation.
#include "simulation/demands/measures.hpp"

#include <algorithm>

#include <mirab/audit/metrics.hpp>

namespace mirab::simulation {
namespace {

constexpr double kEqual = 1e-12;  // parts of a capacity that differ by less are equal
constexpr double kWithin = 1e-9;  // of a fair share

std::size_t dominant_of(const ResourceVector& demand, const std::vector<double>& capacity) {
  std::size_t dominant = 0;
  double largest = 0;
  for (std::size_t r = 0; r < demand.size(); ++r) {
    if (capacity[r] <= 0) continue;
    const double part = demand[r].value() / capacity[r];
    if (part <= largest * (1 + kEqual)) continue;
    largest = part;
    dominant = r;
  }
  return dominant;
}

// max - min over the resources that have such a group.
double spread(const std::vector<double>& parts, const std::vector<bool>& has_group) {
  std::vector<double> compared;
  for (std::size_t r = 0; r < parts.size(); ++r) {
    if (has_group[r]) compared.push_back(parts[r]);
  }
  if (compared.empty()) return 0;
  const auto [least, most] = std::minmax_element(compared.begin(), compared.end());
  return *most - *least;
}

// What grants say: bundles, what runs, and the parts of the groups.
struct Sums {
  std::vector<bool> dominates, dominates_not;  // somebody, where something is granted
};

Sums add_grants(const Problem& problem, const Allocation& allocation, DemandMeasures& measures) {
  const std::size_t m = problem.resource_count();
  const bool pooled = allocation.servers.size() != problem.server_count();
  Sums sums{std::vector<bool>(m), std::vector<bool>(m)};
  for (const Grant& grant : allocation.grants) {
    const ResourceVector& demand =
        pooled ? problem.users()[grant.user].demand : problem.demand(grant.user, grant.server);
    const std::size_t dominant = dominant_of(demand, allocation.servers[grant.server].capacity);
    measures.tasks += grant.tasks;
    measures.counted_tasks += grant.resources[dominant] / demand[dominant].value();
    for (std::size_t r = 0; r < m; ++r) {
      const double part = grant.resources[r] / problem.pool()[r];
      measures.bundles[grant.user][r] += grant.resources[r];
      measures.granted[r] += part;
      measures.run[r] += grant.tasks * demand[r].value() / problem.pool()[r];
      (r == dominant ? measures.dominant_part : measures.non_dominant_part)[r] += part;
      (r == dominant ? sums.dominates : sums.dominates_not)[r] = true;
    }
  }
  return sums;
}

void measure_groups_of_users(const Problem& problem, DemandMeasures& measures) {
  const std::size_t m = problem.resource_count();
  std::vector<std::vector<double>> dominated(m), others(m);
  const auto users = static_cast<double>(problem.user_count());
  const std::vector<std::size_t> dominants = pool_dominance(problem);
  double satisfied = 0;
  for (std::size_t n = 0; n < problem.user_count(); ++n) {
    const std::vector<double>& held = measures.bundles[n];
    for (std::size_t r = 0; r < m; ++r) (r == dominants[n] ? dominated : others)[r].push_back(held[r]);
    const double fair = problem.pool()[dominants[n]] / users;
    if (held[dominants[n]] >= fair * (1 - kWithin)) ++satisfied;
  }
  measures.sharing_incentive = satisfied / users;
  for (std::size_t r = 0; r < m; ++r) {
    measures.jain_dominant.push_back(jain(dominated[r]));
    measures.jain_non_dominant.push_back(jain(others[r]));
    measures.dominated.push_back(static_cast<double>(dominated[r].size()));
  }
}

}  // namespace

std::vector<std::size_t> pool_dominance(const Problem& problem) {
  std::vector<std::size_t> dominants;
  dominants.reserve(problem.user_count());
  for (const User& user : problem.users()) dominants.push_back(dominant_of(user.demand, problem.pool()));
  return dominants;
}

DemandMeasures measure_demands(const Problem& problem, const Allocation& allocation) {
  const std::size_t m = problem.resource_count();
  DemandMeasures measures;
  for (auto* sums : {&measures.granted, &measures.run, &measures.dominant_part, &measures.non_dominant_part})
    sums->assign(m, 0);
  measures.bundles.assign(problem.user_count(), std::vector<double>(m, 0.0));
  const Sums groups = add_grants(problem, allocation, measures);
  measures.beta_dominant = spread(measures.dominant_part, groups.dominates);
  measures.beta_non_dominant = spread(measures.non_dominant_part, groups.dominates_not);
  measure_groups_of_users(problem, measures);
  return measures;
}

}  // namespace mirab::simulation
