#include "scheduling/reclaim_instances.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace mirab::scheduling::oracle {
namespace {

std::int64_t up_to(Random& random, std::int64_t most) {
  return static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(most) + 1));
}

Amounts amounts_up_to(Random& random, std::size_t resources, std::int64_t most) {
  Amounts amounts(resources);
  for (std::int64_t& amount : amounts) amount = up_to(random, most);
  return amounts;
}

Amounts task(Random& random, std::size_t resources, std::int64_t most) {
  Amounts demand = amounts_up_to(random, resources, most);
  if (std::all_of(demand.begin(), demand.end(), [](std::int64_t units) { return units == 0; }))
    demand[random.below(resources)] = 1;
  return demand;
}

std::vector<Node> tree(Random& random, const Drawn& drawn, std::size_t resources) {
  std::vector<Node> nodes(1);
  std::vector<std::size_t> depths = {0};
  const std::uint64_t groups = drawn.levels > 1 ? 1 + random.below(3) : 0;
  for (std::uint64_t group = 0; group < groups; ++group) {
    std::size_t parent = random.below(nodes.size());
    if (depths[parent] + 2 > drawn.levels) parent = 0;
    nodes.push_back({.parent = parent});
    depths.push_back(depths[parent] + 1);
  }
  const std::uint64_t users = 2 + random.below(drawn.users - 1);
  const Amounts of_all = task(random, resources, drawn.demand);
  for (std::uint64_t user = 0; user < users; ++user) {
    Node node{.parent = random.below(groups + 1), .is_user = true};
    for (std::uint64_t kinds = 1 + random.below(drawn.kinds); kinds > 0; --kinds)
      node.kinds.push_back(drawn.alike ? of_all : task(random, resources, drawn.demand));
    nodes.push_back(node);
  }
  for (std::size_t v = 1; v < nodes.size(); ++v)
    nodes[v].weight = drawn.weights_of_0 && random.below(8) == 0 ? 0 : 1 + up_to(random, 2);
  return nodes;
}

/// Guarantees that hold those of the members, limits above them, reserves within them.
void add_quotas(Random& random, std::vector<Node>& nodes, std::size_t resources) {
  std::vector<Amounts> guarantees(nodes.size(), Amounts(resources, 0));
  for (std::size_t v = nodes.size(); v-- > 1;) {
    Node& node = nodes[v];
    if (random.below(3) == 0) {
      for (std::size_t r = 0; r < resources; ++r) guarantees[v][r] += up_to(random, node.is_user ? 4 : 2);
      node.guarantee = guarantees[v];
    }
    if (random.below(6) == 0) {
      node.limit = guarantees[v];
      for (std::int64_t& units : *node.limit) units += up_to(random, 6);
    }
    if (node.guarantee && random.below(5) == 0) {
      node.reserved = guarantees[v];
      for (std::int64_t& units : *node.reserved) units = up_to(random, units);
    }
    for (std::size_t r = 0; r < resources; ++r) guarantees[node.parent][r] += guarantees[v][r];
  }
}

std::string weight_and_quotas(const Node& node) {
  std::string text = fmt::format("weight {}", node.weight.get_str());
  if (node.guarantee) text += fmt::format(", guarantee {}", fmt::join(*node.guarantee, " "));
  if (node.limit) text += fmt::format(", limit {}", fmt::join(*node.limit, " "));
  if (node.reserved) text += fmt::format(", reserved {}", fmt::join(*node.reserved, " "));
  return text;
}

}  // namespace

Instance instance(Random& random, const Drawn& drawn) {
  const std::size_t resources = 1 + random.below(drawn.resources);
  std::vector<Amounts> servers(1 + random.below(drawn.servers));
  for (Amounts& server : servers) {
    server = amounts_up_to(random, resources, drawn.capacity - 2);
    for (std::int64_t& units : server) units += 2;
  }
  std::vector<Node> nodes = tree(random, drawn, resources);
  if (drawn.quotas && random.below(3) != 0) {
    std::vector<Node> with = nodes;
    add_quotas(random, with, resources);
    const Cluster found = cluster(servers, with);
    if (is_within(found.guarantees[0], found.pool)) nodes = std::move(with);
  }
  Instance instance{.cluster = cluster(std::move(servers), std::move(nodes)), .kinds = {}};
  for (const std::size_t user : instance.cluster.users)
    for (const Amounts& demand : instance.cluster.nodes[user].kinds)
      instance.kinds.push_back({.user = user, .demand = demand});
  return instance;
}

Running some_running(Random& random, const Instance& instance, std::size_t tries) {
  Running running;
  for (std::size_t each = 0; each < tries; ++each) {
    const Waiting& waiting = instance.kinds[random.below(instance.kinds.size())];
    const std::size_t server = random.below(instance.cluster.servers.size());
    if (is_within(waiting.demand, free_on(instance.cluster, running, server)) &&
        is_allowed(instance.cluster, use(instance.cluster, running), waiting))
      running.push_back({.user = waiting.user, .server = server, .demand = waiting.demand});
  }
  return running;
}

std::string describe(const Cluster& cluster, const Running& running) {
  std::string text;
  for (const Amounts& server : cluster.servers) text += fmt::format("server {}\n", fmt::join(server, " "));
  for (std::size_t v = 1; v < cluster.nodes.size(); ++v) {
    const Node& node = cluster.nodes[v];
    text += fmt::format("{} {} in {}: {}", node.is_user ? "user" : "group", v, node.parent,
                        weight_and_quotas(node));
    for (const Amounts& demand : node.kinds) text += fmt::format(", tasks of {}", fmt::join(demand, " "));
    text += '\n';
  }
  for (std::size_t place = 0; place < running.size(); ++place) {
    const Task& task = running[place];
    text += fmt::format("task {}: of user {} on server {}, {}{}\n", place, task.user, task.server,
                        fmt::join(task.demand, " "), task.may_end ? "" : ", stays");
  }
  return text;
}

std::string describe(const Move& move) {
  return fmt::format("on server {} the tasks {} end for {} of user {}", move.server,
                     fmt::join(move.ended, " "), fmt::join(move.gains.demand, " "), move.gains.user);
}

}  // namespace mirab::scheduling::oracle
