// Scale invariance: a task k times as large, of which there are 1/k as many, leaves what everybody holds
// unchanged.
//
// Source: Bonald and Roberts, section 3 (Propositions 3 and 6). What a user holds is added up over servers,
// where a resource has one meaning; it is compared as parts of the cluster.
#include <array>
#include <cmath>
#include <fmt/format.h>

#include "audit/alter.hpp"
#include "audit/attempts.hpp"
#include "audit/finding.hpp"

namespace mirab {
namespace {

constexpr std::array kFactors = {2.0, 0.5, 10.0, 0.1};
constexpr double kDust = 1e-9;  // of a resource

bool scale(ResourceVector& demand, double factor) {
  for (Quantity& amount : demand) {
    const std::optional<Quantity> scaled = times(amount, factor);
    if (!scaled || scaled->is_zero() != amount.is_zero()) return false;
    amount = *scaled;
  }
  return true;
}

std::optional<Problem> with_larger_tasks(const Problem& problem, std::size_t user, double factor) {
  Cluster cluster = cluster_of(problem);
  User& scaled = cluster.users[user];
  bool counts = scale(scaled.demand, factor);
  for (auto& [server, demand] : scaled.demand_on) counts = counts && scale(demand, factor);
  if (scaled.tasks) scaled.tasks = times(*scaled.tasks, 1 / factor);
  if (!counts || scaled.tasks.has_value() != problem.users()[user].tasks.has_value()) return {};
  Result<Problem> result = Problem::from(std::move(cluster));
  return result ? std::optional(*std::move(result)) : std::nullopt;
}

// What everybody holds, as parts of the cluster. [n][r]
std::vector<std::vector<double>> holdings(const Problem& problem, const Allocation& allocation) {
  std::vector<std::vector<double>> parts(problem.user_count(), std::vector<double>(problem.resource_count()));
  for (const Grant& grant : allocation.grants) {
    for (std::size_t r = 0; r < problem.resource_count(); ++r) {
      if (problem.pool()[r] > 0) parts[grant.user][r] += grant.resources[r] / problem.pool()[r];
    }
  }
  return parts;
}

Trial change_by(const Division& division, const Rule& rule, std::size_t user, double factor,
                const Tolerances& tolerances) {
  const std::optional<Problem> scaled = with_larger_tasks(division.problem, user, factor);
  if (!scaled) return {};
  const std::optional<Outcome> outcome = comparable(rule, *scaled);
  if (!outcome) return {};
  const double least = slack(division.outcome, tolerances) + slack(*outcome, tolerances);
  const auto before = holdings(division.problem, division.outcome.allocation);
  const auto after = holdings(*scaled, outcome->allocation);
  std::optional<Witness> worst;
  for (std::size_t n = 0; n < before.size(); ++n) {
    for (std::size_t r = 0; r < before[n].size(); ++r) {
      const double size =
          std::max(shortfall(before[n][r], after[n][r]), shortfall(after[n][r], before[n][r]));
      if (std::max(before[n][r], after[n][r]) < kDust) continue;
      if (!(size > least) || (worst && size <= worst->size)) continue;
      const auto [had, has] = told_apart(100 * before[n][r], 100 * after[n][r]);
      const std::string& who = division.problem.users()[user].name;
      worst = Witness{
          .words = fmt::format("{} holds {}% of {} under {}, and {}% when {} of {} are {} times as large",
                               division.problem.users()[n].name, had, division.problem.resources()[r],
                               division.outcome.mechanism, has, "the tasks", who, factor),
          .problem = {},
          .user = division.problem.users()[n].name,
          .other = who,
          .numbers = {{"part", before[n][r]}, {"part_after", after[n][r]}, {"factor", factor}},
          .size = size};
    }
  }
  if (!worst) return {.compared = 1};
  worst->problem = cluster_of(division.problem);
  worst->changed = cluster_of(*scaled);
  return {.compared = 1, .violation = std::move(worst)};
}

// The greatest change when the tasks of the user of this name are as much larger in another cluster.
std::function<std::optional<Witness>(const Problem&)> again(const Rule& rule, const std::string& user,
                                                            double factor, const Tolerances& tolerances) {
  return [=](const Problem& problem) -> std::optional<Witness> {
    const std::optional<Outcome> outcome = comparable(rule, problem);
    if (!outcome) return {};
    for (std::size_t n = 0; n < problem.user_count(); ++n) {
      if (problem.users()[n].name == user)
        return change_by({problem, *outcome, rule.scope}, rule, n, factor, tolerances).violation;
    }
    return {};
  };
}

}  // namespace

Verdict check_scale_invariance(const Division& division, const Rule& rule, const Search& search) {
  if (division.outcome.status == Status::not_converged) return incomparable(Property::scale_invariance);
  const std::size_t users = division.problem.user_count();
  Sought sought = seek(users * kFactors.size(), search, [&](std::size_t k) {
    return change_by(division, rule, k % users, kFactors[k / users], search.tolerances);
  });
  if (sought.worst) {
    const double factor = kFactors[sought.attempt / users];
    sought.worst->again = again(rule, sought.worst->other, factor, search.tolerances);
  }
  return verdict_on(Property::scale_invariance, std::move(sought));
}

}  // namespace mirab
