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

std::vector<std::size_t> nodes_of(const Stop& stop) {
  std::vector<std::size_t> nodes{stop.node};
  nodes.insert(nodes.end(), stop.also.begin(), stop.also.end());
  return nodes;
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
      charged_(charged(problem.tree(), used_)),
      is_short_(problem.tree().size()),
      is_eligible_(eligible_somewhere(problem)),
      by_rule_(is_by_rule(outcome)) {
  for (const Grant& grant : outcome.allocation.grants) {
    if (grant.server >= grants_.size()) grants_.resize(grant.server + 1);
    grants_[grant.server].push_back(grant);
  }
  grants_.resize(std::max(grants_.size(), outcome.allocation.servers.size()));
  const Tree& tree = problem.tree();
  for (std::size_t node = tree.size(); node-- > 0;) {
    if (tree.is_user(node)) {
      const std::size_t n = tree.user_at(node);
      is_short_[node] = is_eligible_[n] && !satisfaction_.satisfied[n];
    }
    if (is_short_[node]) is_short_[tree.parent(node)] = true;
  }
}

// Where tasks are whole, a wall stops the next one before it is reached.
bool Stops::is_whole() const { return outcome_.filling || !by_rule_; }

// The nearest limit that is reached, and of those around it the ones that a rule could not get round by
// taking from who is better off within them.
std::optional<Stop> Stops::at_limit(std::size_t user) const {
  const Tree& tree = problem_.tree();
  std::optional<Stop> stop;
  const std::vector<std::size_t> path = tree.path(tree.node_of_user(user));
  for (auto node = path.rbegin(); node != path.rend(); ++node) {
    const std::span<const double> limit = tree.limit(*node);
    if (limit.empty()) continue;
    const std::vector<std::size_t> reached = demanded(problem_, user, [&](std::size_t r, double demand) {
      if (limit[r] >= problem_.pool()[r]) return false;  // of all that there is: the capacity stops it
      return is_whole() ? used_[*node][r] + demand > limit[r] : is_full(used_[*node][r], limit[r]);
    });
    if (reached.empty()) continue;
    if (!stop) {
      stop = Stop{.kind = StopKind::limit, .node = *node, .resources = reached, .reached = {reached}};
      continue;
    }
    const std::vector<std::vector<std::size_t>> givers = better_off(stop->node, *node);
    const bool is_in_the_way = !by_rule_ || std::any_of(reached.begin(), reached.end(),
                                                        [&](std::size_t r) { return givers[r].empty(); });
    if (!is_in_the_way) continue;
    stop->also.push_back(*node);
    stop->resources.insert(stop->resources.end(), reached.begin(), reached.end());
    stop->reached.push_back(reached);
  }
  if (stop) {
    std::sort(stop->resources.begin(), stop->resources.end());
    stop->resources.erase(std::unique(stop->resources.begin(), stop->resources.end()), stop->resources.end());
  }
  return stop;
}

// Of each resource, the nodes from which a rule would move some to the node if that could grow: siblings of
// it, or of a group that is around it and below `around`, with a higher share per weight beyond its
// guarantee, or with no weight. [m]
std::vector<std::vector<std::size_t>> Stops::better_off(std::size_t node, std::size_t around) const {
  constexpr double kLevelWithin = 1e-6;  // of a key: beyond what a converged outcome leaves
  const Tree& tree = problem_.tree();
  std::vector<std::vector<std::size_t>> givers(problem_.resource_count());
  for (; node != around; node = tree.parent(node)) {
    const bool is_last = tree.weight(node) <= 0;
    for (const std::size_t sibling : tree.members(tree.parent(node))) {
      const bool is_other_last = tree.weight(sibling) <= 0;
      if (sibling == node || (is_last && !is_other_last)) continue;
      if (is_last == is_other_last && keys_[sibling] <= keys_[node] * (1 + kLevelWithin)) continue;
      const std::span<const double> guarantee = tree.guarantee(sibling);
      for (std::size_t r = 0; r < givers.size(); ++r) {
        const double own = guarantee.empty() ? 0 : guarantee[r];
        if (used_[sibling][r] > own + kFullWithin * problem_.pool()[r]) givers[r].push_back(sibling);
      }
    }
  }
  return givers;
}

// Who is below one of the nodes, for each set of nodes: [set][user].
std::vector<std::vector<bool>> Stops::users_below(const std::vector<std::vector<std::size_t>>& nodes) const {
  const Tree& tree = problem_.tree();
  std::vector<std::vector<bool>> below(nodes.size(), std::vector<bool>(problem_.user_count()));
  for (std::size_t set = 0; set < nodes.size(); ++set) {
    std::vector<std::size_t> open = nodes[set];
    while (!open.empty()) {
      const std::size_t node = open.back();
      open.pop_back();
      if (tree.is_user(node)) below[set][tree.user_at(node)] = true;
      if (tree.is_group(node)) open.insert(open.end(), tree.members(node).begin(), tree.members(node).end());
    }
  }
  return below;
}

// Is what is free of a resource reserved for others, so that the user gets no more of it?
bool Stops::is_reserved(std::size_t user, std::size_t r) const {
  if (charged_[0][r] <= used_[0][r]) return false;
  const double next = is_whole() ? problem_.users()[user].demand[r].value() : 0;
  if (!is_full(charged_[0][r] + next, problem_.pool()[r])) return false;
  const Tree& tree = problem_.tree();
  const std::vector<std::size_t> path = tree.path(tree.node_of_user(user));
  return std::none_of(path.begin(), path.end(), [&](std::size_t node) {  // some of it is its own
    return charged_[node][r] > used_[node][r] + kFullWithin * problem_.pool()[r];
  });
}

// Would what higher limits leave go to others within them first, who have a weight?
bool Stops::comes_last(std::size_t user, const Stop& limit) const {
  const Tree& tree = problem_.tree();
  const std::size_t outermost = nodes_of(limit).back();
  for (std::size_t node = tree.node_of_user(user); node != outermost; node = tree.parent(node)) {
    if (tree.weight(node) > 0) continue;
    const auto& members = tree.members(tree.parent(node));
    if (std::any_of(members.begin(), members.end(),
                    [&](std::size_t sibling) { return tree.weight(sibling) > 0 && is_short_[sibling]; }))
      return true;
  }
  return false;
}

// Would the user have more if these limits were higher? Some server has room that is not reserved for others,
// or a rule would take what is full there from who is better off. What runs stays where it is.
bool Stops::would_gain_without(std::size_t user, const Stop& limit) const {
  if (by_rule_ && comes_last(user, limit)) return false;
  const Allocation& allocation = outcome_.allocation;
  const std::vector<std::vector<std::size_t>> givers = better_off(limit.node, 0);
  const std::vector<std::vector<bool>> gives = users_below(givers);
  for (const std::size_t r : demanded(problem_, user, [](std::size_t, double) { return true; })) {
    if (is_reserved(user, r) && (!by_rule_ || givers[r].empty())) return false;
  }
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
      gains =
          has_room || (by_rule_ && std::any_of(grants_[i].begin(), grants_[i].end(), [&](const Grant& grant) {
                         return gives[r][grant.user] && grant.resources[r] > kFullWithin * server.capacity[r];
                       }));
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
    return charged_[0][r] > used_[0][r] && is_full(charged_[0][r] + next, problem_.pool()[r]);
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
  if (limit && would_gain_without(user, *limit)) return *std::move(limit);
  Stop stop = within_limits(user);
  stop.reaches_limit = limit.has_value();
  return stop;
}

}  // namespace mirab
