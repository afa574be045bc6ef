// The rules of what goes wrong in an overlay, and when.
#include "lab/simulation/overlay/check.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "lab/simulation/overlay/options.hpp"
#include "model/names.hpp"
#include "model/seconds.hpp"

namespace mirab::simulation {
namespace {

constexpr double kMostFactor = 1e6;  // a tick of 100 ms is a day then

std::string text_of(Duration time) { return fmt::format("{} s", in_seconds(time)); }

/// `check` of each, with its key; the first that is wrong.
template <class Item, class Bad>
Check check_each(const std::vector<Item>& items, std::string_view list, const Bad& check) {
  for (std::size_t i = 0; i < items.size(); ++i)
    if (Check unmet = check(items[i], fmt::format("{}[{}].", list, i))) return unmet;
  return {};
}

Check check_probability(double value, const char* key) {
  if (value >= 0 && value < 1) return {};
  return Error{.message = fmt::format("must be a probability below 1, not {}", value),
               .key = fmt::format("faults.{}", key)};
}

Check check_time(Duration time, const std::string& key) {
  if (time >= Duration::zero()) return {};
  return Error{.message = "must not be negative", .key = key};
}

Check check_later(Duration time, Duration than, const std::string& key, std::string_view name) {
  if (time > than) return {};
  return Error{
      .message = fmt::format("must be later than {}, {}, not {}", name, text_of(than), text_of(time)),
      .key = key};
}

Check check_span(Duration from, Duration to, const std::string& key) {
  if (Check unmet = check_time(from, key + "from_s")) return unmet;
  return check_later(to, from, key + "to_s", "from_s");
}

Check check_partition(const Partition& partition, const std::string& key) {
  if (Check unmet = check_span(partition.from, partition.to, key)) return unmet;
  if (!(partition.nodes >= 0 && partition.nodes < 1))
    return Error{.message = fmt::format("must be a part of the servers, below 1, not {}", partition.nodes),
                 .key = key + "nodes"};
  if (!(partition.users >= 0 && partition.users <= 1))
    return Error{.message = fmt::format("must be a part of the users, at most 1, not {}", partition.users),
                 .key = key + "users"};
  if (partition.nodes > 0 || partition.users > 0 || partition.gateway == Partition::Side::inside) return {};
  return Error{.message = "separates no node: must have nodes, users, or the gateway inside",
               .key = key.substr(0, key.size() - 1)};
}

Check check_restart(const Restart& restart, const std::string& key) {
  return check_time(restart.at, key + "at_s");
}

Check check_crash(const Crash& crash, const std::string& key) {
  if (Check unmet = check_time(crash.at, key + "at_s")) return unmet;
  return crash.back ? check_later(*crash.back, crash.at, key + "back_s", "at_s") : Check{};
}

Check check_slow(const Slow& slow, const std::string& key) {
  if (Check unmet = check_span(slow.from, slow.to, key)) return unmet;
  if (slow.factor >= 1 && slow.factor <= kMostFactor) return {};
  return Error{.message = fmt::format("must be from 1 to {}, not {}", kMostFactor, slow.factor),
               .key = key + "factor"};
}

/// What happens to one server: it joins once, crashes and comes back, leaves once.
struct Life {
  std::optional<std::size_t> join = {}, leave = {};  // in the lists of the faults
  std::vector<std::size_t> crashes = {};             // in the order of time
};

template <class Change>
Check note_once(const std::vector<Change>& list, const char* name, std::optional<std::size_t> Life::*what,
                std::map<std::uint32_t, Life>& lives) {
  for (std::size_t i = 0; i < list.size(); ++i) {
    std::optional<std::size_t>& noted = lives[list[i].node].*what;
    if (noted)
      return Error{.message = fmt::format("server {} {} at {} already (faults.{}[{}])", list[i].node, name,
                                          text_of(list[*noted].at), name, *noted),
                   .key = fmt::format("faults.{}[{}].node", name, i)};
    noted = i;
    if (Check unmet = check_time(list[i].at, fmt::format("faults.{}[{}].at_s", name, i))) return unmet;
  }
  return {};
}

/// From its join to its leaving it is there; what happens at one moment happens in the order of Change::What,
/// so that a crash at the moment of a return would be over at once.
Check check_life(const Faults& faults, const Life& life) {
  const auto joins = life.join ? std::optional(faults.joins[*life.join].at) : std::nullopt;
  const auto leaves = life.leave ? std::optional(faults.leaves[*life.leave].at) : std::nullopt;
  const auto unlike = [](const char* list, std::size_t i, std::string message) {
    return Error{.message = std::move(message), .key = fmt::format("faults.{}[{}].at_s", list, i)};
  };
  if (joins && leaves && *leaves <= *joins)
    return unlike("leaves", *life.leave, fmt::format("the server joins only at {}", text_of(*joins)));
  const Crash* last = nullptr;
  for (const std::size_t i : life.crashes) {
    const Crash& crash = faults.crashes[i];
    if (joins && crash.at <= *joins)
      return unlike("crashes", i, fmt::format("the server joins only at {}", text_of(*joins)));
    if (leaves && crash.at >= *leaves)
      return unlike("crashes", i, fmt::format("the server has left at {}", text_of(*leaves)));
    if (last && (!last->back || crash.at <= *last->back))
      return unlike("crashes", i,
                    fmt::format("the server is down from {} {}", text_of(last->at),
                                last->back ? "to " + text_of(*last->back) : "on, and never comes back"));
    last = &crash;
  }
  if (leaves && last && (!last->back || *leaves < *last->back))
    return unlike(
        "leaves", *life.leave,
        fmt::format("the server is down since {} and cannot leave in an orderly way", text_of(last->at)));
  return {};
}

Check check_lives(const Faults& faults) {
  std::map<std::uint32_t, Life> lives;
  if (Check unmet = note_once(faults.joins, "joins", &Life::join, lives)) return unmet;
  if (Check unmet = note_once(faults.leaves, "leaves", &Life::leave, lives)) return unmet;
  for (std::size_t i = 0; i < faults.crashes.size(); ++i) lives[faults.crashes[i].node].crashes.push_back(i);
  for (auto& [node, life] : lives) {
    std::ranges::stable_sort(life.crashes, {}, [&](std::size_t i) { return faults.crashes[i].at; });
    if (Check unmet = check_life(faults, life)) return unmet;
  }
  return {};
}

template <class Item>
Check check_nodes(const std::vector<Item>& items, std::string_view list, std::int64_t servers) {
  return check_each(items, list, [&](const Item& item, const std::string& key) -> Check {
    if (item.node < servers) return {};
    return Error{.message = fmt::format("must be a server of the cluster, from 0 to {}, not {}", servers - 1,
                                        item.node),
                 .key = key + "node"};
  });
}

}  // namespace

Check check_faults(const Faults& faults) {
  for (const auto& [value, key] :
       {std::pair(faults.loss, "loss"), std::pair(faults.duplicate, "duplicate"),
        std::pair(faults.reorder, "reorder"), std::pair(faults.corrupt, "corrupt")})
    if (Check unmet = check_probability(value, key)) return unmet;
  if (Check unmet = check_time(faults.until, "faults.until_s")) return unmet;
  if (Check unmet = check_each(faults.partitions, "faults.partitions", check_partition)) return unmet;
  if (Check unmet = check_each(faults.crashes, "faults.crashes", check_crash)) return unmet;
  if (Check unmet = check_each(faults.slow, "faults.slow", check_slow)) return unmet;
  if (Check unmet = check_each(faults.restarts, "faults.restarts", check_restart)) return unmet;
  return check_lives(faults);
}

Check check_pauses(const std::vector<UserPause>& pauses) {
  const auto check_pause = [](const UserPause& pause, const std::string& key) {
    return check_span(pause.from, pause.to, key);
  };
  if (Check unmet = check_each(pauses, "pauses", check_pause)) return unmet;
  std::map<std::string_view, std::vector<std::size_t>> of_user;
  for (std::size_t i = 0; i < pauses.size(); ++i) of_user[pauses[i].user].push_back(i);
  for (auto& [user, own] : of_user) {
    std::ranges::stable_sort(own, {}, [&](std::size_t i) { return pauses[i].from; });
    for (std::size_t i = 1; i < own.size(); ++i) {
      const UserPause& before = pauses[own[i - 1]];
      if (pauses[own[i]].from > before.to) continue;
      return Error{
          .message = fmt::format("user '{}' pauses from {} to {} already (pauses[{}]); the next begins later",
                                 user, text_of(before.from), text_of(before.to), own[i - 1]),
          .key = fmt::format("pauses[{}].from_s", own[i])};
    }
  }
  return {};
}

Check check_places(const Faults& faults, std::int64_t servers) {
  if (Check unmet = check_nodes(faults.crashes, "faults.crashes", servers)) return unmet;
  if (Check unmet = check_nodes(faults.slow, "faults.slow", servers)) return unmet;
  if (Check unmet = check_nodes(faults.joins, "faults.joins", servers)) return unmet;
  return check_nodes(faults.leaves, "faults.leaves", servers);
}

Check check_places(const std::vector<UserPause>& pauses, const Problem& cluster) {
  std::vector<std::string_view> names;
  for (const User& user : cluster.users()) names.push_back(user.name);
  std::vector<std::string_view> sorted = names;
  std::ranges::sort(sorted);
  return check_each(pauses, "pauses", [&](const UserPause& pause, const std::string& key) -> Check {
    if (std::ranges::binary_search(sorted, std::string_view(pause.user))) return {};
    return Error{
        .message = fmt::format("the cluster has no user '{}'{}", pause.user, known_names(pause.user, names)),
        .key = key + "user"};
  });
}

// What an overlay needs of its cluster and its scenario; what goes wrong has rules of its own
// (check.hpp).

namespace {

// Per tick: from a shuffle in 100 s of ticks of 100 ms to one in 100 us. Views are stale below, and the
// network carries little but shuffles above.
constexpr double kFewestShuffles = 1e-3, kMostShuffles = 1e3;
constexpr Duration kShortestTick = std::chrono::microseconds(1);  // shorter than any network's latency
// Derived: 29 such waits fit into a Duration, 292 years; a bound adds up 14 of them where messages arrive
// (faults.cpp).
constexpr Duration kLongestPatience = std::chrono::days(10 * 365);

Error wrong(std::string key, std::string message) {
  return {.message = std::move(message), .key = std::move(key)};
}

Check check_least(Duration time, Duration least, const char* key) {
  if (time >= least) return {};
  return wrong(
      key, fmt::format("must be at least {}, not {}", least == Duration(1) ? "a nanosecond" : "a microsecond",
                       time == Duration::zero() ? "0" : fmt::format("{} s", in_seconds(time))));
}

// Nodes drop what is older than the lifetime: where even the fastest message is, nothing ever arrives.
Check check_network(const OverlayScenario& scenario) {
  const Latency& latency = scenario.latency;
  const auto in_ms = [](Duration time) { return 1000 * in_seconds(time); };
  if (Check unmet = check_least(scenario.tick, kShortestTick, "tick_ms")) return unmet;
  if (Check unmet = check_least(scenario.wire.lifetime, Duration(1), "lifetime_ms")) return unmet;
  if (latency.min < Duration::zero()) return wrong("latency_ms.min", "must not be negative");
  if (latency.max < latency.min)
    return wrong("latency_ms.max",
                 fmt::format("must not be below min, {}, as {} is", in_ms(latency.min), in_ms(latency.max)));
  if (scenario.wire.skew < Duration::zero()) return wrong("skew_ms", "must not be negative");
  if (scenario.wire.skew >= scenario.wire.lifetime)
    return wrong(
        "skew_ms",
        fmt::format("must be below lifetime_ms, {}, not {}: a node whose clock is ahead would accept "
                    "no message from one whose clock is not",
                    in_ms(scenario.wire.lifetime), in_ms(scenario.wire.skew)));
  if (latency.min + scenario.wire.skew <= scenario.wire.lifetime) return {};
  return wrong("latency_ms",
               fmt::format("no message takes less than {} ms, clocks differ by up to {}, and "
                           "nodes drop what is older than lifetime_ms, {}: some would never "
                           "hear of others",
                           in_ms(latency.min), in_ms(scenario.wire.skew), in_ms(scenario.wire.lifetime)));
}

Check check_course(const OverlayScenario& scenario) {
  if (scenario.rules.empty()) return wrong("schedulers", "at least one is needed");
  if (!scenario.names.empty() && scenario.names.size() != scenario.rules.size())
    return wrong("schedulers", "must have a name each, or none");
  if (const double shuffles = scenario.shuffles_per_tick;
      !(shuffles >= kFewestShuffles && shuffles <= kMostShuffles))
    return wrong("shuffles_per_tick",
                 fmt::format("must be from {} to {}, not {}", kFewestShuffles, kMostShuffles, shuffles));
  if (scenario.quiet == 0) return wrong("quiet", "must be at least 1 tick, not 0");
  for (const auto& [time, key] :
       {std::pair(scenario.runtime, "runtime_s"), std::pair(scenario.duration, "duration_s")})
    if (Check unmet = time ? check_least(*time, Duration(1), key) : Check{}) return unmet;
  if (!std::ranges::all_of(scenario.tolerances, [](double t) { return t >= 0 && std::isfinite(t); }))
    return wrong("tolerances", "must not be negative");
  return {};
}

// Bounds are sums of patiences (faults.hpp), and time is counted in 64 bits.
Check check_patience(const overlay::Patience& patience, Duration tick, const std::string& key) {
  for (const WaitOption& wait : wait_options()) {
    const std::int64_t ticks = patience.*wait.ticks;
    if (ticks > kLongestPatience / tick)
      return wrong(
          fmt::format("{}.{}.{}", key, kPatienceKey, wait.key),
          fmt::format("must be less than ten years, not {} ticks of {} s", ticks, seconds_text(tick)));
  }
  return {};
}

Check check_rules(const OverlayRules& rules, const std::string& key) {
  const overlay::OverlayOptions& options = rules.options;
  const auto within = [&](std::string_view name, std::int64_t value, std::int64_t least,
                          std::int64_t most) -> Check {
    if (value >= least && value <= most) return {};
    return wrong(fmt::format("{}.{}", key, name),
                 fmt::format("must be from {} to {}, not {}", least, most, value));
  };
  for (const WholeOption& whole : whole_options())
    if (Check unmet = within(whole.key, whole.of(options), whole.least, whole.most)) return unmet;
  for (const WaitOption& wait : wait_options())
    if (Check unmet = within(fmt::format("{}.{}", kPatienceKey, wait.key), options.patience.*wait.ticks,
                             wait.least, kMaxPatience))
      return unmet;
  if (!(options.gossip.temperature > 0))
    return wrong(fmt::format("{}.{}", key, kTemperatureKey), "must be above 0");
  if (!(options.slack >= 0 && std::isfinite(options.slack)))
    return wrong(fmt::format("{}.{}", key, kSlackKey), "must not be negative");
  if (rules.scheduler == overlay::Scheduler::probes && options.total == overlay::Total::push_sum)
    return wrong(key + ".total", "cannot be push-sum with probes, whose servers do not gossip");
  return {};
}

// Tasks that end and come again without end would never let a run be over.
Check check_end(const Problem& cluster, const OverlayScenario& scenario) {
  const auto& users = cluster.users();
  const auto endless = std::ranges::find_if(users, [](const User& user) { return !user.tasks; });
  if (endless == users.end() || !scenario.runtime || scenario.duration) return {};
  return wrong("duration_s", fmt::format("missing: tasks end, and user '{}' has no limit of them, so that "
                                         "the run would never be over",
                                         endless->name));
}

Check check_user(const Problem& cluster, std::size_t n) {
  const User& user = cluster.users()[n];
  const auto refused = [&](const char* key, const std::string& what) {
    return wrong(fmt::format("users[{}].{}", n, key),
                 fmt::format("user '{}' has {}, which an overlay does not support", user.name, what));
  };
  if (user.weight != Quantity(1))
    return wrong(fmt::format("users[{}].weight", n),
                 fmt::format("user '{}' has the weight {}, but an overlay has no weights: must be 1",
                             user.name, user.weight.value()));
  if (!user.demand_on.empty()) return refused("demand_on", "demands of its own on some servers");
  if (cluster.is_constrained(n)) return refused(user.servers ? "servers" : "select", "placement constraints");
  return {};
}

}  // namespace

std::int64_t server_copies(const Problem& cluster) {
  std::int64_t copies = 0;
  for (const Server& server : cluster.servers()) copies += std::min(server.count, kMaxOverlayServers + 1);
  return copies;
}

Check check(const OverlayScenario& scenario) {
  if (Check unmet = check_course(scenario)) return unmet;
  if (Check unmet = check_network(scenario)) return unmet;
  for (std::size_t i = 0; i < scenario.rules.size(); ++i) {
    const std::string key = fmt::format("schedulers[{}]", i);
    if (Check unmet = check_rules(scenario.rules[i], key)) return unmet;
    if (Check unmet = check_patience(scenario.rules[i].options.patience, scenario.tick, key)) return unmet;
  }
  if (Check unmet = check_faults(scenario.faults)) return unmet;
  return check_pauses(scenario.pauses);
}

Check check_overlay_cluster(const Problem& cluster) {
  const auto users = std::ssize(cluster.users());
  if (users > kMaxOverlayUsers)
    return wrong("users", fmt::format("must be at most {}, not {}", kMaxOverlayUsers, users));
  if (server_copies(cluster) > kMaxOverlayServers)
    return wrong("servers", fmt::format("must be at most {}, copies counted one by one", kMaxOverlayServers));
  for (std::size_t n = 0; n < cluster.user_count(); ++n)
    if (Check unmet = check_user(cluster, n)) return unmet;
  return {};
}

Check check_overlay(const Problem& cluster, const OverlayScenario& scenario) {
  if (Check unmet = check_overlay_cluster(cluster)) return unmet;
  if (Check unmet = check(scenario)) return unmet;
  if (Check unmet = check_places(scenario.faults, server_copies(cluster))) return unmet;
  if (Check unmet = check_places(scenario.pauses, cluster)) return unmet;
  return check_end(cluster, scenario);
}

}  // namespace mirab::simulation
