#pragma once

// Several runs of one scenario that differ in the seed: every run, and how far the figures of the summary are
// spread over them.

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "report/simulation/runs.hpp"

namespace mirab::report {

// `Run` is TrafficRun, ReplayRun, DemandsRun or OverlayRuns; at least two runs, of the same scenario.

/// The mean of every figure of the summary and half of its 95 % interval, contenders side by side.
template <class Run>
std::string replications_table(const std::vector<Run>& runs, std::size_t width);

/// `seeds`, `runs` (each as simulation_json gives it; of an overlay the runs of all), `spread` and `notices`
/// (docs/schema/simulation.schema.json).
template <class Run>
nlohmann::ordered_json replications_json(const std::vector<Run>& runs);

/// The records of simulation_csv of every run, with the seed before them.
template <class Run>
std::string replications_csv(const std::vector<Run>& runs);

}  // namespace mirab::report
