// What a plan of faults and pauses says in vain, or to an effect that hardly anybody wants.
#include "simulation/overlay/fault_notices.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "model/seconds.hpp"

namespace mirab::simulation {
namespace {

/// A run with a duration stops at the first tick of the scenario at which that is over, before whatever
/// happens then. One without goes on until all that is planned has happened.
std::optional<Duration> end_of(const OverlayScenario& scenario) {
  if (!scenario.duration) return {};
  const Duration tick = scenario.tick;
  return (*scenario.duration + tick - Duration(1)) / tick * tick;
}

class FaultNotices {
 public:
  FaultNotices(const OverlayScenario& scenario, std::int64_t servers)
      : scenario_(scenario), servers_(servers) {}

  std::vector<Error> all() {
    look_at_noise();
    look_at_the_end();
    look_at_what_is_lost();
    look_at_who_is_left();
    return std::move(notices_);
  }

 private:
  void add(std::string key, std::string message) {
    notices_.push_back({.message = std::move(message), .key = std::move(key)});
  }

  void look_at_noise() {
    const Faults& faults = scenario_.faults;
    const bool noisy = faults.loss > 0 || faults.duplicate > 0 || faults.reorder > 0 || faults.corrupt > 0;
    if (faults.until > Duration::zero() && !noisy)
      add("faults.until_s", "nothing ends then: there is no loss, duplicate, reorder or corrupt");
  }

  void look_at_the_end() {
    const std::optional<Duration> end = end_of(scenario_);
    if (!end) return;
    const Faults& faults = scenario_.faults;
    look_at_late(faults.partitions, "faults.partitions", "from_s", &Partition::from, *end);
    look_at_late(faults.crashes, "faults.crashes", "at_s", &Crash::at, *end);
    look_at_late(faults.slow, "faults.slow", "from_s", &Slow::from, *end);
    look_at_late(faults.joins, "faults.joins", "at_s", &Join::at, *end);
    look_at_late(faults.leaves, "faults.leaves", "at_s", &Leave::at, *end);
    look_at_late(faults.restarts, "faults.restarts", "at_s", &Restart::at, *end);
    look_at_late(scenario_.pauses, "pauses", "from_s", &UserPause::from, *end);
  }

  // The first of the list that begins too late stands for all.
  template <class Item>
  void look_at_late(const std::vector<Item>& items, std::string_view list, std::string_view field,
                    Duration Item::*begins, Duration end) {
    const auto is_late = [&](const Item& item) { return item.*begins >= end; };
    const auto late = std::ranges::count_if(items, is_late);
    if (late == 0) return;
    const auto first = std::ranges::find_if(items, is_late) - items.begin();
    const std::string others = late == 1 ? "" : fmt::format(", before {} more of {} too", late - 1, list);
    add(fmt::format("{}[{}].{}", list, first, field),
        fmt::format("never happens: the run is over at {} s{}", seconds_text(end), others));
  }

  void look_at_what_is_lost() {
    const auto& crashes = scenario_.faults.crashes;
    const bool leased = std::ranges::all_of(
        scenario_.rules, [](const OverlayRules& rules) { return rules.options.patience.lease > 0; });
    const auto worst = std::ranges::find_if(
        crashes, [](const Crash& crash) { return crash.memory == Memory::lost || !crash.back; });
    if (leased || worst == crashes.end()) return;
    add(fmt::format("faults.crashes[{}]", worst - crashes.begin()),
        fmt::format("without a lease (patience.lease) users may wait for ever for a server that {}",
                    worst->memory == Memory::lost ? "loses its memory" : "never comes back"));
  }

  void look_at_who_is_left() {
    std::set<std::uint32_t> gone;
    for (const Leave& leave : scenario_.faults.leaves) gone.insert(leave.node);
    for (const Crash& crash : scenario_.faults.crashes)
      if (!crash.back) gone.insert(crash.node);
    if (std::cmp_equal(gone.size(), servers_))
      add("faults", "all servers leave, or crash for ever: in the end nobody is there");
  }

  const OverlayScenario& scenario_;
  std::int64_t servers_;
  std::vector<Error> notices_;
};

}  // namespace

std::vector<Error> fault_notices(const OverlayScenario& scenario, std::int64_t servers) {
  return FaultNotices(scenario, servers).all();
}

}  // namespace mirab::simulation
