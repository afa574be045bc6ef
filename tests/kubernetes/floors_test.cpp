// Divisions with floors against linear programs that know nothing of held users or weights.
#include <ClpSimplex.hpp>
#include <CoinPackedMatrix.hpp>
#include <CoinPackedVector.hpp>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>

#include <mirab/model/random.hpp>

#include "kubernetes/minimum_shares.hpp"
#include "random_cases.hpp"

namespace mirab::kubernetes {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;

constexpr std::uint64_t kSeed = 20191218;

// Users on one node.
struct Case {
  std::vector<double> capacity;             // [m]
  std::vector<std::vector<double>> demand;  // [n][m]
  std::vector<double> weight;               // [n]
};

std::string text_of(const Case& node) {
  return fmt::format("capacity {}, demand {}, weight {}", node.capacity, node.demand, node.weight);
}

Problem problem_of(const Case& node) {
  Cluster cluster{.resources = {}, .servers = {{.name = "node", .capacity = {}}}, .users = {}};
  for (std::size_t r = 0; r < node.capacity.size(); ++r) {
    cluster.resources.push_back(fmt::format("r{}", r));
    cluster.servers[0].capacity.push_back(*Quantity::from(node.capacity[r]));
  }
  for (std::size_t n = 0; n < node.demand.size(); ++n) {
    User user{.name = fmt::format("u{}", n), .demand = {}, .weight = *Quantity::from(node.weight[n])};
    for (const double amount : node.demand[n]) user.demand.push_back(*Quantity::from(amount));
    cluster.users.push_back(user);
  }
  return *Problem::from(cluster);
}

MinimumShares share(const Case& node, std::string_view mechanism) {
  Result<MinimumShares> shares = share_with_minimum(problem_of(node), *choose_mechanism(mechanism), {});
  MIRAB_ASSERT(static_cast<bool>(shares), "the mechanism takes these problems");
  return *std::move(shares);
}

// Demands over three orders of magnitude, some of them 0, that fit: many would fall below one task.
Case random_case(Random& random, double zeros) {
  const auto between = [&](double low, double high) { return low + (high - low) * random.unit(); };
  const std::size_t users = 2 + random.below(7), resources = 1 + random.below(4);
  Case node;
  node.capacity.assign(resources, 0.0);
  for (std::size_t n = 0; n < users; ++n) {
    std::vector<double>& demand = node.demand.emplace_back();
    for (std::size_t r = 0; r < resources; ++r) {
      const double amount = std::round(std::pow(10, between(0, 3)));
      demand.push_back(random.unit() < zeros ? 0 : amount);
    }
    if (std::all_of(demand.begin(), demand.end(), [](double d) { return d == 0; }))
      demand[random.below(resources)] = 7;
    for (std::size_t r = 0; r < resources; ++r) node.capacity[r] += demand[r];
    node.weight.push_back(random.unit() < 0.5 ? 1 : std::round(4 * between(0.5, 4)) / 4);
  }
  for (double& capacity : node.capacity) capacity = std::max(1.0, std::ceil(capacity * between(1, 2.5)));
  return node;
}

struct LinearProgram {
  std::vector<double> solution;  // x_0 … x_{N-1}, t
  std::vector<double> duals;     // of the users' rows
};

// max objective·(x, t) under the capacities, x ≥ lower, and x_n ≥ rate_n t where active.
LinearProgram solve(const Case& node, const std::vector<double>& objective, const std::vector<double>& lower,
                    const std::vector<double>& rate, const std::vector<bool>& active) {
  const int users = static_cast<int>(node.demand.size());
  CoinPackedMatrix matrix(false, 0, 0);
  matrix.setDimensions(0, users + 1);
  std::vector<double> row_lower, row_upper;
  for (std::size_t r = 0; r < node.capacity.size(); ++r) {
    CoinPackedVector row;
    for (int n = 0; n < users; ++n) row.insert(n, node.demand[n][r] / node.capacity[r]);
    matrix.appendRow(row);
    row_lower.push_back(-COIN_DBL_MAX);
    row_upper.push_back(1);
  }
  for (int n = 0; n < users; ++n) {
    CoinPackedVector row;
    row.insert(n, 1);
    if (active[n]) row.insert(users, -rate[n]);
    matrix.appendRow(row);
    row_lower.push_back(active[n] ? 0 : -COIN_DBL_MAX);
    row_upper.push_back(COIN_DBL_MAX);
  }
  std::vector<double> column_lower = lower, column_upper(node.demand.size() + 1, COIN_DBL_MAX);
  column_lower.push_back(0);
  ClpSimplex simplex;
  simplex.setLogLevel(0);
  simplex.setPrimalTolerance(1e-9);
  simplex.setDualTolerance(1e-9);
  simplex.loadProblem(matrix, column_lower.data(), column_upper.data(), objective.data(), row_lower.data(),
                      row_upper.data());
  simplex.setOptimizationDirection(-1);
  simplex.primal();
  MIRAB_ASSERT(simplex.isProvenOptimal(), "the oracle's linear program has an optimum");
  const auto resources = static_cast<std::ptrdiff_t>(node.capacity.size());
  LinearProgram solved;
  solved.solution.assign(simplex.primalColumnSolution(), simplex.primalColumnSolution() + users + 1);
  solved.duals.assign(simplex.dualRowSolution() + resources, simplex.dualRowSolution() + resources + users);
  return solved;
}

// Lexicographic max-min of x_n / rate_n with x ≥ 1: rounds of max t, in which a user whose row has a positive
// dual is saturated in every optimum (docs/explanation/mathematics.md, section 4).
std::vector<double> lexicographic_max_min(const Case& node, const std::vector<double>& rate) {
  const std::size_t users = node.demand.size();
  std::vector<double> level(users, 1.0);
  std::vector<bool> active(users, true);
  std::vector<double> highest_level(users + 1, 0.0);
  highest_level[users] = 1;
  for (std::size_t fixed = 0; fixed < users;) {
    std::vector<double> lower = level;  // a little less, or rounding could make the next round infeasible
    for (double& least : lower) least *= 1 - 1e-10;
    const LinearProgram round = solve(node, highest_level, lower, rate, active);
    for (std::size_t n = 0; n < users; ++n) {
      if (!active[n] || std::abs(round.duals[n]) * rate[n] < 1e-6) continue;
      level[n] = round.solution[users] * rate[n];
      active[n] = false;
      ++fixed;
    }
  }
  return level;
}

// φ_n u_n of the one equation.
std::vector<double> rates(const Case& node, const std::string& mechanism) {
  std::vector<double> rates;
  for (std::size_t n = 0; n < node.demand.size(); ++n) {
    double largest = 0, sum = 0;
    for (std::size_t r = 0; r < node.capacity.size(); ++r) {
      largest = std::max(largest, node.demand[n][r] / node.capacity[r]);
      sum += node.demand[n][r] / node.capacity[r];
    }
    rates.push_back(node.weight[n] / (mechanism == "max-min" ? 1 : mechanism == "asset" ? sum : largest));
  }
  return rates;
}

TEST(Floors, OnOneResourceGiveEverybodyItsDemandOrItsLevel) {
  const Case node{.capacity = {10}, .demand = {{4}, {1}, {1}}, .weight = {1, 1, 1}};
  const MinimumShares shares = share(node, "drf");
  EXPECT_THAT(shares.tasks, ElementsAre(DoubleNear(1, 1e-9), DoubleNear(3, 1e-9), DoubleNear(3, 1e-9)));
}

TEST(Floors, LetGoOfAUserForWhomOneThatIsHeldLaterMakesRoom) {
  // Held at once: the users that fall short at first. That u1 must have its demand of r0 leaves u2 less r0
  // and r1 more room, in which u0 rises above one task.
  Random random(kSeed);
  int let_go = 0;
  for (int i = 0; i < random_cases(3000); ++i) {
    const Case node = random_case(random, 0.4);
    const Result<Outcome> without = allocate(problem_of(node), "drf");
    const MinimumShares with = share(node, "drf");
    for (std::size_t n = 0; n < with.tasks.size(); ++n)
      let_go += without->allocation.tasks[n] < 1 - 1e-6 && with.tasks[n] > 1 + 1e-6 ? 1 : 0;
  }
  if (kIsSanitized) return;  // too few cases to meet everything
  EXPECT_GT(let_go, 0) << "the random cases must hold some of these, or nothing tests letting go";
}

class WithFloors : public ::testing::TestWithParam<std::string> {};

TEST_P(WithFloors, AreTheLexicographicMaxMinThatLinearProgramsFind) {
  Random random(kSeed);
  int at_floor = 0;
  for (int i = 0; i < random_cases(1500); ++i) {
    const Case node = random_case(random, i % 2 == 0 ? 0 : 0.4);
    const std::vector<double> expected = lexicographic_max_min(node, rates(node, GetParam()));
    const MinimumShares shares = share(node, GetParam());
    ASSERT_NE(shares.outcome.status, Status::not_converged)
        << fmt::format("case {} of seed {}: {} tasks {}", i, kSeed, text_of(node), shares.tasks);
    for (std::size_t n = 0; n < expected.size(); ++n) {
      at_floor += expected[n] < 1 + 1e-9 ? 1 : 0;
      ASSERT_NEAR(shares.tasks[n], expected[n], 1e-6 * expected[n])
          << fmt::format("user {} in case {} of seed {}: {}", n, i, kSeed, text_of(node));
    }
  }
  EXPECT_GT(at_floor, random_cases(500));
}

INSTANTIATE_TEST_SUITE_P(Mechanisms, WithFloors, ::testing::Values("drf", "asset", "max-min", "drfh"),
                         [](const auto& name) { return name.param == "max-min" ? "MaxMin" : name.param; });

class WithFloorsOfAFiniteAlpha : public ::testing::TestWithParam<std::pair<std::string, double>> {};

// x maximises a concave P over the polytope iff no feasible y ≥ 1 has ∇P(x)·y > ∇P(x)·x.
TEST_P(WithFloorsOfAFiniteAlpha, HaveNoLinearDirectionThatImprovesThem) {
  const auto& [mechanism, alpha] = GetParam();
  Random random(kSeed);
  int at_floor = 0;
  for (int i = 0; i < random_cases(300); ++i) {
    const Case node = random_case(random, i % 2 == 0 ? 0 : 0.4);
    const MinimumShares shares = share(node, mechanism);
    ASSERT_NE(shares.outcome.status, Status::not_converged) << text_of(node);
    const std::size_t users = node.demand.size();
    std::vector<double> gradient(users + 1, 0.0);
    double ours = 0, best = 0;
    for (std::size_t n = 0; n < users; ++n) {
      gradient[n] = std::pow(shares.tasks[n] / node.weight[n], -alpha);
      ours += gradient[n] * shares.tasks[n];
      at_floor += shares.tasks[n] < 1 + 1e-9 ? 1 : 0;
      ASSERT_GE(shares.tasks[n], 1 - 1e-8);
    }
    const std::vector<double> ones(users, 1 - 1e-8), none(users, 0.0);
    const LinearProgram other = solve(node, gradient, ones, none, std::vector<bool>(users, false));
    for (std::size_t n = 0; n < users; ++n) best += gradient[n] * other.solution[n];
    ASSERT_LE(best, ours * (1 + 1e-6)) << fmt::format("case {} of seed {}: {}", i, kSeed, text_of(node));
  }
  EXPECT_GT(at_floor, random_cases(50));
}

INSTANTIATE_TEST_SUITE_P(Mechanisms, WithFloorsOfAFiniteAlpha,
                         ::testing::Values(std::pair(std::string("pf"), 1.0),
                                           std::pair(std::string("alpha-fair:alpha=2"), 2.0)),
                         [](const auto& name) { return name.param.first.substr(0, 2); });

TEST(Floors, KeepEveryMechanismAboveTheDemandsAndWithinTheNode) {
  Random random(kSeed);
  for (int i = 0; i < random_cases(40); ++i) {
    const Case node = random_case(random, 0);
    for (const Mechanism& row : mechanisms()) {
      if (!row.is_rule) continue;
      if (row.name == "cmmf" && node.capacity.size() > 1) continue;  // it is of one resource
      const std::string mechanism = std::string(row.name) + (row.name.starts_with("alpha") ? ":alpha=2" : "");
      const MinimumShares shares = share(node, mechanism);
      for (std::size_t r = 0; r < node.capacity.size(); ++r) {
        double used = 0;
        for (std::size_t n = 0; n < node.demand.size(); ++n) {
          ASSERT_GE(shares.held[n][r], node.demand[n][r] * (1 - 1e-12)) << mechanism << ", " << text_of(node);
          used += shares.held[n][r];
        }
        ASSERT_LE(used, node.capacity[r] * (1 + 1e-8)) << mechanism << ", " << text_of(node);
      }
    }
  }
}

// Time division counts dominant shares: 0.6 of the CPUs and 0.6 of the memory are more than all the time.
TEST(Floors, RaiseTheSharesOfAMechanismThatCannotRunEverybodyAtOnce) {
  const Case node{.capacity = {10, 10}, .demand = {{6, 1}, {1, 6}}, .weight = {1, 1}};
  const MinimumShares shares = share(node, "ps-dsf-tdm");
  EXPECT_TRUE(shares.tasks.empty());
  EXPECT_THAT(shares.outcome.notices, ::testing::Contains(::testing::HasSubstr("raised to the requests")));
  EXPECT_NE(shares.outcome.status, Status::not_converged);
  EXPECT_THAT(shares.held[0], ElementsAre(DoubleNear(6, 1e-6), DoubleNear(1, 1e-6)));
}

class BundlesWithFloors : public ::testing::TestWithParam<std::string> {};

// MLF-DRS and FFMRA grant bundles, and BAA takes no caps: what they grant is raised to the demands, and what
// that makes too much is taken from all surpluses in proportion.
TEST_P(BundlesWithFloors, KeepTheSamePartOfEverySurplus) {
  Random random(kSeed);
  int raised = 0, reduced = 0;
  for (int i = 0; i < random_cases(200); ++i) {
    const Case node = random_case(random, 0);
    const Result<Outcome> outcome = allocate(problem_of(node), GetParam());
    ASSERT_TRUE(outcome);
    std::vector<std::vector<double>> granted(node.demand.size(), std::vector<double>(node.capacity.size()));
    granted = bundles(problem_of(node), outcome->allocation);
    const MinimumShares shares = share(node, GetParam());
    EXPECT_TRUE(shares.tasks.empty());
    for (std::size_t r = 0; r < node.capacity.size(); ++r) {
      double above = 0, room = node.capacity[r];
      for (std::size_t n = 0; n < node.demand.size(); ++n) {
        above += std::max(0.0, granted[n][r] - node.demand[n][r]);
        room -= node.demand[n][r];
      }
      const double kept = std::min(1.0, room / above);
      reduced += kept < 1 ? 1 : 0;
      for (std::size_t n = 0; n < node.demand.size(); ++n) {
        const double surplus = std::max(0.0, granted[n][r] - node.demand[n][r]);
        raised += granted[n][r] < node.demand[n][r] * (1 - 1e-6) ? 1 : 0;
        EXPECT_NEAR(shares.held[n][r], node.demand[n][r] + kept * surplus, 1e-9 * node.capacity[r]);
      }
    }
  }
  if (kIsSanitized) return;  // too few cases to meet everything
  EXPECT_GT(raised, 50);
  EXPECT_GT(reduced, 50);
}

INSTANTIATE_TEST_SUITE_P(Mechanisms, BundlesWithFloors,
                         ::testing::Values("baa", "mlf-drs", "ffmra", "ffmra:surplus=equal"),
                         [](const auto& name) { return "Bundles" + std::to_string(name.index); });

}  // namespace
}  // namespace mirab::kubernetes
