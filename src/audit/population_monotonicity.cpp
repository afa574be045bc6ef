// Population monotonicity: when a user leaves, nobody who stays has fewer tasks.
//
// Source: Ghodsi et al. 2011, section 3. Example of a failure: DRF on (1, 1) with users A (1, 0), B (1, 1)
// and two of (0, 1): A has 2/3; when one of the last leaves, B rises to 1/2, and A falls to 1/2.
#include <fmt/format.h>
#include <numeric>

#include <mirab/model/random.hpp>

#include "audit/alter.hpp"
#include "audit/attempts.hpp"
#include "audit/finding.hpp"

namespace mirab {
namespace {

std::vector<std::size_t> shuffled(std::size_t count, std::uint64_t seed) {
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  Random random(seed);
  for (std::size_t left = count; left > 1; --left) std::swap(order[left - 1], order[random.below(left)]);
  return order;
}

// The greatest loss when `gone` leaves.
Trial loss_without(const Division& division, const Rule& rule, std::size_t gone,
                   const Tolerances& tolerances) {
  Cluster left = cluster_of(division.problem);
  remove_user(left, gone);
  const Result<Problem> problem = Problem::from(left);
  if (!problem) return {};
  const std::optional<Outcome> outcome = comparable(rule, *problem);
  if (!outcome) return {};
  const double least = slack(division.outcome, tolerances) + slack(*outcome, tolerances);
  std::optional<Witness> worst;
  for (std::size_t n = 0; n < left.users.size(); ++n) {
    const double before = division.outcome.allocation.tasks[n < gone ? n : n + 1];
    const double after = outcome->allocation.tasks[n];
    const double size = shortfall(after, before);
    if (!(size > least) || (worst && size <= worst->size)) continue;
    const auto [had, has] = told_apart(before, after);
    const std::string& leaver = division.problem.users()[gone].name;
    worst = Witness{.words = fmt::format("{} has {} tasks under {}, and {} when {} leaves",
                                         left.users[n].name, had, division.outcome.mechanism, has, leaver),
                    .problem = {},
                    .user = left.users[n].name,
                    .other = leaver,
                    .numbers = {{"tasks", before}, {"tasks_after", after}},
                    .size = size};
  }
  if (!worst) return {.compared = 1};
  worst->problem = cluster_of(division.problem);
  worst->changed = std::move(left);
  return {.compared = 1, .violation = std::move(worst)};
}

// The greatest loss when the user of this name leaves another cluster.
std::function<std::optional<Witness>(const Problem&)> again(const Rule& rule, const std::string& leaver,
                                                            const Tolerances& tolerances) {
  return [=](const Problem& problem) -> std::optional<Witness> {
    const std::optional<Outcome> outcome = comparable(rule, problem);
    if (!outcome) return {};
    for (std::size_t n = 0; n < problem.user_count(); ++n) {
      if (problem.users()[n].name == leaver)
        return loss_without({problem, *outcome, rule.scope}, rule, n, tolerances).violation;
    }
    return {};
  };
}

}  // namespace

Verdict check_population_monotonicity(const Division& division, const Rule& rule, const Search& search) {
  const std::size_t users = division.problem.user_count();
  if (users < 2) return vacuous(Property::population_monotonicity, "there is only one user");
  if (division.outcome.status == Status::not_converged)
    return incomparable(Property::population_monotonicity);
  const std::vector<std::size_t> order = shuffled(users, search.seed);
  Sought sought = seek(users, search, [&](std::size_t k) {
    return loss_without(division, rule, order[k], search.tolerances);
  });
  if (sought.worst) sought.worst->again = again(rule, sought.worst->other, search.tolerances);
  Verdict verdict = verdict_on(Property::population_monotonicity, std::move(sought));
  if (verdict.tried == users) verdict.scope = VerdictScope::instance;
  return verdict;
}

}  // namespace mirab
