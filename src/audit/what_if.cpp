// The changes of a what-if: which are worth trying, and what the cluster looks like after one.
#include "audit/what_if.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <limits>

#include "audit/cluster_view.hpp"

namespace mirab {
namespace {

// One, unless that is a silly amount for this capacity; then about a hundredth of it.
Quantity unit_for(double capacity) {
  constexpr double kMaxUnits = 1e4;  // one of ten thousand is the least that four digits show
  if (capacity >= 1 && capacity <= kMaxUnits) return Quantity(1);
  const Result<Quantity> hundredth = Quantity::parse(fmt::format("{:.3g}", capacity / 100));
  MIRAB_ASSERT(static_cast<bool>(hundredth), "a hundredth of a capacity is an amount");
  return *hundredth;
}

Change more_of(const Problem& problem, const Mechanism& mechanism, const Binding& binding) {
  const std::size_t r = binding.resource;
  if (mechanism.scope == Scope::pool) {
    return {.kind = ChangeKind::unit, .resource = r, .amount = unit_for(binding.capacity)};
  }
  const double capacity = problem.servers()[binding.servers[0]].capacity[r].value();
  return {.kind = ChangeKind::unit, .servers = binding.servers, .resource = r, .amount = unit_for(capacity)};
}

// min_r c_r / d_r: the tasks that one such server holds.
double tasks_alone(const Problem& problem, std::size_t user, std::size_t server) {
  double tasks = std::numeric_limits<double>::infinity();
  const ResourceVector& demand = problem.demand(user, server);
  for (std::size_t r = 0; r < demand.size(); ++r) {
    if (demand[r].is_zero()) continue;
    tasks = std::min(tasks, problem.servers()[server].capacity[r].value() / demand[r].value());
  }
  return tasks;
}

std::vector<Change> more_servers(const Problem& problem, const Classes& classes, std::size_t user) {
  std::vector<Change> changes;
  for (const ServerClass& alike : classes.servers) {
    if (!problem.eligible(user, alike.members[0])) continue;
    changes.push_back({.kind = ChangeKind::server, .servers = alike.members});
  }
  std::stable_sort(changes.begin(), changes.end(), [&](const Change& a, const Change& b) {
    return tasks_alone(problem, user, a.servers[0]) > tasks_alone(problem, user, b.servers[0]);
  });
  return changes;
}

// a_0, b_0, a_1, b_1, …, and then what is left of the longer one.
std::vector<Change> in_turn(const std::vector<Change>& a, const std::vector<Change>& b) {
  std::vector<Change> both;
  for (std::size_t i = 0; i < std::max(a.size(), b.size()); ++i) {
    if (i < a.size()) both.push_back(a[i]);
    if (i < b.size()) both.push_back(b[i]);
  }
  return both;
}

// Exact where 63 bits hold the digits of the sum, else the nearest decimal of a double.
Result<Quantity> sum(const Quantity& a, const Quantity& b) {
  const int exponent = std::min(a.exponent(), b.exponent());
  const auto in_units = [&](const Quantity& x) { return count_units(x, exponent, Rounding::down); };
  const std::optional<std::int64_t> most = in_units(a);
  const std::optional<std::int64_t> more = in_units(b);
  std::int64_t units = 0;
  if (!most || !more || __builtin_add_overflow(*most, *more, &units))
    return Quantity::from(a.value() + b.value());
  return Quantity::parse(fmt::format("{}e{}", units, exponent));
}

std::string unused_name(const Cluster& cluster, std::string name) {
  const auto taken = [&] {
    return std::any_of(cluster.servers.begin(), cluster.servers.end(),
                       [&](const Server& server) { return server.name == name; });
  };
  while (taken()) name += '+';
  return name;
}

// Takes one server out of an entry, with the same users allowed and the same demands there; returns its
// index.
std::size_t split_off(Cluster& cluster, std::size_t entry) {
  if (cluster.servers[entry].count == 1) return entry;
  const std::string name = cluster.servers[entry].name;
  Server one = cluster.servers[entry];
  one.name = unused_name(cluster, name);
  one.count = 1;
  --cluster.servers[entry].count;
  for (User& user : cluster.users) {
    if (user.servers && std::find(user.servers->begin(), user.servers->end(), name) != user.servers->end()) {
      user.servers->push_back(one.name);
    }
    if (const auto other = user.demand_on.find(name); other != user.demand_on.end()) {
      user.demand_on.emplace(one.name, ResourceVector(other->second));
    }
  }
  cluster.servers.push_back(std::move(one));
  return cluster.servers.size() - 1;
}

// A pool is a sum: what comes to it may stand in an entry of its own.
Check add_unit(Cluster& cluster, const Change& change) {
  if (change.servers.empty()) {
    Server more{.name = unused_name(cluster, "more"), .capacity = ResourceVector(cluster.resources.size())};
    more.capacity[change.resource] = change.amount;
    cluster.servers.push_back(std::move(more));
    return {};
  }
  Quantity& capacity = cluster.servers[split_off(cluster, change.servers[0])].capacity[change.resource];
  const Result<Quantity> more = sum(capacity, change.amount);
  if (!more) return more.error();
  capacity = *more;
  return {};
}

/// Twice the weight; 1 in the place of 0.
Result<Quantity> more_weight(const Quantity& weight) {
  return weight.is_zero() ? Result<Quantity>(Quantity(1)) : sum(weight, weight);
}

// Twice the limits that the user has reached, and twice the weight of each group around it, the nearest
// first.
std::vector<Change> changes_of_groups(const Problem& problem, const Held& held) {
  const Tree& tree = problem.tree();
  const Cluster& cluster = problem.cluster();
  std::vector<Change> changes;
  if (held.stop.kind == StopKind::limit) {
    const std::size_t node = held.stop.node;
    for (const std::size_t r : held.stop.resources) {
      const Quantity& limit = *quota_at(cluster, tree, node).limit[r];
      if (const Result<Quantity> twice = sum(limit, limit); twice && !limit.is_zero())
        changes.push_back({.kind = ChangeKind::limit, .resource = r, .node = node, .amount = *twice});
    }
  }
  std::vector<std::size_t> path = tree.path(tree.node_of_user(held.user));
  path.pop_back();
  for (auto node = path.rbegin(); node != path.rend(); ++node) {
    const Quantity& weight = cluster.groups[tree.group_at(*node)].weight;
    if (const Result<Quantity> more = more_weight(weight))
      changes.push_back({.kind = ChangeKind::group_weight, .node = *node, .amount = *more});
  }
  return changes;
}

}  // namespace

std::vector<Change> changes_for(const Problem& problem, const Classes& classes, const Mechanism& mechanism,
                                const Held& held) {
  const User& user = problem.users()[held.user];
  std::vector<Change> changes;
  if (held.has_all_tasks) {
    if (const Result<Quantity> tasks = sum(*user.tasks, Quantity(1)); tasks)
      changes.push_back({.kind = ChangeKind::task, .amount = *tasks});
  }
  if (mechanism.accepts.weights) {
    if (const Result<Quantity> weight = more_weight(user.weight))
      changes.push_back({.kind = ChangeKind::weight, .amount = *weight});
  }
  if (mechanism.accepts.groups) {
    for (Change& change : changes_of_groups(problem, held)) changes.push_back(std::move(change));
  }
  std::vector<Change> units;
  for (const Binding& binding : held.bindings) units.push_back(more_of(problem, mechanism, binding));
  std::vector<Change> servers;
  if (mechanism.accepts.several_servers) servers = more_servers(problem, classes, held.user);
  for (Change& change : in_turn(units, servers)) changes.push_back(std::move(change));
  return changes;
}

Result<Problem> changed(const Problem& problem, std::size_t user, const Change& change) {
  Cluster cluster = problem.cluster();
  cluster.running.reset();
  switch (change.kind) {
    case ChangeKind::server:
      ++cluster.servers[change.servers[0]].count;
      break;
    case ChangeKind::unit:
      if (Check wrong = add_unit(cluster, change)) return *std::move(wrong);
      break;
    case ChangeKind::weight:
      cluster.users[user].weight = change.amount;
      break;
    case ChangeKind::task:
      cluster.users[user].tasks = change.amount;
      break;
    case ChangeKind::group_weight:
      cluster.groups[problem.tree().group_at(change.node)].weight = change.amount;
      break;
    case ChangeKind::limit:
      quota_at(cluster, problem.tree(), change.node).limit[change.resource] = change.amount;
      break;
  }
  return Problem::from(std::move(cluster));
}

}  // namespace mirab
