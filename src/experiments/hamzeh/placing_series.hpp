#pragma once

#include <string>
#include <vector>

#include <mirab/experiments/experiment.hpp>

#include "experiments/hamzeh/placing.hpp"
#include "experiments/hamzeh/requests.hpp"

namespace mirab::experiments {

// The same tasks over time, placed by MRFS, in turns, and by MRFS as the engine has it.

/// The length of the series; fewer iterations are spread over it.
inline constexpr std::size_t kPlacingIterations = 1000;

/// What came of each placement, [t].
struct Compared {
  std::vector<PlacingMeasures> mrfs, turns, engine;
};

/// So many iterations with `per_server` tasks for each server. The same for any number of threads.
Compared compare_placings(const RequestSource& source, const EqualServers& servers, std::size_t per_server,
                          std::size_t iterations, const RunOptions& options);

/// The mean over iterations.
double mean_of(const std::vector<PlacingMeasures>& measures, double PlacingMeasures::*member);

/// One measure of every iteration, [t].
std::vector<double> course_of(const std::vector<PlacingMeasures>& measures, double PlacingMeasures::*member);

/// The same of MRFS less round robin, [t].
std::vector<double> gains(const Compared& compared, double PlacingMeasures::*member);

/// MRFS and round robin over time.
Figure both(std::string title, std::string y_label, const Compared& compared,
            double PlacingMeasures::*member);

/// A table of means, and the three rows of a comparison.
Table placing_table();
void add_rows(Table& table, const std::string& name, const Compared& compared);

}  // namespace mirab::experiments
