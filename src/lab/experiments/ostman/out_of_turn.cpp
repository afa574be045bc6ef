// ostman-fig-5.6 and ostman-fig-5.7: placements out of turn over a run, and how far they were out of turn.
#include <algorithm>
#include <array>
#include <fmt/format.h>

#include <mirab/overlay/scheduler.hpp>

#include "lab/experiments/findings.hpp"
#include "lab/experiments/ostman/runs.hpp"
#include "lab/experiments/registry.hpp"

namespace mirab::experiments {

// `ostman-fig-5.6`: the part of the placements so far that were out of turn (the thesis calls them wrong),
// over a run with 2 neighbours on 100 machines with 20 users: for a user who was not a poorest one, or whose
// share was more than 1 % above the lowest. Östman, 5.3, figure 5.6.

namespace {

using overlay::Scheduler;

constexpr std::array kSchedulers = {Scheduler::ddrf_gradient, Scheduler::pdgdrf, Scheduler::ddrf_random};
constexpr std::array kPrintedAtEnd = {79.00, 38.45, 86.71};              // per cent, table 5.3
constexpr std::array kTolerances = {"not a poorest", "> 1 % above it"};  // OverlayScenario's first two
constexpr std::size_t kFifth = 9, kWrongHalf = 24, kEnd = 49;            // of the 50 moments
constexpr std::size_t kWrongSeeds = 5, kWrongQuickSeeds = 2;
constexpr std::size_t kWrongMachines = 100, kWrongQuickMachines = 50;

// The part of the placements up to this moment that were out of turn, seed by seed.
std::vector<double> wrong_until(const SeedRuns& runs, std::size_t tolerance, std::size_t moment) {
  std::vector<double> parts;
  for (const simulation::OverlayRun& run : runs) parts.push_back(run.wrong_over_time[tolerance][moment]);
  return parts;
}

Figure figure_over_run(const std::vector<SeedRuns>& runs) {
  Figure figure{.title = "Placements out of turn over the run",
                .x_label = "part of the placements",
                .y_label = "part of them out of turn",
                .curves = {}};
  for (std::size_t s = 0; s < kSchedulers.size(); ++s) {
    for (std::size_t t = 0; t < kTolerances.size(); ++t) {
      Curve curve{.name = fmt::format("{}, {}", overlay::row_of(kSchedulers[s]).name, kTolerances[t]),
                  .x = {},
                  .y = {}};
      for (std::size_t moment = 0; moment <= kEnd; ++moment)
        add_point(curve, static_cast<double>(moment + 1) / (kEnd + 1),
                  over_seeds(wrong_until(runs[s], t, moment)));
      figure.curves.push_back(std::move(curve));
    }
  }
  return figure;
}

Table table_at_end(const std::vector<SeedRuns>& runs) {
  Table table{.title = "Placements out of turn in % (the thesis' on its own cluster)",
              .head = {"scheduler", kTolerances[0], kTolerances[1]},
              .rows = {}};
  for (std::size_t s = 0; s < kSchedulers.size(); ++s)
    table.rows.push_back(
        {std::string(overlay::row_of(kSchedulers[s]).name),
         fmt::format("{:.2f} ({:.2f})", 100 * mean(wrong_until(runs[s], 0, kEnd)), kPrintedAtEnd[s]),
         fmt::format("{:.2f}", 100 * mean(wrong_until(runs[s], 1, kEnd)))});
  return table;
}

void check_sentences(const std::vector<SeedRuns>& runs, Reproduction& result) {
  const SeedRuns& gradient = runs[0];
  const SeedRuns& pdgdrf = runs[1];
  const SeedRuns& random = runs[2];
  result.findings = {
      not_less(
          "ddrf-gradient, not a poorest: the part out of turn at the end less that at half (does not fall)",
          differences(wrong_until(gradient, 0, kEnd), wrong_until(gradient, 0, kWrongHalf))),
      more("ddrf-gradient, > 1 %: the part out of turn at a fifth less that at the end (falls: above 0)",
           differences(wrong_until(gradient, 1, kFifth), wrong_until(gradient, 1, kEnd))),
      more("pdgdrf, not a poorest: the part out of turn at a fifth less that at the end (falls: above 0)",
           differences(wrong_until(pdgdrf, 0, kFifth), wrong_until(pdgdrf, 0, kEnd))),
      more("pdgdrf, > 1 %: the part out of turn at a fifth less that at the end (falls: above 0)",
           differences(wrong_until(pdgdrf, 1, kFifth), wrong_until(pdgdrf, 1, kEnd))),
      not_less("ddrf-random, > 1 %: the part out of turn at the end less that at half (does not fall)",
               differences(wrong_until(random, 1, kEnd), wrong_until(random, 1, kWrongHalf)))};
}

std::vector<OverlaySetting> settings_5_6(Effort effort) {
  const std::size_t machines = effort == Effort::quick ? kWrongQuickMachines : kWrongMachines;
  std::vector<OverlaySetting> settings;
  for (const Scheduler scheduler : kSchedulers)
    settings.push_back(
        {.machines = machines, .users = machines / 5, .scheduler = scheduler, .neighbours = 2});
  return settings;
}

OwnFiles files_5_6(const RunOptions& options) {
  return files_of("ostman-fig-5.6", settings_5_6(options.effort), options);
}

Reproduction run_figure_5_6(const RunOptions& options) {
  const std::vector<OverlaySetting> settings = settings_5_6(options.effort);
  const std::vector<SeedRuns> runs =
      overlay_runs(settings, options.effort == Effort::quick ? kWrongQuickSeeds : kWrongSeeds, options);
  Reproduction result;
  check_sentences(runs, result);
  result.figures = {figure_over_run(runs)};
  result.tables = {table_at_end(runs)};
  result.remarks.emplace_back(kOwnSettings);
  return result;
}

}  // namespace

Experiment ostman_fig_5_6_row() {
  return {.id = "ostman-fig-5.6",
          .paper = "Östman, figure 5.6",
          .title = "Placements out of turn over the run, with 2 neighbours",
          .data = kDrawnFromTheTrace,
          .run = run_figure_5_6,
          .own_files = files_5_6};
}

// `ostman-fig-5.7`: the placements out of turn when shares up to 0, 1, 5, 10, 15 % above the lowest count as
// in turn, on 200 machines with 40 users: PDGDRF with 2 neighbours and DDRF gradient with 10. Östman, 5.3,
// figure 5.7: PDGDRF has more placements out of turn, yet less far out of turn, and ends fairer.

namespace {

using overlay::Scheduler;

constexpr std::array kPerCent = {0.0, 1.0, 5.0, 10.0, 15.0};  // OverlayScenario's tolerances
constexpr std::size_t kSeeds57 = 3;
constexpr std::size_t kMachines57 = 200;

std::vector<double> wrong_above(const SeedRuns& runs, std::size_t tolerance) {
  std::vector<double> parts;
  for (const simulation::OverlayRun& run : runs)
    parts.push_back(static_cast<double>(run.wrong[tolerance]) / static_cast<double>(run.placements));
  return parts;
}

void check_sentences(const SeedRuns& pdgdrf, const SeedRuns& gradient, Reproduction& result) {
  result.findings = {more("not a poorest: part out of turn of PDGDRF less that of DDRF gradient (above 0)",
                          differences(wrong_above(pdgdrf, 0), wrong_above(gradient, 0)))};
  for (std::size_t t = 1; t < kPerCent.size(); ++t)
    result.findings.push_back(more(
        fmt::format("> {} %: part out of turn of DDRF gradient less that of PDGDRF (above 0)", kPerCent[t]),
        differences(wrong_above(gradient, t), wrong_above(pdgdrf, t))));
  result.findings.push_back(
      more("lowest share of PDGDRF less that of DDRF gradient (above 0)",
           differences(measured(pdgdrf, least_share), measured(gradient, least_share))));
  result.findings.push_back(more("Gini coefficient of DDRF gradient less that of PDGDRF (above 0)",
                                 differences(measured(gradient, gini_of), measured(pdgdrf, gini_of))));
}

Curve curve_of(std::string name, const SeedRuns& runs) {
  Curve curve{.name = std::move(name), .x = {}, .y = {}};
  for (std::size_t t = 0; t < kPerCent.size(); ++t)
    add_point(curve, kPerCent[t], over_seeds(wrong_above(runs, t)));
  return curve;
}

std::array<OverlaySetting, 2> settings_5_7(Effort effort) {
  const std::size_t machines = effort == Effort::quick ? kWrongQuickMachines : kMachines57;
  return {{{.machines = machines, .users = machines / 5, .scheduler = Scheduler::pdgdrf, .neighbours = 2},
           {.machines = machines,
            .users = machines / 5,
            .scheduler = Scheduler::ddrf_gradient,
            .neighbours = 10}}};
}

OwnFiles files_5_7(const RunOptions& options) {
  return files_of("ostman-fig-5.7", settings_5_7(options.effort), options);
}

Reproduction run_figure_5_7(const RunOptions& options) {
  const std::array<OverlaySetting, 2> settings = settings_5_7(options.effort);
  const std::vector<SeedRuns> runs =
      overlay_runs(settings, options.effort == Effort::quick ? kWrongQuickSeeds : kSeeds57, options);
  Reproduction result;
  check_sentences(runs[0], runs[1], result);
  for (Finding& finding : result.findings) {
    if (!finding.holds && finding.note.empty())
      finding.note = "the other way round on clusters drawn from the trace";
  }
  result.figures = {{.title = "Placements out of turn, by how much above the lowest share is in turn",
                     .x_label = "% above the lowest share that are in turn",
                     .y_label = "part of the placements out of turn",
                     .curves = {curve_of("PDGDRF, 2 neighbours", runs[0]),
                                curve_of("DDRF gradient, 10 neighbours", runs[1])}}};
  result.remarks.emplace_back(kOwnSettings);
  return result;
}

}  // namespace

Experiment ostman_fig_5_7_row() {
  return {.id = "ostman-fig-5.7",
          .paper = "Östman, figure 5.7",
          .title = "How far placements are out of turn, on 200 machines with 40 users",
          .data = kDrawnFromTheTrace,
          .run = run_figure_5_7,
          .own_files = files_5_7};
}

}  // namespace mirab::experiments
