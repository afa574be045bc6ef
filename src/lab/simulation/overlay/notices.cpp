// What a plan of faults and pauses says in vain, or to an effect that is hardly ever wanted.

#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "lab/simulation/overlay/check.hpp"
#include "lab/simulation/overlay/network.hpp"
#include "lab/simulation/overlay/options.hpp"
#include "model/seconds.hpp"

namespace mirab::simulation {
namespace {

/// A run with a duration stops at the first tick of the scenario at which that is over, before whatever
/// happens then. One without goes on until all that is planned has happened.
Duration end_of(const OverlayScenario& scenario) {
  if (!scenario.duration) return Duration::max();
  const Duration tick = scenario.tick;
  return (*scenario.duration + tick - Duration(1)) / tick * tick;
}

bool stays_down(const Crash& crash, Duration end) { return !crash.back || *crash.back >= end; }

void note_noise(const Faults& faults, std::vector<Error>& notices) {
  const bool noisy = faults.loss > 0 || faults.duplicate > 0 || faults.reorder > 0 || faults.corrupt > 0;
  if (faults.until > Duration::zero() && !noisy)
    notices.push_back({.message = "nothing ends then: there is no loss, duplicate, reorder or corrupt",
                       .key = "faults.until_s"});
}

// The first of the list that begins too late stands for all.
template <class Item>
void note_late(const std::vector<Item>& items, std::string_view list, std::string_view field,
               Duration Item::*begins, Duration end, std::vector<Error>& notices) {
  const auto is_late = [&](const Item& item) { return item.*begins >= end; };
  const auto late = std::ranges::count_if(items, is_late);
  if (late == 0) return;
  const auto first = std::ranges::find_if(items, is_late) - items.begin();
  const std::string others = late == 1 ? "" : fmt::format(", before {} more of {} too", late - 1, list);
  notices.push_back(
      {.message = fmt::format("never happens: the run is over at {} s{}", seconds_text(end), others),
       .key = fmt::format("{}[{}].{}", list, first, field)});
}

void note_all_late(const OverlayScenario& scenario, Duration end, std::vector<Error>& notices) {
  const Faults& faults = scenario.faults;
  note_late(faults.partitions, "faults.partitions", "from_s", &Partition::from, end, notices);
  note_late(faults.crashes, "faults.crashes", "at_s", &Crash::at, end, notices);
  note_late(faults.slow, "faults.slow", "from_s", &Slow::from, end, notices);
  note_late(faults.joins, "faults.joins", "at_s", &Join::at, end, notices);
  note_late(faults.leaves, "faults.leaves", "at_s", &Leave::at, end, notices);
  note_late(faults.restarts, "faults.restarts", "at_s", &Restart::at, end, notices);
  note_late(scenario.pauses, "pauses", "from_s", &UserPause::from, end, notices);
}

std::string fate_of(const Crash& crash) {
  if (crash.memory == Memory::lost) return "loses its memory";
  return crash.back ? "comes back only when the run is over" : "never comes back";
}

void note_lost_tasks(const OverlayScenario& scenario, Duration end, std::vector<Error>& notices) {
  const auto& crashes = scenario.faults.crashes;
  const bool leased = std::ranges::all_of(
      scenario.rules, [](const OverlayRules& rules) { return rules.options.patience.lease > 0; });
  const auto worst = std::ranges::find_if(crashes, [&](const Crash& crash) {
    return crash.at < end && (crash.memory == Memory::lost || stays_down(crash, end));
  });
  if (leased || worst == crashes.end()) return;
  notices.push_back({.message = fmt::format(
                         "without a lease (patience.lease) users may wait without end for a server that {}",
                         fate_of(*worst)),
                     .key = fmt::format("faults.crashes[{}]", worst - crashes.begin())});
}

void note_none_left(const Faults& faults, std::int64_t servers, Duration end, std::vector<Error>& notices) {
  std::set<std::uint32_t> gone;
  for (const Join& join : faults.joins)
    if (join.at >= end) gone.insert(join.node);
  for (const Leave& leave : faults.leaves)
    if (leave.at < end) gone.insert(leave.node);
  for (const Crash& crash : faults.crashes)
    if (crash.at < end && stays_down(crash, end)) gone.insert(crash.node);
  if (std::cmp_equal(gone.size(), servers))
    notices.push_back({.message = "all servers leave, or crash and never come back: in the end none is left",
                       .key = "faults"});
}

}  // namespace

std::vector<Error> fault_notices(const OverlayScenario& scenario, std::int64_t servers) {
  const Duration end = end_of(scenario);
  std::vector<Error> notices;
  note_noise(scenario.faults, notices);
  note_all_late(scenario, end, notices);
  note_lost_tasks(scenario, end, notices);
  note_none_left(scenario.faults, servers, end, notices);
  return notices;
}

// What a scenario says in vain. Who says nothing is not told: only what is not as it would be without being
// said counts.

namespace {

bool loses_messages(const OverlayScenario& scenario) {
  return scenario.faults.loss > 0 || scenario.faults.corrupt > 0;
}

/// One that is held back is so on top of what the others take.
Duration slowest_message(const OverlayScenario& scenario) {
  return (scenario.faults.reorder > 0 ? kHeldBack + 1 : 1) * scenario.latency.max;
}

/// From one thing that prolongs a lease to the next, at a host whose user is well (overlay/user_state.hpp).
/// The user waits for the answer to the last, but not for longer than `again`, and for a quarter of the
/// lease; it speaks at its next tick, and a slow message may follow a quick one. If one is lost, it speaks
/// again. Two that are lost in a row, partitions, and slow servers or clocks are left out.
Duration longest_silence(const overlay::Patience& patience, const OverlayScenario& scenario) {
  const Duration again = patience.again * scenario.tick;
  const Duration slowest = slowest_message(scenario);
  const Duration answered = std::min(2 * slowest, again);
  return std::max(patience.lease * scenario.tick / 4, answered) + scenario.tick + slowest -
         scenario.latency.min + (loses_messages(scenario) ? again : Duration::zero());
}

class Notices {
 public:
  Notices(const Problem& cluster, const OverlayScenario& scenario)
      : cluster_(cluster), scenario_(scenario), servers_(server_copies(cluster)) {}

  std::vector<Error> all() {
    for (const std::string_view key : overlay_option_keys()) look_at_option(key);
    for (std::size_t i = 0; i < scenario_.rules.size(); ++i) {
      look_at_views(i);
      look_at_walks(i);
      look_at_lease(i);
    }
    look_at_network();
    for (Error& notice : fault_notices(scenario_, servers_)) notices_.push_back(std::move(notice));
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
    add(std::string(key), reasons.size() == 1 ? *reasons.begin() : "has no effect on any of the schedulers");
  }

  // For all schedulers where they agree, else of this one alone.
  template <class Value>
  std::string key_of(std::string_view key, std::size_t index, const Value& value) const {
    const auto& rules = scenario_.rules;
    const bool shared = std::ranges::all_of(rules, [&](const OverlayRules& other) {
      return value(other.options) == value(rules[index].options);
    });
    return shared ? std::string(key) : fmt::format("schedulers[{}].{}", index, key);
  }

  void look_at_views(std::size_t index) {
    const OverlayRules& rules = scenario_.rules[index];
    const overlay::GossipOptions& gossip = rules.options.gossip;
    const auto is_used = [&](std::string_view key) { return !without_effect(key, rules); };
    if (is_used("neighbours") && !is_default("neighbours", rules.options) &&
        std::cmp_greater_equal(gossip.view, servers_))
      add(key_of("neighbours", index, [](const auto& each) { return each.gossip.view; }),
          fmt::format("{} are more than the {} others that a server has", gossip.view, servers_ - 1));
    if (is_used("peer_shuffle") && gossip.peer_shuffle > gossip.peers)
      add(key_of("peer_shuffle", index, [](const auto& each) { return each.gossip.peer_shuffle; }),
          fmt::format("an exchange sends {} entries at most, all of the view (peers)", gossip.peers));
  }

  void look_at_walks(std::size_t index) {
    const OverlayRules& rules = scenario_.rules[index];
    if (rules.options.hops == 0 && !without_effect("hops", rules))
      add(key_of("hops", index, [](const auto& each) { return each.hops; }),
          "no task walks: it runs on the home of its user, or nowhere");
  }

  void look_at_lease(std::size_t index) {
    const overlay::Patience& patience = scenario_.rules[index].options.patience;
    const Duration longest = longest_silence(patience, scenario_);
    if (patience.lease == 0 || patience.lease * scenario_.tick >= longest) return;
    const auto ticks = static_cast<double>(longest.count()) / static_cast<double>(scenario_.tick.count());
    add(key_of("patience.lease", index, [](const auto& each) { return each.patience.lease; }),
        fmt::format("hosts may hear nothing for {:.1f} ticks from a user that is well{}, and stop its tasks",
                    ticks, loses_messages(scenario_) ? ", when one of its messages is lost" : ""));
  }

  void look_at_network() {
    const Duration lifetime = scenario_.wire.lifetime;
    if (slowest_message(scenario_) + scenario_.wire.skew > lifetime)
      add("latency_ms",
          fmt::format("messages that take longer than lifetime_ms, {}, by any clock, are dropped{}",
                      1000 * in_seconds(lifetime),
                      scenario_.faults.reorder > 0 ? ", as some are that come late" : ""));
    if (scenario_.duration && scenario_.quiet != OverlayScenario{}.quiet)
      add("quiet", "has no effect: duration_s says when the run is over");
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
              blocks ? ": its user keeps the lowest share, and no other is served, unless by `stuck: leave`"
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
