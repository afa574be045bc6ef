// What an overlay needs of its cluster and its scenario. A reader of files has seen part of it; a caller may
// not.
#include "simulation/overlay/check.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <set>
#include <utility>

namespace mirab::simulation {
namespace {

constexpr std::int64_t kMostServers = 1'000'000;
constexpr std::int64_t kMostUsers = 1'000'000;

// Must hold, or else what is wrong, and where.
struct Demand {
  bool holds;
  std::string_view key;
  std::string_view message;
};

Check first_unmet(std::initializer_list<Demand> demands, const std::string& prefix = {}) {
  for (const Demand& demand : demands)
    if (!demand.holds)
      return Error{.message = std::string(demand.message), .key = prefix + std::string(demand.key)};
  return {};
}

bool is_probability(double value) { return value >= 0 && value < 1; }

std::int64_t server_copies(const Problem& cluster) {
  std::int64_t copies = 0;
  for (const Server& server : cluster.servers()) copies += std::min(server.count, kMostServers + 1);
  return copies;
}

Check check_course(const OverlayScenario& scenario) {
  constexpr double kLeast = 1e-3, kMost = 1e3;
  constexpr std::string_view kAboveZero = "must be above 0";
  return first_unmet(
      {{!scenario.rules.empty(), "schedulers", "at least one is needed"},
       {scenario.names.empty() || scenario.names.size() == scenario.rules.size(), "schedulers",
        "must have a name each, or none"},
       {scenario.tick > Duration::zero(), "tick_ms", kAboveZero},
       {scenario.shuffles_per_tick >= kLeast && scenario.shuffles_per_tick <= kMost, "shuffles_per_tick",
        "must be from 0.001 to 1000"},
       {scenario.latency.min >= Duration::zero(), "latency_ms.min", "must not be negative"},
       {scenario.latency.max >= scenario.latency.min, "latency_ms.max", "must not be below min"},
       {scenario.wire.lifetime > Duration::zero(), "lifetime_ms", kAboveZero},
       {scenario.wire.skew >= Duration::zero(), "skew_ms", "must not be negative"},
       {scenario.wire.skew < scenario.wire.lifetime, "skew_ms",
        "must be below lifetime_ms: who is ahead would take nothing from who is not"},
       {scenario.quiet > 0, "quiet", kAboveZero},
       {!scenario.runtime || *scenario.runtime > Duration::zero(), "runtime_s", kAboveZero},
       {!scenario.duration || *scenario.duration > Duration::zero(), "duration_s", kAboveZero},
       {std::ranges::all_of(scenario.tolerances, [](double t) { return t >= 0 && std::isfinite(t); }),
        "tolerances", "must not be negative"}});
}

Check check_options(const OverlayScenario& scenario) {
  for (std::size_t i = 0; i < scenario.rules.size(); ++i) {
    const overlay::OverlayOptions& options = scenario.rules[i].options;
    const overlay::Patience& patience = options.patience;
    const bool waits = patience.again > 0 && patience.held > 0 && patience.walk > 0 && patience.home > 0 &&
                       patience.user > 0;
    Check unmet =
        first_unmet({{options.gossip.view > 0, "neighbours", "must be above 0"},
                     {options.gossip.peers > 0, "peers", "must be above 0"},
                     {options.gossip.peer_shuffle > 0, "peer_shuffle", "must be above 0"},
                     {options.gossip.temperature > 0, "temperature", "must be above 0"},
                     {options.gossip.oldest > 0, "oldest", "must be above 0"},
                     {options.best_of > 0, "best_of", "must be above 0"},
                     {options.push_sum_epoch > 0, "push_sum_epoch", "must be above 0"},
                     {options.slack >= 0 && std::isfinite(options.slack), "slack", "must not be negative"},
                     {waits, "patience", "must be above 0, but for the lease"}},
                    fmt::format("schedulers[{}].", i));
    if (unmet) return unmet;
    if (scenario.rules[i].scheduler == overlay::Scheduler::probes &&
        options.total == overlay::Total::push_sum)
      return Error{.message = "cannot be push-sum with probes, whose servers do not gossip",
                   .key = fmt::format("schedulers[{}].total", i)};
  }
  return {};
}

template <class Item, class Bad>
Check check_each(const std::vector<Item>& items, std::string_view list, const Bad& check) {
  for (std::size_t i = 0; i < items.size(); ++i)
    if (Check unmet = check(items[i], fmt::format("{}[{}].", list, i))) return unmet;
  return {};
}

constexpr std::string_view kNoServer = "is no server of the cluster, whose first is 0";

Check check_span(Duration from, Duration to, const std::string& key) {
  return first_unmet({{from >= Duration::zero(), "from_s", "must not be negative"},
                      {to > from, "to_s", "must be later than from_s"}},
                     key);
}

Check check_crashes(const std::vector<Crash>& crashes, std::int64_t servers) {
  return check_each(crashes, "faults.crashes", [&](const Crash& crash, const std::string& key) {
    return first_unmet({{crash.node < servers, "node", kNoServer},
                        {crash.at >= Duration::zero(), "at_s", "must not be negative"},
                        {!crash.back || *crash.back > crash.at, "back_s", "must be later than at_s"}},
                       key);
  });
}

template <class Coming>
Check check_once_each(const std::vector<Coming>& list, std::string_view name, std::int64_t servers) {
  std::set<std::uint32_t> seen;
  return check_each(list, name, [&](const Coming& item, const std::string& key) {
    return first_unmet({{item.node < servers, "node", kNoServer},
                        {item.at >= Duration::zero(), "at_s", "must not be negative"},
                        {seen.insert(item.node).second, "node", "stands there twice"}},
                       key);
  });
}

Check check_faults(const Faults& faults, std::int64_t servers) {
  constexpr std::string_view kProbability = "must be a probability below 1";
  if (Check unmet =
          first_unmet({{is_probability(faults.loss), "faults.loss", kProbability},
                       {is_probability(faults.duplicate), "faults.duplicate", kProbability},
                       {is_probability(faults.reorder), "faults.reorder", kProbability},
                       {is_probability(faults.corrupt), "faults.corrupt", kProbability},
                       {faults.until >= Duration::zero(), "faults.until_s", "must not be negative"}}))
    return unmet;
  const auto check_partition = [](const Partition& partition, const std::string& key) {
    if (Check unmet = check_span(partition.from, partition.to, key)) return unmet;
    const bool cuts =
        partition.nodes > 0 || partition.users > 0 || partition.gateway == Partition::Side::inside;
    return first_unmet(
        {{is_probability(partition.nodes), "nodes", "must be a part of the servers, below 1"},
         {partition.users >= 0 && partition.users <= 1, "users", "must be a part of the users, at most 1"},
         {cuts, "nodes", "nobody is cut off: some servers or users must be, or the gateway"}},
        key);
  };
  const auto check_restart = [](const Restart& restart, const std::string& key) {
    return first_unmet({{restart.at >= Duration::zero(), "at_s", "must not be negative"}}, key);
  };
  const auto check_slow = [&](const Slow& slow, const std::string& key) {
    if (Check unmet = check_span(slow.from, slow.to, key)) return unmet;
    return first_unmet({{slow.node < servers, "node", kNoServer},
                        {slow.factor >= 1 && std::isfinite(slow.factor), "factor", "must be at least 1"}},
                       key);
  };
  if (Check unmet = check_each(faults.partitions, "faults.partitions", check_partition)) return unmet;
  if (Check unmet = check_crashes(faults.crashes, servers)) return unmet;
  if (Check unmet = check_each(faults.slow, "faults.slow", check_slow)) return unmet;
  if (Check unmet = check_each(faults.restarts, "faults.restarts", check_restart)) return unmet;
  if (Check unmet = check_once_each(faults.joins, "faults.joins", servers)) return unmet;
  return check_once_each(faults.leaves, "faults.leaves", servers);
}

Check check_pauses(const Problem& cluster, const std::vector<UserPause>& pauses) {
  std::set<std::string_view> names;
  for (const User& user : cluster.users()) names.insert(user.name);
  return check_each(pauses, "pauses", [&](const UserPause& pause, const std::string& key) {
    if (Check unmet = check_span(pause.from, pause.to, key)) return unmet;
    return first_unmet({{names.contains(pause.user), "user", "is no user of the cluster"}}, key);
  });
}

// Tasks that end and come again without end would never let a run be over.
Check check_end(const Problem& cluster, const OverlayScenario& scenario) {
  const bool endless = std::ranges::any_of(cluster.users(), [](const User& user) { return !user.tasks; });
  return first_unmet({{!endless || !scenario.runtime || scenario.duration, "duration_s",
                       "is needed when tasks end and a user has no limit of them"}});
}

}  // namespace

Check check_overlay_cluster(const Problem& cluster) {
  const auto& users = cluster.users();
  for (std::size_t n = 0; n < users.size(); ++n)
    if (users[n].weight != Quantity(1))
      return Error{.message = "an overlay knows no weights: must be 1",
                   .key = fmt::format("users[{}].weight", n)};
  return first_unmet(
      {{!cluster.has_placement_constraints(), "users", "an overlay knows no placement constraints"},
       {!cluster.has_demand_on(), "users", "an overlay knows no demands per server"},
       {std::cmp_less_equal(users.size(), kMostUsers), "users", "are more than 1,000,000"},
       {server_copies(cluster) <= kMostServers, "servers", "are more than 1,000,000"}});
}

Check check_overlay(const Problem& cluster, const OverlayScenario& scenario) {
  if (Check unmet = check_overlay_cluster(cluster)) return unmet;
  if (Check unmet = check_course(scenario)) return unmet;
  if (Check unmet = check_options(scenario)) return unmet;
  if (Check unmet = check_faults(scenario.faults, server_copies(cluster))) return unmet;
  if (Check unmet = check_pauses(cluster, scenario.pauses)) return unmet;
  return check_end(cluster, scenario);
}

}  // namespace mirab::simulation
