#pragma once

#include <array>
#include <string_view>

#include <mirab/experiments/experiment.hpp>

namespace mirab::experiments {

/// Profiles (1, α) and (β, 1), α ≤ β ≤ 1: Bonald and Roberts, section 3.3. μ = 1, capacities 1.
struct TwoProfiles {
  double alpha, beta;
};

/// c_1, c_2 of γ_i ≈ 1 - ρ_i - c_i ρ_j in light traffic: as the paper prints them, by
/// c_i = 2 (1 - x_i) / (x_1 + x_2) with the rates x of one job of each class (docs/mathematics.md,
/// section 9), and from exact chains at loads near 0.
struct LightTraffic {
  std::array<double, 2> printed, formula, chain;
};

/// Of `drf` or `pf`.
LightTraffic light_traffic(const TwoProfiles& profiles, std::string_view mechanism);

/// Holds what the chains give against the paper; where they do not, the formula must.
void hold_light_traffic(const TwoProfiles& profiles, Reproduction& result);

}  // namespace mirab::experiments
