// Clusters of a search for counterexamples: drawn at random, changed in one place, and shrunk while the
// violation remains.
#include "audit/counterexamples.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <limits>

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

// Shrinking of counterexamples, as in property-based testing (QuickCheck; delta debugging, Zeller 2002): take
// away what is not needed, halves first, and write what is left in small whole numbers. A change stays when
// the violation does; passes repeat until none changes anything.

namespace {

constexpr double kWorthShowing = 0.02;  // a violation that was larger stays as large

class Shrinking {
 public:
  Shrinking(Witness witness, const Violates& violates, std::size_t tries)
      : witness_(std::move(witness)),
        violates_(violates),
        least_(std::min(witness_.size, kWorthShowing)),
        left_(tries) {}

  const Cluster& cluster() const { return witness_.problem; }
  bool over() const { return left_ == 0; }
  Witness result() && { return std::move(witness_); }

  /// Takes the cluster in place of the present one when it is a problem and violates too.
  bool offer(Cluster cluster) {
    if (left_ == 0) return false;
    drop_stale_running(cluster);
    const Result<Problem> problem = Problem::from(std::move(cluster));
    if (!problem) return false;
    --left_;
    std::optional<Witness> witness = violates_(*problem);
    if (!witness || witness->size < least_) return false;
    witness_ = *std::move(witness);
    return true;
  }

 private:
  // What runs of users or on servers that were taken away.
  static void drop_stale_running(Cluster& cluster) {
    if (!cluster.running) return;
    std::erase_if(*cluster.running, [&](const Running& entry) {
      const auto is_of = [&](const User& user) {
        return entry.shape ? user.shape == entry.shape && user.group == entry.user : user.name == entry.user;
      };
      const auto is_on = [&](const Server& server) { return server.name == entry.server; };
      return std::none_of(cluster.users.begin(), cluster.users.end(), is_of) ||
             std::none_of(cluster.servers.begin(), cluster.servers.end(), is_on);
    });
  }

  Witness witness_;
  const Violates& violates_;
  double least_;
  std::size_t left_;
};

// Takes out runs of a list, halves first, then ever shorter ones.
bool drop(Shrinking& shrinking, std::size_t (*count)(const Cluster&), void (*remove)(Cluster&, std::size_t)) {
  bool changed = false;
  for (std::size_t run = std::max<std::size_t>(1, count(shrinking.cluster()) / 2); run > 0; run /= 2) {
    for (std::size_t first = 0; first < count(shrinking.cluster());) {
      Cluster fewer = shrinking.cluster();
      for (std::size_t k = 0; k < run && first < count(fewer); ++k) remove(fewer, first);
      if (count(fewer) > 0 && shrinking.offer(std::move(fewer)))
        changed = true;
      else
        first += run;
    }
  }
  return changed;
}

bool drop_anything(Shrinking& shrinking) {
  bool changed = drop(
      shrinking, [](const Cluster& c) { return c.users.size(); }, remove_user);
  changed |= drop(
      shrinking, [](const Cluster& c) { return c.servers.size(); }, remove_server);
  changed |= drop(
      shrinking, [](const Cluster& c) { return c.resources.size(); }, remove_resource);
  return changed;
}

// Names the eligible servers instead of selecting them by label.
Cluster without_labels(Cluster cluster) {
  for (User& user : cluster.users) {
    if (user.select.empty()) continue;
    std::vector<std::string> servers;
    for (const Server& server : cluster.servers) {
      const bool named =
          !user.servers || std::count(user.servers->begin(), user.servers->end(), server.name) > 0;
      const bool selected = std::all_of(user.select.begin(), user.select.end(), [&](const auto& wanted) {
        const auto label = server.labels.find(wanted.first);
        return label != server.labels.end() &&
               std::count(wanted.second.begin(), wanted.second.end(), label->second) > 0;
      });
      if (named && selected) servers.push_back(server.name);
    }
    user.select.clear();
    user.servers = std::move(servers);
  }
  for (Server& server : cluster.servers) server.labels.clear();
  return cluster;
}

// Groups, their quotas and their weights, and those of users, taken away piece by piece.
bool make_flat(Shrinking& shrinking) {
  bool changed = false;
  const auto offer = [&](auto set) {
    Cluster flatter = shrinking.cluster();
    if (set(flatter)) changed |= shrinking.offer(std::move(flatter));
  };
  for (std::size_t g = shrinking.cluster().groups.size(); g-- > 0;) {
    offer([&](Cluster& c) {
      dissolve_group(c, g);
      return true;
    });
  }
  const auto without_quota = [&](auto quota_of) {
    offer([&](Cluster& c) { return std::exchange(quota_of(c), {}) != Quota{}; });
    offer([&](Cluster& c) { return !std::exchange(quota_of(c).limit, {}).empty(); });
    offer([&](Cluster& c) { return !std::exchange(quota_of(c).reserved, {}).empty(); });
    offer([&](Cluster& c) { return std::exchange(quota_of(c).guarantee, std::nullopt).has_value(); });
  };
  for (std::size_t g = 0; g < shrinking.cluster().groups.size(); ++g) {
    without_quota([=](Cluster& c) -> Quota& { return c.groups[g].quota; });
    offer([&](Cluster& c) { return std::exchange(c.groups[g].weight, Quantity(1)) != Quantity(1); });
    offer([&](Cluster& c) {
      for (User& user : c.users) {
        if (user.group == c.groups[g].name) user.shape.reset();
      }
      return std::exchange(c.groups[g].is_user, false);
    });
  }
  for (std::size_t n = 0; n < shrinking.cluster().users.size(); ++n)
    without_quota([=](Cluster& c) -> Quota& { return c.users[n].quota; });
  return changed;
}

// What a user or server has besides demand and capacity, taken away piece by piece.
bool make_plain(Shrinking& shrinking) {
  bool changed = false;
  const auto offer_user = [&](std::size_t n, auto set) {
    Cluster plainer = shrinking.cluster();
    if (set(plainer.users[n])) changed |= shrinking.offer(std::move(plainer));
  };
  for (std::size_t n = 0; n < shrinking.cluster().users.size(); ++n) {
    offer_user(n, [](User& user) { return std::exchange(user.servers, std::nullopt).has_value(); });
    offer_user(n, [](User& user) { return std::exchange(user.tasks, std::nullopt).has_value(); });
    offer_user(n, [](User& user) { return !std::exchange(user.demand_on, {}).empty(); });
    offer_user(n, [](User& user) { return std::exchange(user.weight, Quantity(1)) != Quantity(1); });
  }
  for (std::size_t i = 0; i < shrinking.cluster().servers.size(); ++i) {
    Cluster plainer = shrinking.cluster();
    if (std::exchange(plainer.servers[i].count, 1) != 1) changed |= shrinking.offer(std::move(plainer));
  }
  return changed;
}

// Calls visit(amount) for every amount of a resource.
template <class Visit>
void for_each_amount(Cluster& cluster, std::size_t resource, const Visit& visit) {
  for (Server& server : cluster.servers) visit(server.capacity[resource]);
  const auto visit_quota = [&](Quota& quota) {
    if (quota.guarantee) visit((*quota.guarantee)[resource]);
    if (!quota.reserved.empty()) visit(quota.reserved[resource]);
    if (!quota.limit.empty() && quota.limit[resource]) visit(*quota.limit[resource]);
  };
  for (User& user : cluster.users) {
    visit(user.demand[resource]);
    for (auto& [server, demand] : user.demand_on) visit(demand[resource]);
    visit_quota(user.quota);
  }
  for (Group& group : cluster.groups) visit_quota(group.quota);
}

constexpr double kReadable = 1000;      // a larger whole number is worth replacing by a smaller one
constexpr double kLargestWhole = 1e15;  // Derived: below 2^53, so that a double and an int64 hold it exactly.

bool is_whole(const Quantity& amount) { return amount.exponent() >= 0; }

// The amounts of a resource in units of which the smallest demand is `smallest`, to whole numbers.
bool round_resource(Cluster& cluster, std::size_t resource, double smallest) {
  double least = std::numeric_limits<double>::infinity();
  bool rough = false;
  for (const User& user : cluster.users) {
    if (!user.demand[resource].is_zero()) least = std::min(least, user.demand[resource].value());
  }
  for_each_amount(cluster, resource, [&](const Quantity& amount) {
    rough = rough || !is_whole(amount) || amount.value() > kReadable;
  });
  if (!rough || std::isinf(least)) return false;
  for_each_amount(cluster, resource, [&](Quantity& amount) {
    if (amount.is_zero()) return;
    const double units = std::clamp(std::round(amount.value() / least * smallest), 1.0, kLargestWhole);
    amount = Quantity(static_cast<std::int64_t>(units));
  });
  return true;
}

bool make_whole(Shrinking& shrinking) {
  bool changed = false;
  const auto round_those = [&](std::size_t first, std::size_t last) {
    for (const double smallest : {1.0, 2.0, 3.0, 5.0, 10.0, 100.0}) {
      Cluster whole = shrinking.cluster();
      bool differs = false;
      for (std::size_t r = first; r < last; ++r) differs |= round_resource(whole, r, smallest);
      if (!differs) return;
      if (shrinking.offer(std::move(whole))) {
        changed = true;
        return;
      }
    }
  };
  const std::size_t resources = shrinking.cluster().resources.size();
  round_those(0, resources);
  for (std::size_t r = 0; r < resources; ++r) round_those(r, r + 1);
  return changed;
}

// All capacities together by the same factor: without caps only their proportions matter to most rules.
bool scale_down(Shrinking& shrinking) {
  bool changed = false;
  for (const double factor : {0.1, 0.2, 0.5, 0.8}) {
    for (bool again = true; again && !shrinking.over();) {
      Cluster scaled = shrinking.cluster();
      bool differs = false;
      for (Server& server : scaled.servers) {
        for (Quantity& capacity : server.capacity) {
          if (capacity.is_zero()) continue;
          const double smaller = std::max(1.0, std::round(capacity.value() * factor));
          differs = differs || smaller < capacity.value();
          capacity = Quantity(static_cast<std::int64_t>(std::min(smaller, kLargestWhole)));
        }
      }
      again = differs && shrinking.offer(std::move(scaled));
      changed |= again;
    }
  }
  return changed;
}

// Every amount, weight and cap in turn: 1, then half, then one less.
bool make_small(Shrinking& shrinking) {
  bool changed = false;
  const auto lower = [&](auto amount_of) {
    for (bool again = true; again && !shrinking.over();) {
      again = false;
      Cluster now = shrinking.cluster();
      const double value = amount_of(now).value();
      const double whole = std::floor(value);
      for (const double smaller : {1.0, std::floor(whole / 2), whole == value ? whole - 1 : whole}) {
        if (smaller < 1 || smaller >= value) continue;
        Cluster lowered = now;
        amount_of(lowered) = Quantity(static_cast<std::int64_t>(smaller));
        if (!shrinking.offer(std::move(lowered))) continue;
        again = changed = true;
        break;
      }
    }
  };
  for (std::size_t r = 0; r < shrinking.cluster().resources.size(); ++r) {
    for (std::size_t i = 0; i < shrinking.cluster().servers.size(); ++i)
      lower([=](Cluster& c) -> Quantity& { return c.servers[i].capacity[r]; });
    for (std::size_t n = 0; n < shrinking.cluster().users.size(); ++n)
      lower([=](Cluster& c) -> Quantity& { return c.users[n].demand[r]; });
  }
  for (std::size_t n = 0; n < shrinking.cluster().users.size(); ++n) {
    lower([=](Cluster& c) -> Quantity& { return c.users[n].weight; });
    if (shrinking.cluster().users[n].tasks) lower([=](Cluster& c) -> Quantity& { return *c.users[n].tasks; });
  }
  const auto lower_guarantee = [&](auto quota_of) {
    Cluster now = shrinking.cluster();
    if (!quota_of(now).guarantee) return;
    for (std::size_t r = 0; r < now.resources.size(); ++r)
      lower([=](Cluster& c) -> Quantity& { return (*quota_of(c).guarantee)[r]; });
  };
  for (std::size_t n = 0; n < shrinking.cluster().users.size(); ++n)
    lower_guarantee([=](Cluster& c) -> Quota& { return c.users[n].quota; });
  for (std::size_t g = 0; g < shrinking.cluster().groups.size(); ++g) {
    lower([=](Cluster& c) -> Quantity& { return c.groups[g].weight; });
    lower_guarantee([=](Cluster& c) -> Quota& { return c.groups[g].quota; });
  }
  return changed;
}

}  // namespace

Witness shrink(Witness witness, const Violates& violates, std::size_t tries) {
  Shrinking shrinking(std::move(witness), violates, tries);
  shrinking.offer(without_labels(shrinking.cluster()));
  for (bool changed = true; changed && !shrinking.over();) {
    changed = drop_anything(shrinking);
    changed |= make_flat(shrinking);
    changed |= make_plain(shrinking);
    changed |= make_whole(shrinking);
    changed |= scale_down(shrinking);
    changed |= make_small(shrinking);
  }
  return std::move(shrinking).result();
}

}  // namespace mirab
