// One pool, N users and 4 resources: demands uniform(0.1, 5), capacities 10^6, weights 1. DRF and PF beside
// one pass that sums the demand matrix, each on its own arrays and with one thread. Hierarchical DRF of 10^5
// users in 1,000 groups of 4 levels, 8, 32, 160 and 800, whose users are drawn; with endless tasks and
// without guarantees, and with a guarantee of each group and finite tasks of each user.
#include <benchmark/benchmark.h>
#include <string>

#include <mirab/model/random.hpp>

#include "mechanisms/pool.hpp"
#include "numerics/hierarchy/tree_filling.hpp"

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

numerics::RowTree groups_of_users(std::int64_t users) {
  Random random(2);
  numerics::RowTree tree;
  tree.nodes.resize(1);
  Eigen::Index parents = 1;  // of the level, which are the last nodes so far
  for (const Eigen::Index groups : {8, 32, 160, 800}) {
    const auto first = static_cast<Eigen::Index>(tree.nodes.size()) - parents;
    for (Eigen::Index g = 0; g < groups; ++g)
      tree.nodes.push_back({.parent = first + g * parents / groups, .weight = 0.5 + 3.5 * random.unit()});
    parents = groups;
  }
  for (std::int64_t n = 0; n < users; ++n)
    tree.node_of.push_back(201 + static_cast<Eigen::Index>(random.below(800)));
  return tree;
}

// Each level of groups is guaranteed half of the pool, in equal parts of the parents' guarantees; a user has
// from none to twice of what it would get at equal shares.
numerics::RowTree with_guarantees_and_tasks(numerics::RowTree tree, const Pool& pool) {
  Random random(3);
  for (std::size_t v = 1; v < tree.nodes.size(); ++v) {
    const double level = v <= 8 ? 8 : v <= 40 ? 32 : v <= 200 ? 160 : 800;
    tree.nodes[v].guarantee = Eigen::ArrayXd::Constant(pool.demand.cols(), 0.5 / level);
  }
  const double tasks = 2 * pool.capacity[0] / pool.demand.col(0).sum();
  tree.cap = Eigen::ArrayXd::NullaryExpr(pool.demand.rows(), [&] { return tasks * random.unit(); });
  return tree;
}

void fill_groups(benchmark::State& state, const Pool& pool, const numerics::RowTree& tree) {
  numerics::TreeLevels levels;
  for ([[maybe_unused]] auto _ : state) {
    levels = numerics::fill_tree(tree, pool.demand, pool.capacity);
    if (!levels.report.converged()) {
      state.SkipWithError("no certificate of 1e-9");
      return;
    }
    benchmark::DoNotOptimize(levels.amount.data());
  }
  state.SetLabel(std::to_string(levels.report.iterations) + " steps");
}

void hdrf(benchmark::State& state) {
  fill_groups(state, pool_of_users(state.range(0)), groups_of_users(state.range(0)));
}
void hdrf_zeros(benchmark::State& state) {
  Pool pool = pool_of_users(state.range(0));
  for (Eigen::Index n = 0; n < pool.demand.rows(); ++n) pool.demand(n, n % 4) = 0;
  fill_groups(state, pool, groups_of_users(state.range(0)));
}
void hdrf_finite(benchmark::State& state) {
  const Pool pool = pool_of_users(state.range(0));
  fill_groups(state, pool, with_guarantees_and_tasks(groups_of_users(state.range(0)), pool));
}

BENCHMARK(pass)->Arg(100'000)->Arg(1'000'000)->Unit(benchmark::kMillisecond);
BENCHMARK(drf)->Arg(100'000)->Arg(1'000'000)->Unit(benchmark::kMillisecond);
BENCHMARK(hdrf)->Arg(100'000)->Unit(benchmark::kMillisecond);
BENCHMARK(hdrf_zeros)->Arg(100'000)->Repetitions(5)->Unit(benchmark::kMillisecond);
BENCHMARK(hdrf_finite)->Arg(100'000)->Repetitions(3)->Unit(benchmark::kMillisecond);
BENCHMARK(pf)->Arg(100'000)->Arg(1'000'000)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace mirab
