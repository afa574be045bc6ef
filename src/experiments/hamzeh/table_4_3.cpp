// `hamzeh-4.3`: four users under MLF-DRS. Hamzeh, Fairness for Resource Allocation in Cloud Computing, table
// 4.3: 18 CPUs and 36 GB; tasks (3, 1), (5, 3), (1, 5), (2, 7). DRF goes task by task there. The table's row
// for DRBF is left out: its definition is not in the thesis; its documented relative is BAA. A printed number
// may be a tenth off, as decimals are cut off.
#include "experiments/hamzeh/tables.hpp"
#include "experiments/rows.hpp"
#include "experiments/worked_example.hpp"

namespace mirab::experiments {
namespace {

constexpr double kCutOff = 0.1;
constexpr std::string_view kMechanisms[] = {"mlf-drs", "drf", "baa"};
constexpr std::string_view kEqualSurplus =
    "algorithm 2 grants in proportion to (1, 3), which is (1.64, 4.91); (2.3, 4.3) is demand and an equal "
    "half "
    "of what is left of the 6.6 GB, the rule with which table 4.7 was made";

Reproduction run(const RunOptions&) {
  const Problem problem = worked_example({"cpu", "ram"}, {{"pool", {18, 36}}},
                                         {{"A", {3, 1}}, {"B", {5, 3}}, {"C", {1, 5}}, {"D", {2, 7}}});
  const PrintedBundles drf{
      .mechanism = "drf (task by task)",
      .bundles = {{6, 2}, {5, 3}, {3, 12}, {4, 14}},
      .slips = {{2, 1, 15, "three tasks of (1, 5) take (3, 15); with 12 GB user C would run 2.4 of them"}}};
  const PrintedBundles mlf_drs{.mechanism = "mlf-drs",
                               .bundles = {{6.5, 2.3}, {7.2, 4.3}, {1.4, 14.7}, {2.9, 14.7}},
                               .slips = {{0, 1, 18.0 / 11, kEqualSurplus}, {1, 1, 54.0 / 11, kEqualSurplus}}};
  Reproduction result;
  hold_bundles(problem, drf, bundles_of_filling(problem), kCutOff, result);
  hold_bundles(problem, mlf_drs, bundles_of(problem, "mlf-drs"), kCutOff, result);
  result.tables.push_back(what_runs(problem, kMechanisms));
  result.remarks = {
      "The thesis says that under DRF user B is starved of CPU. MLF-DRS grants B 7.2 CPUs instead of 5, with "
      "which it runs 1.44 tasks; all users together run fewer tasks than under DRF, as the table shows."};
  return result;
}

}  // namespace

Experiment hamzeh_4_3_row() {
  return {.id = "hamzeh-4.3",
          .paper = "Hamzeh, thesis, table 4.3",
          .title = "Four users under DRF and MLF-DRS",
          .data = kAsPublished,
          .run = run};
}

}  // namespace mirab::experiments
