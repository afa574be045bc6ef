// The changes of a what-if: which are worth trying, and what the cluster looks like after one.
#include "audit/what_if.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <span>

#include <mirab/audit/metrics.hpp>

#include "audit/cluster_view.hpp"
#include "audit/holder.hpp"
#include "fairness/share.hpp"
#include "model/eligibility.hpp"
#include "model/names.hpp"

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

// An overfull server is not copied, and a unit more of what it lacks would not be free there.
std::vector<std::size_t> without_overfull(const Problem& problem, std::vector<std::size_t> servers) {
  std::erase_if(servers, [&](std::size_t i) { return problem.servers()[i].is_overfull; });
  return servers;
}

std::optional<Change> more_of(const Problem& problem, const Mechanism& mechanism, const Binding& binding) {
  const std::size_t r = binding.resource;
  if (mechanism.scope == Scope::pool)
    return Change{.kind = ChangeKind::unit, .resource = r, .amount = unit_for(binding.capacity)};
  std::vector<std::size_t> servers = without_overfull(problem, binding.servers);
  if (servers.empty()) return {};
  const double capacity = problem.servers()[servers[0]].capacity[r].value();
  return Change{
      .kind = ChangeKind::unit, .servers = std::move(servers), .resource = r, .amount = unit_for(capacity)};
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
    std::vector<std::size_t> servers = without_overfull(problem, alike.members);
    if (!servers.empty()) changes.push_back({.kind = ChangeKind::server, .servers = std::move(servers)});
  }
  std::stable_sort(changes.begin(), changes.end(), [&](const Change& a, const Change& b) {
    return tasks_alone(problem, user, a.servers[0]) > tasks_alone(problem, user, b.servers[0]);
  });
  return changes;
}

// For a user who may run nowhere: what its task takes of a resource, on a server that is allowed and lacks no
// other one.
std::vector<Change> missing_units(const Problem& problem, const Classes& classes, std::size_t user) {
  const User& who = problem.users()[user];
  std::vector<Change> changes;
  for (const ServerClass& alike : classes.servers) {
    std::vector<std::size_t> allowed;
    std::copy_if(alike.members.begin(), alike.members.end(), std::back_inserter(allowed),
                 [&](std::size_t i) { return is_allowed(who, problem.servers()[i]); });
    if (allowed.empty()) continue;
    Server server = problem.servers()[allowed[0]];
    const ResourceVector& demand = problem.demand(user, allowed[0]);
    const std::size_t r = *lacking(demand, server);
    server.capacity[r] = demand[r];
    if (lacking(demand, server)) continue;
    changes.push_back(
        {.kind = ChangeKind::unit, .servers = std::move(allowed), .resource = r, .amount = demand[r]});
  }
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
    if (std::find(user.not_servers.begin(), user.not_servers.end(), name) != user.not_servers.end())
      user.not_servers.push_back(one.name);
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

// What may be guaranteed to a node of a resource at most: its limit, and what the guarantees of others leave
// of the capacity, or of the guarantee or limit of a group around it.
double room_to_guarantee(const Problem& problem, std::size_t node, std::size_t r) {
  const Tree& tree = problem.tree();
  const auto limit = [&](std::size_t v) {
    return tree.limit(v).empty() ? std::numeric_limits<double>::infinity() : tree.limit(v)[r];
  };
  double room = limit(node);
  double others = 0;
  while (node != 0) {
    const std::size_t parent = tree.parent(node);
    for (const std::size_t member : tree.members(parent)) {
      if (member != node && !tree.guarantee(member).empty()) others += tree.guarantee(member)[r];
    }
    node = parent;
    if (node == 0) return std::min(room, problem.pool()[r] - others);
    if (quota_at(problem.cluster(), tree, node).guarantee)  // it stays as it is
      return std::min(room, tree.guarantee(node)[r] - others);
    room = std::min(room, limit(node) - others);
  }
  return room;
}

// A whole number, but for the rounding of sums, or else rounded down to three digits.
Result<Quantity> in_few_digits(double amount) {
  if (amount <= 0) return Quantity(0);
  if (std::abs(amount - std::round(amount)) <= 1e-12 * amount) return Quantity::from(std::round(amount));
  const double digit = std::pow(10.0, std::floor(std::log10(amount)) - 2);
  return Quantity::parse(fmt::format("{:.3g}", std::floor(amount / digit * (1 + 1e-12)) * digit));
}

// Are there groups, other than users with task shapes, or guarantees? Elsewhere none is tried.
bool has_teams(const Problem& problem) {
  const auto is_team = [](const Group& group) { return !group.is_user || group.quota.guarantee; };
  const auto is_guaranteed = [](const User& user) { return user.quota.guarantee.has_value(); };
  return std::any_of(problem.groups().begin(), problem.groups().end(), is_team) ||
         std::any_of(problem.users().begin(), problem.users().end(), is_guaranteed);
}

// Twice what the node uses that holds the user back, of all that a task of the user takes, or as much of it
// as can be guaranteed; at least a task.
std::optional<Change> more_guarantee(const Problem& problem, const Allocation& allocation, const Held& held) {
  const Holder& holder = *held.holder;
  const Tree& tree = problem.tree();
  const ResourceVector& demand = problem.users()[held.user].demand;
  const std::vector<double> used = fairness::used_below(tree, bundles(problem, allocation))[holder.node];
  const std::span<const double> now = tree.guarantee(holder.node);
  ResourceVector guarantee(problem.resource_count());
  bool more = false;
  for (std::size_t r = 0; r < guarantee.size(); ++r) {
    const double given = now.empty() ? 0 : now[r];
    const double wanted = demand[r].is_zero() ? 0
                                              : std::min(std::max(2 * used[r], used[r] + demand[r].value()),
                                                         room_to_guarantee(problem, holder.node, r));
    const Result<Quantity> amount = wanted > given ? in_few_digits(wanted) : Quantity::from(given);
    if (!amount) return {};
    guarantee[r] = amount->value() > given ? *amount : *Quantity::from(given);
    if (!demand[r].is_zero() && guarantee[r].is_zero()) return {};  // it would never cover a task
    more = more || guarantee[r].value() > given;
  }
  if (!more) return {};
  const std::size_t r = holder.resources[0];
  return Change{.kind = ChangeKind::guarantee,
                .resource = r,
                .node = holder.node,
                .amount = guarantee[r],
                .guarantee = std::move(guarantee)};
}

// An end of each reserve of others that is not in use.
std::vector<Change> released_reserves(const Problem& problem, const Allocation& allocation,
                                      std::size_t user) {
  const Tree& tree = problem.tree();
  std::vector<Change> changes;
  for (const std::size_t node : unused_reserves(problem, allocation, user)) {
    const std::span<const double> reserve = tree.reserve(node);
    for (std::size_t r = 0; r < reserve.size(); ++r) {
      if (reserve[r] <= 0 || problem.users()[user].demand[r].is_zero()) continue;
      if (const Result<Quantity> amount = Quantity::from(reserve[r]))
        changes.push_back({.kind = ChangeKind::reserve, .resource = r, .node = node, .amount = *amount});
      break;
    }
  }
  return changes;
}

void reserve_nothing_below(Cluster& cluster, const Tree& tree, std::size_t node) {
  quota_at(cluster, tree, node).reserved.clear();
  for (const std::size_t member : tree.members(node)) reserve_nothing_below(cluster, tree, member);
}

// Twice the limits of a resource that the user has reached; none of a limit of 0.
std::optional<Change> higher_limit(const Problem& problem, const Stop& stop, std::size_t r) {
  std::vector<std::size_t> limited;
  for (const std::size_t node : nodes_of(stop)) {
    const auto& limit = quota_at(problem.cluster(), problem.tree(), node).limit;
    if (!limit.empty() && limit[r]) limited.push_back(node);
  }
  const Quantity& limit = *quota_at(problem.cluster(), problem.tree(), limited.front()).limit[r];
  const Result<Quantity> twice = sum(limit, limit);
  if (!twice || limit.is_zero()) return {};
  return Change{.kind = ChangeKind::limit,
                .resource = r,
                .node = limited.front(),
                .amount = *twice,
                .also = {limited.begin() + 1, limited.end()}};
}

// The same of all resources whose limits stop the user, in one change: while one of them stays, the others
// bring nothing.
std::optional<Change> higher_limits(const Problem& problem, const Stop& stop) {
  std::optional<Change> first = higher_limit(problem, stop, stop.resources.front());
  for (std::size_t i = 1; i < stop.resources.size() && first; ++i) {
    std::optional<Change> next = higher_limit(problem, stop, stop.resources[i]);
    if (!next) return {};
    first->with.push_back(*std::move(next));
  }
  return first;
}

// Twice the limits that the user has reached, an end of others' reserves, a guarantee for the node that holds
// the user back, and twice the weight of each group around it, the nearest first.
std::vector<Change> changes_of_groups(const Problem& problem, const Allocation& allocation,
                                      const Held& held) {
  const Tree& tree = problem.tree();
  const Cluster& cluster = problem.cluster();
  std::vector<Change> changes;
  if (held.stop.kind == StopKind::limit) {
    if (std::optional<Change> higher = higher_limits(problem, held.stop))
      changes.push_back(*std::move(higher));
  }
  if (held.stop.kind != StopKind::limit && held.stop.kind != StopKind::tasks) {
    for (Change& change : released_reserves(problem, allocation, held.user))
      changes.push_back(std::move(change));
  }
  if (held.holder && held.holder->sibling && has_teams(problem)) {
    if (std::optional<Change> more = more_guarantee(problem, allocation, held))
      changes.push_back(*std::move(more));
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
                                const Allocation& allocation, const Held& held) {
  if (held.stop.is_missing) return missing_units(problem, classes, held.user);
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
    for (Change& change : changes_of_groups(problem, allocation, held)) changes.push_back(std::move(change));
  }
  std::vector<Change> units;
  for (const Binding& binding : held.bindings) {
    if (std::optional<Change> more = more_of(problem, mechanism, binding)) units.push_back(*std::move(more));
  }
  std::vector<Change> servers;
  if (mechanism.accepts.several_servers) servers = more_servers(problem, classes, held.user);
  for (Change& change : in_turn(units, servers)) changes.push_back(std::move(change));
  return changes;
}

namespace {

Check raise_limits(Cluster& cluster, const Tree& tree, const Change& change) {
  std::optional<Quantity>& limit = quota_at(cluster, tree, change.node).limit[change.resource];
  const Quantity more = *limit < change.amount ? rounded_down(rational(change.amount) - rational(*limit))
                                               : Quantity();  // it rose with another one
  limit = std::max(*limit, change.amount);
  for (const std::size_t node : change.also) {
    std::optional<Quantity>& around = quota_at(cluster, tree, node).limit[change.resource];
    const Result<Quantity> higher = sum(*around, more);
    if (!higher) return higher.error();
    around = *higher;
  }
  for (const Change& other : change.with) {
    if (Check wrong = raise_limits(cluster, tree, other)) return wrong;
  }
  return {};
}

}  // namespace

std::optional<std::string> unchanged_servers(const Problem& problem, const Mechanism& mechanism,
                                             std::span<const std::size_t> users) {
  if (!mechanism.accepts.several_servers) return {};
  const auto runs_on_overfull_alone = [&](std::size_t user) {
    bool any = false;
    for (std::size_t i = 0; i < problem.server_count(); ++i) {
      if (!problem.eligible(user, i)) continue;
      if (!problem.servers()[i].is_overfull) return false;
      any = true;
    }
    return any;
  };
  std::vector<std::string_view> names;
  for (const std::size_t user : users) {
    if (runs_on_overfull_alone(user)) names.push_back(problem.users()[user].name);
  }
  if (names.empty()) return {};
  constexpr std::size_t kMostNames = 3;
  return fmt::format(
      "no server is added or enlarged for {}: all on which {} may run are overfull, and run more than such a "
      "server has",
      first_names(names, kMostNames), names.size() == 1 ? "it" : "they");
}

bool is_own(const Change& change) {
  return change.kind == ChangeKind::weight || change.kind == ChangeKind::task;
}

Losers losers_of(const Difference& made, const Problem& problem, std::optional<std::size_t> own) {
  constexpr std::size_t kMostLosers = 3;
  const User* const owner = own ? &problem.users()[*own] : nullptr;
  Losers losers;
  const auto add = [&](const UserChange& who) {
    if (!who.before || !who.after) return;
    ++losers.count;
    losers.most.push_back({.user = who.user, .before = *who.before, .after = *who.after});
  };
  for (const TeamChange& team : made.teams) {
    if (owner != nullptr && owner->shape && team.whole.user == *owner->group) {
      for (const UserChange& shape : team.shapes) {
        if (shape.user != owner->name && shape.change < -kSameWithin) add(shape);
      }
    } else if (team.direction == Direction::lose && (owner == nullptr || team.whole.user != owner->name)) {
      add(team.whole);
    }
  }
  std::stable_sort(losers.most.begin(), losers.most.end(),
                   [](const Loser& a, const Loser& b) { return a.lost_share() > b.lost_share(); });
  if (losers.most.size() > kMostLosers) losers.most.resize(kMostLosers);
  return losers;
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
      if (Check wrong = raise_limits(cluster, problem.tree(), change)) return *std::move(wrong);
      break;
    case ChangeKind::guarantee:
      quota_at(cluster, problem.tree(), change.node).guarantee = change.guarantee;
      break;
    case ChangeKind::reserve:
      reserve_nothing_below(cluster, problem.tree(), change.node);
      break;
  }
  return Problem::from(std::move(cluster));
}

}  // namespace mirab
