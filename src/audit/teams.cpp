// Groups of a tree under an allocation (docs/explanation/teams.md): what each has, what of its guarantee is
// unused and lent, what it borrows, and what keeps a user from having more.
#include <algorithm>
#include <cmath>
#include <span>

#include <mirab/audit/metrics.hpp>
#include <mirab/audit/teams.hpp>
#include <mirab/mechanisms/mechanism.hpp>

#include "audit/cluster_view.hpp"
#include "fairness/share.hpp"
#include "model/eligibility.hpp"

namespace mirab {

namespace {

constexpr double kRoundedWithin = 1e-9;  // of a capacity: beyond what sums are rounded to
constexpr double kFullWithin = 1e-6;     // of a capacity or limit: beyond what a converged outcome leaves

bool is_full(double used, double most) { return used >= most * (1 - kFullWithin); }

}  // namespace

std::vector<GroupFigures> group_figures(const Problem& problem, const Allocation& allocation) {
  const Tree& tree = problem.tree();
  const std::size_t m = problem.resource_count();
  const std::vector<std::vector<double>> used = fairness::used_below(tree, bundles(problem, allocation));
  const std::vector<std::vector<double>> charge = charged(tree, used);
  std::vector<bool> guaranteed(m);  // some of the resource, to a node: what others have of it is borrowed
  for (std::size_t v = 1; v < tree.size(); ++v) {
    for (std::size_t r = 0; r < tree.guarantee(v).size(); ++r)
      guaranteed[r] = guaranteed[r] || tree.guarantee(v)[r] > 0;
  }
  std::vector<GroupFigures> figures;
  for (std::size_t v = 0; v < tree.size(); ++v) {
    GroupFigures node{.used = used[v],
                      .share = fairness::dominant_share<double>(used[v], problem.pool()),
                      .guarantee = {tree.guarantee(v).begin(), tree.guarantee(v).end()},
                      .unused = std::vector<double>(m, 0.0),
                      .lent = std::vector<double>(m, 0.0),
                      .borrowed = std::vector<double>(m, 0.0)};
    node.guarantee.resize(m);
    std::vector<double> beyond(m);
    for (std::size_t r = 0; r < m; ++r) {
      node.unused[r] = std::max(0.0, node.guarantee[r] - used[v][r]);
      node.lent[r] = std::max(0.0, node.guarantee[r] - charge[v][r]);
      beyond[r] = std::max(0.0, used[v][r] - node.guarantee[r]);
      if (guaranteed[r]) node.borrowed[r] = beyond[r];
    }
    node.beyond = fairness::dominant_share<double>(beyond, problem.pool());
    node.key = tree.weight(v) > 0 ? node.beyond / tree.weight(v) : node.beyond;
    figures.push_back(std::move(node));
  }
  return figures;
}

namespace {

// What a user demands of a server of the allocation; nothing where it may not run. The pool is one server.
const ResourceVector* demand_there(const Problem& problem, const Allocation& allocation, std::size_t user,
                                   std::size_t server) {
  if (allocation.servers.size() != problem.server_count()) return &problem.users()[user].demand;
  return problem.eligible(user, server) ? &problem.demand(user, server) : nullptr;
}

// The full resources that a user demands where it may run; none while a server has some of all that it
// demands there. Those that are full on most servers come first.
std::vector<std::size_t> full_resources(const Problem& problem, const Allocation& allocation,
                                        std::size_t user) {
  std::vector<std::size_t> times(problem.resource_count());
  for (std::size_t i = 0; i < allocation.servers.size(); ++i) {
    const ResourceVector* const demand = demand_there(problem, allocation, user, i);
    if (demand == nullptr) continue;
    const ServerUse& server = allocation.servers[i];
    bool any = false;
    for (std::size_t r = 0; r < times.size(); ++r) {
      if ((*demand)[r].is_zero() || !is_full(server.used[r], server.capacity[r])) continue;
      any = true;
      ++times[r];
    }
    if (!any) return {};
  }
  std::vector<std::size_t> resources;
  for (std::size_t r = 0; r < times.size(); ++r) {
    if (times[r] > 0) resources.push_back(r);
  }
  std::stable_sort(resources.begin(), resources.end(),
                   [&](std::size_t a, std::size_t b) { return times[a] > times[b]; });
  return resources;
}

// Does `part` of what is free on a server hold a task? A part of 1 is all of it.
bool holds_task(const ServerUse& server, const ResourceVector& demand, double part) {
  for (std::size_t r = 0; r < demand.size(); ++r) {
    const double rounding = kRoundedWithin * server.capacity[r];
    if ((server.capacity[r] - server.used[r]) * part + rounding < demand[r].value()) return false;
  }
  return true;
}

Room room_for_task(const Problem& problem, const Allocation& allocation, std::size_t user) {
  std::optional<Room> unknown;
  for (std::size_t i = 0; i < allocation.servers.size(); ++i) {
    const ResourceVector* const demand = demand_there(problem, allocation, user, i);
    if (demand == nullptr) continue;
    const ServerUse& server = allocation.servers[i];
    if (holds_task(server, *demand, 1.0 / static_cast<double>(server.count)))
      return {.kind = Room::Kind::server, .server = i};
    if (!unknown && server.count > 1 && holds_task(server, *demand, 1))
      unknown = Room{.kind = Room::Kind::unknown, .server = i};
  }
  return unknown.value_or(Room{.kind = Room::Kind::fragments});
}

// Was it divided by a rule, or is it what runs?
bool is_by_rule(const Outcome& outcome) {
  if (outcome.filling) return true;
  const Result<Choice> choice = choose_mechanism(outcome.mechanism);
  return !choice || mechanism_of(*choice).is_rule;
}

// The resources that a user demands and that pass the test.
template <class Test>
std::vector<std::size_t> demanded(const Problem& problem, std::size_t user, const Test& passes) {
  std::vector<std::size_t> resources;
  for (std::size_t r = 0; r < problem.resource_count(); ++r) {
    const double demand = problem.users()[user].demand[r].value();
    if (demand > 0 && passes(r, demand)) resources.push_back(r);
  }
  return resources;
}

}  // namespace

std::string_view stop_name(StopKind kind) {
  switch (kind) {
    case StopKind::tasks:
      return "tasks";
    case StopKind::limit:
      return "limit";
    case StopKind::capacity:
      return "capacity";
    case StopKind::reserve:
      return "reserve";
    case StopKind::order:
      return "order";
  }
  return {};
}

bool is_at_limit(const Stop& stop) { return stop.kind == StopKind::limit || stop.reaches_limit; }

namespace {

std::vector<double> keys_of(const Problem& problem, const Allocation& allocation) {
  std::vector<double> keys;
  for (const GroupFigures& node : group_figures(problem, allocation)) keys.push_back(node.key);
  return keys;
}

}  // namespace

Stops::Stops(const Problem& problem, const Outcome& outcome)
    : problem_(problem),
      outcome_(outcome),
      satisfaction_(satisfaction(problem, outcome)),
      used_(fairness::used_below(problem.tree(), bundles(problem, outcome.allocation))),
      keys_(keys_of(problem, outcome.allocation)),
      charged_(charged(problem.tree(), used_)[0]),
      is_eligible_(eligible_somewhere(problem)),
      by_rule_(is_by_rule(outcome)) {}

// Where tasks are whole, a wall stops the next one before it is reached.
bool Stops::is_whole() const { return outcome_.filling || !by_rule_; }

std::optional<Stop> Stops::at_limit(std::size_t user) const {
  const Tree& tree = problem_.tree();
  for (const std::size_t node : tree.path(tree.node_of_user(user))) {
    const std::span<const double> limit = tree.limit(node);
    if (limit.empty()) continue;
    std::vector<std::size_t> reached = demanded(problem_, user, [&](std::size_t r, double demand) {
      if (limit[r] >= problem_.pool()[r]) return false;  // of all that there is: the capacity stops it
      return is_whole() ? used_[node][r] + demand > limit[r] : is_full(used_[node][r], limit[r]);
    });
    if (!reached.empty()) return Stop{.kind = StopKind::limit, .node = node, .resources = std::move(reached)};
  }
  return {};
}

// Of which resources has a sibling of the node, or of a group around it, some that a rule would move to the
// node if that could grow: the sibling has a higher share per weight beyond its guarantee, or no weight? [m]
std::vector<bool> Stops::held_by_better_off(std::size_t node) const {
  constexpr double kLevelWithin = 1e-6;  // of a key: beyond what a converged outcome leaves
  const Tree& tree = problem_.tree();
  std::vector<bool> held(problem_.resource_count());
  for (; node != 0; node = tree.parent(node)) {
    const bool is_last = tree.weight(node) <= 0;
    for (const std::size_t sibling : tree.members(tree.parent(node))) {
      const bool is_other_last = tree.weight(sibling) <= 0;
      if (sibling == node || (is_last && !is_other_last)) continue;
      if (is_last == is_other_last && keys_[sibling] <= keys_[node] * (1 + kLevelWithin)) continue;
      const std::span<const double> guarantee = tree.guarantee(sibling);
      for (std::size_t r = 0; r < held.size(); ++r) {
        const double own = guarantee.empty() ? 0 : guarantee[r];
        held[r] = held[r] || used_[sibling][r] > own + kFullWithin * problem_.pool()[r];
      }
    }
  }
  return held;
}

// Would the user, who is at the limit of the node, have more if this were higher? Some server has room, or a
// rule would take what is full there from who is better off. What runs stays where it is.
bool Stops::would_gain_without_limit(std::size_t user, std::size_t node) const {
  const Allocation& allocation = outcome_.allocation;
  const std::vector<bool> is_held = held_by_better_off(node);
  for (std::size_t i = 0; i < allocation.servers.size(); ++i) {
    const ResourceVector* const demand = demand_there(problem_, allocation, user, i);
    if (demand == nullptr) continue;
    const ServerUse& server = allocation.servers[i];
    bool gains = true;
    for (std::size_t r = 0; r < demand->size() && gains; ++r) {
      const double wanted = (*demand)[r].value();
      if (wanted <= 0) continue;
      const double rounding = kRoundedWithin * server.capacity[r];
      const bool has_room = is_whole() ? server.capacity[r] - server.used[r] + rounding >= wanted
                                       : !is_full(server.used[r], server.capacity[r]);
      gains = has_room || (by_rule_ && is_held[r]);
    }
    if (gains) return true;
  }
  return false;
}

Stop Stops::within_limits(std::size_t user) const {
  const Allocation& allocation = outcome_.allocation;
  if (std::vector<std::size_t> full = full_resources(problem_, allocation, user); !full.empty())
    return {.kind = StopKind::capacity, .resources = std::move(full)};
  std::vector<std::size_t> reserved = demanded(problem_, user, [&](std::size_t r, double demand) {
    const double next = is_whole() ? demand : 0;
    return charged_[r] > used_[0][r] && is_full(charged_[r] + next, problem_.pool()[r]);
  });
  if (!reserved.empty()) return {.kind = StopKind::reserve, .resources = std::move(reserved)};
  if (!by_rule_) return {.kind = StopKind::order, .room = room_for_task(problem_, allocation, user)};
  if (outcome_.filling && outcome_.filling->unplaced[user] == Unplaced::no_room)
    return {.kind = StopKind::capacity};
  return {.kind = StopKind::order};
}

Stop Stops::of(std::size_t user) const {
  if (satisfaction_.satisfied[user]) return {.kind = StopKind::tasks};
  if (!is_eligible_[user]) {
    Lack lack = lack_of(problem_, user);
    return {.kind = StopKind::capacity,
            .resources = std::move(lack.resources),
            .is_missing = true,
            .is_together = lack.is_together};
  }
  std::optional<Stop> limit = at_limit(user);
  if (limit && would_gain_without_limit(user, limit->node)) return *std::move(limit);
  Stop stop = within_limits(user);
  stop.reaches_limit = limit.has_value();
  return stop;
}

}  // namespace mirab
