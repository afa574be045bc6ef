// What a plan of faults and pauses says in vain, or to an effect that hardly anybody wants.
#include "simulation/overlay/fault_notices.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <set>
#include <string>
#include <string_view>
#include <utility>

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
  notices.push_back(
      {.message = fmt::format("without a lease (patience.lease) users may wait for ever for a server that {}",
                              fate_of(*worst)),
       .key = fmt::format("faults.crashes[{}]", worst - crashes.begin())});
}

void note_nobody_left(const Faults& faults, std::int64_t servers, Duration end, std::vector<Error>& notices) {
  std::set<std::uint32_t> gone;
  for (const Join& join : faults.joins)
    if (join.at >= end) gone.insert(join.node);
  for (const Leave& leave : faults.leaves)
    if (leave.at < end) gone.insert(leave.node);
  for (const Crash& crash : faults.crashes)
    if (crash.at < end && stays_down(crash, end)) gone.insert(crash.node);
  if (std::cmp_equal(gone.size(), servers))
    notices.push_back(
        {.message = "all servers leave, or crash for ever: in the end nobody is there", .key = "faults"});
}

}  // namespace

std::vector<Error> fault_notices(const OverlayScenario& scenario, std::int64_t servers) {
  const Duration end = end_of(scenario);
  std::vector<Error> notices;
  note_noise(scenario.faults, notices);
  note_all_late(scenario, end, notices);
  note_lost_tasks(scenario, end, notices);
  note_nobody_left(scenario.faults, servers, end, notices);
  return notices;
}

}  // namespace mirab::simulation
