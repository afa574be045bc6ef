// From what nodes do to what a run tells.
#include "simulation/overlay/record.hpp"

#include <cmath>
#include <numeric>
#include <span>
#include <string>
#include <utility>

#include <mirab/audit/metrics.hpp>
#include <mirab/overlay/scheduler.hpp>

namespace mirab::simulation {
namespace {

using overlay::NodeId;
using overlay::Scheduler;

constexpr std::size_t kMoments = 50;  // of wrong_over_time

// The others' users go to another server for every task, or to the only one.
bool with_homes(Scheduler scheduler) {
  return scheduler != Scheduler::probes && !overlay::row_of(scheduler).is_central;
}

double mean_after_first_tenth(std::span<const double> course) {
  const std::span<const double> rest = course.subspan(course.size() / 10);
  return rest.empty() ? 0 : std::accumulate(rest.begin(), rest.end(), 0.0) / static_cast<double>(rest.size());
}

/// Of estimated totals, which are those of the mean server, a share is as many times too large as there are
/// servers.
double of_all(const Roster& roster, const OverlayRules& rules) {
  return rules.options.total == overlay::Total::push_sum ? 1.0 / roster.servers() : 1;
}

/// Views converge within the first shuffles, so these are pictured one by one, and not the rest of the
/// warm-up.
Time filmed_warm_up(const OverlayScenario& scenario) {
  const double ticks = scenario.frames / 4 / scenario.shuffles_per_tick;
  return Time(static_cast<std::int64_t>(std::ceil(ticks)) * scenario.tick);
}

}  // namespace

Record::Record(World& world, const OverlayRules& rules, const OverlayScenario& scenario)
    : world_(world),
      scenario_(scenario),
      users_have_homes_(with_homes(rules.scheduler)),
      ledger_(world.roster()),
      turns_(world.roster(), ledger_, rules.options, scenario.tick, scenario.tolerances),
      warm_up_(scenario.frames / 4, of_all(world.roster(), rules)),
      film_(scenario.frames - scenario.frames / 4, of_all(world.roster(), rules)),
      last_placement_(world.first_tick()),
      last_new_(world.first_tick()),
      started_(world.roster().users(), 0),
      home_(world.roster().users()) {
  world.watch({.fact = [this](Time now, NodeId node, const overlay::Fact& fact) { on_fact(now, node, fact); },
               .fate = [this](Time, NodeId server, Fate fate) { on_fate(server, fate); },
               .after_event = [this](Time, NodeId node) { after_event(node); }});
}

void Record::on_fact(Time now, NodeId node, const overlay::Fact& fact) {
  ledger_.on_fact(node, fact);
  turns_.on_fact(now, fact);
  if (const auto* started = std::get_if<overlay::Started>(&fact)) on_started(now, started->task);
  if (std::holds_alternative<overlay::Lost>(fact)) ++restarted_;
}

// Tasks start first in the order of their numbers: those that were submitted before go before new ones.
void Record::on_started(Time now, const overlay::TaskId& task) {
  last_placement_ = now;
  std::uint64_t& highest = started_[task.user - world_.roster().servers()];
  if (task.number <= highest) return;
  highest = task.number;
  last_new_ = now;
}

void Record::on_fate(NodeId server, Fate fate) {
  if (fate != Fate::died) return;
  for (const overlay::TaskId& task : ledger_.on_death(server))
    turns_.refresh(task.user - world_.roster().servers());
}

void Record::after_event(NodeId node) {
  if (!world_.roster().is_user(node)) return;
  const overlay::User& user = world_.user(node);
  const NodeId n = node - world_.roster().servers();
  turns_.set_present(n, user.present().has_value());
  const std::optional<NodeId> home = user.home();
  if (!home || home == home_[n]) return;
  if (home_[n] && users_have_homes_) ++moved_;
  home_[n] = home;
}

void Record::begin() {
  sent_before_ = world_.network().sent();
  losses_before_ = world_.network().losses();
}

void Record::sample() {
  const Time now = world_.now();
  if (now < world_.first_tick()) {
    if (now < filmed_warm_up(scenario_)) warm_up_.offer(world_, ledger_, ticks(now), 0);
    return;
  }
  least_share_.push_back(ledger_.least_share());
  film_.offer(world_, ledger_, ticks(now), turns_.placements());
}

double Record::ticks(Time at) const {
  return static_cast<double>((at - world_.first_tick()).count()) /
         static_cast<double>(scenario_.tick.count());
}

void Record::tell_traffic(OverlayRun& run) const {
  const Network& network = world_.network();
  for (std::size_t kind = 0; kind < Traffic::kKinds; ++kind) {
    const MessageCount count{.kind = std::string(overlay::name_of_kind(kind)),
                             .messages = network.sent().messages[kind] - sent_before_.messages[kind],
                             .bytes = network.sent().bytes[kind] - sent_before_.bytes[kind]};
    run.messages += count.messages;
    run.bytes += count.bytes;
    if (count.messages > 0) run.kinds.push_back(count);
  }
  const double node_ticks = ticks(world_.now()) * world_.roster().servers();
  if (node_ticks > 0) {
    run.messages_per_tick_and_node = static_cast<double>(run.messages) / node_ticks;
    run.bytes_per_tick_and_node = static_cast<double>(run.bytes) / node_ticks;
  }
  const Losses& losses = network.losses();
  for (std::size_t reason = 0; reason < losses.dropped.size(); ++reason)
    run.dropped.push_back(losses.dropped[reason] - losses_before_.dropped[reason]);
  run.lost = losses.lost - losses_before_.lost;
}

OverlayRun Record::tell() && {
  OverlayRun run;
  run.shares = ledger_.shares();
  run.min_share = ledger_.least_share();
  run.gini = gini(run.shares);
  run.deviation = sample_standard_deviation(run.shares);
  run.placements = turns_.placements();
  run.wrong = turns_.wrong();
  run.wrong_over_time = turns_.wrong_over_time(kMoments);
  run.ticks = ticks(last_placement_);
  run.mean_min_share = mean_after_first_tenth(least_share_);
  tell_traffic(run);
  run.moved = moved_;
  run.restarted = restarted_;
  run.used = ledger_.used();
  run.frames = std::move(warm_up_).develop();
  for (OverlayFrame& frame : std::move(film_).develop()) run.frames.push_back(std::move(frame));
  return run;
}

}  // namespace mirab::simulation
