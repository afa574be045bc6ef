// Figures 1 and 2 of Bonald and Roberts 2014: two classes with profiles (1, α) and (β, 1) under DRF and PF.
//
// Heavy traffic with the CPU critical, ρ → 1 (section 3.3): γ_1 ≈ 1 - ρ under both, γ_2(DRF) ≈ 1 - ρ, and
// γ_2(PF) ≈ (1 - ρ)/β: under PF what a class takes of the bottleneck is shared evenly, and a job of class 2
// does 1/β for its part. The printed (1 - ρ)/α is a slip.
#include "experiments/pf/two_classes.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <string>

#include "experiments/pf/service_rates.hpp"
#include "experiments/worked_example.hpp"

namespace mirab::experiments {
namespace {

using simulation::ExactPoint;

constexpr std::string_view kNames[] = {"DRF", "PF"};
constexpr double kSlight = 0.05;  // of a service rate: "a slight decrease"
constexpr double kPracticallySame = 0.02;
constexpr double kNearLimit = 0.2;  // of a ratio with a limit for ρ → 1, at the highest load
constexpr std::array<double, 3> kHeavyLoads = {0.85, 0.9, 0.95};
constexpr double kAtLimit = 0.05;  // relative, of a ratio that is drawn on as a straight line to ρ = 1

struct Rates {
  ServiceRates simulated;
  std::vector<ExactPoint> exact, balanced;

  std::size_t loads() const { return simulated.loads().size(); }
  double exactly(std::size_t load, std::size_t mechanism, std::size_t job_class) const {
    return exact[mechanism * loads() + load].service_rate[job_class];
  }
  /// γ / (1 - ρ) at the highest load.
  double heavy(std::size_t mechanism, std::size_t job_class) const {
    return exactly(loads() - 1, mechanism, job_class) / (1 - simulated.loads().back());
  }
};

simulation::TrafficScenario scenario_of(const TwoClassPlot& plot,
                                        const std::vector<std::string_view>& mechanisms, Effort effort) {
  const auto& [alpha, beta] = plot.profiles;
  return cpu_and_ram({{1, alpha}, {beta, 1}}, {plot.arrivals[0], plot.arrivals[1]}, mechanisms, effort);
}

Rates rates_of(const TwoClassPlot& plot, const RunOptions& options) {
  const auto scenario = scenario_of(plot, {"drf", "pf"}, options.effort);
  const auto balanced = simulation::balanced_fairness(scenario);
  MIRAB_ASSERT(static_cast<bool>(balanced), "the classes of a plot come and go");
  return {ServiceRates::simulated(scenario, options), exact_rates(scenario, options), *balanced};
}

Figure figure_of(const TwoClassPlot& plot, const Rates& rates) {
  std::vector<Curve> curves;
  for (const std::size_t mechanism : {kDrf, kPf}) {
    for (const std::size_t k : {0U, 1U}) {
      const std::string name = fmt::format("{}, class {}", kNames[mechanism], k + 1);
      curves.push_back(rates.simulated.curve(name, mechanism, k));
      curves.push_back(exact_curve(name + ", exact", rates.exact, mechanism, k));
    }
  }
  for (const std::size_t k : {0U, 1U})
    curves.push_back(exact_curve(fmt::format("balanced fairness, class {}", k + 1), rates.balanced, 0, k));
  return service_rate_figure(std::string(plot.title), std::move(curves));
}

// γ_k(PF) - γ_k(DRF) of the exact chains, [load].
std::vector<double> gains(const Rates& rates, std::size_t job_class) {
  std::vector<double> gains;
  for (std::size_t load = 0; load < rates.loads(); ++load)
    gains.push_back(rates.exactly(load, kPf, job_class) - rates.exactly(load, kDrf, job_class));
  return gains;
}

double largest(const std::vector<double>& gains) {
  return std::abs(*std::max_element(gains.begin(), gains.end(),
                                    [](double a, double b) { return std::abs(a) < std::abs(b); }));
}

Finding all_gain(const Rates& rates, std::size_t job_class) {
  const std::vector<double> gained = gains(rates, job_class);
  const auto served_faster = std::count_if(gained.begin(), gained.end(), [](double g) { return g > 0; });
  return required(fmt::format("loads, of {}, at which class {} is served faster under PF than under DRF",
                              gained.size(), job_class + 1),
                  static_cast<double>(served_faster), served_faster == std::ssize(gained));
}

Finding of_class_one(const TwoClassPlot& plot, const Rates& rates) {
  const std::vector<double> gained = gains(rates, 0);
  const bool lower = std::all_of(gained.begin(), gained.end(), [](double g) { return g < 0; });
  switch (plot.class_one) {
    case ClassOne::higher:
      return all_gain(rates, 0);
    case ClassOne::equal:
      return required("largest difference of γ1 between PF and DRF: practically the same", largest(gained),
                      largest(gained) <= kPracticallySame);
    case ClassOne::slightly_lower:
      return required("largest loss of γ1 under PF against DRF: lower at every load, slightly",
                      largest(gained), lower && largest(gained) <= kSlight);
  }
  MIRAB_ASSERT(false, "something else is said of class 1");
}

bool cpu_is_critical(const TwoClassPlot& plot) {
  const auto& [alpha, beta] = plot.profiles;
  return plot.arrivals[0] + beta * plot.arrivals[1] > alpha * plot.arrivals[0] + plot.arrivals[1];
}

// The ratio rises towards its limit, which it meets when it goes on like a straight line in 1 - ρ.
Finding second_class_in_heavy_traffic(const TwoClassPlot& plot, const RunOptions& options) {
  const TwoProfiles& profiles = plot.profiles;
  auto scenario = scenario_of(plot, {"pf"}, options.effort);
  scenario.loads = {kHeavyLoads.begin(), kHeavyLoads.end()};
  std::vector<double> ratio;
  for (const ExactPoint& point : exact_rates(scenario, options))
    ratio.push_back(point.service_rate[1] / (1 - point.load));
  const double limit = 1 / profiles.beta;
  const double at_one =
      ratio[2] + (ratio[2] - ratio[1]) * (1 - kHeavyLoads[2]) / (kHeavyLoads[2] - kHeavyLoads[1]);
  const bool rises = ratio[0] < ratio[1] && ratio[1] < ratio[2] && ratio[2] < limit * 1.001;
  Finding finding = required(
      fmt::format(
          "γ2(PF)/(1 - ρ), rising over loads {}, {} and {}, and drawn on to load 1: 1/β = {} within {} %",
          kHeavyLoads[0], kHeavyLoads[1], kHeavyLoads[2], limit, 100 * kAtLimit),
      at_one, rises && std::abs(at_one - limit) <= kAtLimit * limit);
  if (profiles.alpha == profiles.beta) return finding;
  finding.printed = 1 / profiles.alpha;
  finding.corrected = true;
  finding.note =
      "the printed limit 1/α is a slip: under PF a class has its part of the bottleneck, the CPU, of "
      "which a task of class 2 takes β";
  return finding;
}

void hold_heavy_traffic(const TwoClassPlot& plot, const Rates& rates, const RunOptions& options,
                        Reproduction& result) {
  const double load = rates.simulated.loads().back();
  if (!cpu_is_critical(plot)) {
    result.findings.push_back(
        required(fmt::format("γ(DRF)/(1 - ρ) at load {}: far worse than processor sharing", load),
                 rates.heavy(kDrf, 0), rates.heavy(kDrf, 0) < 0.5));
    result.findings.push_back(required(fmt::format("γ(PF)/(1 - ρ) at load {}", load), rates.heavy(kPf, 0),
                                       std::abs(rates.heavy(kPf, 0) - 1) <= kNearLimit));
    return;
  }
  const auto like_one_queue = [&](std::size_t mechanism, std::size_t k) {
    return compared(fmt::format("γ{}({})/(1 - ρ) at load {}", k + 1, kNames[mechanism], load), 1,
                    rates.heavy(mechanism, k), kNearLimit);
  };
  result.findings.push_back(like_one_queue(kPf, 0));
  result.findings.push_back(like_one_queue(kDrf, 0));
  result.findings.push_back(like_one_queue(kDrf, 1));
  result.findings.push_back(second_class_in_heavy_traffic(plot, options));
}

Table heavy_table(const Rates& rates) {
  Table table{.title = "γ/(1 - ρ) of the exact chains",
              .head = {"load", "DRF, class 1", "DRF, class 2", "PF, class 1", "PF, class 2"},
              .rows = {}};
  for (std::size_t load = 0; load < rates.loads(); ++load) {
    const double left = 1 - rates.simulated.loads()[load];
    table.rows.push_back({fmt::format("{:.2f}", rates.simulated.loads()[load])});
    for (const std::size_t mechanism : {kDrf, kPf}) {
      for (const std::size_t k : {0U, 1U})
        table.rows.back().push_back(fmt::format("{:.4f}", rates.exactly(load, mechanism, k) / left));
    }
  }
  return table;
}

Table certificates(const Rates& rates) {
  Table table{.title = "Certificates of the exact chains, the largest of all loads",
              .head = {"mechanism", "states", "residual of π", "time at the edge", "change of E[n]"},
              .rows = {}};
  for (const std::size_t mechanism : {kDrf, kPf}) {
    ExactPoint worst;
    for (const ExactPoint& point : rates.exact) {
      if (point.mechanism != mechanism) continue;
      worst.states = std::max(worst.states, point.states);
      worst.residual = std::max(worst.residual, point.residual);
      worst.boundary = std::max(worst.boundary, point.boundary);
      worst.change = std::max(worst.change, point.change);
    }
    table.rows.push_back({std::string(kNames[mechanism]), fmt::format("{}", worst.states),
                          fmt::format("{:.1e}", worst.residual), fmt::format("{:.1e}", worst.boundary),
                          fmt::format("{:.1e}", worst.change)});
  }
  return table;
}

std::vector<std::string> remarks_on(const TwoProfiles& profiles) {
  if (profiles.alpha == profiles.beta) return {};
  return {
      "The printed light-traffic slopes of PF are right only when α = β: the exact chains meet 1 + ρ_i + "
      "2 ρ_j (1 - x_i)/(x_1 + x_2) for E[T_i] instead. So γ1 has not the same light-traffic behaviour "
      "under both, as the text says: it falls faster under PF, which is the slight decrease of figure 2.",
      "The printed heavy-traffic limit γ2(PF) ≈ (1 - ρ)/α is a slip for (1 - ρ)/β."};
}

}  // namespace

Reproduction reproduce_two_classes(const TwoClassPlot& plot, const RunOptions& options) {
  const Rates rates = rates_of(plot, options);
  Reproduction result;
  result.findings = {covered(rates.simulated, rates.exact), all_gain(rates, 1), of_class_one(plot, rates)};
  hold_heavy_traffic(plot, rates, options, result);
  hold_light_traffic(plot.profiles, result);
  result.figures = {figure_of(plot, rates)};
  result.tables = {heavy_table(rates), certificates(rates)};
  result.remarks = remarks_on(plot.profiles);
  return result;
}

}  // namespace mirab::experiments
