// `slides-table1`: task-by-task DRF, step by step. The slides (Katsaros, HY623), "An Example", table 1: 9
// CPUs and 18 GB; a task of A takes <1 CPU, 4 GB>, one of B <3 CPUs, 1 GB>. The user with the lowest dominant
// share launches its next task, until no more fit. Of two users with the same share the slides serve the
// last: B first.
#include <algorithm>
#include <array>
#include <fmt/format.h>

#include <mirab/scheduling/fill.hpp>

#include "experiments/rows.hpp"
#include "experiments/worked_example.hpp"

namespace mirab::experiments {
namespace {

constexpr std::array<double, 2> kCapacity{9, 18};
constexpr std::array<std::array<double, 2>, 2> kDemand{{{1, 4}, {3, 1}}};  // [user][resource]
constexpr std::array<const char*, 2> kUsers{"A", "B"};

/// One row of the table: whom it serves, and what stands after that.
struct Step {
  std::size_t user;
  std::array<double, 2> dominant_share;  ///< [user]
  std::array<double, 2> allocated;       ///< of all CPUs, of all RAM
};

constexpr std::array<Step, 5> kPrinted{{
    {1, {0, 1.0 / 3}, {3.0 / 9, 1.0 / 18}},
    {0, {2.0 / 9, 1.0 / 3}, {4.0 / 9, 5.0 / 18}},
    {0, {4.0 / 9, 1.0 / 3}, {5.0 / 9, 9.0 / 18}},
    {1, {4.0 / 9, 2.0 / 3}, {8.0 / 9, 10.0 / 18}},
    {0, {2.0 / 3, 2.0 / 3}, {1, 14.0 / 18}},
}};
constexpr double kTolerance = 1e-12;  // the slides print fractions

/// The rows of our own table, from the steps of a filling.
std::vector<Step> steps_of(const FillOutcome& filled) {
  std::vector<Step> steps;
  std::array<double, 2> share{};
  std::array<double, 2> used{};
  for (const FillStep& step : filled.steps) {
    share[step.user] = step.share;
    for (std::size_t r = 0; r < used.size(); ++r) used[r] += kDemand[step.user][r];
    steps.push_back({step.user, share, {used[0] / kCapacity[0], used[1] / kCapacity[1]}});
  }
  return steps;
}

Table table_of(const std::vector<Step>& steps) {
  Table table{.title = "Table 1, with our steps",
              .head = {"step", "serves", "share of A", "share of B", "CPU allocated", "RAM allocated"},
              .rows = {}};
  for (const Step& step : steps) {
    table.rows.push_back(
        {fmt::format("{}", table.rows.size() + 1), kUsers[step.user],
         fmt::format("{:.4f}", step.dominant_share[0]), fmt::format("{:.4f}", step.dominant_share[1]),
         fmt::format("{:.4f}", step.allocated[0]), fmt::format("{:.4f}", step.allocated[1])});
  }
  return table;
}

Figure figure_of(const std::vector<Step>& steps) {
  Figure figure{.title = "Dominant shares after each step",
                .x_label = "step",
                .y_label = "dominant share",
                .curves = {}};
  for (std::size_t n = 0; n < kUsers.size(); ++n) {
    Curve curve{.name = kUsers[n], .x = {0}, .y = {0}};
    for (const Step& step : steps) {
      curve.x.push_back(static_cast<double>(curve.x.size()));
      curve.y.push_back(step.dominant_share[n]);
    }
    figure.curves.push_back(std::move(curve));
  }
  return figure;
}

Reproduction run(const RunOptions& options) {
  const Problem problem = worked_example({"cpu", "memory"}, {{"pool", {kCapacity.begin(), kCapacity.end()}}},
                                         {{kUsers[0], {kDemand[0].begin(), kDemand[0].end()}},
                                          {kUsers[1], {kDemand[1].begin(), kDemand[1].end()}}});
  Random random(options.seed);
  const FillOutcome filled = *fill(problem,
                                   {.discipline = *choose_discipline("drf"),
                                    .placement = *choose_placement("first-fit"),
                                    .tie = Tie::last,
                                    .trace = true},
                                   random);
  const std::vector<Step> steps = steps_of(filled);

  Reproduction result;
  result.findings.push_back(
      compared("steps until nothing fits", kPrinted.size(), static_cast<double>(steps.size()), kTolerance));
  for (std::size_t i = 0; i < std::min(steps.size(), kPrinted.size()); ++i) {
    const Step &printed = kPrinted[i], &ours = steps[i];
    const std::string step = fmt::format("step {}: ", i + 1);
    Finding serves =
        compared(step + "serves " + kUsers[printed.user], 1, ours.user == printed.user, kTolerance);
    serves.reading = Reading::yes_no;
    result.findings.push_back(std::move(serves));
    for (std::size_t n = 0; n < kUsers.size(); ++n)
      result.findings.push_back(compared(step + "dominant share of " + kUsers[n], printed.dominant_share[n],
                                         ours.dominant_share[n], kTolerance));
    result.findings.push_back(
        compared(step + "CPU allocated", printed.allocated[0], ours.allocated[0], kTolerance));
    result.findings.push_back(
        compared(step + "RAM allocated", printed.allocated[1], ours.allocated[1], kTolerance));
  }
  result.tables.push_back(table_of(steps));
  result.figures.push_back(figure_of(steps));
  return result;
}

}  // namespace

Experiment slides_table1_row() {
  return {.id = "slides-table1",
          .paper = "Katsaros, slides on DRF, table 1",
          .title = "The five steps of task-by-task DRF",
          .data = kAsPublished,
          .run = run};
}

}  // namespace mirab::experiments
