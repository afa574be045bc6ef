// The properties that compare clusters, against every departure, growth and size of task that there is, each
// divided here again and compared by the demands of all tasks.
#include <algorithm>
#include <fmt/format.h>
#include <functional>
#include <gtest/gtest.h>

#include <mirab/model/cluster_file.hpp>
#include <mirab/model/random.hpp>

#include "audit/clusters.hpp"
#include "audit/counterexamples.hpp"

namespace mirab {
namespace {

using testing::problem_of;

constexpr std::uint64_t kSeed = 5;
constexpr int kClusters = 150;
constexpr double kNothing = 1e-7;  // what a certificate may leave open
constexpr double kSomething = 1e-3;

struct Instance {
  std::string mechanism;
  Cluster cluster;
  std::vector<double> tasks;
};

std::vector<double> tasks_of(const Cluster& cluster, const std::string& mechanism) {
  return allocate(problem_of(cluster), mechanism)->allocation.tasks;
}

double scaled_by(const Quantity& amount, double factor) { return amount.value() * factor; }

Quantity quantity(double value) { return *Quantity::from(value); }

// By how much the first falls short of the second, relative to it.
double fall(double now, double before) { return now < before ? (before - now) / before : 0; }

// The greatest loss of anybody when somebody leaves.
double loss_by_departures(const Instance& instance) {
  double worst = 0;
  for (std::size_t gone = 0; gone < instance.cluster.users.size(); ++gone) {
    Cluster left = instance.cluster;
    left.users.erase(left.users.begin() + static_cast<std::ptrdiff_t>(gone));
    if (left.users.empty()) continue;
    std::vector<double> before = instance.tasks;
    before.erase(before.begin() + static_cast<std::ptrdiff_t>(gone));
    const std::vector<double> after = tasks_of(left, instance.mechanism);
    for (std::size_t n = 0; n < after.size(); ++n) worst = std::max(worst, fall(after[n], before[n]));
  }
  return worst;
}

// The greatest loss of anybody when a resource grows on one server, or on all.
double loss_by_growth(const Instance& instance) {
  const std::size_t servers = instance.cluster.servers.size();
  double worst = 0;
  for (const double factor : {1.1, 1.25, 1.5, 2.0, 4.0}) {
    for (std::size_t r = 0; r < instance.cluster.resources.size(); ++r) {
      for (std::size_t which = 0; which <= servers; ++which) {
        Cluster more = instance.cluster;
        for (std::size_t i = 0; i < servers; ++i) {
          Quantity& capacity = more.servers[i].capacity[r];
          if (which == i || which == servers) capacity = quantity(scaled_by(capacity, factor));
        }
        const std::vector<double> after = tasks_of(more, instance.mechanism);
        for (std::size_t n = 0; n < after.size(); ++n)
          worst = std::max(worst, fall(after[n], instance.tasks[n]));
      }
    }
  }
  return worst;
}

// The greatest change of what anybody's tasks take when somebody's tasks are of another size.
double change_by_size(const Instance& instance) {
  double worst = 0;
  for (std::size_t who = 0; who < instance.cluster.users.size(); ++who) {
    for (const double factor : {0.1, 0.5, 2.0, 10.0}) {
      Cluster scaled = instance.cluster;
      User& user = scaled.users[who];
      for (Quantity& amount : user.demand) amount = quantity(scaled_by(amount, factor));
      if (user.tasks) user.tasks = quantity(scaled_by(*user.tasks, 1 / factor));
      const std::vector<double> after = tasks_of(scaled, instance.mechanism);
      for (std::size_t n = 0; n < after.size(); ++n) {
        const double was = instance.tasks[n];
        const double is = n == who ? after[n] * factor : after[n];
        worst = std::max({worst, fall(is, was), fall(was, is)});
      }
    }
  }
  return worst;
}

RandomStyle style_of(std::string_view mechanism) {
  for (const Mechanism& row : mechanisms()) {
    if (row.name == mechanism)
      return {.accepts = row.accepts,
              .scope = row.scope,
              .conditions = {.same_demand = true},
              .property = Property::population_monotonicity};
  }
  MIRAB_ASSERT(false, "a mechanism of the registry");
  return {};
}

struct Counted {
  int held = 0;
  int failed = 0;
};

using BruteForce = std::function<double(const Instance&)>;

// The verdict and its size agree with brute force on random clusters.
void expect_agreement(Property property, const std::string& mechanism, const BruteForce& brute_force,
                      Counted& counted) {
  Random random(kSeed);
  for (int trial = 0; trial < kClusters; ++trial) {
    const Problem problem = random_cluster(style_of(mechanism), random);
    const Cluster cluster{
        .resources = problem.resources(), .servers = problem.servers(), .users = problem.users()};
    const double worst = brute_force({mechanism, cluster, tasks_of(cluster, mechanism)});
    if (worst > kNothing && worst < kSomething) continue;
    const Verdict verdict = testing::verdict_on(property, problem, mechanism);
    const std::string replay = fmt::format("{} of {}, cluster {} of seed {}\n{}", property_name(property),
                                           mechanism, trial, kSeed, write_cluster_yaml(cluster));
    EXPECT_TRUE(verdict.decided) << replay;
    EXPECT_EQ(verdict.holds, worst <= kNothing) << replay;
    if (!verdict.holds) {
      EXPECT_NEAR(verdict.witness->size, worst, 1e-5) << replay;
    }
    ++(verdict.holds ? counted.held : counted.failed);
  }
}

Counted expect_agreement(Property property, std::initializer_list<const char*> mechanisms,
                         const BruteForce& brute_force) {
  Counted counted;
  for (const char* mechanism : mechanisms) expect_agreement(property, mechanism, brute_force, counted);
  return counted;
}

TEST(ChangeOracle, PopulationMonotonicityIsThatNoDepartureHurts) {
  const Counted all = expect_agreement(Property::population_monotonicity,
                                       {"drf", "pf", "per-server-drf", "ps-dsf"}, loss_by_departures);
  EXPECT_GT(all.held, 50);
  EXPECT_GT(all.failed, 20);
}

TEST(ChangeOracle, ResourceMonotonicityIsThatNoGrowthHurts) {
  const Counted all =
      expect_agreement(Property::resource_monotonicity, {"drf", "asset", "ps-dsf"}, loss_by_growth);
  EXPECT_GT(all.held, 50);
  EXPECT_GT(all.failed, 50);
}

TEST(ChangeOracle, ScaleInvarianceIsThatNoSizeOfTasksMatters) {
  const Counted all =
      expect_agreement(Property::scale_invariance, {"drf", "max-min", "cmmf", "tsf"}, change_by_size);
  EXPECT_GT(all.held, 50);
  EXPECT_GT(all.failed, 50);
}

}  // namespace
}  // namespace mirab
