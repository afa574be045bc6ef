// Envy-freeness: V_n((φ_n/φ_k) a_k) ≤ X_n for all k. Nobody could run more tasks with what somebody else
// holds, scaled to its own weight.
//
// Source: Ghodsi et al. 2011, section 3. Of users with equal demand and servers only the one with the fewest
// tasks per weight is asked whom it envies: it envies whenever another of them does; a user whose cap
// satisfies it envies nobody, so caps keep classes apart.
#include <algorithm>
#include <fmt/format.h>

#include <mirab/model/classes.hpp>

#include "audit/finding.hpp"
#include "audit/ground.hpp"

namespace mirab {
namespace {

// The user with the fewest tasks per weight of every class.
std::vector<std::size_t> poorest_of_classes(const Ground& ground, const std::vector<double>& tasks) {
  std::vector<std::size_t> users;
  const auto per_weight = [&](std::size_t n) { return tasks[n] / ground.weight(n); };
  for (const UserClass& alike : merge(ground.problem(), MergeUsers::equal, MergeServers::equal).users) {
    users.push_back(
        *std::min_element(alike.members.begin(), alike.members.end(),
                          [&](std::size_t a, std::size_t b) { return per_weight(a) < per_weight(b); }));
  }
  return users;
}

// V_n((φ_n/φ_k) a_k) for every k.
std::vector<double> tasks_with_bundles(const Ground& ground, const Allocation& allocation, std::size_t n) {
  std::vector<double> tasks(ground.users(), 0.0);
  for (const Grant& grant : allocation.grants) {
    const double scale = ground.weight(n) / ground.weight(grant.user);
    tasks[grant.user] += scale * ground.tasks_with(n, grant.server, grant.resources);
  }
  return tasks;
}

}  // namespace

Verdict check_envy_freeness(const Division& division, const Tolerances& tolerances) {
  const Ground ground(division.problem, division.scope);
  const Allocation& allocation = division.outcome.allocation;
  const double least = slack(division.outcome, tolerances);
  std::optional<Witness> worst;
  for (const std::size_t n : poorest_of_classes(ground, allocation.tasks)) {
    const std::vector<double> with = tasks_with_bundles(ground, allocation, n);
    for (std::size_t k = 0; k < with.size(); ++k) {
      const double could = std::min(ground.cap(n), with[k]);
      const double size = k == n ? 0 : shortfall(allocation.tasks[n], could);
      if (size <= least || (worst && size <= worst->size)) continue;
      const auto [more, has] = told_apart(could, allocation.tasks[n]);
      const bool same_weight = ground.weight(n) == ground.weight(k);
      worst = Witness{
          .words = fmt::format("{} could run {} tasks with what {} gives {}{}, its own bundle runs {}",
                               ground.user_name(n), more, division.outcome.mechanism, ground.user_name(k),
                               same_weight ? "" : " (per weight)", has),
          .problem = {},
          .user = ground.user_name(n),
          .other = ground.user_name(k),
          .numbers = {{"tasks", allocation.tasks[n]}, {"with_other", could}},
          .size = size};
    }
  }
  if (!worst) return {.property = Property::envy_freeness};
  worst->problem = cluster_of(division.problem);
  return violated(Property::envy_freeness, *std::move(worst));
}

}  // namespace mirab
