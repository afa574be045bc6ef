// Clusters of a search for counterexamples: drawn at random, changed in one place, and shrunk while the
// violation remains.
#include "audit/counterexamples.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>

#include "audit/findings.hpp"

namespace mirab {

// Changes of a cluster that keep it in order.

namespace {

template <class List>
void erase_at(List& list, std::size_t position) {
  list.erase(list.begin() + static_cast<std::ptrdiff_t>(position));
}

}  // namespace

std::optional<Quantity> times(const Quantity& amount, double factor, int digits) {
  const Result<Quantity> product = Quantity::parse(fmt::format("{:.{}g}", amount.value() * factor, digits));
  return product ? std::optional(*product) : std::nullopt;
}

void remove_user(Cluster& cluster, std::size_t user) {
  std::optional<std::string> left = cluster.users[user].group;
  erase_at(cluster.users, user);
  while (left) {
    const auto in_it = [&](const std::optional<std::string>& group) { return group == left; };
    if (std::any_of(cluster.users.begin(), cluster.users.end(),
                    [&](const User& u) { return in_it(u.group); }))
      return;
    const auto is_inner = [&](const Group& group) { return in_it(group.parent); };
    if (std::any_of(cluster.groups.begin(), cluster.groups.end(), is_inner)) return;
    const auto empty = std::find_if(cluster.groups.begin(), cluster.groups.end(),
                                    [&](const Group& group) { return group.name == *left; });
    if (empty == cluster.groups.end()) return;
    left = empty->parent;
    cluster.groups.erase(empty);
  }
}

void dissolve_group(Cluster& cluster, std::size_t group) {
  const Group gone = cluster.groups[group];
  erase_at(cluster.groups, group);
  for (Group& inner : cluster.groups) {
    if (inner.parent == gone.name) inner.parent = gone.parent;
  }
  for (User& user : cluster.users) {
    if (user.group != gone.name) continue;
    user.group = gone.parent;
    user.shape.reset();
  }
}

void remove_server(Cluster& cluster, std::size_t server) {
  const std::string name = cluster.servers[server].name;
  for (User& user : cluster.users) {
    user.demand_on.erase(name);
    if (user.servers) std::erase(*user.servers, name);
    std::erase(user.not_servers, name);
  }
  erase_at(cluster.servers, server);
}

void remove_resource(Cluster& cluster, std::size_t resource) {
  erase_at(cluster.resources, resource);
  for (Server& server : cluster.servers) erase_at(server.capacity, resource);
  const auto erase_of = [&](Quota& quota) {
    if (quota.guarantee) erase_at(*quota.guarantee, resource);
    if (!quota.limit.empty()) erase_at(quota.limit, resource);
    if (!quota.reserved.empty()) erase_at(quota.reserved, resource);
  };
  for (User& user : cluster.users) {
    erase_at(user.demand, resource);
    for (auto& [server, demand] : user.demand_on) erase_at(demand, resource);
    erase_of(user.quota);
  }
  for (Group& group : cluster.groups) erase_of(group.quota);
}

// Small random clusters, on which counterexamples are looked for: what goes wrong at all goes wrong with few
// users and small numbers, most of the time.

namespace {

// Measured: 100 clusters for every mechanism and property, three times. Violations are found in 278 pairs;
// with two users at most in 239, with eight in 282.
constexpr std::uint64_t kMostUsers = 4;
// Harmless, by the same measure (272 to 283 pairs): 2 to 6 servers, capacities up to 5 and up to 200, demands
// up to 2 and up to 60.
constexpr std::uint64_t kMaxServers = 3;
constexpr std::array kResources = {"cpu", "memory", "disk"};
constexpr std::int64_t kMostCapacity = 20;
constexpr std::int64_t kMostDemand = 6;
// How probable each feature is: neither always nor hardly ever. Harmless from a fifth to twice as much.
constexpr double kZeroes = 0.25;      // of a user's demand for a resource
constexpr double kCapped = 0.3;       // of a user
constexpr double kWeighted = 0.3;     // of a cluster
constexpr double kConstrained = 0.4;  // of a user
constexpr double kLacking = 0.15;     // of a resource on a server
constexpr double kOtherDemand = 0.2;  // of a user, on one server
// Of trees: chosen so that half of the clusters have groups, and of these half have a quota somewhere.
constexpr double kGrouped = 0.5;  // of a cluster, where the property is not one of groups
constexpr std::uint64_t kMostGroups = 3;
constexpr std::uint64_t kMostMore = 2;  // users, so that groups have several
constexpr double kMember = 0.75;        // of a user, of some group
constexpr double kWithShapes = 0.15;    // of a group without groups: a user with several task shapes
constexpr double kGuaranteed = 0.4;     // of a node of a cluster with guarantees
constexpr double kReserved = 0.3;       // of a guarantee
constexpr double kLimited = 0.15;       // of a node of a cluster with limits

bool chance(Random& random, double part) { return random.unit() < part; }

Quantity draw(Random& random, std::int64_t most) {
  return Quantity(1 + static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(most))));
}

bool has_servers(const RandomStyle& style) {
  return style.scope != Scope::pool && style.accepts.several_servers;
}

void add_servers(const RandomStyle& style, Random& random, Cluster& cluster) {
  const std::uint64_t servers = has_servers(style) ? 1 + random.below(kMaxServers) : 1;
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

// No amount is below 0, and those of nodes that share `most` fit together.
ResourceVector some_part(const ResourceVector& most, Random& random) {
  ResourceVector part;
  for (const Quantity& amount : most) {
    const auto whole = static_cast<std::uint64_t>(amount.value());
    part.push_back(Quantity(static_cast<std::int64_t>(random.below(whole + 1))));
  }
  return part;
}

// Guarantees, reserves and limits: the members of a node share what it may promise.
class QuotaDraws {
 public:
  QuotaDraws(const Conditions& conditions, Random& random, Cluster& cluster)
      : conditions_(conditions),
        random_(random),
        cluster_(cluster),
        guarantees_(!conditions.no_guarantees && chance(random, 0.5)),
        limits_(!conditions.no_limits && chance(random, 0.25)) {}

  void draw_all() {
    ResourceVector all;
    for (std::size_t r = 0; r < cluster_.resources.size(); ++r) {
      double sum = 0;
      for (const Server& server : cluster_.servers) sum += server.capacity[r].value();
      all.push_back(Quantity(static_cast<std::int64_t>(sum)));
    }
    draw_below({}, all);
  }

 private:
  // What each of the members may promise of this.
  static ResourceVector equal_part(const ResourceVector& amounts, std::size_t members) {
    ResourceVector part;
    for (const Quantity& amount : amounts)
      part.push_back(
          Quantity(static_cast<std::int64_t>(amount.value()) / static_cast<std::int64_t>(members)));
    return part;
  }

  void draw_below(const std::optional<std::string>& parent, const ResourceVector& most) {
    std::vector<std::size_t> groups, users;
    for (std::size_t g = 0; g < cluster_.groups.size(); ++g) {
      if (cluster_.groups[g].parent == parent) groups.push_back(g);
    }
    for (std::size_t n = 0; n < cluster_.users.size(); ++n) {
      if (cluster_.users[n].group == parent) users.push_back(n);
    }
    const ResourceVector each = equal_part(most, std::max<std::size_t>(1, groups.size() + users.size()));
    for (const std::size_t n : users) draw_one(cluster_.users[n].quota, each, parent.has_value());
    for (const std::size_t g : groups) {
      const ResourceVector promised = draw_one(cluster_.groups[g].quota, each, parent.has_value());
      draw_below(cluster_.groups[g].name, promised);
    }
  }

  // Gives what the members of the node may promise.
  ResourceVector draw_one(Quota& quota, ResourceVector most, bool inner) {
    if (guarantees_ && !(inner && conditions_.top_guarantees) && chance(random_, kGuaranteed)) {
      most = some_part(most, random_);
      quota.guarantee = most;
      if (!conditions_.no_reserves && chance(random_, kReserved)) quota.reserved = some_part(most, random_);
    }
    for (std::size_t r = 0; limits_ && r < most.size() && chance(random_, kLimited); ++r) {
      quota.limit.resize(most.size());
      quota.limit[r] = Quantity(static_cast<std::int64_t>(most[r].value()) + 1 +
                                static_cast<std::int64_t>(random_.below(kMostCapacity)));
    }
    return most;
  }

  const Conditions& conditions_;
  Random& random_;
  Cluster& cluster_;
  bool guarantees_;
  bool limits_;
};

// Groups above the users, some of them users with task shapes. A draw in which a group has no members is no
// cluster, and another is drawn.
void add_tree(const RandomStyle& style, Random& random, Cluster& cluster) {
  const Conditions& conditions = style.conditions;
  if (!style.accepts.groups || conditions.no_groups) return;
  if (!is_of_groups(style.property) && !chance(random, kGrouped)) return;
  const std::uint64_t more = random.below(kMostMore + 1);
  for (std::uint64_t k = 0; k < more; ++k) {
    User user = cluster.users[random.below(cluster.users.size())];
    user.name = std::string(1, static_cast<char>('A' + cluster.users.size()));
    const bool zeroes = style.accepts.zero_demands && !conditions.positive_demands;
    user.demand = some_demand(cluster.resources.size(), zeroes, random);
    cluster.users.push_back(std::move(user));
  }
  const std::uint64_t groups = 1 + random.below(kMostGroups);
  const bool weighted = chance(random, kWeighted);
  for (std::uint64_t g = 0; g < groups; ++g) {
    Group group{.name = fmt::format("G{}", g + 1)};
    if (g > 0 && chance(random, 0.4)) group.parent = cluster.groups[random.below(g)].name;
    if (weighted) group.weight = draw(random, 3);
    cluster.groups.push_back(std::move(group));
  }
  for (User& user : cluster.users) {
    if (chance(random, kMember)) user.group = cluster.groups[random.below(groups)].name;
  }
  for (Group& group : cluster.groups) {
    const bool inner = std::any_of(cluster.groups.begin(), cluster.groups.end(),
                                   [&](const Group& other) { return other.parent == group.name; });
    if (inner || !chance(random, kWithShapes)) continue;
    group.is_user = true;
    for (User& user : cluster.users) {
      if (user.group != group.name) continue;
      user.shape = user.name;
      user.name = group.name + "/" + user.name;
    }
  }
  QuotaDraws(conditions, random, cluster).draw_all();
}

// Makes the first resource what every user needs most on every server that has what the user needs.
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
    const bool single = style.property == Property::single_resource_fairness || style.conditions.one_resource;
    const std::size_t resources = single ? 1 : 2 + random.below(kResources.size() - 1);
    cluster.resources.assign(kResources.begin(), kResources.begin() + static_cast<std::ptrdiff_t>(resources));
    add_servers(style, random, cluster);
    add_users(style, random, cluster);
    add_tree(style, random, cluster);
    if (style.property == Property::bottleneck_fairness) add_bottleneck(cluster);
    Result<Problem> problem = Problem::from(std::move(cluster));
    if (problem) return *std::move(problem);
  }
}

}  // namespace mirab
