// PS-DSF on the merged arrays, one thread: 100,000 users on 10 classes of servers, and the sizes of the
// paper.
#include <benchmark/benchmark.h>

#include "mechanisms/servers.hpp"
#include "numerics/psdsf/server_levels.hpp"
#include "servers/instances.hpp"

namespace mirab {
namespace {

constexpr double kWithin = 1e-8;

// Arguments: users, classes.
void ps_dsf(benchmark::State& state) {
  const Problem problem = bench::random_servers(static_cast<std::size_t>(state.range(0)),
                                                static_cast<std::size_t>(state.range(1)), 3, 1);
  const MergedServers merged = merge_servers(problem, MergeUsers::parallel);
  for (auto _ : state) {
    const numerics::ServerLevels found =
        numerics::level_servers(merged.rows, merged.weight, {kWithin, kWithin});
    if (found.report.error > kWithin) {
      state.SkipWithError("no level form within 1e-8");
      return;
    }
    benchmark::DoNotOptimize(found.x.data());
  }
}

BENCHMARK(ps_dsf)->Args({300, 4})->Args({1'000, 4})->Args({3'000, 4})->Unit(benchmark::kMillisecond);
BENCHMARK(ps_dsf)->Args({10'000, 10})->Unit(benchmark::kMillisecond);
BENCHMARK(ps_dsf)->Args({100'000, 10})->Unit(benchmark::kMillisecond)->Iterations(1)->Repetitions(3);

}  // namespace
}  // namespace mirab
