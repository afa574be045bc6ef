// What the figures of Bonald and Roberts 2014 have in common: mean service rates against the load of the CPU,
// simulated, and exact where a chain of two classes can be solved.
#include "lab/experiments/pf/service_rates.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <numeric>
#include <utility>

#include <mirab/mechanisms/mechanism.hpp>

#include "lab/experiments/findings.hpp"
#include "lab/experiments/own_files.hpp"
#include "lab/simulation/base/statistics.hpp"
#include "lab/simulation/traffic/arrivals.hpp"
#include "lab/simulation/traffic/points.hpp"

namespace mirab::experiments {
namespace {

using simulation::ExactPoint;
using simulation::TrafficPoint;
using simulation::TrafficScenario;

constexpr JobsUpTo kFluidJobs[] = {{0.5, 200'000, 20'000},
                                   {0.8, 800'000, 100'000},
                                   {0.9, 3'000'000, 300'000},
                                   {kAnyLoad, 8'000'000, 300'000}};

constexpr double kShownBoundary = 1e-6;  // of the time, beyond the states of an exact point
constexpr double kConfidence = 0.99;     // of all intervals of all plots together (Bonferroni)
constexpr double kPlots =
    12;  // that are compared with exact chains: figures 1 and 2, four curves of 5a, of 5b

// Those at which the most loaded resource, as claimed, is loaded more than `above` and at most `most`.
std::vector<double> loads_between(const TrafficScenario& scenario, double above, double most) {
  std::vector<double> between;
  for (const double load : scenario.loads) {
    const double highest = simulation::highest_load(scenario, load);
    if (highest > above && highest <= most) between.push_back(load);
  }
  return between;
}

}  // namespace

std::vector<double> plotted_loads(Effort effort) {
  if (effort == Effort::quick) return {0.1, 0.3, 0.5, 0.7, 0.9};
  std::vector<double> loads;
  for (int twentieth = 1; twentieth < 20; ++twentieth) loads.push_back(twentieth / 20.0);
  return loads;
}

TrafficScenario cpu_and_ram(const std::vector<std::vector<double>>& demand,
                            const std::vector<double>& arrivals,
                            const std::vector<std::string_view>& mechanisms, Effort effort) {
  TrafficScenario scenario;
  scenario.resources = {"cpu", "ram"};
  scenario.capacity = {1, 1};
  const double all = std::accumulate(arrivals.begin(), arrivals.end(), 0.0);
  for (std::size_t k = 0; k < demand.size(); ++k) {
    scenario.classes.push_back(
        {.name = fmt::format("class {}", k + 1), .demand = demand[k], .arrivals = arrivals[k] / all});
  }
  for (const std::string_view mechanism : mechanisms) {
    const Result<Choice> choice = choose_mechanism(mechanism);
    MIRAB_ASSERT(static_cast<bool>(choice), "an experiment names a mechanism");
    scenario.mechanisms.push_back(*choice);
  }
  scenario.loads = plotted_loads(effort);
  return scenario;
}

ServiceRates ServiceRates::simulated(const TrafficScenario& scenario, const RunOptions& options) {
  return simulated(scenario, kFluidJobs, options);
}

ServiceRates ServiceRates::simulated(const TrafficScenario& scenario, std::span<const JobsUpTo> jobs,
                                     const RunOptions& options) {
  ServiceRates rates;
  rates.loads_ = scenario.loads;
  rates.mechanisms_ = scenario.mechanisms.size();
  rates.classes_ = scenario.classes.size();
  double above = 0;
  for (const JobsUpTo& measured : jobs) {
    TrafficScenario part = scenario;
    part.loads = loads_between(scenario, std::exchange(above, measured.load), measured.load);
    part.jobs = options.effort == Effort::full ? measured.full : measured.quick;
    if (part.loads.empty()) continue;
    const auto outcome = simulation::simulate_traffic(part, options.seed, options.threads);
    MIRAB_ASSERT(static_cast<bool>(outcome), "the scenario of an experiment can be simulated");
    rates.points_.insert(rates.points_.end(), outcome->points.begin(), outcome->points.end());
  }
  return rates;
}

OwnFiles files_of(std::string_view id, const TrafficScenario& scenario, const RunOptions& options) {
  return files_of(id, scenario, kFluidJobs, options);
}

OwnFiles files_of(std::string_view id, const TrafficScenario& scenario, std::span<const JobsUpTo> jobs,
                  const RunOptions& options) {
  const auto measured = [&](const JobsUpTo& of) {
    return options.effort == Effort::full ? of.full : of.quick;
  };
  TrafficScenario first = scenario;
  first.loads = loads_between(scenario, 0, jobs[0].load);
  first.jobs = measured(jobs[0]);
  std::vector<std::string> others;
  for (const JobsUpTo& each : jobs.subspan(1))
    others.push_back(std::isinf(each.load) ? fmt::format("{} above", measured(each))
                                           : fmt::format("{} up to {}", measured(each), each.load));
  return traffic_files(id, first, options.seed,
                       fmt::format("the loads up to {}; at higher ones the experiment measures more jobs: {}",
                                   jobs[0].load, fmt::join(others, ", ")));
}

Curve ServiceRates::curve(std::string name, std::size_t mechanism, std::size_t job_class) const {
  Curve curve{.name = std::move(name), .x = {}, .y = {}};
  for (std::size_t load = 0; load < loads_.size(); ++load) {
    const TrafficPoint& point = at(load, mechanism, job_class);
    if (!point.stable) continue;
    curve.x.push_back(point.load);
    curve.y.push_back(point.service_rate);
    curve.low.push_back(point.low);
    curve.high.push_back(point.high);
  }
  return curve;
}

std::vector<ExactPoint> exact_rates(const TrafficScenario& scenario, const RunOptions& options) {
  auto exact = simulation::exact_traffic(scenario, options.threads);
  MIRAB_ASSERT(static_cast<bool>(exact), "the chain of an experiment can be solved");
  return *std::move(exact);
}

Curve exact_curve(std::string name, const std::vector<ExactPoint>& points, std::size_t mechanism,
                  std::size_t job_class) {
  Curve curve{.name = std::move(name), .x = {}, .y = {}};
  for (const ExactPoint& point : points) {
    if (point.mechanism != mechanism || !point.stable || point.boundary > kShownBoundary) continue;
    curve.x.push_back(point.load);
    curve.y.push_back(point.service_rate[job_class]);
  }
  return curve;
}

Finding served_no_more_slowly(const ServiceRates& rates, std::size_t job_class) {
  std::size_t faster = 0;
  bool holds = true;
  for (std::size_t load = 0; load < rates.loads().size(); ++load) {
    const TrafficPoint& drf = rates.at(load, kDrf, job_class);
    const TrafficPoint& pf = rates.at(load, kPf, job_class);
    if (pf.service_rate > drf.service_rate) ++faster;
    holds = holds && pf.high > drf.low;
  }
  return required(fmt::format("loads, of {}, at which class {} is served faster under PF; nowhere is DRF "
                              "ahead by more than the intervals",
                              rates.loads().size(), job_class + 1),
                  static_cast<double>(faster), holds && 2 * faster > rates.loads().size());
}

Finding ahead_at_high_load(const ServiceRates& rates, std::size_t job_class) {
  const std::size_t last = rates.loads().size() - 1;
  const TrafficPoint& drf = rates.at(last, kDrf, job_class);
  const TrafficPoint& pf = rates.at(last, kPf, job_class);
  Finding finding =
      required(fmt::format("γ{}(PF)/γ{}(DRF) at load {}", job_class + 1, job_class + 1, pf.load),
               pf.service_rate / drf.service_rate, pf.low > drf.high);
  finding.undecided = !finding.holds && pf.high >= drf.low;
  return finding;
}

Finding covered(const ServiceRates& simulated, const std::vector<ExactPoint>& exact) {
  const std::size_t loads = simulated.loads().size();
  std::size_t all = 0, inside = 0;
  double furthest = 0;  // in half widths of a 95 % interval, of ln γ
  for (std::size_t p = 0; p < exact.size(); ++p) {
    for (std::size_t k = 0; k < exact[p].service_rate.size(); ++k) {
      const TrafficPoint& point = simulated.at(p % loads, exact[p].mechanism, k);
      if (!point.stable) continue;
      const double expected = exact[p].service_rate[k];
      const double off =
          std::abs(std::log(expected / point.service_rate)) / std::log(point.high / point.service_rate);
      ++all;
      if (off <= 1) ++inside;
      furthest = std::max(furthest, off);
    }
  }
  constexpr int kFreedom = static_cast<int>(simulation::kTrafficBatches) - 1;
  const double each = 1 - (1 - kConfidence) / (kPlots * static_cast<double>(all));
  const double allowed =
      simulation::student_t_quantile(each, kFreedom) / simulation::student_t_quantile(0.95, kFreedom);
  Finding finding = required(
      fmt::format("largest error of the simulation, in half widths of its 95 % interval (must be ≤ {:.2f})",
                  allowed),
      furthest, furthest <= allowed);
  finding.note = fmt::format("{} of {} exact rates are in their 95 % interval", inside, all);
  return finding;
}

Figure service_rate_figure(std::string title, std::vector<Curve> curves) {
  return {.title = std::move(title),
          .x_label = "load of the CPU",
          .y_label = "service rate γ",
          .curves = std::move(curves)};
}

}  // namespace mirab::experiments
