// One pool, N users and 4 resources: demands uniform(0.1, 5), capacities 10^6, weights 1. DRF and PF beside
// one pass that sums the demand matrix, each on its own arrays and with one thread.
#include <benchmark/benchmark.h>

#include <mirab/model/random.hpp>

#include "mechanisms/pool.hpp"

namespace mirab {
namespace {

Pool pool_of_users(std::int64_t users) {
  Random random(1);
  Pool pool;
  pool.demand = Eigen::ArrayXXd::NullaryExpr(users, 4, [&] { return 0.1 + 4.9 * random.unit(); });
  pool.capacity = Eigen::ArrayXd::Constant(4, 1e6);
  pool.resources = {0, 1, 2, 3};
  return pool;
}

void pass(benchmark::State& state) {
  const Pool pool = pool_of_users(state.range(0));
  for ([[maybe_unused]] auto _ : state) benchmark::DoNotOptimize(pool.demand.sum());
}

void divide_by(benchmark::State& state, const PoolRule& rule) {
  const Pool pool = pool_of_users(state.range(0));
  for ([[maybe_unused]] auto _ : state) {
    const PoolShares shares = divide(pool, rule);
    if (shares.status == Status::not_converged || shares.certificate.value > 1e-9) {
      state.SkipWithError("no certificate of 1e-9");
      return;
    }
    benchmark::DoNotOptimize(shares.tasks.data());
  }
}

void drf(benchmark::State& state) { divide_by(state, {.yardstick = dominant_share_of_one}); }
void pf(benchmark::State& state) { divide_by(state, {.yardstick = one_task, .alpha = 1}); }

BENCHMARK(pass)->Arg(100'000)->Arg(1'000'000)->Unit(benchmark::kMillisecond);
BENCHMARK(drf)->Arg(100'000)->Arg(1'000'000)->Unit(benchmark::kMillisecond);
BENCHMARK(pf)->Arg(100'000)->Arg(1'000'000)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace mirab
