// `hamzeh-hffmra`: H-FFMRA over time on many servers. Hamzeh, Fairness for Resource Allocation in Cloud
// Computing, section 7.4, figures 7.22 to 7.30: 4 users on 90 servers (allocation), 200 users on 2,000
// servers with 2 · 10^6 CPU and 4 · 10^6 RAM together (utilisation, β), 400 users on 3,000 servers (Jain's
// index). The servers' configurations "are randomly selected": here ten of them, each as often, whose mean is
// (1000, 2000). DRF on several hosts is taken server by server, as section 4.4.1 does, and as DRFH.
#include <cmath>
#include <fmt/format.h>

#include <mirab/mechanisms/mechanism.hpp>

#include "lab/experiments/findings.hpp"
#include "lab/experiments/hamzeh/thesis.hpp"
#include "lab/experiments/own_files.hpp"
#include "lab/experiments/registry.hpp"

namespace mirab::experiments {
namespace {

using simulation::Course;
using simulation::DemandSeriesOutcome;
using simulation::DemandSeriesScenario;
using simulation::MechanismCourse;

constexpr std::int64_t kRam[] = {1000, 1400, 1400, 1800, 1800,
                                 2200, 2200, 2600, 2600, 3000};  // of the ten kinds
constexpr const char* kHffmraNames[] = {"CPU", "RAM"};

DemandSeriesScenario hffmra_scenario(std::int64_t users, std::int64_t servers, std::int64_t iterations) {
  DemandSeriesScenario scenario;
  for (std::size_t k = 0; k < std::size(kRam); ++k)
    scenario.servers.push_back(server_of(fmt::format("kind {}", k + 1),
                                         {550 + 100 * static_cast<std::int64_t>(k), kRam[k]},
                                         servers / static_cast<std::int64_t>(std::size(kRam))));
  scenario.users = {switching_users(users, 2)};
  for (const char* name : {"h-ffmra", "per-server-drf", "drfh"})
    scenario.mechanisms.push_back(*choose_mechanism(name));
  scenario.iterations = iterations;
  scenario.shown = 4;
  return scenario;
}

void check_four_users(const RunOptions& options, Reproduction& result) {
  const bool full = options.effort == Effort::full;
  const DemandSeriesScenario four = hffmra_scenario(4, 90, full ? 1000 : 100);
  const DemandSeriesOutcome outcome = run_series(four, options);
  const MechanismCourse &ours = outcome.mechanisms[0], &drf = outcome.mechanisms[1];
  for (std::size_t r = 0; r < 2; ++r) {
    double more = 0, all = 0, theirs = 0;
    Figure figure{
        .title = fmt::format("{}: {} granted by H-FFMRA", r == 0 ? "7.22" : "7.23", kHffmraNames[r]),
        .x_label = "iteration",
        .y_label = r == 0 ? "Mips" : "MB",
        .curves = {}};
    for (std::size_t n = 0; n < 4; ++n) {
      more += mean(ours.bundles[n][r]) > mean(drf.bundles[n][r]) ? 1 : 0;
      all += mean(ours.bundles[n][r]);
      theirs += mean(drf.bundles[n][r]);
      figure.curves.push_back(curve_of(fmt::format("user {}", n + 1), ours.bundles[n][r]));
    }
    result.figures.push_back(std::move(figure));
    result.findings.push_back(required(
        fmt::format("{} granted to the 4 users, over DRF's ({})", kHffmraNames[r], r == 0 ? "7.22" : "7.23"),
        all / theirs, all / theirs > 1 - 1e-9));
    Finding each = required(fmt::format("of 4 users, those granted more {} than by DRF ({}: all)",
                                        kHffmraNames[r], r == 0 ? "7.22" : "7.23"),
                            more, more == 4);
    if (!each.holds)
      each.note =
          r == 0 ? "DRF leaves no CPU: who gets more takes it from another; figure 7.22 cannot hold for all"
                 : "a user whom CPU dominates everywhere shares the part 1 - q with its like";
    result.findings.push_back(std::move(each));
  }
  result.figures.push_back(tasks_figure(outcome));
}

// Figures 7.26 to 7.28.
void check_parts(const DemandSeriesOutcome& outcome, Reproduction& result) {
  const MechanismCourse &ours = outcome.mechanisms[0], &drf = outcome.mechanisms[1];
  const double dominant = most(ours.beta_dominant), others = most(ours.beta_non_dominant);
  result.findings.push_back(
      required("largest β of dominant demands by H-FFMRA (7.28: about 0.02)", dominant, dominant < 0.05));
  result.findings.push_back(
      required("largest β of non-dominant demands by H-FFMRA (7.28: about 0)", others, others < 0.05));
  const double drf_beta = mean(drf.beta_non_dominant);
  result.findings.push_back(required("mean β of non-dominant demands by DRF", drf_beta, drf_beta > others));
  result.figures.push_back(
      figure_of("7.28: β of dominant demands", "β", outcome,
                [](const MechanismCourse& c) -> const Course& { return c.beta_dominant; }));
  Figure parts{.title = "7.26 and 7.27: parts of the pool by H-FFMRA",
               .x_label = "iteration",
               .y_label = "part of the capacity",
               .curves = {}};
  for (std::size_t r = 0; r < 2; ++r) {
    parts.curves.push_back(curve_of(fmt::format("{}, dominant", kHffmraNames[r]), ours.dominant_part[r]));
    parts.curves.push_back(
        curve_of(fmt::format("{}, non-dominant", kHffmraNames[r]), ours.non_dominant_part[r]));
  }
  result.figures.push_back(std::move(parts));
}

void hffmra_check_utilisation(const RunOptions& options, Reproduction& result) {
  const bool full = options.effort == Effort::full;
  const DemandSeriesScenario many = hffmra_scenario(200, 2000, full ? 1000 : 10);
  const DemandSeriesOutcome outcome = run_series(many, options);
  const MechanismCourse &ours = outcome.mechanisms[0], &drf = outcome.mechanisms[1],
                        &drfh = outcome.mechanisms[2];
  for (std::size_t r = 0; r < 2; ++r) {
    const double granted = part_at_least(ours.granted[r], drf.granted[r]);
    result.findings.push_back(required(
        fmt::format("iterations in which H-FFMRA grants as much {} as DRF or more (7.25)", kHffmraNames[r]),
        granted, granted == 1));
    result.figures.push_back(
        figure_of(fmt::format("7.25: {} granted", kHffmraNames[r]), "part of the capacity", outcome,
                  [r](const MechanismCourse& c) -> const Course& { return c.granted[r]; }));
    result.figures.push_back(figure_of(fmt::format("7.25, Leontief: {} in use", kHffmraNames[r]),
                                       "part of the capacity", outcome,
                                       [r](const MechanismCourse& c) -> const Course& { return c.run[r]; }));
  }
  check_parts(outcome, result);
  result.findings.push_back(runs_fewer(ours, drf));
  result.tables.push_back(means_table(many, outcome));
  result.remarks.push_back(
      "Where the requests of all exceed a server, H-FFMRA grants requests only (definition 4.28), here on "
      "the smallest "
      "servers: this is where β leaves 0, and where section 7.4.1 speaks of resource shortage.");
  result.remarks.push_back(fmt::format(
      "H-FFMRA grants {:.3f} of CPU and {:.3f} of RAM, and its tasks can use {:.3f} and {:.3f}; DRF server "
      "by server uses "
      "{:.3f} and {:.3f} and runs {:.2f} times as many tasks, DRFH {:.2f} times.",
      mean(ours.granted[0]), mean(ours.granted[1]), mean(ours.run[0]), mean(ours.run[1]), mean(drf.run[0]),
      mean(drf.run[1]), mean(drf.tasks) / mean(ours.tasks), mean(drfh.tasks) / mean(ours.tasks)));
}

void hffmra_check_jain(const RunOptions& options, Reproduction& result) {
  const bool full = options.effort == Effort::full;
  DemandSeriesScenario most_users = hffmra_scenario(400, 3000, full ? 1000 : 5);
  most_users.mechanisms.resize(2);
  const DemandSeriesOutcome outcome = run_series(most_users, options);
  const MechanismCourse &ours = outcome.mechanisms[0], &drf = outcome.mechanisms[1];
  for (std::size_t r = 0; r < 2; ++r) {
    const double dominant = mean(ours.jain_dominant[r]);
    result.findings.push_back(required(
        fmt::format("mean Jain's index of dominant {} by H-FFMRA (7.29: 0.95 to 1)", kHffmraNames[r]),
        dominant, dominant > 0.95));
    const double gain = mean(ours.jain_non_dominant[r]) - mean(drf.jain_non_dominant[r]);
    Finding others = required(
        fmt::format("Jain's index of non-dominant {} by H-FFMRA, less DRF's (7.30: remarkably fairer)",
                    kHffmraNames[r]),
        gain, gain > 0);
    if (!others.holds)
      others.note =
          "non-dominant bundles follow the demands below the fair share, which are as unequal as users are";
    result.findings.push_back(std::move(others));
    result.figures.push_back(
        figure_of(fmt::format("7.29: Jain's index of dominant {}", kHffmraNames[r]), "Jain", outcome,
                  [r](const MechanismCourse& c) -> const Course& { return c.jain_dominant[r]; }));
    result.figures.push_back(
        figure_of(fmt::format("7.30: Jain's index of non-dominant {}", kHffmraNames[r]), "Jain", outcome,
                  [r](const MechanismCourse& c) -> const Course& { return c.jain_non_dominant[r]; }));
  }
}

Reproduction run_hffmra(const RunOptions& options) {
  Reproduction result;
  result.data = fmt::format(
      "{}. CPU medians 60 to 480 Mips, stretch 1 to 6, each demand scaled by 2 / users; ten kinds of "
      "servers, (550, 1000) "
      "to (1450, 3000)",
      kGenerator);
  check_four_users(options, result);
  hffmra_check_utilisation(options, result);
  hffmra_check_jain(options, result);
  result.remarks.push_back(fmt::format("The thesis runs 2,000 iterations for figure 7.25, here {}.",
                                       options.effort == Effort::full ? "1,000" : "10"));
  result.remarks.emplace_back(
      "β and Jain's index look here at what users and resources have on all servers together. Section 4.4.5 "
      "has "
      "formulas server by server, (4.47) to (4.50), and the mean over servers, (7.8): none of these is "
      "measured.");
  return result;
}

}  // namespace

Experiment hamzeh_hffmra_row() {
  return {.id = "hamzeh-hffmra",
          .paper = "Hamzeh, thesis, figures 7.22 to 7.30",
          .title = "H-FFMRA on 90, 2,000 and 3,000 servers against DRF",
          .data = kGenerator,
          .run = run_hffmra,
          .own_files = [](const RunOptions& options) {
            return demands_files(
                "hamzeh-hffmra", hffmra_scenario(4, 90, options.effort == Effort::full ? 1000 : 100),
                options.seed,
                "figures 7.22 and 7.23; the others have 200 users on 2,000 servers and 400 on 3,000 of "
                "the same kinds");
          }};
}

}  // namespace mirab::experiments
