// What an engine takes of memory for each running task, user and server.
#include <benchmark/benchmark.h>
#include <malloc.h>

#include "engine/engine_churn.hpp"

namespace mirab::scheduling {
namespace {

using bench::Units;

std::size_t allocated() { return mallinfo2().uordblks + mallinfo2().hblkhd; }

/// Bytes for each of `count` things that `make` brings into the engine.
template <class Make>
double bytes_each(std::int64_t count, Make make) {
  const std::size_t before = allocated();
  for (std::int64_t each = 0; each < count; ++each) make(each);
  return static_cast<double>(allocated() - before) / static_cast<double>(count);
}

void million_tasks(benchmark::State& state) {
  for ([[maybe_unused]] auto _ : state) {
    Engine engine = bench::engine_of(
        {.machines = std::vector(1'000, Units{1'000, 1'000}), .demands = std::vector(100, Units{1, 1})},
        "drf", "first-fit");
    Random random(1);
    state.counters["bytes"] = bytes_each(
        1'000'000, [&](std::int64_t /*task*/) { benchmark::DoNotOptimize(engine.step({}, random)); });
  }
}

/// Users of 1,000 kinds of tasks, each with a waiting job.
void million_users(benchmark::State& state) {
  for ([[maybe_unused]] auto _ : state) {
    Engine engine = bench::engine_of({.machines = {Units{1'000, 1'000}}, .demands = {}}, "drf", "first-fit");
    state.counters["bytes"] = bytes_each(1'000'000, [&](std::int64_t user) {
      const UserId id = *engine.apply(UserAdded{.name = "user"}, {});
      (void)*engine.apply(JobSubmitted{.user = id, .demand = {1 + user % 1'000, 1}}, {});
    });
  }
}

/// Servers of ten kinds.
void hundred_thousand_servers(benchmark::State& state) {
  for ([[maybe_unused]] auto _ : state) {
    Engine engine = bench::engine_of({.machines = {}, .demands = {}}, "drf", "first-fit");
    state.counters["bytes"] = bytes_each(100'000, [&](std::int64_t server) {
      (void)*engine.apply(ServerAdded{.name = "machine", .capacity = {1'000 + server % 10, 1'000}}, {});
    });
  }
}

BENCHMARK(million_tasks)->Iterations(1)->Repetitions(1);
BENCHMARK(million_users)->Iterations(1)->Repetitions(1);
BENCHMARK(hundred_thousand_servers)->Iterations(1)->Repetitions(1);

}  // namespace
}  // namespace mirab::scheduling
