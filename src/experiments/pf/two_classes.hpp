#pragma once

#include <array>
#include <string_view>

#include <mirab/experiments/experiment.hpp>

#include "experiments/pf/light_traffic.hpp"

namespace mirab::experiments {

/// What the paper says of class 1 under PF, against DRF.
enum class ClassOne { higher, equal, slightly_lower };

/// A plot of figure 1 or 2 of Bonald and Roberts.
struct TwoClassPlot {
  std::string_view title;
  TwoProfiles profiles;
  std::array<double, 2> arrivals;  ///< in proportion
  ClassOne class_one;
};

/// Simulates DRF and PF, beside their exact chains and balanced fairness, and holds them against the text of
/// section 3.3: who gains by PF, light and heavy traffic.
Reproduction reproduce_two_classes(const TwoClassPlot& plot, const RunOptions& options);

}  // namespace mirab::experiments
