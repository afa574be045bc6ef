// `hamzeh-4.7`: four users under FFMRA. Hamzeh, Fairness for Resource Allocation in Cloud Computing,
// table 4.7 and section 5.2: 18 CPUs and 36 GB; tasks (3, 1), (5, 3), (1, 5), (2, 7). The table divides what
// is left of a group's part equally (`surplus=equal`), algorithm 3 and section 5.2 in proportion (the
// default). A printed number may be a tenth off, as decimals are cut off.
#include "experiments/hamzeh/tables.hpp"
#include "experiments/rows.hpp"
#include "experiments/worked_example.hpp"

namespace mirab::experiments {
namespace {

constexpr double kCutOff = 0.1;
constexpr std::string_view kMechanisms[] = {"ffmra", "ffmra:surplus=equal", "drf"};
constexpr std::string_view kSum =
    "the others' part of the RAM is 36 · 7 / 27 = 9.33 GB, which 3.4 and 5.4 do not add up to; equal halves "
    "of "
    "what is left give 3.67 and 5.67";

Problem four_users() {
  return worked_example({"cpu", "ram"}, {{"pool", {18, 36}}},
                        {{"A", {3, 1}}, {"B", {5, 3}}, {"C", {1, 5}}, {"D", {2, 7}}});
}

// Figure 5.1(b): A with C, D and E (4, 9).
Finding crowded_server() {
  const Problem problem = worked_example({"cpu", "ram"}, {{"pool", {18, 36}}},
                                         {{"A", {3, 1}}, {"C", {1, 5}}, {"D", {2, 7}}, {"E", {4, 9}}});
  const auto bundles = bundles_of(problem, "ffmra");
  return corrected(
      "RAM of users C, D and E beside A (section 5.2)", 30.66, 36.0 * 24 / 32,
      bundles[1][1] + bundles[2][1] + bundles[3][1], kCutOff,
      "24 of the 32 demanded units are dominant, which makes 27 GB; 30.67 = 36 · 23 / 27 fits no four of the "
      "five users that are printed");
}

Reproduction run(const RunOptions&) {
  const Problem problem = four_users();
  const auto by_rule = bundles_of(problem, "ffmra");
  const auto equal = bundles_of(problem, "ffmra:surplus=equal");
  Reproduction result;
  hold_bundles(problem,
               {.mechanism = "drf (task by task)",
                .bundles = {{6, 2}, {5, 3}, {3, 12}, {4, 14}},
                .slips = {{2, 1, 15, "three tasks of (1, 5) take (3, 15)"}}},
               bundles_of_filling(problem), kCutOff, result);
  hold_bundles(problem,
               {.mechanism = "ffmra:surplus=equal",
                .bundles = {{5.7, 3.4}, {7.7, 5.4}, {1.8, 12.3}, {2.8, 14.3}},
                .slips = {{0, 1, 11.0 / 3, kSum}, {1, 1, 17.0 / 3, kSum}}},
               equal, kCutOff, result);
  result.findings.push_back(
      compared("part of the CPUs with users A and B", 0.74, (equal[0][0] + equal[1][0]) / 18, 0.005));
  result.findings.push_back(
      compared("part of the RAM with users C and D", 0.74, (equal[2][1] + equal[3][1]) / 36, 0.005));
  result.findings.push_back(
      compared("RAM of user C by algorithm 3 (section 5.2)", 13.4, by_rule[2][1], kCutOff));
  result.findings.push_back(compared("RAM of users C and D by algorithm 3 (section 5.2)", 26.6,
                                     by_rule[2][1] + by_rule[3][1], kCutOff));
  result.findings.push_back(crowded_server());
  result.tables.push_back(what_runs(problem, kMechanisms));
  return result;
}

}  // namespace

Experiment hamzeh_4_7_row() {
  return {.id = "hamzeh-4.7",
          .paper = "Hamzeh, thesis, table 4.7 and section 5.2",
          .title = "Four users under DRF and FFMRA",
          .data = kAsPublished,
          .run = run};
}

}  // namespace mirab::experiments
