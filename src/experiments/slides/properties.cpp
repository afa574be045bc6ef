// `slides-properties`: which of eight properties asset fairness, CEEI and DRF have. The slides (Katsaros,
// HY623), "Properties of DRF, Asset Fairness, CEEI": a table of 8 x 3, held against random clusters where
// everybody demands everything and has endless tasks; and the slides' own examples of why an empty cell is
// empty, in numbers.
#include <fmt/format.h>

#include "experiments/printed_properties.hpp"
#include "experiments/rows.hpp"
#include "experiments/worked_example.hpp"

namespace mirab::experiments {
namespace {

const PrintedProperties kPrinted{
    .mechanisms = {"asset", "pf", "drf"},
    .rows = {{Property::sharing_incentive, "share guarantee", {false, true, true}},
             {Property::strategy_proofness, "strategy-proofness", {true, false, true}},
             {Property::pareto_efficiency, "Pareto efficiency", {true, true, true}},
             {Property::envy_freeness, "envy-freeness", {true, true, true}},
             {Property::single_resource_fairness, "single resource fairness", {true, true, true}},
             {Property::bottleneck_fairness, "bottleneck fairness", {false, true, true}},
             {Property::population_monotonicity, "population monotonicity", {true, false, true}},
             {Property::resource_monotonicity, "resource monotonicity", {false, false, false}}},
    .conditions = {.positive_demands = true, .no_caps = true}};

constexpr Lookout kQuick{.clusters = 60, .attempts = 6'000};
constexpr Lookout kFull{.clusters = 1'000, .attempts = 200'000};

/// A cluster of the slides, and the tasks that they print of it.
struct Example {
  const char* shows;
  const char* mechanism;
  std::vector<double> capacity;
  std::vector<std::vector<double>> demands;  ///< [user]
  std::vector<double> tasks;                 ///< [user]
  double tolerance;
};

constexpr double kExactly = 1e-5;  // fractions; CEEI is solved to a gap
const double kOneDecimal = rounding_of(1);

const std::vector<Example> kExamples{
    {"no sharing incentive", "asset", {30, 30}, {{1, 3}, {1, 1}}, {6, 12}, kExactly},
    {"no bottleneck fairness", "asset", {21, 21}, {{3, 2}, {4, 1}}, {3, 3}, kExactly},
    {"no resource monotonicity, before", "asset", {77, 77}, {{4, 2}, {1, 1}}, {11, 33}, kExactly},
    {"no resource monotonicity, after", "asset", {77, 154}, {{4, 2}, {1, 1}}, {10.5, 35}, kExactly},
    {"not strategy-proof, truth", "pf", {100, 100}, {{16, 1}, {1, 2}}, {100.0 / 31, 1500.0 / 31}, kExactly},
    {"not strategy-proof, lie", "pf", {100, 100}, {{16, 8}, {1, 2}}, {25.0 / 6, 100.0 / 3}, kExactly},
    {"no population monotonicity, before",
     "pf",
     {100, 100},
     {{4, 1}, {1, 16}, {16, 1}},
     {11.3, 5.4, 3.1},
     kOneDecimal},
    {"no population monotonicity, after", "pf", {100, 100}, {{4, 1}, {1, 16}}, {23.8, 4.8}, kOneDecimal},
};

void hold(const Example& example, const RunOptions& options, Reproduction& result) {
  std::vector<NamedAmounts> users;
  for (const std::vector<double>& demand : example.demands)
    users.push_back({fmt::format("{}", users.size() + 1), demand});
  const Problem problem = worked_example({"1", "2"}, {{"pool", example.capacity}}, users);
  const std::vector<double> tasks = divided(problem, example.mechanism, options.threads).tasks;
  for (std::size_t n = 0; n < tasks.size(); ++n)
    result.findings.push_back(
        compared(fmt::format("{}, {}: tasks of user {}", example.mechanism, example.shows, n + 1),
                 example.tasks[n], tasks[n], example.tolerance));
}

Reproduction run(const RunOptions& options) {
  Reproduction result;
  hold_properties(kPrinted, options.effort == Effort::quick ? kQuick : kFull, options, result);
  for (const Example& example : kExamples) hold(example, options, result);
  result.remarks = {"That no counterexample is found among random clusters is no proof.",
                    "With demands of zero, population monotonicity fails under asset fairness and DRF, and a "
                    "user gains under asset "
                    "fairness by appearing as two who ask for one resource each: the slides do not speak of "
                    "that (docs/fairness.md).",
                    "The slides round 1500/31 = 48.387 tasks to 48.8."};
  return result;
}

}  // namespace

Experiment slides_properties_row() {
  return {.id = "slides-properties",
          .paper = "Katsaros, slides on DRF, \"Properties of DRF, Asset Fairness, CEEI\"",
          .title = "Eight properties of asset fairness, CEEI and DRF, measured",
          .data = kAsPublished,
          .run = run};
}

}  // namespace mirab::experiments
