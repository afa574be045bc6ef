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
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "experiments/false_claims.hpp"
#include "experiments/rows.hpp"
#include "experiments/service_rates.hpp"
#include "experiments/worked_example.hpp"

namespace mirab::experiments {
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

Reproduction run(const RunOptions&) {
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
          .run = run};
}

}  // namespace mirab::experiments
