// The overlay at size: servers as Google's, users with tasks drawn about those of the trace, PDGDRF with
// views of ten, a shuffle a tick, 100 of them before the first tick. Beside it a bare exchange of gossip on
// Mirab's virtual network and on SimGrid. Times are those of one message.
#include <benchmark/benchmark.h>
#include <ctime>
#include <fmt/format.h>
#include <malloc.h>
#include <utility>

#include "engine/churn.hpp"
#include "lab/simulation/overlay.hpp"
#include "lab/simulation/overlay/world.hpp"
#include "overlay/virtual_gossip.hpp"
#include "simgrid_gossip.hpp"

namespace mirab::bench {
namespace {

using simulation::OverlayRun;
using simulation::OverlayScenario;

constexpr std::uint64_t kSeed = 1;
constexpr std::int64_t kTicks = 1000;

ResourceVector quantities(const Units& units) {
  ResourceVector vector;
  for (const std::int64_t each : units) vector.emplace_back(each);
  return vector;
}

// A tenth as many users as servers.
Problem cluster_of(std::size_t servers) {
  const Churn churn = google_churn(servers, servers / 10, kSeed);
  Cluster cluster{.resources = {"cpu", "memory"}, .servers = {}, .users = {}};
  for (const Units& machine : churn.machines)
    cluster.servers.push_back(
        {.name = fmt::format("s{}", cluster.servers.size()), .capacity = quantities(machine)});
  for (const Units& demand : churn.demands)
    cluster.users.push_back({.name = fmt::format("u{}", cluster.users.size()), .demand = quantities(demand)});
  return *Problem::from(std::move(cluster));
}

OverlayScenario pdgdrf_scenario() {
  OverlayScenario scenario;
  scenario.rules = {{.scheduler = overlay::Scheduler::pdgdrf, .options = {}}};
  scenario.duration = kTicks * scenario.tick;
  return scenario;
}

double processor_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

std::size_t allocated() { return mallinfo2().uordblks + mallinfo2().hblkhd; }

/// A world from its beginning to its end, by servers: what a message costs, and what is held at the end by
/// servers, users, network and queue.
void pdgdrf_world(benchmark::State& state) {
  const auto servers = static_cast<std::size_t>(state.range(0));
  const simulation::Roster roster = simulation::roster_of(cluster_of(servers));
  const OverlayScenario scenario = pdgdrf_scenario();
  for ([[maybe_unused]] auto _ : state) {
    const std::size_t allocated_before = allocated();
    const double before = processor_seconds();
    simulation::World world(roster, scenario.rules[0], scenario, kSeed);
    world.run_until(world.first_tick() + *scenario.duration);
    const double seconds = processor_seconds() - before;
    const std::int64_t messages = world.network().sent().all_messages();
    state.SetIterationTime(seconds / static_cast<double>(messages));
    state.counters["bytes_per_node"] =
        static_cast<double>(allocated() - allocated_before) / static_cast<double>(servers);
    state.SetLabel(fmt::format("{} messages among {} servers in {:.1f} s", messages, servers, seconds));
  }
}

/// The same with all that a run tells: shares, wrong turns, messages by kind.
void pdgdrf_run(benchmark::State& state) {
  const Problem cluster = cluster_of(static_cast<std::size_t>(state.range(0)));
  const OverlayScenario scenario = pdgdrf_scenario();
  for ([[maybe_unused]] auto _ : state) {
    const OverlayRun run = simulation::run_overlay(cluster, scenario, kSeed, 1)->front();
    state.SetLabel(fmt::format("{} placements", run.placements));
  }
}

constexpr std::size_t kGossipers = 1000;
constexpr std::int64_t kGossipTicks = 1;

/// Every node asks once a tick and is answered once.
template <class Gossip>
void exchange(benchmark::State& state, Gossip& gossip) {
  constexpr std::int64_t kMessages = 2 * static_cast<std::int64_t>(kGossipers) * kGossipTicks;
  while (state.KeepRunningBatch(kMessages)) {
    const std::int64_t before = gossip.heard();
    gossip.run(kGossipTicks);
    if (gossip.heard() - before != kMessages) state.SkipWithError("not every message was heard");
  }
}

void gossip_of_mirab(benchmark::State& state) {
  static VirtualGossip gossip(kGossipers, kSeed);
  exchange(state, gossip);
}
void gossip_of_simgrid(benchmark::State& state) {
  static SimgridGossip gossip(kGossipers, kSeed);
  exchange(state, gossip);
}

BENCHMARK(pdgdrf_world)->Arg(1000)->Arg(10'000)->UseManualTime()->Iterations(1)->Repetitions(1);
BENCHMARK(pdgdrf_run)->Arg(10'000)->Iterations(1)->Repetitions(1);
BENCHMARK(gossip_of_mirab);
BENCHMARK(gossip_of_simgrid);

}  // namespace
}  // namespace mirab::bench
