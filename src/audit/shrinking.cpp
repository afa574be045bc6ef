// Shrinking of counterexamples, as in property-based testing (QuickCheck; delta debugging, Zeller 2002): take
// away what is not needed, halves first, and write what is left in small whole numbers. A change stays when
// the violation does; passes repeat until none changes anything.
#include <algorithm>
#include <cmath>
#include <limits>

#include "audit/counterexamples.hpp"
#include "model/eligibility.hpp"

namespace mirab {

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
  Cluster without_labels = shrinking.cluster();
  name_servers(without_labels);
  shrinking.offer(std::move(without_labels));
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
