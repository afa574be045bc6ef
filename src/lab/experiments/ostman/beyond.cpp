// Ways of allocating side by side, on the same clusters: what chapter 6 of the thesis left open, and its own.
#include "lab/experiments/ostman/beyond.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include <mirab/model/assert.hpp>
#include <mirab/overlay/scheduler.hpp>

#include "lab/experiments/ostman/runs.hpp"
#include "lab/experiments/own_files.hpp"
#include "lab/simulation/base/replications.hpp"

namespace mirab::experiments {

Configuration way(std::string name, overlay::Scheduler scheduler, std::size_t neighbours) {
  Configuration result{.name = std::move(name), .rules = {.scheduler = scheduler, .options = {}}};
  result.rules.options.gossip.view = neighbours;
  return result;
}

std::vector<Configuration> rules_with(std::size_t neighbours) {
  using overlay::Scheduler;
  std::vector<Configuration> ways;
  for (const Scheduler scheduler : {Scheduler::dgdrf, Scheduler::pdgdrf, Scheduler::level})
    ways.push_back(way(std::string(overlay::row_of(scheduler).name), scheduler,
                       scheduler == Scheduler::level ? 10 : neighbours));
  return ways;
}

std::vector<SeedRuns> run_side_by_side(const SideBySide& plan, const RunOptions& options) {
  std::vector<SeedRuns> runs(plan.ways.size(), SeedRuns(plan.seeds));
  const auto task = [&](std::size_t index) {
    const std::size_t way = index / plan.seeds;
    const std::uint64_t seed = options.seed + index % plan.seeds;
    const Problem cluster = google_cluster(plan.machines, plan.users, seed);
    simulation::OverlayScenario scenario =
        plan.scenario ? plan.scenario(cluster) : simulation::OverlayScenario{};
    scenario.rules = {plan.ways[way].rules};
    Result<std::vector<simulation::OverlayRun>> run = simulation::run_overlay(cluster, scenario, seed, 1);
    MIRAB_ASSERT(static_cast<bool>(run), "what is measured can be run");
    runs[way][index % plan.seeds] = std::move(run->front());
  };
  simulation::sweep(plan.ways.size() * plan.seeds, options.threads, task, options.progress);
  return runs;
}

OwnFiles files_of(std::string_view id, const SideBySide& plan, const RunOptions& options) {
  const Problem cluster = google_cluster(plan.machines, plan.users, options.seed);
  simulation::OverlayScenario scenario =
      plan.scenario ? plan.scenario(cluster) : simulation::OverlayScenario{};
  scenario.rules.clear();
  for (const Configuration& way : plan.ways) {
    scenario.rules.push_back(way.rules);
    scenario.names.push_back(way.name);
  }
  return overlay_files(
      id, cluster, scenario, options.seed,
      fmt::format("all ways from seed {}, on {} machines with {} users; for each other seed the "
                  "experiment draws another cluster",
                  options.seed, plan.machines, plan.users));
}

double placements_of(const simulation::OverlayRun& run) { return static_cast<double>(run.placements); }
double messages_of(const simulation::OverlayRun& run) { return static_cast<double>(run.messages); }
double mean_least_share(const simulation::OverlayRun& run) { return run.mean_min_share; }
double used_part(const simulation::OverlayRun& run) {
  return run.used.empty() ? 0 : *std::max_element(run.used.begin(), run.used.end());
}

Table table_of_ways(std::string_view title, const SideBySide& plan, std::span<const SeedRuns> runs,
                    std::span<const Column> columns) {
  Table table{.title = std::string(title), .head = {"way"}, .rows = {}};
  for (const Column& column : columns) table.head.push_back(column.name);
  for (std::size_t w = 0; w < plan.ways.size(); ++w) {
    std::vector<std::string> row{plan.ways[w].name};
    for (const Column& column : columns) {
      const std::vector<double> values =
          column.over_first ? ratios(runs[w], runs[0], column.measure) : measured(runs[w], column.measure);
      row.push_back(fmt::format("{:.{}f}", over_seeds(values).mean, column.decimals));
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace mirab::experiments
