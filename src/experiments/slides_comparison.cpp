// `slides-comparison`: DRF, asset fairness and CEEI side by side. The slides (Katsaros, HY623) work out <9
// CPUs, 18 GB> with tasks <1, 4> of A and <3, 1> of B in numbers; of <1000 CPUs, 1000 GB> with <2, 3> and <5,
// 1> they show a picture that our text lacks. There it must hold what each mechanism is: DRF evens out
// dominant shares, asset fairness the sums of shares, CEEI uses up both resources, where a split between the
// users at which both are full exists.
#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>

#include "experiments/rows.hpp"
#include "experiments/worked_example.hpp"

namespace mirab::experiments {
namespace {

constexpr double kTolerance = 1e-6;  // of what is worked out in fractions; CEEI is solved to a gap

/// Two users on one pool of two resources.
struct Example {
  std::array<double, 2> capacity;
  std::array<double, 2> demand_a, demand_b;
};
constexpr Example kRunning{{9, 18}, {1, 4}, {3, 1}};
constexpr Example kLarge{{1000, 1000}, {2, 3}, {5, 1}};

/// What the slides print of the running example: tasks, and bundles to one decimal.
struct Printed {
  const char* mechanism;
  const char* name;
  std::array<double, 2> tasks;  ///< [user]
  double tasks_within;
  std::array<std::array<double, 2>, 2> bundle;  ///< [user][resource]
};
constexpr std::array<Printed, 3> kPrinted{{
    {"drf", "DRF", {3, 2}, kTolerance, {{{3, 12}, {6, 2}}}},
    {"asset", "asset fairness", {2.52, 2.16}, kTolerance, {{{2.5, 10.1}, {6.5, 2.2}}}},
    {"ceei", "CEEI", {45.0 / 11, 18.0 / 11}, kTolerance, {{{4.1, 16.4}, {4.9, 1.6}}}},
}};
constexpr int kBundleDecimals = 1;

Problem problem_of(const Example& example) {
  const auto list = [](const std::array<double, 2>& pair) {
    return std::vector<double>(pair.begin(), pair.end());
  };
  return worked_example({"cpu", "memory"}, {{"pool", list(example.capacity)}},
                        {{"A", list(example.demand_a)}, {"B", list(example.demand_b)}});
}

/// a_{n,r} / C_r. [user][resource]
std::array<std::array<double, 2>, 2> shares_of(const Example& example, const std::vector<double>& tasks) {
  std::array<std::array<double, 2>, 2> shares{};
  for (std::size_t r = 0; r < 2; ++r) {
    shares[0][r] = tasks[0] * example.demand_a[r] / example.capacity[r];
    shares[1][r] = tasks[1] * example.demand_b[r] / example.capacity[r];
  }
  return shares;
}

void hold_the_running_example(const RunOptions& options, Reproduction& result) {
  const Problem problem = problem_of(kRunning);
  for (const Printed& printed : kPrinted) {
    const std::vector<double> tasks = divided(problem, printed.mechanism, options.threads).tasks;
    const auto shares = shares_of(kRunning, tasks);
    for (std::size_t n = 0; n < 2; ++n) {
      const std::string& user = problem.users()[n].name;
      result.findings.push_back(compared(fmt::format("<9, 18>: tasks of {} under {}", user, printed.name),
                                         printed.tasks[n], tasks[n], printed.tasks_within));
      for (std::size_t r = 0; r < 2; ++r)
        result.findings.push_back(compared(
            fmt::format("<9, 18>: {} of {} under {}", problem.resources()[r], user, printed.name),
            printed.bundle[n][r], shares[n][r] * kRunning.capacity[r], rounding_of(kBundleDecimals)));
    }
  }
}

void show_the_large_example(const RunOptions& options, Reproduction& result) {
  const Problem problem = problem_of(kLarge);
  Table table{.title = "<1000 CPUs, 1000 GB>, A <2, 3>, B <5, 1>",
              .head = {"", "tasks of A", "tasks of B", "share of A", "share of B", "CPU used", "memory used"},
              .rows = {}};
  for (const Printed& mechanism : kPrinted) {
    const std::vector<double> tasks = divided(problem, mechanism.mechanism, options.threads).tasks;
    const auto shares = shares_of(kLarge, tasks);
    const double dominant_a = std::max(shares[0][0], shares[0][1]);
    const double dominant_b = std::max(shares[1][0], shares[1][1]);
    const double sum_a = shares[0][0] + shares[0][1];
    const double sum_b = shares[1][0] + shares[1][1];
    const double cpu = shares[0][0] + shares[1][0];
    const double memory = shares[0][1] + shares[1][1];
    const std::string_view name = mechanism.mechanism;
    const std::string on = "<1000, 1000>: ";
    if (name == "drf")
      result.findings.push_back(required(on + "DRF: dominant share of A less that of B is 0",
                                         dominant_a - dominant_b,
                                         std::abs(dominant_a - dominant_b) <= kTolerance));
    if (name == "asset")
      result.findings.push_back(required(on + "asset fairness: sum of shares of A less that of B is 0",
                                         sum_a - sum_b, std::abs(sum_a - sum_b) <= kTolerance));
    if (name == "ceei")
      result.findings.push_back(required(on + "CEEI: the lower of CPU and memory used is 1",
                                         std::min(cpu, memory), std::min(cpu, memory) >= 1 - kTolerance));
    table.rows.push_back({mechanism.name, fmt::format("{:.4f}", tasks[0]), fmt::format("{:.4f}", tasks[1]),
                          fmt::format("{:.4f}", dominant_a), fmt::format("{:.4f}", dominant_b),
                          fmt::format("{:.4f}", cpu), fmt::format("{:.4f}", memory)});
  }
  result.tables.push_back(std::move(table));
}

Reproduction run(const RunOptions& options) {
  Reproduction result;
  hold_the_running_example(options, result);
  show_the_large_example(options, result);
  result.remarks = {
      "The picture of <1000, 1000> is not in our text; what each mechanism is must hold there instead."};
  return result;
}

}  // namespace

Experiment slides_comparison_row() {
  return {.id = "slides-comparison",
          .paper = "Katsaros, slides on DRF, \"Example of DRF vs. Asset vs. CEEI\"",
          .title = "DRF, asset fairness and CEEI on two clusters",
          .data = kAsPublished,
          .run = run};
}

}  // namespace mirab::experiments
