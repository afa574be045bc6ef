// Light traffic of two classes: Bonald and Roberts 2014, section 3.3,
//
//   DRF: γ_1 ≈ 1 - ρ_1 - β ρ_2,  γ_2 ≈ 1 - β ρ_1 - ρ_2
//   PF:  γ_1 ≈ 1 - ρ_1 - β ρ_2,  γ_2 ≈ 1 - max(2 - 1/β, α) ρ_1 - ρ_2
//
// against E[T_i] = 1 + ρ_i + ρ_j 2 (1 - x_i) / (x_1 + x_2) + O(ρ²), which holds for every mechanism.
#include "experiments/pf/light_traffic.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "experiments/pf/service_rates.hpp"
#include "experiments/worked_example.hpp"

namespace mirab::experiments {
namespace {

constexpr double kStep = 2e-4;       // a load near 0
constexpr double kTolerance = 1e-3;  // of a slope

std::array<double, 2> printed_slopes(const TwoProfiles& profiles, std::string_view mechanism) {
  if (mechanism == "drf") return {profiles.beta, profiles.beta};
  return {profiles.beta, std::max(2 - 1 / profiles.beta, profiles.alpha)};
}

std::array<double, 2> slopes_by_formula(const TwoProfiles& profiles, std::string_view mechanism) {
  const Problem one_each =
      worked_example({"cpu", "ram"}, {{"pool", {1, 1}}},
                     {{"class 1", {1, profiles.alpha}}, {"class 2", {profiles.beta, 1}}});
  const std::vector<double> x = divided(one_each, mechanism).tasks;
  return {2 * (1 - x[0]) / (x[0] + x[1]), 2 * (1 - x[1]) / (x[0] + x[1])};
}

// (1/γ_i - 1) / load at a step and at two, continued to load 0; less the part of the class itself.
std::array<double, 2> slopes_of_chain(const TwoProfiles& profiles, std::string_view mechanism) {
  simulation::TrafficScenario scenario =
      cpu_and_ram({{1, profiles.alpha}, {profiles.beta, 1}}, {1, 1}, {mechanism}, Effort::quick);
  scenario.loads = {kStep, 2 * kStep};
  const auto points = exact_rates(scenario, {});
  std::array<double, 2> slopes;
  for (const std::size_t i : {0U, 1U}) {
    const auto grown = [&](std::size_t p) { return (1 / points[p].service_rate[i] - 1) / points[p].load; };
    const auto offered = [&](std::size_t k) {  // ρ_k at load 1
      return points[0].jobs[k] * points[0].service_rate[k] / points[0].load;
    };
    slopes[i] = (2 * grown(0) - grown(1) - offered(i)) / offered(1 - i);
  }
  return slopes;
}

}  // namespace

LightTraffic light_traffic(const TwoProfiles& profiles, std::string_view mechanism) {
  return {.printed = printed_slopes(profiles, mechanism),
          .formula = slopes_by_formula(profiles, mechanism),
          .chain = slopes_of_chain(profiles, mechanism)};
}

void hold_light_traffic(const TwoProfiles& profiles, Reproduction& result) {
  for (const std::string_view mechanism : {"drf", "pf"}) {
    const LightTraffic light = light_traffic(profiles, mechanism);
    for (const std::size_t i : {0U, 1U}) {
      Finding finding = compared(
          fmt::format("light traffic, {}: c of γ{} = 1 - ρ{} - c ρ{}", mechanism, i + 1, i + 1, 2 - i),
          light.printed[i], light.chain[i], kTolerance);
      if (!finding.holds) {
        finding.corrected = true;
        finding.holds = std::abs(light.chain[i] - light.formula[i]) <= kTolerance;
        finding.note = fmt::format(
            "the printed slope is that of α = β only; 2 (1 - x{}) / (x1 + x2) = {:.4f} with the rates x of "
            "one job of each class",
            i + 1, light.formula[i]);
      }
      result.findings.push_back(std::move(finding));
    }
  }
}

}  // namespace mirab::experiments
