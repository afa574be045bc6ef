// How each kind of scenario is played.
#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "cli/scenario_inputs.hpp"
#include "cli/simulating.hpp"
#include "report/comparison.hpp"
#include "report/simulation.hpp"
#include "report/text_width.hpp"
#include "simulation/replications.hpp"

namespace mirab::cli {
namespace {

using simulation::DemandSeriesOutcome;
using simulation::DemandSeriesScenario;
using simulation::OverlayRun;
using simulation::OverlayScenario;
using simulation::ReallocationOutcome;
using simulation::ReallocationScenario;
using simulation::ReplayOutcome;
using simulation::TraceScenario;
using simulation::TrafficOutcome;
using simulation::TrafficScenario;

constexpr std::uint32_t kFramesOfAPage = 60;
constexpr std::int64_t kServersOfAPage = 1000;  // more are not drawn

bool every_division_converged(const TrafficOutcome& outcome) {
  const auto none = [](std::int64_t divisions) { return divisions == 0; };
  return std::all_of(outcome.not_converged.begin(), outcome.not_converged.end(), none);
}

/// When most of the tasks fit nowhere, cluster and workload hardly belong together.
void note_misfits(const TraceScenario& trace, const ReplayOutcome& outcome) {
  const std::int64_t all = outcome.submitted + outcome.oversized;
  if (2 * outcome.oversized <= all) return;
  fmt::print(
      stderr,
      "mirab: note: {} of {} tasks of {} fit on no server of {}, even an empty one, and are left out; do "
      "both files measure their resources in the same units?\n",
      outcome.oversized, all, report::printable(trace.workload), report::printable(trace.cluster));
}

bool every_promise_was_kept(const report::OverlayRuns& all) {
  return std::all_of(all.runs.begin(), all.runs.end(),
                     [](const OverlayRun& run) { return run.violation_count == 0; });
}

}  // namespace

Exit play(const Asked& asked, const TrafficScenario& traffic) {
  const auto once = [&](std::uint64_t seed, int threads, const simulation::Progress& progress) {
    return simulation::simulate_traffic(traffic, seed, threads, progress);
  };
  const auto outcomes = simulation::replicate<TrafficOutcome>(seeds_for(asked), asked.options.threads, once,
                                                              progress_line(asked.scenario.name));
  if (!outcomes) return complain(in_its_file(outcomes.error(), {asked.scenario.name}));
  std::vector<report::TrafficRun> runs;
  for (const TrafficOutcome& outcome : *outcomes) runs.push_back({asked.scenario.name, traffic, outcome});
  const Exit shown = show(asked, runs);
  const bool converged = std::all_of(outcomes->begin(), outcomes->end(), every_division_converged);
  return shown == Exit::done && !converged ? Exit::not_converged : shown;
}

Exit play(const Asked& asked, const TraceScenario& trace) {
  const InputFiles files{asked.scenario.name, trace.cluster, trace.workload};
  const Result<Inputs> inputs = read_inputs(files, trace.duration);
  if (!inputs) return complain(inputs.error());
  const auto once = [&](std::uint64_t seed, int threads, const simulation::Progress& progress) {
    return simulation::replay(inputs->cluster, inputs->workload, trace.options, seed, threads, progress);
  };
  const std::vector<std::uint64_t> seeds = seeds_for(asked);
  const auto outcomes = simulation::replicate<std::vector<ReplayOutcome>>(seeds, asked.options.threads, once,
                                                                          progress_line(asked.scenario.name));
  if (!outcomes) return complain(in_its_file(outcomes.error(), files));
  note_misfits(trace, outcomes->front().front());
  std::vector<report::ReplayRun> runs;
  for (const std::vector<ReplayOutcome>& outcome : *outcomes) {
    runs.push_back({asked.scenario.name, seeds[runs.size()], trace, outcome.front().resources, outcome});
  }
  return show(asked, runs);
}

Exit play(const Asked& asked, const ReallocationScenario& reallocation) {
  const InputFiles files{asked.scenario.name, reallocation.cluster, reallocation.workload};
  const Result<Inputs> inputs = read_inputs(files, reallocation.duration);
  if (!inputs) return complain(inputs.error());
  const Result<std::vector<ReallocationOutcome>> outcomes =
      simulation::reallocate(inputs->cluster, inputs->workload, reallocation.options, asked.options.threads,
                             progress_line(asked.scenario.name));
  if (!outcomes) return complain(in_its_file(outcomes.error(), files));
  const Exit shown = show(asked, report::ReallocationRun{asked.scenario.name, reallocation, inputs->cluster,
                                                         inputs->workload, *outcomes});
  const bool converged = std::all_of(outcomes->begin(), outcomes->end(),
                                     [](const auto& outcome) { return outcome.not_converged == 0; });
  return shown == Exit::done && !converged ? Exit::not_converged : shown;
}

Exit play(const Asked& asked, const DemandSeriesScenario& demands) {
  const auto once = [&](std::uint64_t seed, int threads, const simulation::Progress& progress) {
    return simulation::simulate_demands(demands, seed, threads, progress);
  };
  const auto outcomes = simulation::replicate<DemandSeriesOutcome>(seeds_for(asked), asked.options.threads,
                                                                   once, progress_line(asked.scenario.name));
  if (!outcomes) return complain(in_its_file(outcomes.error(), {asked.scenario.name}));
  std::vector<report::DemandsRun> runs;
  for (const DemandSeriesOutcome& outcome : *outcomes)
    runs.push_back({asked.scenario.name, demands, outcome});
  return show(asked, runs);
}

Exit play(const Asked& asked, const OverlayScenario& overlay) {
  const Result<Problem> cluster = read_overlay_cluster(overlay, asked.input);
  if (!cluster) return complain(cluster.error());
  OverlayScenario played = overlay;
  const bool pictured = !page_of(asked).empty() && report::total_servers(*cluster) <= kServersOfAPage;
  if (pictured && overlay.frames == 0) played.frames = kFramesOfAPage;
  const auto once = [&](std::uint64_t seed, int threads, const simulation::Progress& progress) {
    return simulation::run_overlay(*cluster, played, seed, threads, progress);
  };
  const std::vector<std::uint64_t> seeds = seeds_for(asked);
  const auto outcomes = simulation::replicate<std::vector<OverlayRun>>(seeds, asked.options.threads, once,
                                                                       progress_line(asked.scenario.name));
  if (!outcomes) return complain(in_its_file(outcomes.error(), {asked.scenario.name, overlay.cluster}));
  std::vector<report::OverlayRuns> runs;
  for (const std::vector<OverlayRun>& outcome : *outcomes) {
    runs.push_back({asked.scenario.name, seeds[runs.size()], overlay, *cluster, outcome});
  }
  const Exit shown = show(asked, runs);
  const bool kept = std::all_of(runs.begin(), runs.end(), every_promise_was_kept);
  return shown == Exit::done && !kept ? Exit::not_converged : shown;
}

}  // namespace mirab::cli
