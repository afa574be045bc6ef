// ostman-beyond-fit and ostman-beyond-level: other choices of server and of the next user than those
// of the thesis.
#include <algorithm>
#include <fmt/format.h>

#include "fairness/share.hpp"
#include "lab/experiments/findings.hpp"
#include "lab/experiments/ostman/beyond.hpp"
#include "lab/experiments/ostman/runs.hpp"
#include "lab/experiments/registry.hpp"

namespace mirab::experiments {

// `ostman-beyond-fit`: DGDRF with the best server of several on the walk, or along a second gradient of free
// capacity, against the thesis' first server on a random walk (Östman, 4.3 and chapter 6).
//
// The centralised scheduler with best fit shows what the choice of the server alone can give; serial DRF on
// random servers (runs.hpp) what a walk can.

namespace {

using overlay::OverlayOptions;
using overlay::Scheduler;
using overlay::Search;

enum FitWays : std::size_t { central_first_fit, central_best_fit, walk, best_fit, directed };

// Messages of the kind `walk` are its hops.
double hops_of_placement(const simulation::OverlayRun& run) {
  const auto walks = std::ranges::find(run.kinds, "walk", &simulation::MessageCount::kind);
  if (walks == run.kinds.end() || run.placements == 0) return 0;
  return static_cast<double>(walks->messages) / static_cast<double>(run.placements);
}

std::vector<double> relative(std::span<const SeedRuns> runs, FitWays way) {
  return ratios(runs[way], runs[central_first_fit], least_share);
}

SideBySide fit_plan(Effort effort) {
  const bool quick = effort == Effort::quick;
  return {.machines = quick ? 16UL : 100UL,
          .users = quick ? 6UL : 20UL,
          .seeds = quick ? 2UL : 5UL,
          .ways = {way("centralised-drf, first fit", Scheduler::centralised_drf, 2),
                   with(way("centralised-drf, best fit", Scheduler::centralised_drf, 2),
                        &OverlayOptions::search, Search::best_fit),
                   way("dgdrf, walk (thesis)", Scheduler::dgdrf, 2),
                   with(way("dgdrf, best fit of 8 on the walk", Scheduler::dgdrf, 2), &OverlayOptions::search,
                        Search::best_fit),
                   with(way("dgdrf, directed walk", Scheduler::dgdrf, 2), &OverlayOptions::search,
                        Search::directed)}};
}

OwnFiles fit_files(const RunOptions& options) {
  return files_of("ostman-beyond-fit", fit_plan(options.effort), options);
}

Reproduction run_fit(const RunOptions& options) {
  const SideBySide plan = fit_plan(options.effort);
  const std::vector<SeedRuns> runs = run_side_by_side(plan, options);
  const Yardstick yardstick = yardstick_of(plan.machines, plan.users, runs[central_first_fit], options.seed);

  Reproduction result;
  result.findings = {
      at_least("lowest share of DGDRF with the walk over the centralised one (0.95 or more)",
               relative(runs, walk), kNearly),
      at_least("with best fit (0.97 or more)", relative(runs, best_fit), 0.97),
      at_least("with the directed walk (0.97 or more)", relative(runs, directed), 0.97),
      at_least("with the walk over that of serial DRF on random servers (0.95 or more)",
               over_yardstick(relative(runs, walk), yardstick), kNearly),
      not_less("lowest share with best fit less that with the walk, over the centralised one (not below 0)",
               differences(relative(runs, best_fit), relative(runs, walk))),
      not_less("lowest share with the directed walk less that with the walk (not below 0)",
               differences(relative(runs, directed), relative(runs, walk))),
      not_less("used part with best fit less that with the walk (not below 0)",
               differences(measured(runs[best_fit], used_part), measured(runs[walk], used_part))),
      more(
          "hops of a placement by the walk less those by the directed walk (above 0)",
          differences(measured(runs[walk], hops_of_placement), measured(runs[directed], hops_of_placement)))};
  const std::vector<Column> columns = {{"lowest share / centralised", least_share, 3, true},
                                       {"used", used_part, 3},
                                       {"messages", messages_of, 0},
                                       {"hops of a placement", hops_of_placement, 1},
                                       {"ticks", ticks_of, 0}};
  result.tables = {table_of_ways("Where a task goes", plan, runs, columns)};
  result.remarks = {
      "The centralised scheduler with best fit has the best choice that there is of a server, task by task: "
      "its row is the ceiling of lowest share and use where the server is chosen.",
      in_words(yardstick, kNearly)};
  return result;
}

}  // namespace

Experiment ostman_beyond_fit_row() {
  return {.id = "ostman-beyond-fit",
          .paper = "beyond Östman, 4.3 and chapter 6",
          .title = "Best fit and directed walks instead of the first server on a random walk",
          .data = kDrawnFromTheTrace,
          .run = run_fit,
          .own_files = fit_files};
}

// `ostman-beyond-level`: half the ticks of the centralised scheduler at nearly its fairness, by rule `level`,
// against the thesis' DGDRF and PDGDRF (Östman, 5.4: PDGDRF needs as many ticks as the centralised one at 40
// users on 100 servers). All with their best number of neighbours for speed: the thesis' 2, level 10.
//
// No rule needs fewer ticks than the most tasks that one user gets, as a user has one present task at a time.

namespace {

using overlay::OverlayOptions;
using overlay::Scheduler;
using overlay::Search;

constexpr double kHalf = 0.5;
constexpr double kFair = 0.97;  // of the centralised lowest share

enum LevelWays : std::size_t { central_drf, dgdrf, pdgdrf, pdgdrf_fit, level_walk, level_fit };

Configuration level(double slack, Search search) {
  const Configuration rule =
      way(fmt::format("level, slack {}, {}", slack, search == Search::walk ? "walk" : "best fit"),
          Scheduler::level, 10);
  return with(with(rule, &OverlayOptions::search, search), &OverlayOptions::slack, slack);
}

// The most tasks that one user got, over the ticks that the centralised scheduler took.
std::vector<double> bounds(const SideBySide& plan, const SeedRuns& runs, const RunOptions& options) {
  std::vector<double> parts;
  for (std::size_t s = 0; s < runs.size(); ++s) {
    const Problem cluster = google_cluster(plan.machines, plan.users, options.seed + s);
    double most = 0;
    for (std::size_t n = 0; n < plan.users; ++n)
      most = std::max(
          most, runs[s].shares[n] / fairness::dominant_share<double>(cluster.demand(n, 0), cluster.pool()));
    parts.push_back(most / runs[s].ticks);
  }
  return parts;
}

SideBySide level_plan(Effort effort) {
  const bool quick = effort == Effort::quick;
  SideBySide plan{
      .machines = quick ? 16UL : 100UL,
      .users = quick ? 6UL : 40UL,
      .seeds = quick ? 2UL : 5UL,
      .ways = {way("centralised-drf", Scheduler::centralised_drf, 2),
               way("dgdrf, walk (thesis)", Scheduler::dgdrf, 2),
               way("pdgdrf, walk (thesis)", Scheduler::pdgdrf, 2),
               with(way("pdgdrf, best fit", Scheduler::pdgdrf, 2), &OverlayOptions::search, Search::best_fit),
               level(1, Search::walk), level(1, Search::best_fit)}};
  for (const double slack : {0.25, 0.5, 2.0, 4.0})
    for (const Search search : {Search::walk, Search::best_fit}) plan.ways.push_back(level(slack, search));
  return plan;
}

OwnFiles level_files(const RunOptions& options) {
  return files_of("ostman-beyond-level", level_plan(options.effort), options);
}

Reproduction run_level(const RunOptions& options) {
  const SideBySide plan = level_plan(options.effort);
  const std::vector<SeedRuns> runs = run_side_by_side(plan, options);
  const std::vector<double> bound = bounds(plan, runs[central_drf], options);

  Reproduction result;
  result.findings = {
      at_most("ticks of level with best fit over the centralised ones (0.5 or less)",
              ratios(runs[level_fit], runs[central_drf], ticks_of), kHalf),
      at_least("lowest share of level with best fit over the centralised one (0.97 or more)",
               ratios(runs[level_fit], runs[central_drf], least_share), kFair),
      at_most("ticks of level with the thesis' walk over the centralised ones (0.5 or less)",
              ratios(runs[level_walk], runs[central_drf], ticks_of), kHalf),
      at_least("lowest share of level with the thesis' walk over the centralised one (0.97 or more)",
               ratios(runs[level_walk], runs[central_drf], least_share), kFair),
      more("ticks of PDGDRF less those of level, both with the walk (above 0)",
           differences(measured(runs[pdgdrf], ticks_of), measured(runs[level_walk], ticks_of))),
      not_less("lowest share of level less that of PDGDRF, both with the walk (not below 0)",
               differences(measured(runs[level_walk], least_share), measured(runs[pdgdrf], least_share))),
      not_less("the same with best fit (not below 0)",
               differences(measured(runs[level_fit], least_share), measured(runs[pdgdrf_fit], least_share))),
      more("messages of DGDRF less those of level with the walk (above 0)",
           differences(measured(runs[dgdrf], messages_of), measured(runs[level_walk], messages_of)))};
  const std::vector<Column> columns = {{"ticks / centralised", ticks_of, 3, true},
                                       {"lowest share / centralised", least_share, 3, true},
                                       {"messages", messages_of, 0},
                                       {"part out of turn", wrong_part, 3},
                                       {"used", used_part, 3}};
  result.tables = {table_of_ways("Level beside the thesis' rules", plan, runs, columns)};
  result.remarks.push_back(fmt::format(
      "No rule can be quicker than the most tasks that one user gets: {:.3f} of the centralised ticks on "
      "these clusters in the mean, {:.3f} to {:.3f}.",
      mean(bound), *std::ranges::min_element(bound), *std::ranges::max_element(bound)));
  result.remarks.push_back(
      "The centralised scheduler takes the first server where a task fits, so best fit can reach more than "
      "its lowest share. With the walk of the thesis serial DRF on random servers is what it can be held "
      "against (ostman-beyond-fit).");
  return result;
}

}  // namespace

Experiment ostman_beyond_level_row() {
  return {.id = "ostman-beyond-level",
          .paper = "beyond Östman, 5.4 and chapter 6",
          .title = "Side by side up to a common level: ticks against lowest share",
          .data = kDrawnFromTheTrace,
          .run = run_level,
          .own_files = level_files};
}

}  // namespace mirab::experiments
