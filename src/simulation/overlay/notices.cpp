// What a scenario says in vain. Who says nothing is not told: only what is not as it would be without being
// said counts.
#include "simulation/overlay/notices.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "model/seconds.hpp"
#include "simulation/overlay/check.hpp"
#include "simulation/overlay/network.hpp"
#include "simulation/overlay/option_table.hpp"
#include "simulation/overlay/option_use.hpp"

namespace mirab::simulation {
namespace {

class Notices {
 public:
  Notices(const Problem& cluster, const OverlayScenario& scenario)
      : cluster_(cluster), scenario_(scenario), servers_(server_copies(cluster)) {}

  std::vector<Error> all() {
    for (const std::string_view key : overlay_option_keys()) look_at_option(key);
    for (std::size_t i = 0; i < scenario_.rules.size(); ++i) look_at_views(i);
    look_at_network();
    look_at_faults();
    look_at_demands();
    return std::move(notices_);
  }

 private:
  void add(std::string key, std::string message) {
    for (const Error& other : notices_)
      if (other.key == key && other.message == message) return;
    notices_.push_back({.message = std::move(message), .key = std::move(key)});
  }

  // An option that no scheduler has a use for. A scheduler's own was refused, so it stands for all.
  void look_at_option(std::string_view key) {
    std::set<std::string> reasons;
    bool is_said = false;
    for (const OverlayRules& rules : scenario_.rules) {
      std::optional<std::string> reason = without_effect(key, rules);
      if (!reason) return;
      reasons.insert(*std::move(reason));
      is_said = is_said || !is_default(key, rules.options);
    }
    if (!is_said) return;
    add(std::string(key),
        reasons.size() == 1 ? *reasons.begin() : "makes no difference to any of the schedulers");
  }

  // For all schedulers where they agree, else of this one alone.
  template <class Value>
  std::string key_of(std::string_view key, std::size_t index, const Value& value) const {
    const auto& rules = scenario_.rules;
    const bool shared = std::ranges::all_of(rules, [&](const OverlayRules& other) {
      return value(other.options.gossip) == value(rules[index].options.gossip);
    });
    return shared ? std::string(key) : fmt::format("schedulers[{}].{}", index, key);
  }

  void look_at_views(std::size_t index) {
    const OverlayRules& rules = scenario_.rules[index];
    const overlay::GossipOptions& gossip = rules.options.gossip;
    const auto is_used = [&](std::string_view key) { return !without_effect(key, rules); };
    if (is_used("neighbours") && !is_default("neighbours", rules.options) &&
        std::cmp_greater_equal(gossip.view, servers_))
      add(key_of("neighbours", index, [](const auto& each) { return each.view; }),
          fmt::format("{} are more than the {} others that a server has", gossip.view, servers_ - 1));
    if (is_used("peer_shuffle") && gossip.peer_shuffle > gossip.peers)
      add(key_of("peer_shuffle", index, [](const auto& each) { return each.peer_shuffle; }),
          fmt::format("an exchange sends {} entries at most, all of the view (peers)", gossip.peers));
  }

  void look_at_network() {
    const Duration lifetime = scenario_.wire.lifetime;
    const bool held_back = scenario_.faults.reorder > 0;
    const Duration slowest = (held_back ? kHeldBack + 1 : 1) * scenario_.latency.max;
    if (slowest + scenario_.wire.skew > lifetime)
      add("latency_ms",
          fmt::format("messages that take longer than lifetime_ms, {}, by any clock, are dropped{}",
                      1000 * in_seconds(lifetime), held_back ? ", as some are that come late" : ""));
    if (scenario_.duration && scenario_.quiet != OverlayScenario{}.quiet)
      add("quiet", "makes no difference: duration_s says when the run is over");
  }

  void look_at_faults() {
    const Faults& faults = scenario_.faults;
    const bool noisy = faults.loss > 0 || faults.duplicate > 0 || faults.reorder > 0 || faults.corrupt > 0;
    if (faults.until > Duration::zero() && !noisy)
      add("faults.until_s", "nothing ends then: there is no loss, duplicate, reorder or corrupt");
    std::set<std::uint32_t> gone;
    for (const Leave& leave : faults.leaves) gone.insert(leave.node);
    for (const Crash& crash : faults.crashes)
      if (!crash.back) gone.insert(crash.node);
    if (std::cmp_equal(gone.size(), servers_))
      add("faults", "all servers leave, or crash for ever: in the end nobody is there");
  }

  bool fits_somewhere(const User& user) const {
    return std::ranges::any_of(cluster_.servers(), [&](const Server& server) {
      return std::ranges::equal(user.demand, server.capacity, std::less_equal{});
    });
  }

  void look_at_demands() {
    const bool blocks = std::ranges::any_of(scenario_.rules, [](const OverlayRules& rules) {
      return rules.options.stuck == overlay::Stuck::block && !without_effect("stuck", rules);
    });
    for (std::size_t n = 0; n < cluster_.user_count(); ++n) {
      const User& user = cluster_.users()[n];
      if (fits_somewhere(user)) continue;
      return add(
          fmt::format("users[{}].demand", n),
          fmt::format(
              "a task of user '{}' fits on no server, even an empty one{}", user.name,
              blocks ? ": it is the poorest for ever, and nobody else is served, unless by `stuck: leave`"
                     : ""));
    }
  }

  const Problem& cluster_;
  const OverlayScenario& scenario_;
  std::int64_t servers_;
  std::vector<Error> notices_;
};

}  // namespace

std::vector<Error> notices(const Problem& cluster, const OverlayScenario& scenario) {
  return Notices(cluster, scenario).all();
}

}  // namespace mirab::simulation
