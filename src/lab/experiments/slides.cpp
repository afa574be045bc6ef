// The experiments of the slides (Katsaros, HY623): task-by-task DRF, DRF on two servers, three
// mechanisms side by side, and the table of properties.
#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>

#include <mirab/scheduling/fill.hpp>

#include "lab/experiments/findings.hpp"
#include "lab/experiments/registry.hpp"

namespace mirab::experiments {

// `slides-table1`: task-by-task DRF, step by step. The slides (Katsaros, HY623), "An Example", table 1: 9
// CPUs and 18 GB; a task of A takes <1 CPU, 4 GB>, one of B <3 CPUs, 1 GB>. The user with the lowest dominant
// share launches its next task, until no more fit. Of two users with the same share the slides serve the
// last: B first.

namespace {

constexpr std::array<double, 2> kCapacity{9, 18};
constexpr std::array<std::array<double, 2>, 2> kDemand{{{1, 4}, {3, 1}}};  // [user][resource]
constexpr std::array<const char*, 2> kTableUsers{"A", "B"};

/// One row of the table: whom it serves, and what stands after that.
struct Step {
  std::size_t user;
  std::array<double, 2> dominant_share;  ///< [user]
  std::array<double, 2> allocated;       ///< of all CPUs, of all RAM
};

constexpr std::array<Step, 5> kPrintedSteps{{
    {1, {0, 1.0 / 3}, {3.0 / 9, 1.0 / 18}},
    {0, {2.0 / 9, 1.0 / 3}, {4.0 / 9, 5.0 / 18}},
    {0, {4.0 / 9, 1.0 / 3}, {5.0 / 9, 9.0 / 18}},
    {1, {4.0 / 9, 2.0 / 3}, {8.0 / 9, 10.0 / 18}},
    {0, {2.0 / 3, 2.0 / 3}, {1, 14.0 / 18}},
}};
constexpr double kOfFractions = 1e-12;  // the slides print fractions

/// The rows of our own table, from the steps of a filling.
std::vector<Step> steps_of(const FillRecord& filled) {
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
        {fmt::format("{}", table.rows.size() + 1), kTableUsers[step.user],
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
  for (std::size_t n = 0; n < kTableUsers.size(); ++n) {
    Curve curve{.name = kTableUsers[n], .x = {0}, .y = {0}, .printed = {kNotPrinted}};
    for (const Step& step : steps) {
      const std::size_t at = curve.x.size() - 1;
      curve.x.push_back(static_cast<double>(curve.x.size()));
      curve.y.push_back(step.dominant_share[n]);
      curve.printed.push_back(at < kPrintedSteps.size() ? kPrintedSteps[at].dominant_share[n] : kNotPrinted);
    }
    figure.curves.push_back(std::move(curve));
  }
  return figure;
}

Reproduction run_table_1(const RunOptions& options) {
  const Problem problem = worked_example({"cpu", "memory"}, {{"pool", {kCapacity.begin(), kCapacity.end()}}},
                                         {{kTableUsers[0], {kDemand[0].begin(), kDemand[0].end()}},
                                          {kTableUsers[1], {kDemand[1].begin(), kDemand[1].end()}}});
  Random random(options.seed);
  const Outcome filled = *fill(problem,
                               {.discipline = *choose_discipline("drf"),
                                .placement = *choose_placement("first-fit"),
                                .tie = Tie::last,
                                .trace = true},
                               random);
  const std::vector<Step> steps = steps_of(*filled.filling);

  Reproduction result;
  result.findings.push_back(compared("steps until nothing fits", kPrintedSteps.size(),
                                     static_cast<double>(steps.size()), kOfFractions));
  for (std::size_t i = 0; i < std::min(steps.size(), kPrintedSteps.size()); ++i) {
    const Step &printed = kPrintedSteps[i], &ours = steps[i];
    const std::string step = fmt::format("step {}: ", i + 1);
    Finding serves =
        compared(step + "serves " + kTableUsers[printed.user], 1, ours.user == printed.user, kOfFractions);
    serves.reading = Reading::yes_no;
    result.findings.push_back(std::move(serves));
    for (std::size_t n = 0; n < kTableUsers.size(); ++n)
      result.findings.push_back(compared(step + "dominant share of " + kTableUsers[n],
                                         printed.dominant_share[n], ours.dominant_share[n], kOfFractions));
    result.findings.push_back(
        compared(step + "CPU allocated", printed.allocated[0], ours.allocated[0], kOfFractions));
    result.findings.push_back(
        compared(step + "RAM allocated", printed.allocated[1], ours.allocated[1], kOfFractions));
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
          .run = run_table_1};
}

// `slides-two-servers`: why "all in one pool" misleads. The slides (Katsaros, HY623), "What if all-in-one is
// not valid": DRF promises 3 tasks <1 CPU, 4 GB> of A and 2 tasks <3 CPUs, 1 GB> of B, but "user A can get at
// most 1 task in either server". The picture with the servers is not in our text: two halves of <9 CPUs, 18
// GB> stand in, where a task of B leaves <1.5, 8>, room for one task of A. Tasks are whole here.

namespace {

constexpr double kOfWholeTasks = 1e-9;
constexpr std::array<double, 2> kPooled{3, 2};  // tasks of A and B that DRF promises
constexpr double kMostOfA = 1;                  // tasks in either server

const std::vector<NamedAmounts> kUsers{{"A", {1, 4}}, {"B", {3, 1}}};
const std::vector<NamedAmounts> kPool{{"pool", {9, 18}}};
const std::vector<NamedAmounts> kHalves{{"first", {4.5, 9}}, {"second", {4.5, 9}}};

/// Whole tasks, one after the other, on the two halves. [user][server]
std::array<std::array<double, 2>, 2> filled(const std::string& placement, std::uint64_t seed) {
  const Problem problem = worked_example({"cpu", "memory"}, kHalves, kUsers);
  Random random(seed);
  const Outcome outcome = *fill(
      problem,
      {.discipline = *choose_discipline("drf"), .placement = *choose_placement(placement), .tie = Tie::last},
      random);
  std::array<std::array<double, 2>, 2> tasks{};
  for (const Grant& grant : outcome.allocation.grants) tasks[grant.user][grant.server] = grant.tasks;
  return tasks;
}

Reproduction run_two_servers(const RunOptions& options) {
  Reproduction result;
  const std::vector<double> pooled =
      divided(worked_example({"cpu", "memory"}, kPool, kUsers), "drf", options.threads).tasks;
  for (std::size_t n = 0; n < kUsers.size(); ++n)
    result.findings.push_back(compared(fmt::format("all in one: tasks of {} under DRF", kUsers[n].name),
                                       kPooled[n], pooled[n], kOfWholeTasks));

  Table table{.title = "Whole tasks on two halves, by where they are placed",
              .head = {"placement", "A on the first", "A on the second", "B on the first", "B on the second"},
              .rows = {}};
  for (const std::string placement : {"first-fit", "best-fit", "worst-fit"}) {
    const auto tasks = filled(placement, options.seed);
    std::vector<std::string> row{placement};
    for (const auto& user : tasks) {
      for (const double count : user) row.push_back(fmt::format("{:.0f}", count));
    }
    table.rows.push_back(std::move(row));
    result.findings.push_back(compared(fmt::format("two servers, {}: most tasks of A in either", placement),
                                       kMostOfA, std::max(tasks[0][0], tasks[0][1]), kOfWholeTasks));
    const double less = pooled[0] - tasks[0][0] - tasks[0][1];
    result.findings.push_back(
        required(fmt::format("two servers, {}: A loses tasks that DRF promised", placement), less, less > 0));
  }
  result.tables.push_back(std::move(table));
  return result;
}

}  // namespace

Experiment slides_two_servers_row() {
  return {.id = "slides-two-servers",
          .paper = "Katsaros, slides on DRF, \"What if all-in-one is not valid?\"",
          .title = "DRF on one pool promises tasks that two servers cannot hold",
          .data = "stand-in: two halves of <9 CPUs, 18 GB>; the picture of the servers is not in our text",
          .run = run_two_servers};
}

// `slides-comparison`: DRF, asset fairness and CEEI side by side. The slides (Katsaros, HY623) work out <9
// CPUs, 18 GB> with tasks <1, 4> of A and <3, 1> of B in numbers. Of <1000 CPUs, 1000 GB> with <2, 3> and <5,
// 1> they show a picture that our text lacks; there it must hold what the mechanisms even out between A and
// B: DRF the dominant shares max_r s_r, asset fairness the sums Σ_r s_r, CEEI the costs Σ_r λ_r C_r s_r at
// the prices λ.

namespace {

using Pair = std::array<double, 2>;

constexpr double kOfSolved = 1e-6;  // of what is worked out in fractions; CEEI is solved to a gap
constexpr int kBundleDecimals = 1;  // of printed bundles

/// Two users on one pool of two resources.
struct TwoUserExample {
  Pair capacity;
  std::array<Pair, 2> demand;  ///< [user][resource]
};
constexpr TwoUserExample kRunning{{9, 18}, {{{1, 4}, {3, 1}}}};
constexpr TwoUserExample kLarge{{1000, 1000}, {{{2, 3}, {5, 1}}}};

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

Problem problem_of(const TwoUserExample& example) {
  const auto list = [](const Pair& pair) { return std::vector<double>(pair.begin(), pair.end()); };
  return worked_example({"cpu", "memory"}, {{"pool", list(example.capacity)}},
                        {{"A", list(example.demand[0])}, {"B", list(example.demand[1])}});
}

/// s_{n,r} = X_n d_{n,r} / C_r. [user][resource]
std::array<Pair, 2> shares_of(const TwoUserExample& example, const std::vector<double>& tasks) {
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

void check_the_running_example(const Mechanism& mechanism, int threads, Reproduction& result) {
  const Problem problem = problem_of(kRunning);
  const std::vector<double> tasks = divided(problem, mechanism.registry_name, threads).tasks;
  const std::array<Pair, 2> shares = shares_of(kRunning, tasks);
  for (std::size_t n = 0; n < 2; ++n) {
    const std::string& user = problem.users()[n].name;
    result.findings.push_back(compared(fmt::format("<9, 18>: tasks of {} under {}", user, mechanism.name),
                                       mechanism.tasks[n], tasks[n], kOfSolved));
    for (std::size_t r = 0; r < 2; ++r)
      result.findings.push_back(compared(
          fmt::format("<9, 18>: {} of {} under {}", problem.resources()[r], user, mechanism.name),
          mechanism.bundle[n][r], shares[n][r] * kRunning.capacity[r], rounding_of(kBundleDecimals)));
  }
}

/// What must hold of the large example, and its row of the table.
std::vector<std::string> check_the_large_example(const Mechanism& mechanism, int threads,
                                                 Reproduction& result) {
  const Allocation allocation = divided(problem_of(kLarge), mechanism.registry_name, threads);
  const std::array<Pair, 2> shares = shares_of(kLarge, allocation.tasks);
  const Pair worth = worth_of(allocation.servers.front());
  const double difference = mechanism.measure(shares[0], worth) - mechanism.measure(shares[1], worth);
  result.findings.push_back(required(fmt::format("<1000, 1000>: {} of A less that of B under {} is 0",
                                                 mechanism.measure_name, mechanism.name),
                                     difference, std::abs(difference) <= kOfSolved));

  std::vector<std::string> row{mechanism.name};
  for (const double tasks : allocation.tasks) row.push_back(fmt::format("{:.2f}", tasks));
  for (const Pair& user : shares) row.push_back(fmt::format("{:.2f}%", 100 * dominant(user, {})));
  for (std::size_t r = 0; r < 2; ++r)
    row.push_back(fmt::format("{:.2f}%", 100 * (shares[0][r] + shares[1][r])));
  return row;
}

Reproduction run_comparison(const RunOptions& options) {
  Reproduction result;
  for (const Mechanism& mechanism : kMechanisms)
    check_the_running_example(mechanism, options.threads, result);
  Table table{.title = "<1000 CPUs, 1000 GB>, tasks <2, 3> of A and <5, 1> of B",
              .head = {"", "tasks of A", "tasks of B", "share of A", "share of B", "CPU used", "memory used"},
              .rows = {}};
  for (const Mechanism& mechanism : kMechanisms)
    table.rows.push_back(check_the_large_example(mechanism, options.threads, result));
  result.tables.push_back(std::move(table));
  result.remarks = {
      "The picture of <1000, 1000> is not in our text: there it must hold what each mechanism evens out."};
  return result;
}

}  // namespace

Experiment slides_comparison_row() {
  return {.id = "slides-comparison",
          .paper = "Katsaros, slides on DRF, \"TwoUserExample of DRF vs. Asset vs. CEEI\"",
          .title = "DRF, asset fairness and CEEI on two clusters",
          .data = kAsPublished,
          .run = run_comparison};
}

// `slides-properties`: which of eight properties asset fairness, CEEI and DRF have. The slides (Katsaros,
// HY623), "Properties of DRF, Asset Fairness, CEEI": a table of 8 x 3, held against random clusters where
// every user demands everything and has endless tasks; and the slides' own examples of why an empty cell is
// empty, in numbers.

namespace {

const PrintedProperties kPrintedProperties{
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

constexpr SearchBudget kQuick{.clusters = 60, .attempts = 6'000};
constexpr SearchBudget kFull{.clusters = 1'000, .attempts = 200'000};

/// A cluster of the slides, and the tasks that they print of it.
struct PropertyExample {
  const char* shows;
  const char* mechanism;
  std::vector<double> capacity;
  std::vector<std::vector<double>> demands;  ///< [user]
  std::vector<double> tasks;                 ///< [user]
  double tolerance;
};

constexpr double kExactly = 1e-5;  // fractions; CEEI is solved to a gap
const double kOneDecimal = rounding_of(1);

const std::vector<PropertyExample> kExamples{
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

void hold(const PropertyExample& example, const RunOptions& options, Reproduction& result) {
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

Reproduction run_properties(const RunOptions& options) {
  Reproduction result;
  check_properties(kPrintedProperties, options.effort == Effort::quick ? kQuick : kFull, options, result);
  for (const PropertyExample& example : kExamples) hold(example, options, result);
  result.remarks = {"That no counterexample is found among random clusters is no proof.",
                    "With demands of zero, population monotonicity fails under asset fairness and DRF, and a "
                    "user gains under asset "
                    "fairness by appearing as two who ask for one resource each: the slides do not speak of "
                    "that (docs/explanation/fairness.md).",
                    "The slides round 1500/31 = 48.387 tasks to 48.8."};
  return result;
}

}  // namespace

Experiment slides_properties_row() {
  return {.id = "slides-properties",
          .paper = "Katsaros, slides on DRF, \"Properties of DRF, Asset Fairness, CEEI\"",
          .title = "Eight properties of asset fairness, CEEI and DRF, measured",
          .data = kAsPublished,
          .run = run_properties};
}

}  // namespace mirab::experiments
