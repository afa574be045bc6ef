// `ostman-fig-5.7`: the wrong placements when shares up to 0, 1, 5, 10, 15 % above the least count as right,
// on 200 machines with 40 users: PDGDRF with 2 neighbours beside DDRF gradient with 10. Östman, 5.3,
// figure 5.7: PDGDRF has more wrong placements, yet smaller wrongs, and ends fairer.
#include <algorithm>
#include <array>
#include <fmt/format.h>

#include <mirab/overlay/scheduler.hpp>

#include "experiments/means.hpp"
#include "experiments/ostman/google_cluster.hpp"
#include "experiments/ostman/runs.hpp"
#include "experiments/rows.hpp"

namespace mirab::experiments {
namespace {

using overlay::Scheduler;

constexpr std::array kPerCent = {0.0, 1.0, 5.0, 10.0, 15.0};  // OverlayScenario's tolerances
constexpr std::size_t kSeeds = 3, kQuickSeeds = 2;
constexpr std::size_t kMachines = 200, kQuickMachines = 50;

std::vector<double> wrong_above(const SeedRuns& runs, std::size_t tolerance) {
  std::vector<double> parts;
  for (const simulation::OverlayRun& run : runs)
    parts.push_back(static_cast<double>(run.wrong[tolerance]) / static_cast<double>(run.placements));
  return parts;
}

void hold_sentences(const SeedRuns& pdgdrf, const SeedRuns& gradient, Reproduction& result) {
  result.findings = {more("not a poorest: wrong part of PDGDRF less that of DDRF gradient (above 0)",
                          differences(wrong_above(pdgdrf, 0), wrong_above(gradient, 0)))};
  for (std::size_t t = 1; t < kPerCent.size(); ++t)
    result.findings.push_back(
        more(fmt::format("> {} %: wrong part of DDRF gradient less that of PDGDRF (above 0)", kPerCent[t]),
             differences(wrong_above(gradient, t), wrong_above(pdgdrf, t))));
  result.findings.push_back(
      more("least share of PDGDRF less that of DDRF gradient (above 0)",
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

Reproduction run(const RunOptions& options) {
  const std::size_t machines = options.effort == Effort::quick ? kQuickMachines : kMachines;
  const std::array<OverlaySetting, 2> settings{
      {{.machines = machines, .users = machines / 5, .scheduler = Scheduler::pdgdrf, .neighbours = 2},
       {.machines = machines,
        .users = machines / 5,
        .scheduler = Scheduler::ddrf_gradient,
        .neighbours = 10}}};
  const std::vector<SeedRuns> runs =
      overlay_runs(settings, options.effort == Effort::quick ? kQuickSeeds : kSeeds, options);
  Reproduction result;
  hold_sentences(runs[0], runs[1], result);
  for (Finding& finding : result.findings) {
    if (!finding.holds && finding.note.empty())
      finding.note = "the other way round on clusters drawn from the trace";
  }
  result.figures = {{.title = "Wrong placements by how much above the least is right",
                     .x_label = "% above the least share that are right",
                     .y_label = "wrong part of the placements",
                     .curves = {curve_of("PDGDRF, 2 neighbours", runs[0]),
                                curve_of("DDRF gradient, 10 neighbours", runs[1])}}};
  return result;
}

}  // namespace

Experiment ostman_fig_5_7_row() {
  return {.id = "ostman-fig-5.7",
          .paper = "Östman, figure 5.7",
          .title = "How wrong the wrong placements are, on 200 machines with 40 users",
          .data = kDrawnFromTheTrace,
          .run = run};
}

}  // namespace mirab::experiments
