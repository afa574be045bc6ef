// The omniscient question of the stop rule, from the pair that answered it last.
#include "lab/simulation/overlay/run.hpp"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <mirab/overlay/scheduler.hpp>

#include "lab/simulation/base/replications.hpp"
#include "lab/simulation/overlay/check.hpp"
#include "lab/simulation/overlay/options.hpp"
#include "lab/simulation/overlay/promises.hpp"
#include "lab/simulation/overlay/record.hpp"

namespace mirab::simulation {

using overlay::NodeId;

bool Room::is_left() {
  const Roster& roster = world_.roster();
  for (NodeId tried = 0; tried < roster.users(); ++tried) {
    if (wants(user_))
      for (NodeId looked = 0; looked < roster.servers(); ++looked) {
        if (fits(user_, server_)) return true;
        server_ = (server_ + 1) % roster.servers();
      }
    user_ = (user_ + 1) % roster.users();
  }
  return false;
}

bool Room::wants(NodeId n) const {
  const overlay::User& user = world_.user(world_.roster().user(n));
  return user.present().has_value() || user.running() != ledger_.running(n);
}

bool Room::fits(NodeId n, NodeId server) const {
  return world_.up(server) &&
         std::ranges::equal(world_.roster().demand[n], ledger_.free(server), std::less_equal{});
}

// What no user gets because none is served while the user with the lowest share has no task (Östman, 3.2: it
// stays the centre of the gradient).

namespace {

using overlay::NodeId;

// How many tasks of the demand fit there; what they take is gone.
std::uint64_t fill(const overlay::Amounts& demand, std::uint64_t most, overlay::Amounts& free) {
  std::uint64_t tasks = most;
  for (std::size_t r = 0; r < demand.size(); ++r)
    if (demand[r] > 0) tasks = std::min(tasks, static_cast<std::uint64_t>(free[r] / demand[r]));
  for (std::size_t r = 0; r < demand.size(); ++r) free[r] -= static_cast<std::int64_t>(tasks) * demand[r];
  return tasks;
}

std::int64_t tasks_that_fit(const World& world, const Ledger& ledger) {
  const Roster& roster = world.roster();
  std::vector<overlay::Amounts> free(roster.servers());
  for (NodeId server = 0; server < roster.servers(); ++server)
    if (world.up(server) && !world.leaving(server))
      free[server].assign(ledger.free(server).begin(), ledger.free(server).end());
  std::uint64_t tasks = 0;
  for (NodeId n = 0; n < roster.users(); ++n) {
    if (!world.user(roster.user(n)).present()) continue;
    std::uint64_t wanted = roster.tasks[n] - std::min(roster.tasks[n], ledger.running(n));
    for (overlay::Amounts& here : free) {
      if (here.empty()) continue;
      const std::uint64_t placed = fill(roster.demand[n], wanted, here);
      tasks += placed;
      wanted -= placed;
    }
  }
  return static_cast<std::int64_t>(tasks);
}

}  // namespace

std::optional<LeftOver> left_over(const World& world, const Ledger& ledger, const OverlayRules& rules,
                                  const OverlayScenario& scenario) {
  const bool waits = rules.options.idle == overlay::Idle::block && !without_effect("idle", rules);
  if (!waits || scenario.runtime || scenario.duration) return {};
  const Roster& roster = world.roster();
  const std::vector<double> shares = ledger.shares();
  const double least = ledger.least_share();
  for (NodeId n = 0; n < roster.users(); ++n) {
    if (shares[n] > least || world.user(roster.user(n)).present()) continue;
    const std::int64_t tasks = tasks_that_fit(world, ledger);
    return tasks > 0 ? std::optional(LeftOver{.user = roster.names[n], .tasks = tasks}) : std::nullopt;
  }
  return {};
}

// Schedulers side by side in worlds of their own, each until nothing more will be placed.

namespace {

/// Ticks between two looks at whether anything still fits. A run without a duration ends that much later at
/// most; a look costs O(servers users).
constexpr std::int64_t kLook = 20;

/// When a run is over. With a duration: then. Without: nothing fits anywhere any more, which is final only
/// when no task ends and all that was planned has happened; or nothing new was placed for `quiet` ticks
/// after that. A task that is lost and placed again is not new: with leases shorter than messages take, that
/// might go on without end.
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
  Promises promises(roster, rules, scenario, world.first_tick(), inspector_of(world));
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
