// Feasible: Σ_n a_{n,i,r} ≤ c_{i,r}, tasks only where the user may run, X_n ≤ its cap, and no more tasks than
// the bundle holds, V_n(a_{n,i}) ≥ x_{n,i}. What every other property takes for granted.
#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>

#include <mirab/audit/metrics.hpp>
#include <mirab/audit/properties.hpp>

#include "audit/cluster_view.hpp"
#include "audit/findings.hpp"
#include "fairness/share.hpp"

namespace mirab {
namespace {

// Keeps the largest violation.
void offer(std::optional<Witness>& worst, double size, double least, auto&& make) {
  if (size <= least || (worst && size <= worst->size)) return;
  worst = make();
  worst->size = size;
}

}  // namespace

Verdict check_feasible(const Division& division, const Tolerances& tolerances) {
  const ClusterView ground(division.problem, division.scope);
  const double least = tolerances.least;  // whatever the certificate: a promise of more than there is
  std::vector<std::vector<double>> used(ground.places(), std::vector<double>(ground.resources(), 0.0));
  std::vector<double> tasks(ground.users(), 0.0);
  std::optional<Witness> worst;
  const Cluster cluster = division.problem.cluster();
  for (const Grant& grant : division.outcome.allocation.grants) {
    const std::size_t n = grant.user;
    const std::size_t i = grant.server;
    tasks[n] += grant.tasks;
    for (std::size_t r = 0; r < ground.resources(); ++r) used[i][r] += grant.resources[r];
    const double holds = ground.tasks_with(n, i, grant.resources);
    offer(worst, shortfall(holds, grant.tasks), least, [&] {
      const auto [has, says] = distinct_words(holds, grant.tasks);
      const std::string why = ground.eligible(n, i) ? "what it is given there holds" : "it may run";
      return Witness{
          .words = fmt::format("the outcome states that {} runs {} tasks on {} under {}, where {} {}",
                               ground.user_name(n), says, ground.place_name(i), division.outcome.mechanism,
                               why, has),
          .problem = cluster,
          .user = ground.user_name(n),
          .numbers = {{"tasks", grant.tasks}, {"bundle", holds}}};
    });
  }
  for (std::size_t i = 0; i < ground.places(); ++i) {
    for (std::size_t r = 0; r < ground.resources(); ++r) {
      offer(worst, shortfall(ground.capacity(i)[r], used[i][r]), least, [&] {
        const auto [has, gives] = distinct_words(ground.capacity(i)[r], used[i][r]);
        return Witness{
            .words = fmt::format("{} has {} of {}, and {} gives out {}", ground.place_name(i), has,
                                 division.problem.resources()[r], division.outcome.mechanism, gives),
            .problem = cluster,
            .numbers = {{"capacity", ground.capacity(i)[r]}, {"used", used[i][r]}}};
      });
    }
  }
  for (std::size_t n = 0; n < ground.users(); ++n) {
    const double stated = division.outcome.allocation.tasks[n];
    offer(worst, shortfall(ground.cap(n), stated), least, [&] {
      return Witness{
          .words = fmt::format("{} has {} tasks to run, and {} gives it {}", ground.user_name(n),
                               number_words(ground.cap(n)), division.outcome.mechanism, number_words(stated)),
          .problem = cluster,
          .user = ground.user_name(n),
          .numbers = {{"tasks", stated}, {"cap", ground.cap(n)}}};
    });
    offer(worst, std::max(shortfall(stated, tasks[n]), shortfall(tasks[n], stated)), least, [&] {
      return Witness{
          .words = fmt::format(
              "the outcome states that {} has {} tasks under {}, but it has {} on its servers",
              ground.user_name(n), number_words(stated), division.outcome.mechanism, number_words(tasks[n])),
          .problem = cluster,
          .user = ground.user_name(n),
          .numbers = {{"tasks", stated}, {"placed", tasks[n]}}};
    });
  }
  return worst ? violated(Property::feasible, *std::move(worst)) : Verdict{.property = Property::feasible};
}

// Within the limits of the tree: Σ_{n below v} used_{n,r} ≤ L_{v,r}. A limit is a rule for what is divided,
// which what runs may break.
//
// Example: g has a limit of 2 CPUs, and its users run 5 tasks of 1 CPU.

Verdict check_within_limits(const Division& division, const Tolerances& tolerances) {
  const Problem& problem = division.problem;
  const Tree& tree = problem.tree();
  if (tree.is_flat()) return {.property = Property::feasible};
  const auto used = fairness::used_below(tree, bundles(problem, division.outcome.allocation));
  std::optional<Witness> worst;
  for (std::size_t node = 1; node < tree.size(); ++node) {
    const std::span<const double> limit = tree.limit(node);
    for (std::size_t r = 0; r < limit.size(); ++r) {
      offer(worst, shortfall(limit[r], used[node][r]), tolerances.least, [&] {
        const auto [allowed, has] = distinct_words(limit[r], used[node][r]);
        const std::string& name = node_name(problem, node);
        return Witness{.words = fmt::format("{} has a limit of {} of {}, and {} gives it {}", name, allowed,
                                            problem.resources()[r], division.outcome.mechanism, has),
                       .problem = problem.cluster(),
                       .user = tree.is_user(node) ? name : "",
                       .numbers = {{"limit", limit[r]}, {"used", used[node][r]}}};
      });
    }
  }
  return worst ? violated(Property::feasible, *std::move(worst)) : Verdict{.property = Property::feasible};
}

// The properties by name.

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
                                      Property::non_wastefulness,
                                      Property::hierarchical_sharing_incentive,
                                      Property::guarantee,
                                      Property::group_envy_freeness,
                                      Property::group_strategy_proofness,
                                      Property::own_part};
  return kAll;
}

bool is_of_groups(Property property) {
  return property == Property::hierarchical_sharing_incentive || property == Property::guarantee ||
         property == Property::group_envy_freeness || property == Property::group_strategy_proofness ||
         property == Property::own_part;
}

bool is_searched(Property property) {
  constexpr std::array kSearched = {Property::strategy_proofness,       Property::population_monotonicity,
                                    Property::resource_monotonicity,    Property::scale_invariance,
                                    Property::group_strategy_proofness, Property::own_part};
  return std::find(kSearched.begin(), kSearched.end(), property) != kSearched.end();
}

Rule rule_of(const Choice& mechanism) {
  const Mechanism& row = mechanism_of(mechanism);
  return {.scope = row.scope,
          .divide = [mechanism](const Problem& problem) { return allocate(problem, mechanism); },
          .groups = row.accepts.groups,
          .is_rule = row.is_rule};
}

namespace {

// A rule that honours groups compares the members of a group by their weights.
Between between(const Problem& problem, const Rule& rule) {
  const bool is_flat = problem.tree().is_flat() && !problem.has_zero_weight();
  return rule.groups && !is_flat ? Between::teams : Between::users;
}

// What a rule that honours groups does not owe: limits and reserves keep resources free.
std::optional<Verdict> not_asked(Property property, const Problem& problem, const Rule& rule) {
  constexpr std::array kByFree = {Property::pareto_efficiency, Property::non_wastefulness};
  const Tree& tree = problem.tree();
  const auto is_one_of = [&](const auto& list) {
    return std::find(list.begin(), list.end(), property) != list.end();
  };
  if (!rule.is_rule && is_searched(property)) {
    return Verdict{.property = property,
                   .decided = false,
                   .applicable = false,
                   .tried = 0,
                   .note = "compares clusters, and an allocation that is given says nothing of another one"};
  }
  if (between(problem, rule) == Between::users) return {};
  for (std::size_t v = 1; v < tree.size() && is_one_of(kByFree); ++v) {
    if (!tree.limit(v).empty() || !tree.reserve(v).empty())
      return vacuous(property, "limits and reserves of the tree may keep resources free");
  }
  return {};
}

}  // namespace

Verdict check(Property property, const Division& division, const Rule& rule, const Search& search) {
  const Tolerances& tolerances = search.tolerances;
  const bool converged = division.outcome.status != Status::not_converged;
  if (!converged && property != Property::feasible) return incomparable(property);
  if (std::optional<Verdict> verdict = not_asked(property, division.problem, rule))
    return *std::move(verdict);
  const Between whom = between(division.problem, rule);
  switch (property) {
    case Property::feasible:
      if (Verdict fits = check_feasible(division, tolerances); !fits.holds || !rule.groups) return fits;
      return check_within_limits(division, tolerances);
    case Property::sharing_incentive: {
      if (whom == Between::teams) return check_sharing_incentive_of_teams(division, tolerances);
      const bool pool = division.scope == Scope::pool;
      return check_sharing_incentive(division, pool ? EqualPart::of_the_pool : EqualPart::of_every_server,
                                     tolerances);
    }
    case Property::envy_freeness:
      return whom == Between::teams ? check_envy_freeness_of_teams(division, tolerances)
                                    : check_envy_freeness(division, tolerances);
    case Property::pareto_efficiency:
      return check_pareto_efficiency(division, tolerances);
    case Property::strategy_proofness:
      return check_strategy_proofness(division, rule, search);
    case Property::single_resource_fairness:
      return check_single_resource_fairness(division, tolerances, whom);
    case Property::bottleneck_fairness:
      return check_bottleneck_fairness(division, tolerances, whom);
    case Property::population_monotonicity:
      return check_population_monotonicity(division, rule, search);
    case Property::resource_monotonicity:
      return check_resource_monotonicity(division, rule, search);
    case Property::scale_invariance:
      return check_scale_invariance(division, rule, search);
    case Property::non_wastefulness:
      return check_non_wastefulness(division, tolerances);
    case Property::hierarchical_sharing_incentive:
      return check_hierarchical_sharing_incentive(division, tolerances);
    case Property::guarantee:
      return check_guarantee(division, tolerances);
    case Property::group_envy_freeness:
      return check_group_envy_freeness(division, tolerances);
    case Property::group_strategy_proofness:
      return check_group_strategy_proofness(division, rule, search);
    case Property::own_part:
      return check_own_part(division, rule, search);
  }
  MIRAB_ASSERT(false, "a property that can be checked");
  return {.property = property};
}

}  // namespace mirab
