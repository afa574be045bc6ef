// Replay of the Google part: every machine and every task of the first of the 500 files of task events of
// ClusterData2011_2 (450,146 rows), as `mirab import google2011 machine_events task_events -o google2011.yaml
// --workload google2011.workload.gz` makes it (data/README.md), under drf and first-fit with everything
// measured that a replay measures, on one thread. What is read is read before.
//
// The argument k plays every k-th job: 2 is half of the events, on the
// same machines. To count the instructions of a contender's replay:
//
//   valgrind --tool=callgrind --toggle-collect='mirab::simulation::play(*'
//     build/bench/bench/simulation/bench_simulation --benchmark_repetitions=1 --benchmark_min_time=0.000001
//     --benchmark_filter=google_replay/1/
#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <string>

#include <mirab/mirab.hpp>

#include "lab/simulation/replay.hpp"

namespace mirab::bench {
namespace {

struct GooglePart {
  Problem cluster;
  Workload workload;
};

GooglePart read() {
  const std::string folder = MIRAB_BENCH_DATA;
  return {.cluster = *read_cluster_file(folder + "/google2011.yaml"),
          .workload = *read_workload_file(folder + "/google2011.workload.gz")};
}

Workload every(std::size_t nth, const Workload& all) {
  Workload some = all;
  some.jobs.clear();
  for (std::size_t j = 0; j < all.jobs.size(); j += nth) some.jobs.push_back(all.jobs[j]);
  return some;
}

void google_replay(benchmark::State& state) {
  static const GooglePart google = read();
  const Workload workload = every(static_cast<std::size_t>(state.range(0)), google.workload);
  const simulation::ReplayOptions options{
      .contenders = {{.discipline = *choose_discipline("drf"), .placement = *choose_placement("first-fit")}}};
  std::int64_t events = 0;
  std::int64_t placements = 0;
  for (auto _ : state) {
    const auto outcomes = simulation::replay(google.cluster, workload, options, 1, 1);
    if (!outcomes) return state.SkipWithError(describe(outcomes.error()).c_str());
    events = outcomes->front().events;
    placements = outcomes->front().placements;
  }
  state.SetLabel(fmt::format("{} events, {} placements", events, placements));
}
BENCHMARK(google_replay)->Arg(1)->Arg(2)->Arg(4)->Repetitions(5)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace mirab::bench
