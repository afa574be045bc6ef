// A cluster that others change too: how long a copy of the engine takes, and the adoption of what runs.
#include <benchmark/benchmark.h>
#include <cstdint>
#include <utility>
#include <vector>

#include "engine/engine_churn.hpp"

namespace mirab::scheduling {
namespace {

using bench::Units;

/// A million tasks of 100 users run on 1,000 servers.
void copy_million_tasks(benchmark::State& state) {
  Engine engine = bench::engine_of(
      {.machines = std::vector(1'000, Units{1'000, 1'000}), .demands = std::vector(100, Units{1, 1})}, "drf",
      "first-fit");
  Random random(1);
  while (engine.running_count() < 1'000'000) benchmark::DoNotOptimize(engine.step({}, random));
  for ([[maybe_unused]] auto _ : state) {
    Engine copy = engine.copy();
    benchmark::DoNotOptimize(copy);
    state.PauseTiming();  // its end is not the copy's time
    { const Engine gone = std::move(copy); }
    state.ResumeTiming();
  }
}

/// 50,000 tasks of as many jobs of 50 users on 5,000 servers: what a controller does when it starts.
void adopt_fifty_thousand(benchmark::State& state) {
  for ([[maybe_unused]] auto _ : state) {
    Engine engine = *Engine::from({.resources = {"cpu", "memory"},
                                   .discipline = *choose_discipline("drf"),
                                   .placement = *choose_placement("best-fit")});
    std::vector<ServerId> servers;
    for (std::int64_t server = 0; server < 5'000; ++server)
      servers.push_back(*engine.apply(ServerAdded{.name = "machine", .capacity = {64'000, 256'000}}, {}));
    std::vector<UserId> users;
    for (std::int64_t user = 0; user < 50; ++user)
      users.push_back(*engine.apply(UserAdded{.name = "user"}, {}));
    for (std::size_t task = 0; task < 50'000; ++task) {
      const auto size = static_cast<std::int64_t>(task % 20);
      const JobSubmitted pod{.user = users[task % users.size()],
                             .demand = {100 * (1 + size), 400 * (1 + size % 4)},
                             .rank = Rank{.time = Time(Duration(task))}};
      const JobId job = *engine.apply(pod, {});
      (void)*engine.apply(TaskAdopted{.job = job, .server = servers[task * 7 % servers.size()], .since = {}},
                          {});
    }
    if (engine.running_count() != 50'000) state.SkipWithError("tasks are missing");
  }
}

BENCHMARK(copy_million_tasks)->Unit(benchmark::kMillisecond)->Iterations(3)->Repetitions(5);
BENCHMARK(adopt_fifty_thousand)->Unit(benchmark::kMillisecond)->Iterations(1)->Repetitions(5);

}  // namespace
}  // namespace mirab::scheduling
