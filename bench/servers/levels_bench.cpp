// Hierarchical DRF over servers, 100 groups in 3 levels, 5, 20 and 75; DRFH and TSF beside the same rounds of
// linear programs through Clp, both on the same merged arrays. Of Clp's ways to the first basis that we tried
// (dual and primal simplex, with and without presolve) each instance has the fastest: the dual with presolve
// on the Google machines, where the primal fails, and the primal without for 10,000 users.
#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <stdexcept>

#include <mirab/model/random.hpp>

#include "clp_rounds.hpp"
#include "instances.hpp"
#include "mechanisms/servers.hpp"
#include "numerics/hierarchy/tree_filling.hpp"

namespace mirab {
namespace {

constexpr double kClpSecondsMost = 120;

using Unit = Eigen::ArrayXd (*)(const MergedServers& merged);

// φ_n u_n of the two mechanisms.
Eigen::ArrayXd dominant(const MergedServers& merged) {
  const Eigen::ArrayXd pool = merged.rows.capacity.colwise().sum().transpose();
  return merged.weight / (merged.rows.demand[0].rowwise() / pool.transpose()).rowwise().maxCoeff();
}

Eigen::ArrayXd task_share(const MergedServers& merged) { return merged.weight * merged.alone_everywhere; }

MergedServers merged(const Problem& problem) { return merge_servers(problem, MergeUsers::parallel); }
MergedServers random_instance(std::int64_t users) {
  return merged(bench::random_servers(static_cast<std::size_t>(users), 10, 4, 1));
}
MergedServers google_instance() { return merged(bench::google_servers(1'000, 1)); }

void raise(benchmark::State& state, const MergedServers& instance, Unit unit) {
  const Eigen::ArrayXd levels_of_one = unit(instance);
  numerics::RaisedLevels levels{};
  const auto in_full = []() -> numerics::LevelsInFull { throw std::logic_error("doubles do for these"); };
  for (auto _ : state) levels = numerics::raise_levels(instance.rows, levels_of_one, in_full);
  if (!(levels.report.error <= numerics::LevelTuning{}.accuracy.accepted)) state.SkipWithError("not exact");
  state.SetLabel(fmt::format("ours: {} rounds, {} pivots, bound {:.1e}", levels.rounds.size(),
                             levels.report.iterations, levels.report.error));
}

void through_clp(benchmark::State& state, const MergedServers& instance, Unit unit, peers::ClpStart start) {
  peers::ClpRounds rounds;
  for (auto _ : state) rounds = peers::clp_rounds(instance, unit(instance), start, kClpSecondsMost);
  if (rounds.failed) state.SkipWithError("Clp failed");
  state.SetLabel(rounds.stopped ? fmt::format("Clp: stopped after {} s", kClpSecondsMost)
                                : fmt::format("Clp: {} rounds", rounds.rounds));
}

void drfh_google(benchmark::State& state) { raise(state, google_instance(), dominant); }
void clp_drfh_google(benchmark::State& state) {
  through_clp(state, google_instance(), dominant, peers::ClpStart::dual_with_presolve);
}
void drfh(benchmark::State& state) { raise(state, random_instance(state.range(0)), dominant); }
void clp_drfh(benchmark::State& state) {
  through_clp(state, random_instance(state.range(0)), dominant, peers::ClpStart::primal);
}
void tsf(benchmark::State& state) { raise(state, random_instance(state.range(0)), task_share); }
void clp_tsf(benchmark::State& state) {
  through_clp(state, random_instance(state.range(0)), task_share, peers::ClpStart::primal);
}

numerics::RowTree groups_of(const MergedServers& instance) {
  Random random(2);
  numerics::RowTree tree;
  tree.nodes.resize(1);
  Eigen::Index parents = 1;  // of the level, which are the last nodes so far
  for (const Eigen::Index groups : {5, 20, 75}) {
    const auto first = static_cast<Eigen::Index>(tree.nodes.size()) - parents;
    for (Eigen::Index g = 0; g < groups; ++g)
      tree.nodes.push_back({.parent = first + g * parents / groups, .weight = 0.5 + 3.5 * random.unit()});
    parents = groups;
  }
  for (Eigen::Index n = 0; n < instance.weight.size(); ++n)
    tree.node_of.push_back(26 + static_cast<Eigen::Index>(random.below(75)));
  tree.weight = instance.weight;
  return tree;
}

// Each of the five largest groups is guaranteed a tenth of the cluster; a user has from none to twice of what
// it would get at equal shares.
numerics::RowTree with_guarantees_and_tasks(numerics::RowTree tree, const MergedServers& instance) {
  Random random(3);
  const Eigen::ArrayXXd& demand = instance.rows.demand[0];
  for (std::size_t v = 1; v <= 5; ++v) tree.nodes[v].guarantee = Eigen::ArrayXd::Constant(demand.cols(), 0.1);
  const double tasks = 2 * instance.rows.capacity.col(0).sum() / demand.col(0).sum();
  tree.cap = Eigen::ArrayXd::NullaryExpr(demand.rows(), [&] { return tasks * random.unit(); });
  return tree;
}

void fill_groups(benchmark::State& state, const MergedServers& instance, const numerics::RowTree& tree) {
  numerics::TreeOverServers filled;
  for (auto _ : state) filled = numerics::fill_tree_over_servers(tree, instance.rows);
  if (!(filled.report.error <= numerics::LevelTuning{}.accuracy.accepted)) state.SkipWithError("not exact");
  state.SetLabel(fmt::format("{} linear programs, {} pivots, bound {:.1e}", filled.programs,
                             filled.report.iterations, filled.report.error));
}

void hdrfh(benchmark::State& state) {
  const MergedServers instance = random_instance(state.range(0));
  fill_groups(state, instance, groups_of(instance));
}
void hdrfh_finite(benchmark::State& state) {
  const MergedServers instance = random_instance(state.range(0));
  fill_groups(state, instance, with_guarantees_and_tasks(groups_of(instance), instance));
}

BENCHMARK(drfh_google)->Repetitions(5)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(clp_drfh_google)->Repetitions(5)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(drfh)->Arg(1'000)->Arg(10'000)->Repetitions(5)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(tsf)->Arg(10'000)->Repetitions(5)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(hdrfh_finite)
    ->Arg(2'000)
    ->Iterations(1)
    ->Repetitions(3)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK(hdrfh)->Arg(2'000)->Repetitions(5)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(clp_drfh)->Arg(10'000)->Iterations(1)->Repetitions(1)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(clp_tsf)->Arg(10'000)->Iterations(1)->Repetitions(1)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
}  // namespace mirab
