// The properties against what they mean, computed another way, on random clusters.
#include <algorithm>
#include <gtest/gtest.h>
#include <limits>

#include <mirab/model/cluster_file.hpp>
#include <mirab/model/random.hpp>

#include "audit/clusters.hpp"
#include "audit/counterexamples.hpp"

namespace mirab {
namespace {

using testing::giving;
using testing::problem_of;

constexpr std::uint64_t kOracleSeed = 11;
constexpr double kWithin = 1e-6;

RandomStyle style(std::string_view mechanism, Property property, Conditions conditions = {}) {
  for (const Mechanism& row : mechanisms()) {
    if (row.name == mechanism)
      return {.accepts = row.accepts, .scope = row.scope, .conditions = conditions, .property = property};
  }
  MIRAB_ASSERT(false, "a mechanism of the registry");
  return {};
}

double amount(const Problem& problem, std::size_t n, std::size_t r) {
  return problem.users()[n].demand[r].value();
}

// min_r bundle_r / d_{n,r}
double runs(const Problem& problem, std::size_t n, const std::vector<double>& bundle) {
  double tasks =
      problem.users()[n].tasks ? problem.users()[n].tasks->value() : std::numeric_limits<double>::infinity();
  for (std::size_t r = 0; r < bundle.size(); ++r) {
    if (amount(problem, n, r) > 0) tasks = std::min(tasks, bundle[r] / amount(problem, n, r));
  }
  return tasks;
}

std::vector<double> times(const std::vector<double>& bundle, double factor) {
  std::vector<double> scaled = bundle;
  for (double& each : scaled) each *= factor;
  return scaled;
}

struct Plain {
  bool shares_well = true;
  bool envies = false;
  bool has_room = false;
};

// On the pool, by the definitions: nobody has less than its part alone, nobody would rather have another's
// bundle, and everybody below its cap needs a full resource (Bonald and Roberts, section 2.2).
Plain plain(const Problem& problem, const std::vector<double>& tasks) {
  double total = 0;
  std::vector<double> used(problem.resource_count(), 0.0);
  std::vector<std::vector<double>> bundle(tasks.size());
  for (std::size_t n = 0; n < tasks.size(); ++n) {
    total += problem.users()[n].weight.value();
    for (std::size_t r = 0; r < used.size(); ++r) {
      bundle[n].push_back(tasks[n] * amount(problem, n, r));
      used[r] += bundle[n][r];
    }
  }
  Plain found;
  for (std::size_t n = 0; n < tasks.size(); ++n) {
    const double weight = problem.users()[n].weight.value();
    if (tasks[n] < runs(problem, n, times(problem.pool(), weight / total)) * (1 - kWithin))
      found.shares_well = false;
    bool stopped = problem.users()[n].tasks && tasks[n] >= problem.users()[n].tasks->value() * (1 - kWithin);
    for (std::size_t k = 0; k < tasks.size(); ++k) {
      const std::vector<double> other = times(bundle[k], weight / problem.users()[k].weight.value());
      if (runs(problem, n, other) > tasks[n] * (1 + kWithin)) found.envies = true;
    }
    for (std::size_t r = 0; r < used.size(); ++r)
      stopped = stopped || (amount(problem, n, r) > 0 && used[r] > problem.pool()[r] * (1 - kWithin));
    found.has_room = found.has_room || !stopped;
  }
  return found;
}

// Random parts of what everybody could have alone, scaled so that the tightest resource is full, or nearly.
std::vector<double> random_tasks(const Problem& problem, Random& random) {
  std::vector<double> tasks;
  std::vector<double> used(problem.resource_count(), 0.0);
  for (std::size_t n = 0; n < problem.user_count(); ++n) {
    tasks.push_back(runs(problem, n, problem.pool()) * (random.below(3) == 0 ? 0.5 : random.unit()));
    for (std::size_t r = 0; r < used.size(); ++r) used[r] += tasks[n] * amount(problem, n, r);
  }
  double fullest = 0;
  for (std::size_t r = 0; r < used.size(); ++r) fullest = std::max(fullest, used[r] / problem.pool()[r]);
  if (random.below(3) == 0) fullest *= 1.1;
  for (std::size_t n = 0; n < tasks.size(); ++n)
    tasks[n] = std::min(tasks[n] / fullest, runs(problem, n, problem.pool()));
  return tasks;
}

TEST(Oracle, VerdictsOnPoolsAgreeWithTheDefinitions) {
  Random random(kOracleSeed);
  int broken = 0;
  for (int trial = 0; trial < 500; ++trial) {
    const Problem problem = random_cluster(style("drf", Property::feasible), random);
    const std::vector<double> tasks = random_tasks(problem, random);
    std::vector<std::vector<double>> placed;
    for (const double each : tasks) placed.push_back({each});
    const Outcome outcome = giving(problem, Scope::pool, placed);
    const Division division{problem, outcome, Scope::pool};
    const Plain expected = plain(problem, tasks);
    const std::string replay = write_cluster_yaml(
        {.resources = problem.resources(), .servers = problem.servers(), .users = problem.users()});
    EXPECT_EQ(check_sharing_incentive(division, EqualPart::of_the_pool).holds, expected.shares_well)
        << replay;
    EXPECT_EQ(check_envy_freeness(division).holds, !expected.envies) << replay;
    EXPECT_EQ(check_pareto_efficiency(division).holds, !expected.has_room) << replay;
    broken += expected.has_room ? 1 : 0;
  }
  EXPECT_GT(broken, 50);
  EXPECT_LT(broken, 450);
}

// One resource, tasks of one unit, no caps: counting tasks (CMMF) is max-min over servers. To hand over some
// of it, from the user with the most for its weight to another, or to none, breaks it.
TEST(Oracle, MaxMinOverServersIsWhatCmmfGivesAndNothingElse) {
  Random random(kOracleSeed);
  for (int trial = 0; trial < 300; ++trial) {
    const Problem drawn =
        random_cluster(style("cmmf", Property::single_resource_fairness, {.no_caps = true}), random);
    Cluster cluster{.resources = drawn.resources(), .servers = drawn.servers(), .users = drawn.users()};
    for (User& user : cluster.users) user.demand[0] = Quantity(1);
    const testing::Divided divided(problem_of(cluster), "cmmf");
    EXPECT_TRUE(check_single_resource_fairness(divided.division()).holds) << write_cluster_yaml(cluster);

    Outcome wrong = divided.outcome;
    std::vector<testing::EditedGrant> grants = testing::rows_of(wrong.allocation.grants);
    std::erase_if(grants, [](const testing::EditedGrant& each) { return each.tasks < 1e-3; });
    testing::EditedGrant& grant = grants[random.below(grants.size())];
    const double moved = grant.tasks * 0.3;
    grant.tasks -= moved;
    grant.resources[0] -= moved;
    wrong.allocation.tasks[grant.user] -= moved;
    wrong.allocation.grants = testing::grants_of(grants);
    EXPECT_FALSE(check_single_resource_fairness({divided.problem, wrong, divided.rule.scope}).holds)
        << write_cluster_yaml(cluster);
  }
}

TEST(Oracle, RandomClustersMeetTheirConditionsAndAreSmall) {
  Random random(kOracleSeed);
  bool capped = false;
  bool constrained = false;
  for (int trial = 0; trial < 300; ++trial) {
    const Conditions strict{.positive_demands = true, .no_caps = true, .no_placement = true};
    const Problem plain_one = random_cluster(style("ps-dsf", Property::feasible, strict), random);
    EXPECT_FALSE(plain_one.has_placement_constraints());
    for (const User& user : plain_one.users()) {
      EXPECT_FALSE(user.tasks);
      EXPECT_TRUE(std::none_of(user.demand.begin(), user.demand.end(),
                               [](const Quantity& each) { return each.is_zero(); }));
    }
    const Problem any = random_cluster(style("ps-dsf", Property::feasible), random);
    EXPECT_LE(any.user_count(), 4u);
    EXPECT_LE(any.server_count(), 3u);
    EXPECT_LE(any.resource_count(), 3u);
    constrained = constrained || any.has_placement_constraints();
    for (const User& user : any.users()) capped = capped || user.tasks;
    const Problem pool = random_cluster(style("baa", Property::bottleneck_fairness), random);
    EXPECT_EQ(pool.server_count(), 1u);
    EXPECT_FALSE(testing::verdict_on(Property::bottleneck_fairness, pool, "drf").vacuous);
  }
  EXPECT_TRUE(capped);
  EXPECT_TRUE(constrained);
}

}  // namespace
}  // namespace mirab
