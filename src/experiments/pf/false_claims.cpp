// Figure 5 of Bonald and Roberts 2014: a class that claims more than it needs is served more slowly, and so
// is the other; the pool is full at a CPU load of (1 + α)/(1 + β), since with balanced arrivals ρ (1 + β) of
// the RAM is claimed when ρ (1 + α) of either is needed.
#include "experiments/pf/false_claims.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <string>

#include "experiments/pf/best_claims.hpp"
#include "experiments/pf/service_rates.hpp"
#include "experiments/worked_example.hpp"
#include "simulation/sweep.hpp"

namespace mirab::experiments {
namespace {

using simulation::ExactPoint;

constexpr double kCapacityTolerance = 0.05;  // relative: γ is a straight line only near 0
constexpr double kNothing = 1e-5;  // of a service rate: what the certificates of the chains leave open
constexpr std::array<double, 5> kQuickLoads = {0.1, 0.3, 0.5, 0.65, 0.85};  // none next to a capacity

constexpr const char* kWinning =
    "The text says that there is no winning strategy. By the exact chains there is one under PF at low "
    "loads, "
    "though a small one: when all jobs of class 1 claim too much, γ1 is a little above that with true "
    "requirements, at the cost of class 2. Light traffic says so too: with one job of each class, class 1 "
    "gets "
    "(1 - α)/(1 - αβ), which rises with β.";

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
    if (effort == Effort::quick) variant.scenario.loads = {kQuickLoads.begin(), kQuickLoads.end()};
    return variant;
  };
  std::vector<Variant> all = {claiming("true requirements", kTrueNeed)};
  for (const int others : kAgainst)
    all.push_back(claiming(fmt::format("best claim against {}", others), best_claim(others)));
  return all;
}

double capacity_of(const Variant& variant) { return (1 + kTrueNeed) / (1 + variant.beta); }

/// One variant, simulated and solved.
struct Solved {
  ServiceRates simulated;
  std::vector<ExactPoint> exact;
  std::vector<ExactPoint> near_the_end;  // at 80 and 90 % of the capacity, and beyond it; of claims
};

Solved solve(const Variant& variant, const RunOptions& options) {
  Solved solved{
      ServiceRates::simulated(variant.scenario, options), exact_rates(variant.scenario, options), {}};
  if (variant.beta == kTrueNeed) return solved;
  auto near_the_end = variant.scenario;
  near_the_end.loads = {0.8, 0.9, 1.001};
  for (double& load : near_the_end.loads) load *= capacity_of(variant);
  solved.near_the_end = exact_rates(near_the_end, options);
  return solved;
}

// Class 2 needs mostly the RAM, which is full of claims: γ_2 falls to 0 like a straight line.
Finding capacity_end(const Variant& variant, const Solved& solved) {
  const std::vector<ExactPoint>& points = solved.near_the_end;
  const double first = points[0].service_rate[1];
  const double second = points[1].service_rate[1];
  const double end = points[1].load + second * (points[1].load - points[0].load) / (first - second);
  Finding finding = compared(fmt::format("{}: CPU load at which γ2 reaches 0, going on as from 80 to 90 % of "
                                         "(1 + α)/(1 + β)",
                                         variant.name),
                             capacity_of(variant), end, kCapacityTolerance * capacity_of(variant));
  finding.holds = finding.holds && !points[2].stable;
  return finding;
}

// What is gained at the most, at any load, when all of class 1 claim too much.
Finding nobody_gains(const Solved& truth, const Solved& lie, std::size_t job_class, const std::string& name) {
  double gain = -1, at = 0;
  for (std::size_t p = 0; p < truth.exact.size(); ++p) {
    const double gained = lie.exact[p].service_rate[job_class] - truth.exact[p].service_rate[job_class];
    if (gained > gain) at = truth.exact[p].load;
    gain = std::max(gain, gained);
  }
  Finding finding =
      required(fmt::format("{}: largest gain of γ{} over the truth, exact, at any load", name, job_class + 1),
               gain, gain <= kNothing);
  if (!finding.holds)
    finding.note = fmt::format("by the exact chains there is a gain, at load {}: the claim wins there", at);
  return finding;
}

}  // namespace

Reproduction reproduce_false_claims(std::string_view mechanism, std::string_view title,
                                    const RunOptions& options) {
  const std::vector<Variant> all = variants(mechanism, options.effort);
  std::vector<Solved> solved(all.size());
  RunOptions alone = options;
  alone.threads = 1;
  simulation::sweep(all.size(), options.threads, [&](std::size_t v) { solved[v] = solve(all[v], alone); });

  Reproduction result;
  std::vector<Curve> curves;
  bool wins = false;
  for (std::size_t v = 0; v < all.size(); ++v) {
    Finding coverage = covered(solved[v].simulated, solved[v].exact);
    coverage.what = fmt::format("{}: {}", all[v].name, coverage.what);
    result.findings.push_back(std::move(coverage));
    if (v > 0) {
      for (const std::size_t k : {0U, 1U}) {
        result.findings.push_back(nobody_gains(solved[0], solved[v], k, all[v].name));
        wins = wins || !result.findings.back().holds;
      }
      result.findings.push_back(capacity_end(all[v], solved[v]));
    }
    curves.push_back(solved[v].simulated.curve(all[v].name, 0, 0));
    curves.push_back(exact_curve(all[v].name + ", exact", solved[v].exact, 0, 0));
  }
  if (wins) result.remarks = {kWinning};
  result.figures = {service_rate_figure(std::string(title), std::move(curves))};
  return result;
}

}  // namespace mirab::experiments
