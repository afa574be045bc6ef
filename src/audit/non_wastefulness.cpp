// Non-wastefulness: nobody holds more of a resource than its tasks use, a_{n,i,r} ≤ V_n(a_{n,i}) d_{n,i,r},
// and no resource idles that alone would let somebody run more tasks.
//
// Source: Bonald and Roberts, section 2.2, for bundles that need not be in proportion to demand. Weaker than
// Pareto efficiency in what it asks of free resources (room for whole tasks is not looked for), stronger in
// that bundles may hold nothing in vain.
#include <algorithm>
#include <fmt/format.h>
#include <map>

#include "audit/finding.hpp"
#include "audit/ground.hpp"

namespace mirab {
namespace {

using Bundles = std::map<std::pair<std::size_t, std::size_t>, std::vector<double>>;  // by user, server

// The largest part of a server that somebody holds in vain.
std::optional<Witness> held_in_vain(const Division& division, const Ground& ground, double least) {
  std::optional<Witness> worst;
  for (const Grant& grant : division.outcome.allocation.grants) {
    const double tasks = ground.tasks_with(grant.user, grant.server, grant.resources);
    for (std::size_t r = 0; r < ground.resources(); ++r) {
      const double capacity = ground.capacity(grant.server)[r];
      const double used = tasks * ground.demand(grant.user, grant.server)[r];
      const double size = capacity > 0 ? (grant.resources[r] - used) / capacity : 0;
      if (size <= least || (worst && size <= worst->size)) continue;
      const auto [holds, uses] = told_apart(grant.resources[r], used);
      worst = Witness{.words = fmt::format("{} holds {} {} on {} under {}, and its {} tasks there use {}",
                                           ground.user_name(grant.user), holds,
                                           division.problem.resources()[r], ground.place_name(grant.server),
                                           division.outcome.mechanism, number_words(tasks), uses),
                      .problem = {},
                      .user = ground.user_name(grant.user),
                      .numbers = {{"holds", grant.resources[r]}, {"uses", used}, {"tasks", tasks}},
                      .size = size};
    }
  }
  return worst;
}

// The largest part of its tasks that a user would gain by one idle resource.
std::optional<Witness> idle_in_vain(const Division& division, const Ground& ground, double least) {
  std::vector<std::vector<double>> idle;
  for (std::size_t i = 0; i < ground.places(); ++i) idle.push_back(ground.capacity(i));
  Bundles bundles;
  for (const Grant& grant : division.outcome.allocation.grants) {
    bundles[{grant.user, grant.server}] = grant.resources;
    for (std::size_t r = 0; r < ground.resources(); ++r) idle[grant.server][r] -= grant.resources[r];
  }
  const std::vector<double> nothing(ground.resources(), 0.0);
  std::optional<Witness> worst;
  for (std::size_t n = 0; n < ground.users(); ++n) {
    const double tasks = division.outcome.allocation.tasks[n];
    for (std::size_t i = 0; i < ground.places(); ++i) {
      if (!ground.eligible(n, i)) continue;
      const auto holding = bundles.find({n, i});
      const std::vector<double>& bundle = holding == bundles.end() ? nothing : holding->second;
      const double here = ground.tasks_with(n, i, bundle);
      for (std::size_t r = 0; r < ground.resources(); ++r) {
        std::vector<double> with = bundle;
        with[r] += std::max(0.0, idle[i][r]);
        const double could = std::min(ground.cap(n), tasks - here + ground.tasks_with(n, i, with));
        const double size = shortfall(tasks, could);
        if (size <= least || (worst && size <= worst->size)) continue;
        const auto [more, has] = told_apart(could, tasks);
        worst = Witness{.words = fmt::format(
                            "{} {} idles on {} under {}, with which {} could run {} tasks instead of {}",
                            number_words(idle[i][r]), division.problem.resources()[r], ground.place_name(i),
                            division.outcome.mechanism, ground.user_name(n), more, has),
                        .problem = {},
                        .user = ground.user_name(n),
                        .numbers = {{"idle", idle[i][r]}, {"tasks", tasks}, {"possible", could}},
                        .size = size};
      }
    }
  }
  return worst;
}

}  // namespace

Verdict check_non_wastefulness(const Division& division, const Tolerances& tolerances) {
  const Ground ground(division.problem, division.scope);
  const double least = slack(division.outcome, tolerances);
  std::optional<Witness> worst = held_in_vain(division, ground, least);
  if (!worst) worst = idle_in_vain(division, ground, least);
  if (!worst) return {.property = Property::non_wastefulness};
  worst->problem = cluster_of(division.problem);
  return violated(Property::non_wastefulness, *std::move(worst));
}

}  // namespace mirab
