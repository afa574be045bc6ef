#pragma once

#include <array>
#include <string_view>

#include <mirab/experiments/experiment.hpp>

namespace mirab::experiments {

/// A plot of figure 3 of Bonald and Roberts: profiles (1, 1/10), (1, 1/2), (1/2, 1) and (1/10, 1).
struct FourClassPlot {
  std::string_view title;
  std::array<double, 4> arrivals;  ///< in proportion
};

/// Simulates DRF and PF, beside balanced fairness where that can be counted, and holds classes 3 and 4, whose
/// dominant resource is the RAM, against the text of section 3.3.
Reproduction reproduce_four_classes(const FourClassPlot& plot, const RunOptions& options);

}  // namespace mirab::experiments
