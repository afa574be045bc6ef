// `ostman-beyond-fit`: DGDRF with the best server of several on the walk, or along a second gradient of free
// capacity, beside the thesis' first server on a random walk (Östman, 4.3 and chapter 6).
//
// The centralised scheduler with best fit shows what the choice of the server alone can give; serial DRF on
// random servers (yardstick.hpp) what a walk can.
#include <algorithm>

#include "experiments/means.hpp"
#include "experiments/ostman/beyond.hpp"
#include "experiments/ostman/google_cluster.hpp"
#include "experiments/ostman/yardstick.hpp"
#include "experiments/rows.hpp"

namespace mirab::experiments {
namespace {

using overlay::OverlayOptions;
using overlay::Scheduler;
using overlay::Search;

enum Ways : std::size_t { central, central_fit, walk, best_fit, directed };

// Messages of the kind `walk` are its hops.
double hops_of_placement(const simulation::OverlayRun& run) {
  const auto walks = std::ranges::find(run.kinds, "walk", &simulation::MessageCount::kind);
  if (walks == run.kinds.end() || run.placements == 0) return 0;
  return static_cast<double>(walks->messages) / static_cast<double>(run.placements);
}

std::vector<double> relative(std::span<const SeedRuns> runs, Ways way) {
  return ratios(runs[way], runs[central], least_share);
}

Reproduction run(const RunOptions& options) {
  const bool quick = options.effort == Effort::quick;
  const SideBySide plan{.machines = quick ? 16UL : 100UL,
                        .users = quick ? 6UL : 20UL,
                        .seeds = quick ? 2UL : 5UL,
                        .ways = {way("centralised-drf, first fit", Scheduler::centralised_drf, 2),
                                 with(way("centralised-drf, best fit", Scheduler::centralised_drf, 2),
                                      &OverlayOptions::search, Search::best_fit),
                                 way("dgdrf, walk (thesis)", Scheduler::dgdrf, 2),
                                 with(way("dgdrf, best fit of 8 on the walk", Scheduler::dgdrf, 2),
                                      &OverlayOptions::search, Search::best_fit),
                                 with(way("dgdrf, directed walk", Scheduler::dgdrf, 2),
                                      &OverlayOptions::search, Search::directed)}};
  const std::vector<SeedRuns> runs = run_side_by_side(plan, options);
  const Yardstick yardstick = yardstick_of(plan.machines, plan.users, runs[central], options.seed);

  Reproduction result;
  result.findings = {
      at_least("least share of DGDRF with the walk over the centralised one (0.95 or more)",
               relative(runs, walk), kNearly),
      at_least("with best fit (0.97 or more)", relative(runs, best_fit), 0.97),
      at_least("with the directed walk (0.97 or more)", relative(runs, directed), 0.97),
      at_least("with the walk over that of serial DRF on random servers (0.95 or more)",
               over_yardstick(relative(runs, walk), yardstick), kNearly),
      not_less("least share with best fit less that with the walk, over the centralised one (not below 0)",
               differences(relative(runs, best_fit), relative(runs, walk))),
      not_less("least share with the directed walk less that with the walk (not below 0)",
               differences(relative(runs, directed), relative(runs, walk))),
      not_less("used part with best fit less that with the walk (not below 0)",
               differences(measured(runs[best_fit], used_part), measured(runs[walk], used_part))),
      more(
          "hops of a placement by the walk less those by the directed walk (above 0)",
          differences(measured(runs[walk], hops_of_placement), measured(runs[directed], hops_of_placement)))};
  const std::vector<Column> columns = {{"least share / centralised", least_share, 3, true},
                                       {"used", used_part, 3},
                                       {"messages", messages_of, 0},
                                       {"hops of a placement", hops_of_placement, 1},
                                       {"ticks", ticks_of, 0}};
  result.tables = {table_of_ways("Where a task goes", plan, runs, columns)};
  result.remarks = {
      "The centralised scheduler with best fit has the best choice that there is of a server, task by task: "
      "its row is the ceiling of least share and use where the server is chosen.",
      in_words(yardstick, kNearly)};
  return result;
}

}  // namespace

Experiment ostman_beyond_fit_row() {
  return {.id = "ostman-beyond-fit",
          .paper = "beyond Östman, 4.3 and chapter 6",
          .title = "Best fit and directed walks instead of the first server on a random walk",
          .data = kDrawnFromTheTrace,
          .run = run};
}

}  // namespace mirab::experiments
