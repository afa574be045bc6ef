// Figures 1 and 2 of Bonald and Roberts 2014: two classes of jobs under DRF and PF, in light and heavy
// traffic.

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <string>

#include "lab/experiments/findings.hpp"
#include "lab/experiments/pf/service_rates.hpp"
#include "lab/experiments/registry.hpp"

namespace mirab::experiments {

// Light traffic of two classes: Bonald and Roberts 2014, section 3.3,
//
//   DRF: γ_1 ≈ 1 - ρ_1 - β ρ_2,  γ_2 ≈ 1 - β ρ_1 - ρ_2
//   PF:  γ_1 ≈ 1 - ρ_1 - β ρ_2,  γ_2 ≈ 1 - max(2 - 1/β, α) ρ_1 - ρ_2
//
// against E[T_i] = 1 + ρ_i + ρ_j 2 (1 - x_i) / (x_1 + x_2) + O(ρ²), which holds for every mechanism.

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

void check_light_traffic(const TwoProfiles& profiles, Reproduction& result) {
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

// Figures 1 and 2 of Bonald and Roberts 2014: two classes with profiles (1, α) and (β, 1) under DRF and PF.
//
// Heavy traffic with the CPU critical, ρ → 1 (section 3.3): γ_1 ≈ 1 - ρ under both, γ_2(DRF) ≈ 1 - ρ, and
// γ_2(PF) ≈ (1 - ρ)/β: under PF what a class takes of the bottleneck is shared evenly, and a job of class 2
// does 1/β for its part. The printed (1 - ρ)/α is a slip.

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
  MIRAB_ASSERT(false, "class 1 has another measure");
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

void check_heavy_traffic(const TwoClassPlot& plot, const Rates& rates, const RunOptions& options,
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
  check_heavy_traffic(plot, rates, options, result);
  check_light_traffic(plot.profiles, result);
  result.figures = {figure_of(plot, rates)};
  result.tables = {heavy_table(rates), certificates(rates)};
  result.remarks = remarks_on(plot.profiles);
  return result;
}

// `pf-fig1a`: two symmetric classes with as many jobs each. PF serves both faster than DRF, above all at high
// load. Bonald and Roberts 2014, section 3.3, figure 1(a).

namespace {

constexpr TwoClassPlot kFigure1a{.title = "Profiles (1, 1/10) and (1/10, 1), balanced load",
                                 .profiles = {.alpha = 0.1, .beta = 0.1},
                                 .arrivals = {1, 1},
                                 .class_one = ClassOne::higher};

Reproduction run_figure_1a(const RunOptions& options) { return reproduce_two_classes(kFigure1a, options); }

}  // namespace

Experiment pf_fig1a_row() {
  return {.id = "pf-fig1a",
          .paper = "Bonald and Roberts 2014, figure 1(a)",
          .title = "Profiles (1, 1/10) and (1/10, 1), balanced load",
          .data = kAsPublished,
          .run = run_figure_1a,
          .own_files = [](const RunOptions& options) {
            return files_of("pf-fig1a", scenario_of(kFigure1a, {"drf", "pf"}, options.effort), options);
          }};
}

// `pf-fig1b`: the CPU is the bottleneck. PF serves class 2, which hardly needs it, much faster than DRF, and
// class 1 practically as fast. Bonald and Roberts 2014, section 3.3, figure 1(b).

namespace {

constexpr TwoClassPlot kFigure1b{
    .title = "Profiles (1, 1/10) and (1/10, 1), three times as many jobs of class 1",
    .profiles = {.alpha = 0.1, .beta = 0.1},
    .arrivals = {3, 1},
    .class_one = ClassOne::equal};

Reproduction run_figure_1b(const RunOptions& options) { return reproduce_two_classes(kFigure1b, options); }

}  // namespace

Experiment pf_fig1b_row() {
  return {.id = "pf-fig1b",
          .paper = "Bonald and Roberts 2014, figure 1(b)",
          .title = "Profiles (1, 1/10) and (1/10, 1), three times as many jobs of class 1",
          .data = kAsPublished,
          .run = run_figure_1b,
          .own_files = [](const RunOptions& options) {
            return files_of("pf-fig1b", scenario_of(kFigure1b, {"drf", "pf"}, options.effort), options);
          }};
}

// `pf-fig2a`: class 2 needs half a CPU. PF serves it faster than DRF, at low load too, and class 1 slightly
// more slowly. Bonald and Roberts 2014, section 3.3, figure 2(a).

namespace {

constexpr TwoClassPlot kFigure2a{.title = "Profiles (1, 1/10) and (1/2, 1), as many jobs of each",
                                 .profiles = {.alpha = 0.1, .beta = 0.5},
                                 .arrivals = {1, 1},
                                 .class_one = ClassOne::slightly_lower};

Reproduction run_figure_2a(const RunOptions& options) { return reproduce_two_classes(kFigure2a, options); }

}  // namespace

Experiment pf_fig2a_row() {
  return {.id = "pf-fig2a",
          .paper = "Bonald and Roberts 2014, figure 2(a)",
          .title = "Profiles (1, 1/10) and (1/2, 1), as many jobs of each",
          .data = kAsPublished,
          .run = run_figure_2a,
          .own_files = [](const RunOptions& options) {
            return files_of("pf-fig2a", scenario_of(kFigure2a, {"drf", "pf"}, options.effort), options);
          }};
}

// `pf-fig2b`: class 2 needs half a CPU, and its jobs are fewer. PF serves it faster than DRF, and class 1
// slightly more slowly. Bonald and Roberts 2014, section 3.3, figure 2(b).

namespace {

constexpr TwoClassPlot kFigure2b{
    .title = "Profiles (1, 1/10) and (1/2, 1), three times as many jobs of class 1",
    .profiles = {.alpha = 0.1, .beta = 0.5},
    .arrivals = {3, 1},
    .class_one = ClassOne::slightly_lower};

Reproduction run_figure_2b(const RunOptions& options) { return reproduce_two_classes(kFigure2b, options); }

}  // namespace

Experiment pf_fig2b_row() {
  return {.id = "pf-fig2b",
          .paper = "Bonald and Roberts 2014, figure 2(b)",
          .title = "Profiles (1, 1/10) and (1/2, 1), three times as many jobs of class 1",
          .data = kAsPublished,
          .run = run_figure_2b,
          .own_files = [](const RunOptions& options) {
            return files_of("pf-fig2b", scenario_of(kFigure2b, {"drf", "pf"}, options.effort), options);
          }};
}

}  // namespace mirab::experiments
