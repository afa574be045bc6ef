// Schedulers side by side in worlds of their own, each until nothing more will be placed.
#include <algorithm>
#include <string>
#include <utility>

#include <mirab/overlay/scheduler.hpp>

#include "simulation/overlay/check.hpp"
#include "simulation/overlay/left_over.hpp"
#include "simulation/overlay/promise_watch.hpp"
#include "simulation/overlay/record.hpp"
#include "simulation/overlay/room.hpp"
#include "simulation/sweep.hpp"

namespace mirab::simulation {
namespace {

/// Ticks between two looks at whether anything still fits.
constexpr std::int64_t kLook = 20;

/// When a run is over. With a duration: then. Without: nothing fits anywhere any more, which is final only
/// when no task ends and all that was planned has happened; or nothing new was placed for `quiet` ticks
/// after that. A task that is lost and placed again is not new: with leases shorter than messages take, that
/// might go on for ever.
class End {
 public:
  End(const World& world, const Record& record, const OverlayScenario& scenario)
      : world_(world), record_(record), scenario_(scenario), room_(world, record.ledger()) {}

  bool is_here(std::int64_t ticks) {
    const Time now = world_.first_tick() + ticks * scenario_.tick;
    if (scenario_.duration) return now >= world_.first_tick() + *scenario_.duration;
    if (now <= world_.last_change()) return false;
    const Time last = std::max(record_.last_new_placement(), world_.last_change());
    if (now - last >= scenario_.quiet * scenario_.tick) return true;
    return !scenario_.runtime && ticks % kLook == 0 && !room_.is_left();
  }

 private:
  const World& world_;
  const Record& record_;
  const OverlayScenario& scenario_;
  Room room_;
};

OverlayRun run_one(const Roster& roster, const OverlayRules& rules, const OverlayScenario& scenario,
                   std::uint64_t seed) {
  World world(roster, rules, scenario, seed);
  Record record(world, rules, scenario);
  Promises promises(roster, rules, scenario, world.first_tick(), insight_into(world));
  world.watch(observer_of(promises));
  for (Time at{}; at < world.first_tick(); at += scenario.tick) {
    world.run_until(at);
    record.sample();
  }
  world.run_until(world.first_tick());
  record.begin();
  End end(world, record, scenario);
  for (std::int64_t ticks = 1;; ++ticks) {
    world.run_until(world.first_tick() + ticks * scenario.tick);
    record.sample();
    if (end.is_here(ticks)) break;
  }
  const std::optional<LeftOver> left = left_over(world, record.ledger(), rules, scenario);
  OverlayRun run = std::move(record).tell();
  run.left_over = left;
  run.violations = promises.findings().first;
  run.violation_count = promises.findings().count;
  return run;
}

}  // namespace

Result<std::vector<OverlayRun>> run_overlay(const Problem& cluster, const OverlayScenario& scenario,
                                            std::uint64_t seed, int threads, const Progress& progress) {
  if (Check wrong = check_overlay(cluster, scenario)) return *std::move(wrong);
  const Roster roster = roster_of(cluster);
  std::vector<OverlayRun> runs(scenario.rules.size());
  sweep(
      runs.size(), threads,
      [&](std::size_t i) {
        runs[i] = run_one(roster, scenario.rules[i], scenario, seed);
        runs[i].scheduler = i < scenario.names.size()
                                ? scenario.names[i]
                                : std::string(overlay::row_of(scenario.rules[i].scheduler).name);
        runs[i].seed = seed;
      },
      progress);
  return runs;
}

}  // namespace mirab::simulation
