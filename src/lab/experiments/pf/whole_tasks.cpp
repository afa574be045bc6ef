// Figure 6 of Bonald and Roberts 2014: DRF and PF task by task.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <string>
#include <string_view>

#include <mirab/scheduling/fill.hpp>

#include "lab/experiments/experiment.hpp"
#include "lab/experiments/findings.hpp"
#include "lab/experiments/pf/service_rates.hpp"
#include "lab/experiments/registry.hpp"
#include "lab/simulation/traffic.hpp"
#include "lab/simulation/traffic/fluid_rates.hpp"

namespace mirab::experiments {

/// A plot of figure 6 of Bonald and Roberts.
struct WholeTaskPlot {
  std::string_view title;
  simulation::Sizes task_times;
  double zero_load_rate;  ///< 0.54 as printed, or 0 where the paper gives none
};

/// Simulates DRF and PF task by task on the engine, with the exact chains of the fluid, and holds them
/// against section 4.2.
Reproduction reproduce_whole_tasks(const WholeTaskPlot& plot, const RunOptions& options);

/// Lays the two ways to find PF's prices side by side: the gradient steps of equation 9 and Newton's method.
void compare_price_solvers(Reproduction& result);

// Figure 6 of Bonald and Roberts 2014: jobs of 500 tasks on a capacity of 100, task by task. A job alone runs
// 100 tasks until 400 are done, and then fewer and fewer: with exponential times its rate is 5/(401/100 +
// Σ_{k=1}^{99} 1/k) = 0.544 of the fluid's. What PF gains over DRF in the fluid it gains here too.

namespace {

using simulation::TrafficPoint;
using simulation::TrafficScenario;

constexpr double kParts[] = {3, 1};  // ρ1 = 3 ρ2
constexpr JobsUpTo kJobs[] = {
    {0.5, 1'500, 200}, {0.8, 3'000, 300}, {0.9, 5'000, 300}, {kAnyLoad, 8'000, 300}};
constexpr JobsUpTo kAloneJobs[] = {{kAnyLoad, 4'000, 600}};
constexpr double kNoLoad = 0.001;
constexpr double kRounding = 0.01;  // of 0.54 as printed, and of the simulation
constexpr double kWholeTasksPracticallySame = 0.05;

TrafficScenario fluid(Effort effort) {
  return cpu_and_ram({{1, 0.1}, {0.1, 1}}, {kParts[0], kParts[1]}, {"drf", "pf"}, effort);
}

TrafficScenario whole_tasks(const WholeTaskPlot& plot, Effort effort) {
  TrafficScenario scenario = fluid(effort);
  scenario.capacity = {100, 100};
  scenario.model = simulation::TrafficModel::tasks;
  scenario.tasks_per_job = 500;
  scenario.freeze = true;
  scenario.sizes = plot.task_times;
  scenario.mechanisms = {*choose_discipline("drf"), *choose_discipline("pf")};
  return scenario;
}

Finding zero_load(const WholeTaskPlot& plot, const RunOptions& options) {
  TrafficScenario scenario = whole_tasks(plot, options.effort);
  scenario.mechanisms.resize(1);  // a job that is alone is served alike by all
  scenario.loads = {kNoLoad};
  const TrafficPoint alone = ServiceRates::simulated(scenario, kAloneJobs, options).at(0, kDrf, 0);
  const double printed = plot.zero_load_rate;
  Finding finding = printed > 0 ? compared("zero-load service rate", printed, alone.service_rate, kRounding)
                                : required("zero-load service rate: nearer to the fluid's 1 than 0.544",
                                           alone.service_rate, false);
  finding.interval = {{alone.low, alone.high}};
  if (printed <= 0) decide(finding, Side::above, 0.7);
  return finding;
}

Finding same_for_class_one(const ServiceRates& rates) {
  double furthest = 0;
  for (std::size_t load = 0; load < rates.loads().size(); ++load) {
    furthest = std::max(furthest,
                        std::abs(rates.at(load, kPf, 0).service_rate - rates.at(load, kDrf, 0).service_rate));
  }
  return required("largest difference of γ1 between PF and DRF", furthest,
                  furthest <= kWholeTasksPracticallySame);
}

// "Reduction in service rate for low loads" against the fluid.
Finding below_the_fluid(const ServiceRates& rates, const std::vector<simulation::ExactPoint>& exact) {
  const TrafficPoint& point = rates.at(0, kPf, 0);
  const double ratio = point.service_rate / exact[kPf * rates.loads().size()].service_rate[0];
  return required(fmt::format("γ1(PF) over that of the fluid at load {}", point.load), ratio, ratio < 1);
}

Figure figure_of(const WholeTaskPlot& plot, const ServiceRates& rates,
                 const std::vector<simulation::ExactPoint>& exact) {
  std::vector<Curve> curves;
  for (const std::size_t mechanism : {kDrf, kPf}) {
    for (const std::size_t k : {0U, 1U}) {
      const std::string name = fmt::format("{}, class {}", mechanism == kPf ? "PF" : "DRF", k + 1);
      curves.push_back(rates.curve(name, mechanism, k));
      curves.push_back(exact_curve(name + ", fluid", exact, mechanism, k));
    }
  }
  return service_rate_figure(std::string(plot.title), std::move(curves));
}

}  // namespace

void compare_price_solvers(Reproduction& result) {
  constexpr double kSteps[] = {0.1, 1, 10};
  constexpr double kAgree = 1e-6;
  Table table{.title =
                  "Prices ν of PF for n1 and n2 jobs, and the iterations to a residual of 1e-9 by Newton's "
                  "method, and by equation 9 with three steps γ",
              .head = {"n1", "n2", "ν1", "ν2", "Newton", "γ = 0.1", "γ = 1", "γ = 10"},
              .rows = {}};
  const TrafficScenario scenario = fluid(Effort::quick);
  const std::vector<std::int64_t> populations[] = {{3, 1}, {1, 3}, {10, 3}, {30, 20}, {200, 20}};
  double furthest = 0;
  for (const std::vector<std::int64_t>& jobs : populations) {
    const simulation::SolvedPrices newton = simulation::prices_by_newton(scenario, jobs);
    table.rows.push_back({fmt::format("{}", jobs[0]), fmt::format("{}", jobs[1]),
                          fmt::format("{:.6f}", newton.price[0]), fmt::format("{:.6f}", newton.price[1]),
                          fmt::format("{}", newton.report.iterations)});
    for (const double step : kSteps) {
      const simulation::SolvedPrices gradient = simulation::prices_by_gradient(scenario, jobs, step);
      table.rows.back().push_back(gradient.report.converged() ? fmt::format("{}", gradient.report.iterations)
                                                              : "never");
      if (!gradient.report.converged()) continue;
      for (std::size_t r = 0; r < newton.price.size(); ++r) {
        const double off = std::abs(gradient.price[r] - newton.price[r]);
        furthest = std::max(furthest, off / static_cast<double>(jobs[0] + jobs[1]));
      }
    }
  }
  result.findings.push_back(
      required("largest difference of a price ν per job between equation 9 and Newton's "
               "method",
               furthest, furthest <= kAgree));
  result.tables.push_back(std::move(table));
}

Reproduction reproduce_whole_tasks(const WholeTaskPlot& plot, const RunOptions& options) {
  const ServiceRates rates = ServiceRates::simulated(whole_tasks(plot, options.effort), kJobs, options);
  const std::vector<simulation::ExactPoint> exact = exact_rates(fluid(options.effort), options);
  Reproduction result;
  result.findings = {zero_load(plot, options), below_the_fluid(rates, exact), served_no_more_slowly(rates, 1),
                     ahead_at_high_load(rates, 1), same_for_class_one(rates)};
  result.figures = {figure_of(plot, rates, exact)};
  return result;
}

// `pf-fig6a`: DRF and PF task by task, with exponential task times. The prices of PF by Newton's method and
// by the paper's gradient steps are laid side by side. Bonald and Roberts 2014, section 4.2, figure 6(a).

namespace {

constexpr WholeTaskPlot kFigure6a{.title = "Task by task, exponential task times, ρ1 = 3 ρ2",
                                  .task_times = {.law = simulation::Sizes::Law::exponential},
                                  .zero_load_rate = 0.54};

Reproduction run_figure_6a(const RunOptions& options) {
  Reproduction result = reproduce_whole_tasks(kFigure6a, options);
  compare_price_solvers(result);
  return result;
}

}  // namespace

Experiment pf_fig6a_row() {
  return {.id = "pf-fig6a",
          .paper = "Bonald and Roberts 2014, figure 6(a)",
          .title = kFigure6a.title,
          .data = kAsPublished,
          .run = run_figure_6a,
          .own_files = [](const RunOptions& options) {
            return files_of("pf-fig6a", whole_tasks(kFigure6a, options.effort), kJobs, options);
          }};
}

// `pf-fig6b`: DRF and PF task by task, with Erlang-20 task times, which are nearly all alike: much nearer to
// the fluid. Bonald and Roberts 2014, section 4.2, figure 6(b).

namespace {

constexpr WholeTaskPlot kFigure6b{.title = "Task by task, Erlang-20 task times, ρ1 = 3 ρ2",
                                  .task_times = {.law = simulation::Sizes::Law::erlang, .stages = 20},
                                  .zero_load_rate = 0};

Reproduction run_figure_6b(const RunOptions& options) { return reproduce_whole_tasks(kFigure6b, options); }

}  // namespace

Experiment pf_fig6b_row() {
  return {.id = "pf-fig6b",
          .paper = "Bonald and Roberts 2014, figure 6(b)",
          .title = kFigure6b.title,
          .data = kAsPublished,
          .run = run_figure_6b,
          .own_files = [](const RunOptions& options) {
            return files_of("pf-fig6b", whole_tasks(kFigure6b, options.effort), kJobs, options);
          }};
}

}  // namespace mirab::experiments
