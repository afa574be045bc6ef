// All schedulers at every number of neighbours: what tables 5.1 to 5.4 and figures 5.1 to 5.5, 5.8 to 5.10 of
// the thesis show (Östman, chapter 5).
#include "experiments/ostman/solutions.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <functional>

#include <mirab/model/assert.hpp>
#include <mirab/overlay/scheduler.hpp>

namespace mirab::experiments {

using overlay::Scheduler;

const std::vector<SeedRuns>& Solutions::of(Scheduler scheduler) const {
  const auto at = std::find(schedulers.begin(), schedulers.end(), scheduler);
  MIRAB_ASSERT(at != schedulers.end(), "it was run");
  return runs[static_cast<std::size_t>(at - schedulers.begin())];
}

Solutions run_solutions(const SolutionsPlan& plan, const RunOptions& options) {
  std::vector<OverlaySetting> settings;
  std::vector<std::pair<std::size_t, std::size_t>> where;  // [setting]: scheduler, number of neighbours
  // Many neighbours run longest, and dgdrf and pdgdrf stand last among the schedulers.
  for (std::size_t p = plan.neighbours.size(); p-- > 0;) {
    for (std::size_t s = plan.schedulers.size(); s-- > 0;) {
      if (p > 0 && overlay::row_of(plan.schedulers[s]).is_central) continue;
      settings.push_back({.machines = plan.machines,
                          .users = plan.users,
                          .scheduler = plan.schedulers[s],
                          .neighbours = plan.neighbours[p]});
      where.emplace_back(s, p);
    }
  }
  const std::vector<SeedRuns> runs = overlay_runs(settings, plan.seeds, options);
  Solutions solutions{
      .schedulers = plan.schedulers,
      .neighbours = {plan.neighbours.begin(), plan.neighbours.end()},
      .runs = std::vector(plan.schedulers.size(), std::vector<SeedRuns>(plan.neighbours.size()))};
  for (std::size_t i = 0; i < settings.size(); ++i) solutions.runs[where[i].first][where[i].second] = runs[i];
  for (std::size_t s = 0; s < plan.schedulers.size(); ++s) {
    if (overlay::row_of(plan.schedulers[s]).is_central)
      std::fill(solutions.runs[s].begin() + 1, solutions.runs[s].end(), solutions.runs[s].front());
  }
  return solutions;
}

std::vector<double> mean_over_neighbours(const Solutions& solutions, Scheduler scheduler, Measure measure,
                                         double from, double to) {
  const std::vector<SeedRuns>& runs = solutions.of(scheduler);
  std::vector<double> sums(runs.front().size());
  std::size_t numbers = 0;
  for (std::size_t p = 0; p < runs.size(); ++p) {
    if (solutions.neighbours[p] < from || solutions.neighbours[p] > to) continue;
    const std::vector<double> values = measured(runs[p], measure);
    std::transform(sums.begin(), sums.end(), values.begin(), sums.begin(), std::plus<>());
    ++numbers;
  }
  MIRAB_ASSERT(numbers > 0, "a number of neighbours lies there");
  for (double& sum : sums) sum /= static_cast<double>(numbers);
  return sums;
}

Figure figure_of(const Solutions& solutions, std::string_view title, std::string_view label,
                 Measure measure) {
  Figure figure{
      .title = std::string(title), .x_label = "neighbours", .y_label = std::string(label), .curves = {}};
  for (std::size_t s = 0; s < solutions.schedulers.size(); ++s) {
    Curve curve{.name = std::string(overlay::row_of(solutions.schedulers[s]).name), .x = {}, .y = {}};
    for (std::size_t p = 0; p < solutions.neighbours.size(); ++p)
      add_point(curve, solutions.neighbours[p], over_seeds(measured(solutions.runs[s][p], measure)));
    figure.curves.push_back(std::move(curve));
  }
  return figure;
}

Table table_of(const Solutions& solutions, std::string_view title, Measure measure, int decimals,
               std::span<const std::vector<double>> printed) {
  Table table{.title = std::string(title), .head = {"scheduler"}, .rows = {}};
  for (const double neighbours : solutions.neighbours) table.head.push_back(fmt::format("{}", neighbours));
  for (std::size_t s = 0; s < solutions.schedulers.size(); ++s) {
    std::vector<std::string> row{std::string(overlay::row_of(solutions.schedulers[s]).name)};
    for (std::size_t p = 0; p < solutions.neighbours.size(); ++p) {
      const double ours = over_seeds(measured(solutions.runs[s][p], measure)).mean;
      row.push_back(s < printed.size() && !printed[s].empty()
                        ? fmt::format("{:.{}f} ({:.{}f})", ours, decimals, printed[s][p], decimals)
                        : fmt::format("{:.{}f}", ours, decimals));
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace mirab::experiments
