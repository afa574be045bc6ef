// `hamzeh-4.4`: two users under FFMRA. Hamzeh, Fairness for Resource Allocation in Cloud Computing,
// tables 4.4 to 4.6 and section 4.3.2: 9 CPUs and 18 GB; tasks (1, 4) and (3, 1). 7 of 9 demanded units are
// dominant, so that 7/9 of each resource goes to whom it dominates; β, the difference between the groups'
// parts, is 0.
#include <fmt/format.h>

#include "experiments/hamzeh/tables.hpp"
#include "experiments/rows.hpp"
#include "experiments/worked_example.hpp"
#include "simulation/demands/measures.hpp"

namespace mirab::experiments {
namespace {

constexpr double kExact = 1e-9;
constexpr double kSixDecimals = 1e-6;
constexpr std::string_view kMechanisms[] = {"ffmra", "drf"};

Finding beta(std::string_view mechanism, const Problem& problem, double printed, double tolerance) {
  const double ours = simulation::measure_demands(problem, divided(problem, mechanism)).beta_non_dominant;
  return compared(fmt::format("β of non-dominant resources by {}", mechanism), printed, ours, tolerance);
}

Reproduction run(const RunOptions&) {
  const Problem problem = worked_example({"cpu", "ram"}, {{"pool", {9, 18}}}, {{"A", {1, 4}}, {"B", {3, 1}}});
  Reproduction result;
  const auto ffmra = bundles_of(problem, "ffmra");
  const auto drf = bundles_of(problem, "drf");
  hold_bundles(problem, {.mechanism = "drf", .bundles = {{3, 12}, {6, 2}}}, drf, kExact, result);
  hold_bundles(problem, {.mechanism = "ffmra", .bundles = {{2, 14}, {7, 4}}}, ffmra, kExact, result);
  result.findings.push_back(
      compared("part of the CPUs that user A holds (table 4.5)", 0.222222, ffmra[0][0] / 9, kSixDecimals));
  result.findings.push_back(
      compared("part of the RAM that user A holds (table 4.5)", 0.777778, ffmra[0][1] / 18, kSixDecimals));
  result.findings.push_back(compared("part of the RAM in use under DRF (table 4.6)", 0.777778,
                                     (drf[0][1] + drf[1][1]) / 18, kSixDecimals));
  result.findings.push_back(beta("ffmra", problem, 0, kExact));
  result.findings.push_back(beta("drf", problem, 0.22, 0.005));
  result.findings.push_back(corrected("units for non-dominant demands", 21, 27.0 * 2 / 9,
                                      ffmra[0][0] + ffmra[1][1], kExact,
                                      "section 4.3.2.2 repeats the 21 of the dominant ones; 4.3.2.4 has 27 · "
                                      "2 / 9 = 6, which it goes on with"));
  result.tables.push_back(what_runs(problem, kMechanisms));
  result.remarks = {
      "Section 4.3.2.4 solves for i1 = 3.5 and j1 = 2, i2 = 2.3 and j2 = 4 tasks: each resource of a bundle "
      "counted by itself. A task takes both: user A runs min(2 / 1, 14 / 4) = 2, user B min(7 / 3, 4 / 1) = "
      "2.33, where DRF runs 3 and 2. FFMRA uses all that it counts and runs fewer tasks (4.33 for 5)."};
  return result;
}

}  // namespace

Experiment hamzeh_4_4_row() {
  return {.id = "hamzeh-4.4",
          .paper = "Hamzeh, thesis, tables 4.4 to 4.6",
          .title = "Two users under DRF and FFMRA, and β",
          .data = kAsPublished,
          .run = run};
}

}  // namespace mirab::experiments
