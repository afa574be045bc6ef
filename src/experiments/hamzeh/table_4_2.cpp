// `hamzeh-4.2`: two users under MLF-DRS. Hamzeh, Fairness for Resource Allocation in Cloud Computing, table
// 4.2: 9 CPUs and 18 GB; a task of user 1 takes (1, 4), one of user 2 (3, 1). The first grants are (1, 9) and
// (4.5, 1), and grow until all is used. The thesis cuts decimals off (7.36 is printed as 7.3), so that a
// printed number may be a tenth off.
#include "experiments/hamzeh/tables.hpp"
#include "experiments/rows.hpp"
#include "experiments/worked_example.hpp"

namespace mirab::experiments {
namespace {

constexpr double kCutOff = 0.1;
constexpr std::string_view kMechanisms[] = {"mlf-drs", "drf"};

Reproduction run(const RunOptions&) {
  const Problem problem = worked_example({"cpu", "ram"}, {{"pool", {9, 18}}}, {{"1", {1, 4}}, {"2", {3, 1}}});
  const PrintedBundles drf{.mechanism = "drf", .bundles = {{3, 12}, {6, 2}}};
  const PrintedBundles mlf_drs{.mechanism = "mlf-drs", .bundles = {{1.6, 16.2}, {7.3, 1.8}}};
  Reproduction result;
  hold_bundles(problem, drf, bundles_of(problem, "drf"), kCutOff, result);
  hold_bundles(problem, mlf_drs, bundles_of(problem, "mlf-drs"), kCutOff, result);
  result.tables.push_back(what_runs(problem, kMechanisms));
  result.remarks = {
      "Section 4.2.3.3 calls the allocation Pareto efficient. It is not where tasks are whole bundles of "
      "demand: MLF-DRS grants everything and runs 1.64 and 1.8 tasks, DRF grants less and runs 3 and 2, so "
      "that both users are better off."};
  return result;
}

}  // namespace

Experiment hamzeh_4_2_row() {
  return {.id = "hamzeh-4.2",
          .paper = "Hamzeh, thesis, table 4.2",
          .title = "Two users under DRF and MLF-DRS",
          .data = kAsPublished,
          .run = run};
}

}  // namespace mirab::experiments
