#pragma once

// The figures of a run that are compared between runs that differ in the seed.

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "report/simulation.hpp"

namespace mirab::report {

/// One figure of a run.
struct SummaryFigure {
  nlohmann::ordered_json key;  ///< what it is of, in JSON
  std::string row;             ///< what it is of, in the table
  std::string (*text)(double);
  double value;
};

/// What one contender came to.
struct ContenderSummary {
  std::vector<std::string> label;  ///< in lines
  std::vector<SummaryFigure> figures;
};

// Contenders and figures are the same in all runs of a scenario, in the same order.
std::vector<ContenderSummary> summary_of(const TrafficRun& run);
std::vector<ContenderSummary> summary_of(const ReplayRun& run);
std::vector<ContenderSummary> summary_of(const DemandsRun& run);
std::vector<ContenderSummary> summary_of(const OverlayRuns& run);

}  // namespace mirab::report
