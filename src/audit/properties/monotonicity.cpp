// Properties that compare a division with that of a changed cluster: a user less, more of a resource,
// tasks of another size.
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <numeric>

#include <mirab/model/classes.hpp>
#include <mirab/model/random.hpp>

#include "audit/cluster_view.hpp"
#include "audit/counterexamples.hpp"
#include "audit/findings.hpp"

namespace mirab {

// Population monotonicity: when a user leaves, no user who stays has fewer tasks.
//
// Source: Ghodsi et al. 2011, section 3. Example of a failure: DRF on (1, 1) with users A (1, 0), B (1, 1)
// and two of (0, 1): A has 2/3; when one of the last leaves, B rises to 1/2, and A falls to 1/2.

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
  Cluster left = division.problem.cluster();
  remove_user(left, gone);
  const Result<Problem> problem = Problem::from(left);
  if (!problem) return {};
  const std::optional<Outcome> outcome = comparable(rule, *problem);
  if (!outcome) return {};
  const double threshold = slack(division.outcome, tolerances) + slack(*outcome, tolerances);
  std::optional<Witness> worst;
  for (std::size_t n = 0; n < left.users.size(); ++n) {
    const double before = division.outcome.allocation.tasks[n < gone ? n : n + 1];
    const double after = outcome->allocation.tasks[n];
    const double size = shortfall(after, before);
    if (!(size > threshold) || (worst && size <= worst->size)) continue;
    if (is_rounding(division, n < gone ? n : n + 1, before)) continue;
    const auto [had, has] = distinct_words(before, after);
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
  worst->problem = division.problem.cluster();
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
  SearchResult sought = run_search(users, search, [&](std::size_t k) {
    return loss_without(division, rule, order[k], search.tolerances);
  });
  if (sought.worst) sought.worst->again = again(rule, sought.worst->other, search.tolerances);
  Verdict verdict = verdict_on(Property::population_monotonicity, std::move(sought));
  if (verdict.tried == users) verdict.scope = VerdictScope::instance;
  return verdict;
}

// Resource monotonicity: when there is more of a resource, no user has fewer tasks.
//
// Source: Ghodsi et al. 2011, section 3. Tried: every resource of every kind of server, and of all servers
// together, times 2, 1.5, 1.25, 4 and 1.1. On a pool only all together: a pool does not see servers. Example
// of a failure: DRF with users (1, 4), (3, 1) gives (3, 2) tasks of (9, 18), and (4.5, 1.5) of (9, 36).

namespace {

struct Growth {
  std::optional<std::size_t> server;  // all when there is none
  std::size_t resource;
  double factor;
};

std::vector<Growth> growths(const Division& division) {
  constexpr std::array kFactors = {2.0, 1.5, 1.25, 4.0, 1.1};  // the easiest to grasp first
  const Problem& problem = division.problem;
  std::vector<std::optional<std::size_t>> places{std::nullopt};
  if (division.scope != Scope::pool && problem.server_count() > 1) {
    for (const ServerClass& alike : merge(problem, MergeUsers::equal, MergeServers::equal).servers)
      places.emplace_back(alike.members[0]);
  }
  std::vector<Growth> list;
  for (const double factor : kFactors) {
    for (const std::optional<std::size_t>& server : places) {
      for (std::size_t r = 0; r < problem.resource_count(); ++r) list.push_back({server, r, factor});
    }
  }
  return list;
}

std::optional<Problem> grown(const Problem& problem, const Growth& growth) {
  Cluster cluster = problem.cluster();
  for (std::size_t i = 0; i < cluster.servers.size(); ++i) {
    if (growth.server.value_or(i) != i) continue;
    Quantity& capacity = cluster.servers[i].capacity[growth.resource];
    const std::optional<Quantity> more = times(capacity, growth.factor);
    if (!more) return {};
    capacity = *more;
  }
  Result<Problem> result = Problem::from(std::move(cluster));
  return result ? std::optional(*std::move(result)) : std::nullopt;
}

std::string change_words(const Problem& problem, const Problem& more, const Growth& growth) {
  const std::size_t i = growth.server.value_or(0);
  const std::size_t r = growth.resource;
  if (!growth.server && problem.server_count() > 1)
    return fmt::format("with {} times the {} everywhere", growth.factor, problem.resources()[r]);
  return fmt::format("when {} has {} {} instead of {}", problem.servers()[i].name,
                     more.servers()[i].capacity[r].text(), problem.resources()[r],
                     problem.servers()[i].capacity[r].text());
}

Trial loss_with(const Division& division, const Rule& rule, const Growth& growth,
                const Tolerances& tolerances) {
  const std::optional<Problem> more = grown(division.problem, growth);
  if (!more) return {};
  const std::optional<Outcome> outcome = comparable(rule, *more);
  if (!outcome) return {};
  const double threshold = slack(division.outcome, tolerances) + slack(*outcome, tolerances);
  std::optional<Witness> worst;
  for (std::size_t n = 0; n < more->user_count(); ++n) {
    const double before = division.outcome.allocation.tasks[n];
    const double after = outcome->allocation.tasks[n];
    const double size = shortfall(after, before);
    if (!(size > threshold) || (worst && size <= worst->size)) continue;
    if (is_rounding(division, n, before)) continue;
    const auto [had, has] = distinct_words(before, after);
    worst = Witness{
        .words = fmt::format("{} has {} tasks under {}, and {} {}", more->users()[n].name, had,
                             division.outcome.mechanism, has, change_words(division.problem, *more, growth)),
        .problem = {},
        .user = more->users()[n].name,
        .numbers = {{"tasks", before}, {"tasks_after", after}, {"factor", growth.factor}},
        .size = size};
  }
  if (!worst) return {.compared = 1};
  worst->problem = division.problem.cluster();
  worst->changed = more->cluster();
  return {.compared = 1, .violation = std::move(worst)};
}

// The greatest loss when what has these names grows in another cluster; everything, when it has one server.
std::function<std::optional<Witness>(const Problem&)> again(const Problem& first, const Rule& rule,
                                                            const Growth& growth,
                                                            const Tolerances& tolerances) {
  const std::string server = growth.server ? first.servers()[*growth.server].name : "";
  const std::string resource = first.resources()[growth.resource];
  return [=](const Problem& problem) -> std::optional<Witness> {
    Growth same{.server = {}, .resource = problem.resource_count(), .factor = growth.factor};
    for (std::size_t i = 0; i < problem.server_count(); ++i) {
      if (problem.servers()[i].name == server) same.server = i;
    }
    for (std::size_t r = 0; r < problem.resource_count(); ++r) {
      if (problem.resources()[r] == resource) same.resource = r;
    }
    if (same.resource == problem.resource_count() || (growth.server && !same.server)) return {};
    const std::optional<Outcome> outcome = comparable(rule, problem);
    if (!outcome) return {};
    return loss_with({problem, *outcome, rule.scope}, rule, same, tolerances).violation;
  };
}

}  // namespace

Verdict check_resource_monotonicity(const Division& division, const Rule& rule, const Search& search) {
  if (division.outcome.status == Status::not_converged) return incomparable(Property::resource_monotonicity);
  const std::vector<Growth> list = growths(division);
  SearchResult sought = run_search(list.size(), search, [&](std::size_t k) {
    return loss_with(division, rule, list[k], search.tolerances);
  });
  if (sought.worst)
    sought.worst->again = again(division.problem, rule, list[sought.attempt], search.tolerances);
  return verdict_on(Property::resource_monotonicity, std::move(sought));
}

// Scale invariance: a task k times as large, of which there are 1/k as many, leaves what every user holds
// unchanged.
//
// Source: Bonald and Roberts, sections 2.3 and 2.4 (Propositions 3 and 6). What a user holds is added up over
// servers, where a resource has one meaning; it is compared as parts of the cluster.

namespace {

constexpr std::array kFactors = {2.0, 0.5, 10.0, 0.1};
constexpr double kDust = 1e-9;  // of a resource: what rounding and certificates leave of parts of a cluster

bool scale(ResourceVector& demand, double factor) {
  for (Quantity& amount : demand) {
    const std::optional<Quantity> scaled = times(amount, factor);
    if (!scaled || scaled->is_zero() != amount.is_zero()) return false;
    amount = *scaled;
  }
  return true;
}

std::optional<Problem> with_larger_tasks(const Problem& problem, std::size_t user, double factor) {
  Cluster cluster = problem.cluster();
  User& scaled = cluster.users[user];
  bool counts = scale(scaled.demand, factor);
  for (auto& [server, demand] : scaled.demand_on) counts = counts && scale(demand, factor);
  if (scaled.tasks) scaled.tasks = times(*scaled.tasks, 1 / factor);
  if (!counts || scaled.tasks.has_value() != problem.users()[user].tasks.has_value()) return {};
  Result<Problem> result = Problem::from(std::move(cluster));
  return result ? std::optional(*std::move(result)) : std::nullopt;
}

// What every user holds, as parts of the cluster. [n][r]
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
  const double threshold = slack(division.outcome, tolerances) + slack(*outcome, tolerances);
  const auto before = holdings(division.problem, division.outcome.allocation);
  const auto after = holdings(*scaled, outcome->allocation);
  std::optional<Witness> worst;
  for (std::size_t n = 0; n < before.size(); ++n) {
    for (std::size_t r = 0; r < before[n].size(); ++r) {
      const double size =
          std::max(shortfall(before[n][r], after[n][r]), shortfall(after[n][r], before[n][r]));
      if (std::max(before[n][r], after[n][r]) < kDust) continue;
      if (!(size > threshold) || (worst && size <= worst->size)) continue;
      const auto [had, has] = distinct_words(100 * before[n][r], 100 * after[n][r]);
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
  worst->problem = division.problem.cluster();
  worst->changed = scaled->cluster();
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
  SearchResult sought = run_search(users * kFactors.size(), search, [&](std::size_t k) {
    return change_by(division, rule, k % users, kFactors[k / users], search.tolerances);
  });
  if (sought.worst) {
    const double factor = kFactors[sought.attempt / users];
    sought.worst->again = again(rule, sought.worst->other, factor, search.tolerances);
  }
  return verdict_on(Property::scale_invariance, std::move(sought));
}

}  // namespace mirab
