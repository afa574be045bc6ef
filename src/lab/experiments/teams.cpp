// `teams-convergence`: whole tasks, served one by one down a tree of teams, give the divisible allocation of
// `hdrf` as tasks get smaller (docs/explanation/teams.md, "Online"). Random trees on one pool; the tasks of
// every user take 1/k of what they take at first, and there are k times as many.
//
// Measured are the dominant shares of all users: where the filling is off the division by a bounded number of
// tasks, the difference of shares falls as 1/k.
//
// It is so in nearly all trees, and not in all. While two groups grow without a rise of their largest use
// (κ), the division goes on between them by ρ, since their κ are level. In the filling these κ differ by less
// than a task, and the group with the lower one gets all that can be had without a rise of κ.
#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <string>
#include <vector>

#include <mirab/mechanisms/mechanism.hpp>
#include <mirab/model/assert.hpp>
#include <mirab/model/problem.hpp>
#include <mirab/scheduling/fill.hpp>

#include "fairness/share.hpp"
#include "lab/experiments/experiment.hpp"
#include "lab/experiments/findings.hpp"
#include "lab/experiments/registry.hpp"
#include "lab/simulation/base/replications.hpp"

namespace mirab::experiments {
namespace {

constexpr std::int64_t kOfEachResource = 1'200'000;                       // of each resource, in units
constexpr std::array<std::int64_t, 5> kTasks = {10, 30, 100, 300, 1000};  // k: of the largest size, that fit

/// Random trees of a kind.
struct TreeKind {
  const char* name;
  std::size_t levels;  // of groups, below the root
  bool has_guarantees;
  double least_near;  // the part of such trees that must come near
};
constexpr std::array<TreeKind, 3> kKinds = {{{"groups of users", 1, false, 0.98},
                                             {"groups of groups", 2, false, 0.9},
                                             {"groups of users, with guarantees", 1, true, 0.98}}};

/// A group or user gets a weight of 1, 2 or 3.
Quantity random_weight(Random& random) { return Quantity(1 + static_cast<std::int64_t>(random.below(3))); }

void add_users(const std::optional<std::string>& group, std::int64_t k, Random& random, Cluster& cluster) {
  const std::size_t count = 2 + random.below(2);
  for (std::size_t n = 0; n < count; ++n) {
    User user{.name = fmt::format("user {}", cluster.users.size() + 1),
              .demand = {},
              .weight = random_weight(random)};
    const std::size_t most = random.below(cluster.resources.size());
    for (std::size_t r = 0; r < cluster.resources.size(); ++r) {
      const auto twelfths = static_cast<std::int64_t>(r == most ? 12 : random.below(12));
      const std::int64_t smaller = random.below(3) == 0 && r != most ? 0 : twelfths;
      user.demand.emplace_back(kOfEachResource / 12 * smaller / k);
    }
    const auto cap = static_cast<std::int64_t>(1 + random.below(4));  // in tenths of the capacity
    if (random.below(4) == 0) user.tasks = Quantity(cap * k / 10);
    user.group = group;
    cluster.users.push_back(std::move(user));
  }
}

void add_groups(const std::optional<std::string>& parent, const TreeKind& kind, std::size_t level,
                std::int64_t k, Random& random, Cluster& cluster) {
  const std::size_t count = 2 + random.below(2);
  for (std::size_t g = 0; g < count; ++g) {
    Group group{.name = fmt::format("group {}", cluster.groups.size() + 1),
                .parent = parent,
                .weight = random_weight(random)};
    const std::string name = group.name;
    if (kind.has_guarantees && random.below(2) == 0) {
      ResourceVector& guarantee = group.quota.guarantee.emplace();
      for (std::size_t r = 0; r < cluster.resources.size(); ++r)
        guarantee.emplace_back(kOfEachResource / 12 * static_cast<std::int64_t>(random.below(4)));
    }
    cluster.groups.push_back(std::move(group));
    if (level + 1 < kind.levels) {
      add_groups(name, kind, level + 1, k, random, cluster);
    } else {
      add_users(name, k, random, cluster);
    }
  }
}

/// The tree of this seed, with tasks of the size 1/k.
Problem random_tree(const TreeKind& kind, std::int64_t k, std::uint64_t seed) {
  Random random(seed);
  Cluster cluster{.resources = {"cpu", "memory", "gpu"}, .servers = {}, .users = {}};
  cluster.resources.resize(2 + random.below(2));
  cluster.servers = {
      {.name = "pool", .capacity = ResourceVector(cluster.resources.size(), Quantity(kOfEachResource))}};
  add_groups({}, kind, 0, k, random, cluster);
  Result<Problem> problem = Problem::from(std::move(cluster));
  MIRAB_ASSERT(static_cast<bool>(problem), "a tree that is drawn is valid");
  return *std::move(problem);
}

std::vector<double> dominant_shares(const Problem& problem, const std::vector<double>& tasks) {
  std::vector<double> shares;
  for (std::size_t n = 0; n < tasks.size(); ++n) {
    double most = 0;
    for (const Quantity& amount : problem.users()[n].demand)
      most = std::max(most, amount.value() / static_cast<double>(kOfEachResource));
    shares.push_back(tasks[n] * most);
  }
  return shares;
}

/// The largest difference of a user's dominant share between the filling and the division.
double difference(const Problem& problem, std::uint64_t seed) {
  Random random(seed);
  const Result<Outcome> filled =
      fill(problem, {.discipline = *choose_discipline("drf"), .placement = *choose_placement("first-fit")},
           random);
  MIRAB_ASSERT(static_cast<bool>(filled), "a small pool can be filled");
  const std::vector<double> whole = dominant_shares(problem, filled->allocation.tasks);
  const std::vector<double> divisible = dominant_shares(problem, divided(problem, "hdrf").tasks);
  double most = 0;
  for (std::size_t n = 0; n < whole.size(); ++n) most = std::max(most, std::abs(whole[n] - divisible[n]));
  return most;
}

/// [kind][k][tree]
using Differences = std::vector<std::vector<std::vector<double>>>;

Differences measured(std::size_t trees, const RunOptions& options) {
  Differences all(kKinds.size(), std::vector<std::vector<double>>(kTasks.size(), std::vector<double>(trees)));
  simulation::sweep(
      kKinds.size() * trees, options.threads,
      [&](std::size_t index) {
        const std::size_t kind = index / trees, tree = index % trees;
        const std::uint64_t seed = simulation::stream_seed(options.seed, "trees of teams", {kind, tree});
        for (std::size_t size = 0; size < kTasks.size(); ++size)
          all[kind][size][tree] = difference(random_tree(kKinds[kind], kTasks[size], seed), options.seed);
      },
      options.progress);
  return all;
}

Curve curve_of(std::string name, const std::vector<std::vector<double>>& by_size,
               double (*of)(const std::vector<double>&)) {
  Curve curve{.name = std::move(name), .x = {}, .y = {}};
  for (std::size_t size = 0; size < kTasks.size(); ++size) {
    curve.x.push_back(std::log10(static_cast<double>(kTasks[size])));
    curve.y.push_back(std::log10(of(by_size[size])));
  }
  return curve;
}

double largest(const std::vector<double>& values) { return *std::max_element(values.begin(), values.end()); }

Reproduction run_convergence(const RunOptions& options) {
  constexpr double kFewTasks = 12;
  const Differences all = measured(options.effort == Effort::quick ? 20 : 400, options);
  Reproduction result;
  Figure figure{.title = "Shares of whole tasks against divisible ones, largest difference in a tree",
                .x_label = "tasks that fit, power of ten",
                .y_label = "difference of shares, power of ten",
                .curves = {}};
  Table table{.title = "Largest difference of a dominant share, in tasks of the size 1/k",
              .head = {"trees"},
              .rows = {}};
  for (const std::int64_t k : kTasks) table.head.push_back(fmt::format("k = {}", k));
  for (std::size_t kind = 0; kind < kKinds.size(); ++kind) {
    const std::vector<std::vector<double>>& by_size = all[kind];
    figure.curves.push_back(curve_of(fmt::format("{}, mean", kKinds[kind].name), by_size,
                                     [](const std::vector<double>& values) { return mean(values); }));
    figure.curves.push_back(curve_of(fmt::format("{}, largest", kKinds[kind].name), by_size, largest));
    std::vector<std::string>& row = table.rows.emplace_back(1, kKinds[kind].name);
    for (std::size_t size = 0; size < kTasks.size(); ++size)
      row.push_back(fmt::format("{:.1f}", largest(by_size[size]) * static_cast<double>(kTasks[size])));
    const auto near = std::count_if(by_size.back().begin(), by_size.back().end(), [&](double share) {
      return share * static_cast<double>(kTasks.back()) <= kFewTasks;
    });
    const double part = static_cast<double>(near) / static_cast<double>(by_size.back().size());
    result.findings.push_back(
        required(fmt::format("{}: part of the trees with no user off by more than {} tasks of the size 1/{}, "
                             "at least {}",
                             kKinds[kind].name, kFewTasks, kTasks.back(), kKinds[kind].least_near),
                 part, part >= kKinds[kind].least_near));
    const double ratio = mean(by_size.front()) / mean(by_size.back());
    result.findings.push_back(required(
        fmt::format("{}: tasks {} times smaller, differences of shares smaller by the factor, at least {}",
                    kKinds[kind].name, kTasks.back() / kTasks.front(), 20),
        ratio, ratio >= 20));
  }
  result.remarks = {
      "Where a tree does not come near, groups go on without a rise of their largest use: the division then "
      "shares what is left by the other resources, and the filling gives it to the group that happens to be "
      "below the others by a part of a task."};
  result.figures = {std::move(figure)};
  result.tables = {std::move(table)};
  return result;
}

}  // namespace

Experiment teams_convergence_row() {
  return {.id = "teams-convergence",
          .paper = "Mirab, docs/explanation/teams.md (after static H-DRF, SoCC 2013)",
          .title = "Whole tasks down a tree of teams tend to the divisible allocation",
          .data = "stand-in: random trees on one pool",
          .run = run_convergence};
}

}  // namespace mirab::experiments
