// Figures 4 and 5 of Bonald and Roberts 2014: jobs that claim more than they need.
#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <string>
#include <string_view>

#include "lab/experiments/experiment.hpp"
#include "lab/experiments/findings.hpp"
#include "lab/experiments/pf/service_rates.hpp"
#include "lab/experiments/registry.hpp"
#include "lab/simulation/base/replications.hpp"

namespace mirab::experiments {

// `pf-fig4`: one permanent job of class 1 gains nothing by a false claim, although it could in a population
// that stands still. Bonald and Roberts 2014, section 3.4, figure 4.
//
// With n jobs of class 2, under PF,
//
//   φ_1(n) = min((1 - α)/(1 - αβ), 1/(β (n + 1))),  φ_1(0) = 1,  n φ_2(n) = 1 - β φ_1(n),
//
// where the printed first term has a factor 1/n, which is a slip: both resources are full there. n is a
// birth-death process, γ_1 = Σ π(n) φ_1(n). The paper shows a curve; the numbers below are this sum, which
// the exact chain, with rates from the mechanism itself, must meet.

namespace {

constexpr double kExact = 1e-7;
constexpr double kTie = 1e-9;

struct Claim {
  std::string name;
  double beta;
};

std::vector<Claim> claims() {
  std::vector<Claim> claims = {{"true requirements", kTrueNeed}};
  for (const int others : kAgainst)
    claims.push_back({fmt::format("best claim against {}", others), best_claim(others)});
  return claims;
}

// γ_1 by the sum.
double summed(double beta, double load) {
  constexpr double kLeast = 1e-18;
  double weight = 1, all = 1, rate = 1;  // of n = 0
  for (int n = 1; weight > kLeast * all || n < 20; ++n) {
    const double phi_1 =
        std::min((1 - kTrueNeed) / (1 - kTrueNeed * beta), 1 / (beta * static_cast<double>(n + 1)));
    weight *= load / (1 - beta * phi_1);
    all += weight;
    rate += weight * phi_1;
  }
  return rate / all;
}

Curve solved(const Claim& claim, const std::vector<double>& loads) {
  auto scenario = cpu_and_ram({{1, kTrueNeed}, {kTrueNeed, 1}}, {0, 1}, {"pf"}, Effort::full);
  scenario.classes[0].permanent = 1;
  if (claim.beta != kTrueNeed) scenario.classes[0].claims = {1, claim.beta};
  scenario.load_resource = 1;
  scenario.loads = loads;
  return exact_curve(claim.name, exact_rates(scenario, {}), 0, 0);
}

// Where the sum and the chain differ most.
Finding chain_meets_sum(const std::vector<Claim>& claims, const std::vector<Curve>& curves) {
  double furthest = 0;
  for (std::size_t c = 0; c < claims.size(); ++c) {
    for (std::size_t p = 0; p < curves[c].x.size(); ++p)
      furthest = std::max(furthest, std::abs(curves[c].y[p] - summed(claims[c].beta, curves[c].x[p])));
  }
  return required("largest difference between the exact chains and the birth-death sums", furthest,
                  furthest <= kExact);
}

Finding never_beaten(const Curve& truth, const Curve& lie) {
  std::size_t beaten = 0;
  for (std::size_t p = 0; p < truth.x.size(); ++p) beaten += lie.y[p] > truth.y[p] + kTie ? 1 : 0;
  return required(
      fmt::format("loads, of {}, at which the {} does better than the truth", truth.x.size(), lie.name),
      static_cast<double>(beaten), beaten == 0);
}

// "From bottom to top": the worse the more is claimed.
Finding in_order(const std::vector<Curve>& curves, double load) {
  std::vector<double> rates;
  for (const Curve& curve : {curves[0], curves[3], curves[2], curves[1]}) {
    const auto p = std::find(curve.x.begin(), curve.x.end(), load) - curve.x.begin();
    rates.push_back(curve.y[static_cast<std::size_t>(p)]);
  }
  return required(fmt::format("γ1 of the truth at load {}; {:.4f}, {:.4f} and {:.4f} with the best claims "
                              "against 5, 2 and 1 others, from top to bottom as in the paper",
                              load, rates[1], rates[2], rates[3]),
                  rates[0], std::is_sorted(rates.rbegin(), rates.rend()));
}

Reproduction run_figure_4(const RunOptions&) {
  const std::vector<double> loads = plotted_loads(Effort::full);
  const std::vector<Claim> variants = claims();
  std::vector<Curve> curves;
  for (const Claim& claim : variants) curves.push_back(solved(claim, loads));
  Reproduction result;
  result.findings = {chain_meets_sum(variants, curves)};
  for (std::size_t c = 1; c < curves.size(); ++c)
    result.findings.push_back(never_beaten(curves[0], curves[c]));
  for (const double load : {0.5, 0.9}) result.findings.push_back(in_order(curves, load));
  result.figures = {{.title = "Service rate of a permanent job of class 1 under PF, by what it claims",
                     .x_label = "load of class 2, ρ2",
                     .y_label = "service rate γ1",
                     .curves = std::move(curves)}};
  result.remarks = {
      "The printed rate φ1(n) = min((1 - α)/(n (1 - αβ)), 1/(β (n + 1))) has a factor 1/n too many: when "
      "both "
      "resources are full, the one job of class 1 has (1 - α)/(1 - αβ), whatever n. With it, the claims that "
      "the paper calls best, β = 1/(1 + n (1 - α)), are where the two terms meet; with 1/n they are not."};
  return result;
}

}  // namespace

Experiment pf_fig4_row() {
  return {.id = "pf-fig4",
          .paper = "Bonald and Roberts 2014, figure 4",
          .title = "A permanent job under PF with true and with false requirements",
          .data = kAsPublished,
          .run = run_figure_4};
}

/// A plot of figure 5 of Bonald and Roberts: all jobs of class 1 claim β of the RAM where they need α, under
/// one mechanism, `drf` or `pf`, for the claims of figure 4. Simulated, and from the exact chains.
Reproduction reproduce_false_claims(std::string_view mechanism, std::string_view title,
                                    const RunOptions& options);

// Figure 5 of Bonald and Roberts 2014: a class that claims more than it needs is served more slowly, and so
// is the other; the pool is full at a CPU load of (1 + α)/(1 + β), since with balanced arrivals ρ (1 + β) of
// the RAM is claimed when ρ (1 + α) of either is needed.

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

struct ClaimVariant {
  std::string name;
  double beta;
  simulation::TrafficScenario scenario;
};

std::vector<ClaimVariant> variants(std::string_view mechanism, Effort effort) {
  const auto claiming = [&](std::string name, double beta) {
    ClaimVariant variant{std::move(name), beta,
                         cpu_and_ram({{1, kTrueNeed}, {kTrueNeed, 1}}, {1, 1}, {mechanism}, effort)};
    if (beta != kTrueNeed) variant.scenario.classes[0].claims = {1, beta};
    if (effort == Effort::quick) variant.scenario.loads = {kQuickLoads.begin(), kQuickLoads.end()};
    return variant;
  };
  std::vector<ClaimVariant> all = {claiming("true requirements", kTrueNeed)};
  for (const int others : kAgainst)
    all.push_back(claiming(fmt::format("best claim against {}", others), best_claim(others)));
  return all;
}

double capacity_of(const ClaimVariant& variant) { return (1 + kTrueNeed) / (1 + variant.beta); }

/// One variant, simulated and solved.
struct Solved {
  ServiceRates simulated;
  std::vector<ExactPoint> exact;
  std::vector<ExactPoint> near_the_end;  // at 80 and 90 % of the capacity, and beyond it; of claims
};

Solved solve(const ClaimVariant& variant, const RunOptions& options) {
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
Finding capacity_end(const ClaimVariant& variant, const Solved& solved) {
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
Finding no_class_gains(const Solved& truth, const Solved& lie, std::size_t job_class,
                       const std::string& name) {
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
  const std::vector<ClaimVariant> all = variants(mechanism, options.effort);
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
        result.findings.push_back(no_class_gains(solved[0], solved[v], k, all[v].name));
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

// `pf-fig5a`: all jobs of class 1 claim more RAM than they need, under DRF. No claim pays.
// Bonald and Roberts 2014, section 3.4, figure 5(a).

namespace {

constexpr std::string_view kTitle5a = "Service rate of class 1 when all its jobs claim too much, under DRF";

Reproduction run_figure_5a(const RunOptions& options) {
  return reproduce_false_claims("drf", kTitle5a, options);
}

}  // namespace

Experiment pf_fig5a_row() {
  return {.id = "pf-fig5a",
          .paper = "Bonald and Roberts 2014, figure 5(a)",
          .title = kTitle5a,
          .data = kAsPublished,
          .run = run_figure_5a};
}

// `pf-fig5b`: all jobs of class 1 claim more RAM than they need, under PF. No claim pays.
// Bonald and Roberts 2014, section 3.4, figure 5(b).

namespace {

constexpr std::string_view kTitle5b = "Service rate of class 1 when all its jobs claim too much, under PF";

Reproduction run_figure_5b(const RunOptions& options) {
  return reproduce_false_claims("pf", kTitle5b, options);
}

}  // namespace

Experiment pf_fig5b_row() {
  return {.id = "pf-fig5b",
          .paper = "Bonald and Roberts 2014, figure 5(b)",
          .title = kTitle5b,
          .data = kAsPublished,
          .run = run_figure_5b};
}

}  // namespace mirab::experiments
