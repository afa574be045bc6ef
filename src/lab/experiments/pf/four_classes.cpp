// Figure 3 of Bonald and Roberts 2014: four classes of jobs on two resources.
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

namespace mirab::experiments {

/// A plot of figure 3 of Bonald and Roberts: profiles (1, 1/10), (1, 1/2), (1/2, 1) and (1/10, 1).
struct FourClassPlot {
  std::string_view title;
  std::array<double, 4> arrivals;  ///< in proportion
};

/// Simulates DRF and PF, with balanced fairness where that can be counted, and holds classes 3 and 4, whose
/// dominant resource is the RAM, against the text of section 3.3.
Reproduction reproduce_four_classes(const FourClassPlot& plot, const RunOptions& options);

// Figure 3 of Bonald and Roberts 2014: four classes, two of which need mostly the CPU, two mostly the RAM.
// PF slightly outperforms DRF when both resources are as loaded, and more for the classes whose dominant
// resource is less loaded than the other.

namespace {

constexpr std::size_t kShown[] = {2, 3};  // classes 3 and 4
constexpr std::size_t kBalancedStates = 1'000'000;
constexpr std::size_t kBalancedStatesQuick = 100'000;
constexpr double kLikeOneQueue = 0.06;

simulation::TrafficScenario scenario_of(const FourClassPlot& plot, Effort effort) {
  return cpu_and_ram({{1, 0.1}, {1, 0.5}, {0.5, 1}, {0.1, 1}}, {plot.arrivals.begin(), plot.arrivals.end()},
                     {"drf", "pf"}, effort);
}

// Section 3.3: the rate of jobs whose dominant resource is the most loaded is 1 - ρ approximately.
Finding like_one_queue(const ServiceRates& rates, std::size_t mechanism, std::size_t job_class) {
  double furthest = 0;
  for (std::size_t load = 0; load < rates.loads().size(); ++load) {
    const auto& point = rates.at(load, mechanism, job_class);
    furthest = std::max(furthest, std::abs(point.service_rate - (1 - point.load)));
  }
  return required(
      fmt::format("largest difference of γ{}({}) from 1 - ρ", job_class + 1, mechanism == kPf ? "PF" : "DRF"),
      furthest, furthest <= kLikeOneQueue);
}

bool cpu_is_critical(const FourClassPlot& plot) {
  return plot.arrivals[0] + plot.arrivals[1] > plot.arrivals[2] + plot.arrivals[3];
}

Figure figure_of(const FourClassPlot& plot, const ServiceRates& rates, const RunOptions& options) {
  const bool quick = options.effort == Effort::quick;
  const auto balanced = simulation::balanced_fairness(scenario_of(plot, options.effort),
                                                      quick ? kBalancedStatesQuick : kBalancedStates);
  MIRAB_ASSERT(static_cast<bool>(balanced), "the classes of a plot come and go");
  std::vector<Curve> curves;
  for (const std::size_t k : kShown) {
    curves.push_back(rates.curve(fmt::format("DRF, class {}", k + 1), kDrf, k));
    curves.push_back(rates.curve(fmt::format("PF, class {}", k + 1), kPf, k));
    curves.push_back(exact_curve(fmt::format("balanced fairness, class {}", k + 1), *balanced, 0, k));
  }
  return service_rate_figure(std::string(plot.title), std::move(curves));
}

}  // namespace

Reproduction reproduce_four_classes(const FourClassPlot& plot, const RunOptions& options) {
  const ServiceRates rates = ServiceRates::simulated(scenario_of(plot, options.effort), options);
  Reproduction result;
  for (const std::size_t k : kShown) {
    result.findings.push_back(served_no_more_slowly(rates, k));
    result.findings.push_back(ahead_at_high_load(rates, k));
  }
  if (cpu_is_critical(plot)) {
    for (const std::size_t mechanism : {kDrf, kPf}) {
      for (const std::size_t k : {0U, 1U}) result.findings.push_back(like_one_queue(rates, mechanism, k));
    }
  }
  result.figures = {figure_of(plot, rates, options)};
  return result;
}

// `pf-fig3a`: four classes on two resources that are as loaded.
// Bonald and Roberts 2014, section 3.3, figure 3(a).

namespace {

constexpr FourClassPlot kFigure3a{.title = "Four classes, as many jobs of each", .arrivals = {1, 1, 1, 1}};

Reproduction run_figure_3a(const RunOptions& options) { return reproduce_four_classes(kFigure3a, options); }

}  // namespace

Experiment pf_fig3a_row() {
  return {.id = "pf-fig3a",
          .paper = "Bonald and Roberts 2014, figure 3(a)",
          .title = "Four classes, as many jobs of each",
          .data = kAsPublished,
          .run = run_figure_3a,
          .own_files = [](const RunOptions& options) {
            return files_of("pf-fig3a", scenario_of(kFigure3a, options.effort), options);
          }};
}

// `pf-fig3b`: four classes; the RAM, which classes 3 and 4 need, is less loaded than the CPU.
// Bonald and Roberts 2014, section 3.3, figure 3(b).

namespace {

constexpr FourClassPlot kFigure3b{.title = "Four classes, three times as many jobs that need mostly the CPU",
                                  .arrivals = {3, 3, 1, 1}};

Reproduction run_figure_3b(const RunOptions& options) { return reproduce_four_classes(kFigure3b, options); }

}  // namespace

Experiment pf_fig3b_row() {
  return {.id = "pf-fig3b",
          .paper = "Bonald and Roberts 2014, figure 3(b)",
          .title = "Four classes, three times as many jobs that need mostly the CPU",
          .data = kAsPublished,
          .run = run_figure_3b,
          .own_files = [](const RunOptions& options) {
            return files_of("pf-fig3b", scenario_of(kFigure3b, options.effort), options);
          }};
}

}  // namespace mirab::experiments
