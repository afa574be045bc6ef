// Resource monotonicity: when there is more of a resource, nobody has fewer tasks.
//
// Source: Ghodsi et al. 2011, section 3. Tried: every resource of every kind of server, and of all servers
// together, times 2, 1.5, 1.25, 4 and 1.1. On a pool only all together: a pool does not see servers. Example
// of a failure: DRF with users (1, 4), (3, 1) gives (3, 2) tasks of (9, 18), and (4.5, 1.5) of (9, 36).
#include <array>
#include <fmt/format.h>

#include <mirab/model/classes.hpp>

#include "audit/alter.hpp"
#include "audit/attempts.hpp"
#include "audit/finding.hpp"

namespace mirab {
namespace {

struct Growth {
  std::optional<std::size_t> server;  // all when there is none
  std::size_t resource;
  double factor;
};

std::vector<Growth> growths(const Division& division) {
  constexpr std::array kFactors = {2.0, 1.5, 1.25, 4.0, 1.1};
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
  Cluster cluster = cluster_of(problem);
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
  const double least = slack(division.outcome, tolerances) + slack(*outcome, tolerances);
  std::optional<Witness> worst;
  for (std::size_t n = 0; n < more->user_count(); ++n) {
    const double before = division.outcome.allocation.tasks[n];
    const double after = outcome->allocation.tasks[n];
    const double size = shortfall(after, before);
    if (!(size > least) || (worst && size <= worst->size)) continue;
    const auto [had, has] = told_apart(before, after);
    worst = Witness{
        .words = fmt::format("{} has {} tasks under {}, and {} {}", more->users()[n].name, had,
                             division.outcome.mechanism, has, change_words(division.problem, *more, growth)),
        .problem = {},
        .user = more->users()[n].name,
        .numbers = {{"tasks", before}, {"tasks_after", after}, {"factor", growth.factor}},
        .size = size};
  }
  if (!worst) return {.compared = 1};
  worst->problem = cluster_of(division.problem);
  worst->changed = cluster_of(*more);
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
  Sought sought = seek(list.size(), search,
                       [&](std::size_t k) { return loss_with(division, rule, list[k], search.tolerances); });
  if (sought.worst)
    sought.worst->again = again(division.problem, rule, list[sought.attempt], search.tolerances);
  return verdict_on(Property::resource_monotonicity, std::move(sought));
}

}  // namespace mirab
