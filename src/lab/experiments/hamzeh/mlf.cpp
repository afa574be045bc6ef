// `hamzeh-mlf`: MLF-DRS over time. Hamzeh, Fairness for Resource Allocation in Cloud Computing, section 7.2,
// figures 7.3 to 7.8: five users on (2000, 4098), whose allocations are shown; 1,000 users for
// utilisation and Jain's index; Jain's index of dominant shares against the capacity of the server.
// 1,000 users ask for as much together as five: their demands are divided by 200 ("normalized",
// section 7.2.3).
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include <mirab/mechanisms/mechanism.hpp>
#include <mirab/scheduling/fill.hpp>

#include "lab/experiments/findings.hpp"
#include "lab/experiments/hamzeh/thesis.hpp"
#include "lab/experiments/registry.hpp"
#include "lab/simulation/base/replications.hpp"

namespace mirab::experiments {
namespace {

using simulation::Course;
using simulation::DemandGroup;
using simulation::DemandSeriesOutcome;
using simulation::DemandSeriesScenario;
using simulation::MechanismCourse;

constexpr std::int64_t kCapacity[] = {2000, 4098};
constexpr std::size_t kSeries = 20;  // of five users, for what one series leaves to chance
constexpr double kGrowth[] = {0.5, 0.75, 1, 1.5, 2, 3};  // of the capacity, figure 7.8

DemandSeriesScenario scenario(std::int64_t users, std::int64_t iterations, std::int64_t repeats,
                              double growth) {
  const auto grown = [&](std::int64_t amount) {
    return static_cast<std::int64_t>(std::lround(growth * static_cast<double>(amount)));
  };
  DemandSeriesScenario scenario;
  scenario.servers = {server_of("pool", {grown(kCapacity[0]), grown(kCapacity[1])})};
  scenario.users = {switching_users(users, 5)};
  for (const char* name : {"mlf-drs", "drf", "max-min"})
    scenario.mechanisms.push_back(*choose_mechanism(name));
  scenario.disciplines.push_back(*choose_discipline("drf"));
  scenario.iterations = iterations;
  scenario.repeats = repeats;
  return scenario;
}

// The part of the iterations, among those in which two users with demands below the fair share are dominated
// by the same resource, where they hold the same of it.
double equal_below_fair_share(const DemandSeriesOutcome& outcome) {
  double met = 0, equal = 0;
  for (std::size_t a = 0; a < outcome.demands.size(); ++a) {
    for (std::size_t b = a + 1; b < outcome.demands.size(); ++b) {
      for (std::size_t t = 0; t < outcome.demands[a][0].size(); ++t) {
        for (std::size_t r = 0; r < 2; ++r) {
          const auto is_small_and_dominated = [&](std::size_t n) {
            const auto& demand = outcome.demands[n];
            return demand[r][t] <= static_cast<double>(kCapacity[r]) / 5 &&
                   demand[r][t] * static_cast<double>(kCapacity[1 - r]) >
                       demand[1 - r][t] * static_cast<double>(kCapacity[r]);
          };
          if (!is_small_and_dominated(a) || !is_small_and_dominated(b)) continue;
          const auto& bundles = outcome.mechanisms[0].bundles;
          met += 1;
          equal += std::abs(bundles[a][r][t] - bundles[b][r][t]) <= 1e-9 * bundles[a][r][t] ? 1 : 0;
        }
      }
    }
  }
  return met > 0 ? equal / met : 1;
}

// Figures 7.4 and 7.5 over several series of five users: those of one are chance.
void check_groups(const RunOptions& options, Reproduction& result) {
  const bool full = options.effort == Effort::full;
  std::vector<double> dominant[2], others[2];  // MLF-DRS less DRF, DRF less MLF-DRS; [series]
  for (std::uint64_t series = 0; series < kSeries; ++series) {
    RunOptions of_series = options;
    of_series.seed = simulation::stream_seed(options.seed, "hamzeh-mlf", {series});
    const DemandSeriesOutcome outcome = run_series(scenario(5, full ? 1000 : 100, 1, 1), of_series);
    const MechanismCourse &mlf = outcome.mechanisms[0], &drf = outcome.mechanisms[1];
    for (std::size_t r = 0; r < 2; ++r) {
      dominant[r].push_back(mean(mlf.dominant_part[r]) - mean(drf.dominant_part[r]));
      others[r].push_back(mean(drf.non_dominant_part[r]) / mean(drf.granted[r]) -
                          mean(mlf.non_dominant_part[r]) / mean(mlf.granted[r]));
    }
  }
  for (std::size_t r = 0; r < 2; ++r) {
    const char* name = r == 0 ? "CPU" : "RAM";
    result.findings.push_back(
        more(fmt::format("{} granted to whom it dominates, of the capacity, less DRF's (7.4, 7.5)", name),
             dominant[r]));
    result.findings.push_back(not_less(
        fmt::format(
            "{} of the others, as a part of what is granted: DRF's not less, the difference (7.4, 7.5)",
            name),
        others[r]));
  }
}

void mlf_check_five_users(const RunOptions& options, Reproduction& result) {
  const bool full = options.effort == Effort::full;
  const DemandSeriesScenario five = scenario(5, full ? 1000 : 200, 1, 1);
  const DemandSeriesOutcome outcome = run_series(five, options);
  const MechanismCourse &mlf = outcome.mechanisms[0], &drf = outcome.mechanisms[1];
  const double switching = switching_users(five, outcome);
  result.findings.push_back(
      required("of 5 users, those whom CPU and RAM dominate in turn (7.9)", switching, switching >= 1));
  const double equal = equal_below_fair_share(outcome);
  result.findings.push_back(
      required("users below the fair share, dominated alike, who hold the same (7.3)", equal, equal == 1));
  for (std::size_t r = 0; r < 2; ++r) {
    Figure figure{.title = r == 0 ? "7.4: CPU granted by MLF-DRS" : "7.5: RAM granted by MLF-DRS",
                  .x_label = "iteration",
                  .y_label = r == 0 ? "Mips" : "MB",
                  .curves = {}};
    for (std::size_t n = 0; n < mlf.bundles.size(); ++n)
      figure.curves.push_back(curve_of(fmt::format("user {}", n + 1), mlf.bundles[n][r]));
    result.figures.push_back(std::move(figure));
  }
  result.findings.push_back(runs_fewer(mlf, drf));
  result.figures.push_back(tasks_figure(outcome));
}

void check_many_users(const RunOptions& options, Reproduction& result) {
  const bool full = options.effort == Effort::full;
  const DemandSeriesScenario many = scenario(full ? 1000 : 200, full ? 1000 : 25, 1, 1);
  const DemandSeriesOutcome outcome = run_series(many, options);
  const MechanismCourse &mlf = outcome.mechanisms[0], &drf = outcome.mechanisms[1],
                        &whole = outcome.mechanisms[3];
  for (std::size_t r = 0; r < 2; ++r) {
    const char* name = r == 0 ? "CPU" : "RAM";
    const double granted = part_at_least(mlf.granted[r], drf.granted[r]);
    result.findings.push_back(
        required(fmt::format("iterations in which MLF-DRS grants as much {} as DRF or more (7.6)", name),
                 granted, granted == 1));
    const double jain = part_above(mlf.jain_dominant[r], whole.jain_dominant[r]);
    result.findings.push_back(required(
        fmt::format("iterations with a higher Jain's index of dominant {} than DRF in whole tasks (7.7)",
                    name),
        jain, jain > 0.5));
    result.figures.push_back(
        figure_of(fmt::format("7.6: {} granted", name), "part of the capacity", outcome,
                  [r](const MechanismCourse& c) -> const Course& { return c.granted[r]; }));
    result.figures.push_back(figure_of(fmt::format("7.6, Leontief: {} in use", name), "part of the capacity",
                                       outcome,
                                       [r](const MechanismCourse& c) -> const Course& { return c.run[r]; }));
    result.figures.push_back(
        figure_of(fmt::format("7.7: Jain's index of dominant {}", name), "Jain", outcome,
                  [r](const MechanismCourse& c) -> const Course& { return c.jain_dominant[r]; }));
  }
  Finding fewer = runs_fewer(mlf, drf);
  fewer.what += fmt::format(", {} users", many.users[0].count);
  result.findings.push_back(std::move(fewer));
  result.tables.push_back(means_table(many, outcome));
  const double in_use = (mean(mlf.run[0]) + mean(mlf.run[1])) / (mean(drf.run[0]) + mean(drf.run[1]));
  result.remarks.push_back(
      fmt::format("Section 7.2.2 concludes that MLF-DRS utilises resources better than DRF. It grants all of "
                  "them, but of "
                  "what it grants tasks can use {:.1f} % of what they use under DRF: {:.3f} for {:.3f} of "
                  "the CPU, {:.3f} "
                  "for {:.3f} of the RAM.",
                  100 * in_use, mean(mlf.run[0]), mean(drf.run[0]), mean(mlf.run[1]), mean(drf.run[1])));
}

void check_growth(const RunOptions& options, Reproduction& result) {
  const bool full = options.effort == Effort::full;
  Figure figure{.title = "7.8: Jain's index against the capacity",
                .x_label = "CPU capacity",
                .y_label = "Jain",
                .curves = {{.name = "CPU", .x = {}, .y = {}}, {.name = "RAM", .x = {}, .y = {}}}};
  for (const double growth : kGrowth) {
    DemandSeriesScenario grown = scenario(100, full ? 500 : 20, 1, growth);
    grown.mechanisms.resize(1);
    grown.disciplines.clear();
    const DemandSeriesOutcome outcome = run_series(grown, options);
    for (std::size_t r = 0; r < 2; ++r) {
      figure.curves[r].x.push_back(2000 * growth);
      figure.curves[r].y.push_back(mean(outcome.mechanisms[0].jain_dominant[r]));
    }
  }
  for (const Curve& curve : figure.curves) {
    const bool rises = std::adjacent_find(curve.y.begin(), curve.y.end(), [](double before, double after) {
                         return after < before - 1e-9;
                       }) == curve.y.end();
    result.findings.push_back(required(
        fmt::format("rise of Jain's index of dominant {} with six times the capacity (7.8)", curve.name),
        curve.y.back() - curve.y.front(), rises && curve.y.back() > curve.y.front()));
  }
  result.figures.push_back(std::move(figure));
}

Reproduction run_mlf(const RunOptions& options) {
  Reproduction result;
  result.data = fmt::format(
      "{}. CPU medians 60 to 480 Mips, standard deviation 20, radius 900 to 3,000, stretch 1 to 6; with more "
      "users "
      "each demand is scaled by 5 / users; one run of 1,000 users where the thesis takes the mean of ten",
      kGenerator);
  mlf_check_five_users(options, result);
  check_groups(options, result);
  check_many_users(options, result);
  check_growth(options, result);
  result.remarks.push_back(
      "Figure 7.7 puts MLF-DRS above DRF in Jain's index of dominant resources. Divisible DRF makes dominant "
      "shares equal "
      "(index 1), which nothing can exceed; against DRF in whole tasks, as in table 4.3, the figure holds.");
  result.remarks.push_back(
      "Section 7.2.1 says first that tasks of users 1, 3 and 5 are always dominated by CPU, and a page later "
      "that "
      "user 5 is dominated by RAM; figure 7.9 has them all switch.");
  return result;
}

}  // namespace

Experiment hamzeh_mlf_row() {
  return {.id = "hamzeh-mlf",
          .paper = "Hamzeh, thesis, figures 7.3 to 7.8",
          .title = "MLF-DRS over 1,000 iterations against DRF",
          .data = kGenerator,
          .run = run_mlf};
}

}  // namespace mirab::experiments
