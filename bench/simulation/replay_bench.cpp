// Replay of the Google part: every machine and every task of the first of the 500 files of task events of
// ClusterData2011_2 (450,146 rows), as `mirab import google2011 machine_events task_events -o google2011.yaml
// --workload google2011.workload.gz` makes it (data/README.md), under drf and first-fit with everything
// measured that a replay measures, on one thread. What is read is read before.
//
// The argument multiplies users and machines alike, and so the events; the load stays as it is. To count
// instructions: valgrind --tool=callgrind build/bench/bench/bench_simulation --benchmark_repetitions=1
// --benchmark_filter=google_replay/1$
#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <string>

#include <mirab/mirab.hpp>

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

void google_replay(benchmark::State& state) {
  static const GooglePart google = read();
  const auto factor = static_cast<double>(state.range(0));
  const simulation::ReplayOptions options{
      .contenders = {{.discipline = *choose_discipline("drf"), .placement = *choose_placement("first-fit")}},
      .scale = {.machines = factor, .users = factor}};
  std::int64_t events = 0;
  std::int64_t placements = 0;
  for (auto _ : state) {
    const auto outcomes = simulation::replay(google.cluster, google.workload, options, 1, 1);
    if (!outcomes) return state.SkipWithError(describe(outcomes.error()).c_str());
    events = outcomes->front().events;
    placements = outcomes->front().placements;
  }
  state.SetLabel(fmt::format("{} events, {} placements", events, placements));
}
BENCHMARK(google_replay)->Arg(1)->Arg(2)->Arg(4)->Repetitions(5)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace mirab::bench
