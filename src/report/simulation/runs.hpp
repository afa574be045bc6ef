// What was simulated, as text and as data: one set of functions for each kind of scenario, for a search for
// faults, and for several runs that differ in the seed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <mirab/model/workload.hpp>

#include "lab/simulation/overlay.hpp"
#include "lab/simulation/scenario.hpp"
#include "report/page/html.hpp"

namespace mirab::report {

/// Random traffic that was simulated.
struct TrafficRun {
  std::string title;  ///< the scenario file as the user named it
  const simulation::TrafficScenario& scenario;
  const simulation::TrafficOutcome& outcome;
};

/// What must be known before the figures are believed: a sentence for each mechanism with divisions that did
/// not converge.
std::vector<std::string> notices_of(const TrafficRun& run);

/// A trace that was played, by every contender.
struct ReplayRun {
  std::string title;
  std::uint64_t seed;
  const simulation::TraceScenario& scenario;
  const std::vector<std::string>& resources;
  const std::vector<simulation::ReplayOutcome>& outcomes;
};

/// Divisible jobs that were reallocated over time, by every mechanism.
struct ReallocationRun {
  std::string title;
  const simulation::ReallocationScenario& scenario;
  const Problem& cluster;
  const Workload& workload;
  const std::vector<simulation::ReallocationOutcome>& outcomes;
};

/// Demands over time, and what each mechanism made of them.
struct DemandsRun {
  std::string title;
  const simulation::DemandSeriesScenario& scenario;
  const simulation::DemandSeriesOutcome& outcome;
};

/// Of mechanisms whose divisions did not all converge.
std::vector<std::string> notices_of(const DemandsRun& run);

/// An overlay under every scheduler, from one seed.
struct OverlayRuns {
  std::string title;
  std::uint64_t seed;
  const simulation::OverlayScenario& scenario;
  const Problem& cluster;
  const std::vector<simulation::OverlayRun>& runs;  ///< [rules]
};

/// What must be known before the figures are believed: a sentence for each scheduler that broke a promise.
std::vector<std::string> notices_of(const OverlayRuns& run);

/// What a person reads, at most `width` columns wide where that is possible.
std::string simulation_table(const TrafficRun& run, std::size_t width);
std::string simulation_table(const ReplayRun& run, std::size_t width);
std::string simulation_table(const ReallocationRun& run, std::size_t width);
std::string simulation_table(const DemandsRun& run, std::size_t width);
std::string simulation_table(const OverlayRuns& run, std::size_t width);

/// docs/schema/simulation.schema.json. Of series over time with more than `most_samples` every k-th is
/// kept, and the last. An overlay has its frames only where the scenario asks for some; the page has them
/// anyway.
nlohmann::ordered_json simulation_json(const TrafficRun& run);
nlohmann::ordered_json simulation_json(const ReplayRun& run, std::size_t most_samples = SIZE_MAX);
nlohmann::ordered_json simulation_json(const ReallocationRun& run, std::size_t most_samples = SIZE_MAX);
nlohmann::ordered_json simulation_json(const DemandsRun& run, std::size_t most_samples = SIZE_MAX);
nlohmann::ordered_json simulation_json(const OverlayRuns& run);

/// Long form (docs/reference/simulate.md): of traffic one record a load, mechanism and class; of a trace one
/// a contender and user; of a reallocation one a mechanism, server class, resource and time; of demands one a
/// mechanism, series and iteration; of an overlay one a scheduler.
std::string simulation_csv(const TrafficRun& run);
std::string simulation_csv(const ReplayRun& run);
std::string simulation_csv(const ReallocationRun& run);
std::string simulation_csv(const DemandsRun& run);
std::string simulation_csv(const OverlayRuns& run);

/// A record a job of each contender and run (docs/reference/simulate.md); empty fields for what has not
/// happened.
std::string jobs_csv(const std::vector<ReplayRun>& runs);

/// What the page of a run is given: its JSON with series thinned to what a chart shows, and the frames of an
/// overlay.
nlohmann::ordered_json page_json(const TrafficRun& run);
nlohmann::ordered_json page_json(const ReplayRun& run);
nlohmann::ordered_json page_json(const ReallocationRun& run);
nlohmann::ordered_json page_json(const DemandsRun& run);
nlohmann::ordered_json page_json(const OverlayRuns& run);

/// The page of one run.
template <class Run>
std::string simulation_html(std::string_view page, const Run& run, const PageOrigin& origin) {
  return embed(page, page_json(run), run.title, origin);
}

/// Mean of the unfairness over time, a part of the cluster; 0 of a replay that ended at once.
double mean_unfairness(const simulation::ReplayOutcome& outcome);

// The figures of an overlay that several forms show, and its frames as JSON.

/// Part of the placements whose user did not have the lowest share; 0 of none.
double wrong_part(const simulation::OverlayRun& run);

/// Ticks over those of the first centralised-drf among the schedulers; none where there is none, or it placed
/// nothing.
std::optional<double> ratio_to_centralised(const OverlayRuns& all, std::size_t index);

/// The servers by their number: `a` where an entry is one server, `a/0`, `a/1`, … where it is several.
std::vector<std::string> server_names(const Problem& cluster);

/// The pictures of a run, column by column (F frames, K servers, P neighbours), so that a page of 1,000
/// servers stays small:
///   {"ticks": [F], "utility": [F][K], "view": [F][K][P], "used": [F][K], "placements": [F]}
/// A utility of a server without users is null; others have six significant digits, which tell apart what a
/// fair run brings close together; `used` has three decimals.
/// Of frames with more than `most_entries` entries of views altogether every k-th is kept, and the
/// last. Cost: O(F K P).
nlohmann::ordered_json frames_json(const std::vector<simulation::OverlayFrame>& frames,
                                   std::size_t most_entries);

/// A search for what breaks the promises of an overlay.
struct FaultSearch {
  simulation::SearchOptions options;
  simulation::SearchOutcome outcome;
};

/// The command line that finds it again.
std::string replay_line(const FaultSearch& searched);

/// What was tried; and what was found: which promise, what, when, and the smallest plan of faults that shows
/// it. No wider than `width` where that can be.
std::string search_table(const FaultSearch& searched, std::size_t width);

/// docs/schema/search.schema.json.
nlohmann::ordered_json search_json(const FaultSearch& searched);

// Several runs of one scenario that differ in the seed: every run, and how far the figures of the summary are
// spread over them. `Run` is TrafficRun, ReplayRun, DemandsRun or OverlayRuns; at least two runs, of the same
// scenario; of a page at least one.

/// The mean of every figure of the summary and half of its 95 % interval, contenders side by side.
template <class Run>
std::string replications_table(const std::vector<Run>& runs, std::size_t width);

/// `seeds`, `runs` (each as simulation_json gives it; of an overlay the runs of all), `spread` and `notices`
/// (docs/schema/simulation.schema.json).
template <class Run>
nlohmann::ordered_json replications_json(const std::vector<Run>& runs);

/// The page of the first run, with `seeds` and `spread` where there are several.
template <class Run>
std::string replications_html(std::string_view page, const std::vector<Run>& runs, const PageOrigin& origin);

/// The records of simulation_csv of every run, with the seed before them.
template <class Run>
std::string replications_csv(const std::vector<Run>& runs);

}  // namespace mirab::report
