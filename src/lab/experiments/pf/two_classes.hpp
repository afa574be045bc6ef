#pragma once

#include <array>
#include <string_view>

#include "lab/experiments/experiment.hpp"

namespace mirab::experiments {

/// Profiles (1, α) and (β, 1), α ≤ β ≤ 1: Bonald and Roberts, section 3.3. μ = 1, capacities 1.
struct TwoProfiles {
  double alpha, beta;
};

/// c_1, c_2 of γ_i ≈ 1 - ρ_i - c_i ρ_j in light traffic: as the paper prints them, by
/// c_i = 2 (1 - x_i) / (x_1 + x_2) with the rates x of one job of each class
/// (docs/explanation/mathematics.md, section 11), and from exact chains at loads near 0.
struct LightTraffic {
  std::array<double, 2> printed, formula, chain;
};

/// Of `drf` or `pf`.
LightTraffic light_traffic(const TwoProfiles& profiles, std::string_view mechanism);

/// Holds what the chains give against the paper; where they do not, the formula must.
void check_light_traffic(const TwoProfiles& profiles, Reproduction& result);

/// What the paper says of class 1 under PF, against DRF.
enum class ClassOne { higher, equal, slightly_lower };

/// A plot of figure 1 or 2 of Bonald and Roberts.
struct TwoClassPlot {
  std::string_view title;
  TwoProfiles profiles;
  std::array<double, 2> arrivals;  ///< in proportion
  ClassOne class_one;
};

/// Simulates DRF and PF, with their exact chains and balanced fairness, and holds them against the text of
/// section 3.3: who gains by PF, light and heavy traffic.
Reproduction reproduce_two_classes(const TwoClassPlot& plot, const RunOptions& options);

}  // namespace mirab::experiments
