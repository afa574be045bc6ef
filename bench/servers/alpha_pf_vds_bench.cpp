// αPF-VDS on the merged arrays: 20,000 users on 8 classes of servers with 4 resources, one thread, and two.
#include <benchmark/benchmark.h>

#include "mechanisms/servers.hpp"
#include "numerics/market/equilibrium.hpp"
#include "servers/instances.hpp"

namespace mirab {
namespace {

constexpr double kWithin = 1e-6;

// Arguments: users, α.
void solve(benchmark::State& state, int threads) {
  const Problem problem = bench::random_servers(static_cast<std::size_t>(state.range(0)), 8, 4, 1);
  const MergedServers merged = merge_servers(problem, MergeUsers::parallel);
  const numerics::ServerGame game{merged.rows, merged.weight, static_cast<double>(state.range(1)),
                                  Eigen::ArrayXd()};
  for (auto _ : state) {
    const numerics::PricedServers found =
        numerics::follow_price_path(game, {.target = kWithin, .accepted = kWithin}, threads);
    if (found.report.error > kWithin) {
      state.SkipWithError("no relative regret of 1e-6");
      return;
    }
    state.counters["iterations"] = found.report.iterations;
  }
}

void alpha_pf_vds(benchmark::State& state) { solve(state, 1); }
void alpha_pf_vds_two_threads(benchmark::State& state) { solve(state, 2); }

BENCHMARK(alpha_pf_vds)
    ->ArgsProduct({{20'000}, {1, 2, 3, 8, 40}})
    ->Unit(benchmark::kMillisecond)
    ->Iterations(1)
    ->Repetitions(3)
    ->UseRealTime();
BENCHMARK(alpha_pf_vds_two_threads)
    ->Args({20'000, 2})
    ->Unit(benchmark::kMillisecond)
    ->Iterations(1)
    ->Repetitions(3)
    ->UseRealTime();

}  // namespace
}  // namespace mirab
