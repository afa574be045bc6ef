// `slides-comparison`: DRF, asset fairness and CEEI side by side. The slides (Katsaros, HY623) work out <9
// CPUs, 18 GB> with tasks <1, 4> of A and <3, 1> of B in numbers. Of <1000 CPUs, 1000 GB> with <2, 3> and <5,
// 1> they show a picture that our text lacks; there it must hold what the mechanisms even out between A and
// B: DRF the dominant shares max_r s_r, asset fairness the sums Σ_r s_r, CEEI the costs Σ_r λ_r C_r s_r at
// the prices λ.
#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>

#include "experiments/rows.hpp"
#include "experiments/worked_example.hpp"

namespace mirab::experiments {
namespace {

using Pair = std::array<double, 2>;

constexpr double kTolerance = 1e-6;  // of what is worked out in fractions; CEEI is solved to a gap
constexpr int kBundleDecimals = 1;   // of printed bundles

/// Two users on one pool of two resources.
struct Example {
  Pair capacity;
  std::array<Pair, 2> demand;  ///< [user][resource]
};
constexpr Example kRunning{{9, 18}, {{{1, 4}, {3, 1}}}};
constexpr Example kLarge{{1000, 1000}, {{{2, 3}, {5, 1}}}};

double dominant(const Pair& shares, const Pair& /*worth*/) { return std::max(shares[0], shares[1]); }
double sum(const Pair& shares, const Pair& /*worth*/) { return shares[0] + shares[1]; }
double cost(const Pair& shares, const Pair& worth) { return shares[0] * worth[0] + shares[1] * worth[1]; }

/// A mechanism, what the slides print of the running example, and what it evens out.
struct Mechanism {
  const char* registry_name;
  const char* name;
  Pair tasks;                  ///< [user]
  std::array<Pair, 2> bundle;  ///< [user][resource]
  const char* measure_name;
  double (*measure)(const Pair& shares, const Pair& worth);  ///< worth: λ_r C_r
};
constexpr std::array<Mechanism, 3> kMechanisms{{
    {"drf", "DRF", {3, 2}, {{{3, 12}, {6, 2}}}, "dominant share", dominant},
    {"asset", "asset fairness", {2.52, 2.16}, {{{2.5, 10.1}, {6.5, 2.2}}}, "sum of shares", sum},
    {"ceei", "CEEI", {45.0 / 11, 18.0 / 11}, {{{4.1, 16.4}, {4.9, 1.6}}}, "cost", cost},
}};

Problem problem_of(const Example& example) {
  const auto list = [](const Pair& pair) { return std::vector<double>(pair.begin(), pair.end()); };
  return worked_example({"cpu", "memory"}, {{"pool", list(example.capacity)}},
                        {{"A", list(example.demand[0])}, {"B", list(example.demand[1])}});
}

/// s_{n,r} = X_n d_{n,r} / C_r. [user][resource]
std::array<Pair, 2> shares_of(const Example& example, const std::vector<double>& tasks) {
  std::array<Pair, 2> shares{};
  for (std::size_t n = 0; n < 2; ++n) {
    for (std::size_t r = 0; r < 2; ++r) shares[n][r] = tasks[n] * example.demand[n][r] / example.capacity[r];
  }
  return shares;
}

/// λ_r C_r; 0 where the mechanism has no prices.
Pair worth_of(const ServerUse& pool) {
  if (pool.prices.empty()) return {};
  return {pool.prices[0] * pool.capacity[0], pool.prices[1] * pool.capacity[1]};
}

void hold_the_running_example(const Mechanism& mechanism, int threads, Reproduction& result) {
  const Problem problem = problem_of(kRunning);
  const std::vector<double> tasks = divided(problem, mechanism.registry_name, threads).tasks;
  const std::array<Pair, 2> shares = shares_of(kRunning, tasks);
  for (std::size_t n = 0; n < 2; ++n) {
    const std::string& user = problem.users()[n].name;
    result.findings.push_back(compared(fmt::format("<9, 18>: tasks of {} under {}", user, mechanism.name),
                                       mechanism.tasks[n], tasks[n], kTolerance));
    for (std::size_t r = 0; r < 2; ++r)
      result.findings.push_back(compared(
          fmt::format("<9, 18>: {} of {} under {}", problem.resources()[r], user, mechanism.name),
          mechanism.bundle[n][r], shares[n][r] * kRunning.capacity[r], rounding_of(kBundleDecimals)));
  }
}

/// What must hold of the large example, and its row of the table.
std::vector<std::string> hold_the_large_example(const Mechanism& mechanism, int threads,
                                                Reproduction& result) {
  const Allocation allocation = divided(problem_of(kLarge), mechanism.registry_name, threads);
  const std::array<Pair, 2> shares = shares_of(kLarge, allocation.tasks);
  const Pair worth = worth_of(allocation.servers.front());
  const double difference = mechanism.measure(shares[0], worth) - mechanism.measure(shares[1], worth);
  result.findings.push_back(required(fmt::format("<1000, 1000>: {} of A less that of B under {} is 0",
                                                 mechanism.measure_name, mechanism.name),
                                     difference, std::abs(difference) <= kTolerance));

  std::vector<std::string> row{mechanism.name};
  for (const double tasks : allocation.tasks) row.push_back(fmt::format("{:.2f}", tasks));
  for (const Pair& user : shares) row.push_back(fmt::format("{:.2f}%", 100 * dominant(user, {})));
  for (std::size_t r = 0; r < 2; ++r)
    row.push_back(fmt::format("{:.2f}%", 100 * (shares[0][r] + shares[1][r])));
  return row;
}

Reproduction run(const RunOptions& options) {
  Reproduction result;
  for (const Mechanism& mechanism : kMechanisms) hold_the_running_example(mechanism, options.threads, result);
  Table table{.title = "<1000 CPUs, 1000 GB>, tasks <2, 3> of A and <5, 1> of B",
              .head = {"", "tasks of A", "tasks of B", "share of A", "share of B", "CPU used", "memory used"},
              .rows = {}};
  for (const Mechanism& mechanism : kMechanisms)
    table.rows.push_back(hold_the_large_example(mechanism, options.threads, result));
  result.tables.push_back(std::move(table));
  result.remarks = {
      "The picture of <1000, 1000> is not in our text: there it must hold what each mechanism evens out."};
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
