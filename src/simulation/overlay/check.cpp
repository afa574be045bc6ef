// What an overlay needs of its cluster and its scenario; what goes wrong has rules of its own
// (check_faults.hpp).
#include "simulation/overlay/check.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <string>
#include <string_view>
#include <utility>

#include "model/seconds.hpp"
#include "simulation/overlay/check_faults.hpp"
#include "simulation/overlay/option_table.hpp"

namespace mirab::simulation {
namespace {

constexpr double kFewestShuffles = 1e-3, kMostShuffles = 1e3;
constexpr Duration kShortestTick = std::chrono::microseconds(1);
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
    return wrong("skew_ms",
                 fmt::format("must be below lifetime_ms, {}, not {}: whose clock is ahead would take "
                             "nothing from whose is not",
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

// Bounds are sums of patiences (bounds.hpp), and time is counted in 64 bits.
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
                             wait.least, kMostPatience))
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
                 fmt::format("user '{}' has {}, and an overlay knows none", user.name, what));
  };
  if (user.weight != Quantity(1))
    return wrong(fmt::format("users[{}].weight", n),
                 fmt::format("user '{}' has the weight {}, and an overlay knows no weights: must be 1",
                             user.name, user.weight.value()));
  if (!user.demand_on.empty()) return refused("demand_on", "demands of its own on some servers");
  if (cluster.is_constrained(n)) return refused(user.servers ? "servers" : "select", "placement constraints");
  return {};
}

}  // namespace

std::int64_t server_copies(const Problem& cluster) {
  std::int64_t copies = 0;
  for (const Server& server : cluster.servers()) copies += std::min(server.count, kMostOverlayServers + 1);
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
  if (users > kMostOverlayUsers)
    return wrong("users", fmt::format("must be at most {}, not {}", kMostOverlayUsers, users));
  if (server_copies(cluster) > kMostOverlayServers)
    return wrong("servers",
                 fmt::format("must be at most {}, copies counted one by one", kMostOverlayServers));
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
