// The worked tables of Hamzeh's thesis: bundles that a mechanism grants on a small cluster, against the
// printed ones, and beside them the tasks that can run with the bundles.
#include "experiments/hamzeh/tables.hpp"

#include <algorithm>
#include <fmt/format.h>

#include <mirab/scheduling/fill.hpp>

#include "experiments/worked_example.hpp"
#include "simulation/demands/measures.hpp"

namespace mirab::experiments {
namespace {

std::vector<std::vector<double>> bundles_in(const Problem& problem, const Allocation& allocation) {
  return simulation::measure_demands(problem, allocation).bundles;
}

std::string joined(const std::vector<double>& numbers) {
  std::string text;
  for (const double number : numbers) text += (text.empty() ? "" : ", ") + fmt::format("{:.3f}", number);
  return text;
}

}  // namespace

std::vector<std::vector<double>> bundles_of(const Problem& problem, std::string_view mechanism) {
  return bundles_in(problem, divided(problem, mechanism));
}

std::vector<std::vector<double>> bundles_of_filling(const Problem& problem) {
  Random random(1);  // draws nothing: ties go to the first
  const Result<FillOutcome> filled =
      fill(problem, {.discipline = *choose_discipline("drf"), .placement = *choose_placement("first-fit")},
           random);
  return bundles_in(problem, filled->allocation);
}

void hold_bundles(const Problem& problem, const PrintedBundles& printed,
                  const std::vector<std::vector<double>>& ours, double tolerance, Reproduction& result) {
  for (std::size_t n = 0; n < printed.bundles.size(); ++n) {
    for (std::size_t r = 0; r < printed.bundles[n].size(); ++r) {
      const std::string what = fmt::format("{} of user {} by {}", problem.resources()[r],
                                           problem.users()[n].name, printed.mechanism);
      const double amount = printed.bundles[n][r];
      const auto slip = std::find_if(printed.slips.begin(), printed.slips.end(),
                                     [&](const Slip& at) { return at.user == n && at.resource == r; });
      result.findings.push_back(slip == printed.slips.end() ? compared(what, amount, ours[n][r], tolerance)
                                                            : corrected(what, amount, slip->right, ours[n][r],
                                                                        tolerance, std::string(slip->why)));
    }
  }
}

Table what_runs(const Problem& problem, std::span<const std::string_view> mechanisms) {
  Table table{
      .title = "What the bundles run (Leontief)",
      .head = {"mechanism", "tasks of each user", "tasks", "counted by lemma 4.14", "granted", "in use"},
      .rows = {}};
  for (const std::string_view mechanism : mechanisms) {
    const Allocation allocation = divided(problem, mechanism);
    const simulation::DemandMeasures measures = simulation::measure_demands(problem, allocation);
    table.rows.push_back(
        {std::string(mechanism), joined(allocation.tasks), fmt::format("{:.3f}", measures.tasks),
         fmt::format("{:.3f}", measures.counted_tasks), joined(measures.granted), joined(measures.run)});
  }
  return table;
}

double running_tasks(const Problem& problem, std::string_view mechanism) {
  return simulation::measure_demands(problem, divided(problem, mechanism)).tasks;
}

}  // namespace mirab::experiments
