// Small random clusters, on which counterexamples are looked for: what goes wrong at all goes wrong with few
// users and small numbers, most of the time.
#include "audit/random_cluster.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>

namespace mirab {
namespace {

constexpr std::uint64_t kMostUsers = 4;
constexpr std::uint64_t kMostServers = 3;
constexpr std::array kResources = {"cpu", "memory", "disk"};
constexpr std::int64_t kMostCapacity = 20;
constexpr std::int64_t kMostDemand = 6;
constexpr double kZeroes = 0.25;
constexpr double kCapped = 0.3;
constexpr double kWeighted = 0.3;
constexpr double kConstrained = 0.4;
constexpr double kLacking = 0.15;
constexpr double kOtherDemand = 0.2;

bool chance(Random& random, double part) { return random.unit() < part; }

Quantity draw(Random& random, std::int64_t most) {
  return Quantity(1 + static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(most))));
}

bool has_servers(const RandomStyle& style) {
  return style.scope != Scope::pool && style.accepts.several_servers;
}

void add_servers(const RandomStyle& style, Random& random, Cluster& cluster) {
  const std::uint64_t servers = has_servers(style) ? 1 + random.below(kMostServers) : 1;
  for (std::uint64_t i = 0; i < servers; ++i) {
    Server server{.name = fmt::format("s{}", i + 1), .capacity = {}};
    for (std::size_t r = 0; r < cluster.resources.size(); ++r) {
      const bool lacks = i > 0 && r > 0 && !style.conditions.positive_demands && chance(random, kLacking);
      server.capacity.push_back(lacks ? Quantity(0) : draw(random, kMostCapacity));
    }
    cluster.servers.push_back(std::move(server));
  }
}

std::vector<std::string> some_servers(const Cluster& cluster, Random& random) {
  std::vector<std::string> some;
  for (const Server& server : cluster.servers) {
    if (chance(random, 0.5)) some.push_back(server.name);
  }
  if (some.empty()) some.push_back(cluster.servers[random.below(cluster.servers.size())].name);
  return some;
}

ResourceVector some_demand(std::size_t resources, bool zeroes, Random& random) {
  ResourceVector demand;
  for (std::size_t r = 0; r < resources; ++r)
    demand.push_back(zeroes && chance(random, kZeroes) ? Quantity(0) : draw(random, kMostDemand));
  return demand;
}

void add_users(const RandomStyle& style, Random& random, Cluster& cluster) {
  const Conditions& conditions = style.conditions;
  const std::uint64_t users = 2 + random.below(kMostUsers - 1);
  const bool weighted = style.accepts.weights && chance(random, kWeighted);
  const bool zeroes = style.accepts.zero_demands && !conditions.positive_demands;
  for (std::uint64_t n = 0; n < users; ++n) {
    User user{.name = std::string(1, static_cast<char>('A' + n)),
              .demand = some_demand(cluster.resources.size(), zeroes, random)};
    if (weighted) user.weight = draw(random, 3);
    if (style.accepts.caps && !conditions.no_caps && chance(random, kCapped)) user.tasks = draw(random, 3);
    const bool may_be_constrained =
        style.accepts.placement && !conditions.no_placement && cluster.servers.size() > 1;
    if (may_be_constrained && chance(random, kConstrained)) user.servers = some_servers(cluster, random);
    // What these two properties compare is one amount of one resource a task.
    const bool may_differ = style.accepts.demand_on && !conditions.same_demand &&
                            cluster.servers.size() > 1 && style.property != Property::bottleneck_fairness &&
                            style.property != Property::single_resource_fairness;
    if (may_differ && chance(random, kOtherDemand)) {
      const Server& server = cluster.servers[random.below(cluster.servers.size())];
      user.demand_on[server.name] = some_demand(cluster.resources.size(), zeroes, random);
    }
    cluster.users.push_back(std::move(user));
  }
}

// Makes the first resource what everybody needs most on every server that has what the user needs.
void add_bottleneck(Cluster& cluster) {
  for (User& user : cluster.users) {
    std::int64_t most = std::max<std::int64_t>(1, user.demand[0].digits());
    for (const Server& server : cluster.servers) {
      const auto lacks = [&](std::size_t r) {
        return server.capacity[r].is_zero() && !user.demand[r].is_zero();
      };
      bool fits = true;
      for (std::size_t r = 0; r < user.demand.size(); ++r) fits = fits && !lacks(r);
      for (std::size_t r = 1; fits && r < user.demand.size(); ++r) {
        if (user.demand[r].is_zero()) continue;
        const double need = user.demand[r].value() * server.capacity[0].value() / server.capacity[r].value();
        most = std::max(most, static_cast<std::int64_t>(std::ceil(need)));
      }
    }
    user.demand[0] = Quantity(most);
  }
}

}  // namespace

Problem random_cluster(const RandomStyle& style, Random& random) {
  while (true) {
    Cluster cluster;
    const bool single = style.property == Property::single_resource_fairness;
    const std::size_t resources = single ? 1 : 2 + random.below(kResources.size() - 1);
    cluster.resources.assign(kResources.begin(), kResources.begin() + static_cast<std::ptrdiff_t>(resources));
    add_servers(style, random, cluster);
    add_users(style, random, cluster);
    if (style.property == Property::bottleneck_fairness) add_bottleneck(cluster);
    Result<Problem> problem = Problem::from(std::move(cluster));
    if (problem) return *std::move(problem);
  }
}

}  // namespace mirab
