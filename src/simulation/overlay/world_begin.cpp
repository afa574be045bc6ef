// A world before its first event: who is there, who knows whom, when they tick.
#include <algorithm>
#include <utility>

#include <mirab/overlay/scheduler.hpp>

#include "simulation/overlay/world_state.hpp"
#include "simulation/streams.hpp"

namespace mirab::simulation {
namespace {

using overlay::NodeId;
using overlay::Scheduler;

overlay::Direction direction_of(Scheduler scheduler) {
  if (overlay::row_of(scheduler).is_central) return overlay::Direction::central;
  return scheduler == Scheduler::probes ? overlay::Direction::any : overlay::Direction::home;
}

// Long enough for everyone to register before the first shuffle, and before users ask who is there.
Time opening_of(const OverlayScenario& scenario, Duration shuffle_period) {
  return Time{} + std::max(shuffle_period, 4 * scenario.latency.max);
}

bool is_noisy(const Faults& faults) {
  return faults.loss > 0 || faults.duplicate > 0 || faults.reorder > 0 || faults.corrupt > 0;
}

Network::Setting network_setting(const OverlayScenario& scenario, Time first_tick) {
  const Faults& faults = scenario.faults;
  return {.latency = scenario.latency,
          .wire = scenario.wire,
          .loss = faults.loss,
          .duplicate = faults.duplicate,
          .reorder = faults.reorder,
          .corrupt = faults.corrupt,
          .calm = faults.until == Duration::zero() ? Time::max() : first_tick + faults.until};
}

Time last_of(const FaultPlan& plan, const Faults& faults, Time first_tick) {
  const Time planned = plan.changes.empty() ? first_tick : plan.changes.back().at;
  return is_noisy(faults) ? std::max(planned, first_tick + faults.until) : planned;
}

// P others for every server, drawn uniformly, for schedulers whose neighbours are fixed from the start.
std::vector<std::vector<NodeId>> drawn_neighbours(const OverlayRules& rules, NodeId servers, Random random) {
  if (rules.scheduler != Scheduler::probes && rules.scheduler != Scheduler::ddrf_random) return {};
  const std::size_t count = std::min<std::size_t>(rules.options.gossip.view, servers - 1);
  std::vector<std::vector<NodeId>> neighbours(servers);
  for (NodeId self = 0; self < servers; ++self)
    while (neighbours[self].size() < count) {
      const auto other = static_cast<NodeId>(random.below(servers));
      if (other != self && std::ranges::find(neighbours[self], other) == neighbours[self].end())
        neighbours[self].push_back(other);
    }
  return neighbours;
}

// Each is ahead of the true time: what counts is by how much any two differ, and no clock shows less than 0.
std::vector<Duration> drawn_clocks(Duration skew, NodeId nodes, Random random) {
  std::vector<Duration> ahead(nodes);
  for (Duration& clock : ahead)
    clock = Duration(static_cast<Duration::rep>(random.unit() * static_cast<double>(skew.count())));
  return ahead;
}

}  // namespace

World::State::State(const Roster& roster_, const OverlayRules& rules_, const OverlayScenario& scenario_,
                    std::uint64_t seed)
    : roster(roster_),
      rules(rules_),
      scenario(scenario_),
      shuffle_period(stretched(scenario.tick, 1 / scenario.shuffles_per_tick)),
      opening(opening_of(scenario, shuffle_period)),
      first_tick(opening + scenario.warm_up * shuffle_period),
      plan(plan_of(scenario, roster, seed, first_tick)),
      last_change(last_of(plan, scenario.faults, first_tick)),
      neighbours(drawn_neighbours(rules, roster.servers(), stream(seed, "neighbours"))),
      network(network_setting(scenario, first_tick), stream(seed, "network")),
      random(stream(seed, "nodes")),
      homes(stream(seed, "homes")),
      runtimes(stream_seed(seed, "runtimes")),
      ahead(drawn_clocks(scenario.wire.skew, roster.nodes(), stream(seed, "clocks"))),
      places(roster.servers()),
      gateway(new_gateway()),
      bootstrap(new_bootstrap()) {
  settle_in();
  schedule_rounds(seed);
}

overlay::Gateway World::State::new_gateway() const {
  return {direction_of(rules.scheduler),
          overlay::row_of(rules.scheduler).is_central ? std::optional(roster.central()) : std::nullopt,
          rules.options.patience, scenario.tick};
}

overlay::Bootstrap World::State::new_bootstrap() const {
  return {rules.options.gossip.peers, rules.options.patience, scenario.tick};
}

void World::State::settle_in() {
  const overlay::OverlayOptions& options = rules.options;
  users.reserve(roster.users());
  for (NodeId n = 0; n < roster.users(); ++n) {
    const auto runtime = [this, user = roster.user(n)](std::uint64_t number) {
      return runtime_of(user, number);
    };
    users.emplace_back(overlay::UserSetting{.self = roster.user(n),
                                            .gateway = roster.gateway(),
                                            .demand = roster.demand[n],
                                            .tasks = roster.tasks[n],
                                            .tick = scenario.tick,
                                            .runtime = runtime},
                       options.patience, scenario.wire.lifetime + scenario.wire.skew);
  }
  if (overlay::row_of(rules.scheduler).is_central)
    central.emplace(overlay::Central::Setting{.self = roster.central(),
                                              .capacity = roster.capacity,
                                              .total = roster.total,
                                              .tick = scenario.tick},
                    rules.scheduler, options);
}

// Offsets are drawn in the order of addresses, tick before shuffle, whatever the scheduler.
void World::State::schedule_rounds(std::uint64_t seed) {
  using What = Event::What;
  Random offsets = stream(seed, "offsets");
  const auto offset = [&](Duration period) {
    const double part = offsets.unit();
    return scenario.ticks == Ticks::in_step
               ? Duration{}
               : Duration(static_cast<Duration::rep>(part * static_cast<double>(period.count())));
  };
  std::vector<bool> comes_later(roster.servers(), false);
  for (const Join& join : scenario.faults.joins) comes_later[join.node] = true;
  for (NodeId node = 0; node < roster.servers(); ++node) {
    if (!comes_later[node]) agenda.schedule(Time{}, {.node = node, .what = What::begin});
    agenda.schedule(first_tick + offset(scenario.tick), {.node = node, .what = What::tick});
    agenda.schedule(opening + offset(shuffle_period), {.node = node, .what = What::shuffle});
  }
  for (NodeId n = 0; n < roster.users(); ++n)
    agenda.schedule(opening + offset(scenario.tick), {.node = roster.user(n), .what = What::begin});
  if (central)
    agenda.schedule(first_tick + offset(scenario.tick), {.node = roster.central(), .what = What::tick});
  for (std::uint32_t i = 0; i < plan.changes.size(); ++i)
    agenda.schedule(plan.changes[i].at, {.index = i, .what = What::change});
}

}  // namespace mirab::simulation
