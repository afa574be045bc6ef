// Why a user has its share: the full resources that it needs, who else holds them, and what-ifs that are
// solved rather than guessed. Shadow prices would do for small changes of the mechanisms that have some; a
// whole server is no small change, and DRF, where more of a resource can hurt, has none.
#include <algorithm>
#include <limits>
#include <map>

#include <mirab/audit/explanation.hpp>
#include <mirab/audit/metrics.hpp>

#include "audit/holder.hpp"
#include "audit/what_if.hpp"
#include "fairness/share.hpp"

namespace mirab {
namespace {

constexpr double kFull = 1e-6;           // relative: beyond what a converged outcome leaves
constexpr std::size_t kMostHolders = 3;  // of a full resource are named: a sentence takes no more

// Server entries that stand together, as indices into Allocation::servers; the pool alone for a pool.
std::vector<std::vector<std::size_t>> places(const Classes& classes, Scope scope) {
  if (scope == Scope::pool) return {{0}};
  std::vector<std::vector<std::size_t>> members;
  for (const ServerClass& alike : classes.servers) members.push_back(alike.members);
  return members;
}

bool needs(const Problem& problem, Scope scope, std::size_t user, std::size_t server, std::size_t r) {
  if (scope == Scope::pool) return !problem.users()[user].demand[r].is_zero();
  return problem.eligible(user, server) && !problem.demand(user, server)[r].is_zero();
}

using GrantsOn = std::vector<std::vector<Grant>>;  // [server]

GrantsOn grants_on_servers(const Allocation& allocation) {
  GrantsOn grants(allocation.servers.size());
  for (const Grant& grant : allocation.grants) grants[grant.server].push_back(grant);
  return grants;
}

// What a user has reached where a resource is full, for its weight.
class Reach {
 public:
  Reach(const Problem& problem, Scope scope, const Allocation& allocation)
      : problem_(problem),
        scope_(scope),
        tasks_(allocation.tasks),
        share_(dominant_shares(problem, allocation)) {}

  double operator()(std::size_t user, const std::vector<std::size_t>& servers) const {
    const double share = scope_ == Scope::each_server ? tasks_[user] / alone(user, servers) : share_[user];
    const double weight = problem_.users()[user].weight.value();
    return weight > 0 ? share / weight : share;
  }

 private:
  // γ of servers that are equal, taken together.
  double alone(std::size_t user, const std::vector<std::size_t>& servers) const {
    double tasks = std::numeric_limits<double>::infinity();
    const ResourceVector& demand = problem_.demand(user, servers[0]);
    for (std::size_t r = 0; r < demand.size(); ++r) {
      if (demand[r].is_zero()) continue;
      double capacity = 0;
      for (const std::size_t i : servers) {
        const Server& server = problem_.servers()[i];
        capacity += server.capacity[r].value() * static_cast<double>(server.count);
      }
      tasks = std::min(tasks, capacity / demand[r].value());
    }
    return tasks;
  }

  const Problem& problem_;
  Scope scope_;
  const std::vector<double>& tasks_;
  std::vector<double> share_;
};

}  // namespace

Bindings::Bindings(const Problem& problem, Scope scope, const Allocation& allocation)
    : problem_(problem), scope_(scope), classes_(merge(problem, MergeUsers::equal, MergeServers::equal)) {
  const Reach reach(problem, scope, allocation);
  const GrantsOn grants = grants_on_servers(allocation);
  for (std::vector<std::size_t>& servers : places(classes_, scope)) {
    for (std::size_t r = 0; r < problem.resource_count(); ++r) {
      Full full{.servers = servers, .resource = r};
      double used = 0;
      for (const std::size_t i : servers) {
        full.capacity += allocation.servers[i].capacity[r];
        used += allocation.servers[i].used[r];
      }
      if (used < full.capacity * (1 - kFull)) continue;
      const std::vector<double>& prices = allocation.servers[servers[0]].prices;
      if (!prices.empty()) full.price = prices[r];
      for (const std::size_t i : servers) {
        for (const Grant& grant : grants[i]) full.held[grant.user] += grant.resources[r];
      }
      for (const auto& [n, amount] : full.held) {
        if (amount <= 0) continue;
        full.level = std::max(full.level, reach(n, servers));
        full.holders.push_back({n, amount});
      }
      std::stable_sort(full.holders.begin(), full.holders.end(),
                       [](const Holding& a, const Holding& b) { return a.amount > b.amount; });
      full_.push_back(std::move(full));
    }
  }
}

std::vector<Binding> Bindings::of(std::size_t user) const {
  std::vector<Binding> found;
  for (const Full& full : full_) {
    if (!needs(problem_, scope_, user, full.servers[0], full.resource)) continue;
    const auto held = full.held.find(user);
    Binding& binding = found.emplace_back(Binding{.servers = full.servers,
                                                  .resource = full.resource,
                                                  .capacity = full.capacity,
                                                  .held = held == full.held.end() ? 0 : held->second,
                                                  .price = full.price,
                                                  .level = full.level,
                                                  .others = {}});
    for (const Holding& holder : full.holders) {
      if (binding.others.size() == kMostHolders) break;
      if (holder.user != user) binding.others.push_back(holder);
    }
  }
  std::stable_sort(found.begin(), found.end(), [](const Binding& a, const Binding& b) {
    return a.held * b.capacity > b.held * a.capacity;
  });
  return found;
}

std::vector<std::vector<double>> Bindings::held_below(std::size_t user) const {
  std::vector<std::vector<double>> held(problem_.user_count(),
                                        std::vector<double>(problem_.resource_count(), 0.0));
  for (const Full& full : full_) {
    if (!needs(problem_, scope_, user, full.servers[0], full.resource)) continue;
    for (const Holding& holder : full.holders) held[holder.user][full.resource] += holder.amount;
  }
  return fairness::used_below(problem_.tree(), held);
}

double gain_of(double before, double after) {
  constexpr double kNoGain = 1e-6;
  return std::abs(after - before) <= kNoGain * std::max(after, 1.0) ? 0 : after - before;
}

namespace {

Check try_changes(const Problem& problem, const Choice& choice, const std::vector<Change>& changes,
                  const ExplainOptions& options, Explanation& explanation) {
  const std::size_t tries = std::min(changes.size(), options.what_ifs);
  explanation.untried = changes.size() - tries;
  const double now = explanation.outcome.allocation.tasks[explanation.user];
  for (std::size_t i = 0; i < tries; ++i) {
    const Result<Problem> other = changed(problem, explanation.user, changes[i]);
    if (!other) {  // an amount beyond what can be counted
      ++explanation.untried;
      continue;
    }
    const Result<Outcome> outcome = allocate(*other, choice, options.execution);
    if (!outcome) return outcome.error();
    const double tasks = outcome->allocation.tasks[explanation.user];
    explanation.what_ifs.push_back({.change = changes[i],
                                    .tasks = tasks,
                                    .gain = gain_of(now, tasks),
                                    .status = outcome->status,
                                    .losers = losers_of(difference({problem, explanation.outcome.allocation},
                                                                   {*other, outcome->allocation}),
                                                        problem, explanation.user)});
    if (options.progress) options.progress(i + 1, tries);
  }
  std::stable_sort(explanation.what_ifs.begin(), explanation.what_ifs.end(),
                   [](const WhatIf& a, const WhatIf& b) { return a.gain > b.gain; });
  return {};
}

}  // namespace

std::string_view change_name(ChangeKind kind) {
  switch (kind) {
    case ChangeKind::server:
      return "server";
    case ChangeKind::unit:
      return "unit";
    case ChangeKind::weight:
      return "weight";
    case ChangeKind::task:
      return "task";
    case ChangeKind::group_weight:
      return "group-weight";
    case ChangeKind::limit:
      return "limit";
    case ChangeKind::guarantee:
      return "guarantee";
    case ChangeKind::reserve:
      return "reserve";
  }
  return {};
}

bool is_of_resource(ChangeKind kind) {
  return kind == ChangeKind::unit || kind == ChangeKind::limit || kind == ChangeKind::guarantee ||
         kind == ChangeKind::reserve;
}

Result<Explanation> explain(const Problem& problem, const Choice& choice, std::size_t user,
                            const ExplainOptions& options) {
  MIRAB_ASSERT(user < problem.user_count(), "a user of the problem");
  Result<Outcome> outcome = allocate(problem, choice, options.execution);
  if (!outcome) return outcome.error();
  const Mechanism& row = mechanism_of(choice);

  Explanation explanation{.user = user, .scope = row.scope, .outcome = *std::move(outcome)};
  const Allocation& allocation = explanation.outcome.allocation;
  const Bindings bindings(problem, row.scope, allocation);
  explanation.dominant_share = dominant_shares(problem, allocation)[user];
  explanation.has_all_tasks = satisfaction(problem, explanation.outcome).satisfied[user];
  const Paths paths(problem, row, explanation.outcome, bindings);
  explanation.stop = paths.stop(user);
  explanation.path = paths.of(user);
  explanation.holder = paths.holder(user);
  if (!explanation.has_all_tasks && !explanation.stop.is_missing) explanation.bindings = bindings.of(user);
  if (!row.is_rule) {
    explanation.outcome.notices.emplace_back(kNoRule);
    return explanation;
  }
  if (std::optional<std::string> notice = unchanged_servers(problem, row, std::span(&user, 1)))
    explanation.outcome.notices.push_back(*std::move(notice));
  const std::vector<Change> changes =
      changes_for(problem, bindings.classes(), row, allocation,
                  {.user = user,
                   .has_all_tasks = explanation.has_all_tasks,
                   .stop = explanation.stop,
                   .bindings = explanation.bindings,
                   .holder = explanation.holder ? &*explanation.holder : nullptr});
  if (Check wrong = try_changes(problem, choice, changes, options, explanation)) return *std::move(wrong);
  return explanation;
}

}  // namespace mirab
