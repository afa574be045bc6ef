// Figure 5 of Bonald and Roberts 2014: a class that claims more than it needs is served more slowly, and so
// is the other; the pool is full at a CPU load of (1 + α)/(1 + β), since with balanced arrivals ρ (1 + β) of
// the RAM is claimed when ρ (1 + α) of either is needed.
#include "experiments/pf_false_claims.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <string>

#include "experiments/false_claims.hpp"
#include "experiments/service_rates.hpp"
#include "experiments/worked_example.hpp"

namespace mirab::experiments {
namespace {

using simulation::ExactPoint;

constexpr double kBeyond = 1.001;  // of the capacity: surely unstable
constexpr double kCapacityTolerance = 0.01;

struct Variant {
  std::string name;
  double beta;
  simulation::TrafficScenario scenario;
};

std::vector<Variant> variants(std::string_view mechanism, Effort effort) {
  const auto claiming = [&](std::string name, double beta) {
    Variant variant{std::move(name), beta,
                    cpu_and_ram({{1, kTrueNeed}, {kTrueNeed, 1}}, {1, 1}, {mechanism}, effort)};
    if (beta != kTrueNeed) variant.scenario.classes[0].claims = {1, beta};
    return variant;
  };
  std::vector<Variant> all = {claiming("true requirements", kTrueNeed)};
  for (const int others : kAgainst)
    all.push_back(claiming(fmt::format("best claim against {}", others), best_claim(others)));
  return all;
}

double capacity_of(const Variant& variant) { return (1 + kTrueNeed) / (1 + variant.beta); }

// Where γ_1 reaches 0, by a line through the last two of its points below the capacity.
Finding capacity_end(const Variant& variant, const RunOptions& options) {
  const double printed = capacity_of(variant);
  const bool quick = options.effort == Effort::quick;
  auto scenario = variant.scenario;
  scenario.loads = {(quick ? 0.88 : 0.94) * printed, (quick ? 0.92 : 0.97) * printed, kBeyond * printed};
  const std::vector<ExactPoint> points = exact_rates(scenario, options);
  const double first = points[0].service_rate[0];
  const double second = points[1].service_rate[0];
  const double end = points[1].load + second * (points[1].load - points[0].load) / (first - second);
  Finding finding = compared(fmt::format("{}: load at which γ1 reaches 0, (1 + α)/(1 + β)", variant.name),
                             printed, end, (quick ? 3 : 1) * kCapacityTolerance);
  finding.holds = finding.holds && !points[2].stable;
  return finding;
}

// Loads at which a class is served faster when class 1 lies; where the lie makes the pool unstable it is not.
Finding nobody_gains(const std::vector<ExactPoint>& truth, const std::vector<ExactPoint>& lie,
                     std::size_t job_class, const std::string& name) {
  std::size_t gained = 0;
  for (std::size_t p = 0; p < truth.size(); ++p)
    gained += lie[p].service_rate[job_class] > truth[p].service_rate[job_class] ? 1 : 0;
  return required(fmt::format("{}: loads, of {}, at which class {} is served faster than with the truth",
                              name, truth.size(), job_class + 1),
                  static_cast<double>(gained), gained == 0);
}

}  // namespace

Reproduction reproduce_false_claims(std::string_view mechanism, std::string_view title,
                                    const RunOptions& options) {
  Reproduction result;
  std::vector<Curve> curves;
  std::vector<ExactPoint> truth;
  for (const Variant& variant : variants(mechanism, options.effort)) {
    const ServiceRates simulated = ServiceRates::simulated(variant.scenario, options);
    const std::vector<ExactPoint> exact = exact_rates(variant.scenario, options);
    Finding coverage = covered(simulated, exact);
    coverage.what = fmt::format("{}: {}", variant.name, coverage.what);
    result.findings.push_back(std::move(coverage));
    if (truth.empty()) {
      truth = exact;
    } else {
      for (const std::size_t k : {0, 1})
        result.findings.push_back(nobody_gains(truth, exact, k, variant.name));
      result.findings.push_back(capacity_end(variant, options));
    }
    curves.push_back(simulated.curve(variant.name, 0, 0));
    curves.push_back(exact_curve(variant.name + ", exact", exact, 0, 0));
  }
  result.figures = {service_rate_figure(std::string(title), std::move(curves))};
  return result;
}

}  // namespace mirab::experiments
