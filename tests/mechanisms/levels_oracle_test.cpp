// DRFH, TSF and CMMF against rounds of linear programs through Clp (bench/peers/clp), on random problems over
// several servers; against water-filling on one server; and the bad input that only servers can have.
#include <cmath>
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <mirab/mechanisms/mechanism.hpp>
#include <mirab/model/cluster_file.hpp>
#include <mirab/model/random.hpp>

#include "clp_rounds.hpp"
#include "mechanisms/pool_case.hpp"
#include "mechanisms/servers.hpp"
#include "random_cases.hpp"

namespace mirab {
namespace {

using Eigen::ArrayXd;
using Eigen::Index;

enum class DemandOn { none, some };

Quantity some_amount(Random& random, bool whole, double largest) {
  if (whole)
    return Quantity(1 + static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(largest))));
  return *Quantity::parse(fmt::format("{:.4g}", 0.1 + random.unit() * largest));
}

ResourceVector some_amounts(Random& random, std::size_t resources, bool whole, double largest, double zeros) {
  ResourceVector amounts(resources);
  for (Quantity& one : amounts) {
    if (random.unit() >= zeros) one = some_amount(random, whole, largest);
  }
  amounts[random.below(resources)] = some_amount(random, whole, largest);
  return amounts;
}

User random_user(Random& random, const Cluster& cluster, bool whole, DemandOn demand_on) {
  const std::size_t m = cluster.resources.size();
  User user{.name = fmt::format("u{}", cluster.users.size()),
            .demand = some_amounts(random, m, whole, 5, 0.25)};
  if (random.below(2) == 0) user.weight = some_amount(random, whole, 4);
  if (random.unit() < 0.3) user.tasks = some_amount(random, whole, 12);
  if (random.unit() < 0.3) user.select = {{"zone", {random.below(2) == 0 ? "a" : "b"}}};
  if (random.unit() < 0.4) {
    user.servers.emplace();
    for (const Server& server : cluster.servers) {
      if (random.below(2) == 0) user.servers->push_back(server.name);
    }
  }
  if (demand_on == DemandOn::some && random.below(2) == 0) {
    const Server& server = cluster.servers[random.below(cluster.servers.size())];
    user.demand_on = {{server.name, some_amounts(random, m, whole, 5, 0.25)}};
  }
  return user;
}

// How many at most.
struct Size {
  std::uint64_t users, servers, resources;
};
constexpr Size kSmall{.users = 8, .servers = 5, .resources = 4};
constexpr Size kMiddling{.users = 60, .servers = 6, .resources = 3};

// Half of them in whole numbers, so that users tie. Users whom a draw leaves nowhere are drawn again.
Problem random_problem(Random& random, DemandOn demand_on, Size most) {
  while (true) {
    Cluster cluster;
    const bool whole = random.below(2) == 0;
    const std::size_t resources = 1 + random.below(most.resources);
    for (std::size_t r = 0; r < resources; ++r) cluster.resources.push_back(fmt::format("r{}", r));
    for (std::size_t i = 1 + random.below(most.servers); i > 0; --i) {
      cluster.servers.push_back({.name = fmt::format("s{}", i),
                                 .capacity = some_amounts(random, resources, whole, 20, 0.15),
                                 .count = 1 + static_cast<std::int64_t>(random.below(3)),
                                 .labels = {{"zone", random.below(2) == 0 ? "a" : "b"}}});
    }
    for (std::size_t n = 1 + random.below(most.users); n > 0;) {
      cluster.users.push_back(random_user(random, cluster, whole, demand_on));
      if (Problem::from({cluster.resources, cluster.servers, {cluster.users.back()}})) {
        --n;
      } else {
        cluster.users.pop_back();
      }
    }
    Result<Problem> problem = Problem::from(std::move(cluster));
    if (problem) return *std::move(problem);
  }
}

std::string text_of(const Problem& problem) {
  return write_cluster_yaml(
      {.resources = problem.resources(), .servers = problem.servers(), .users = problem.users()});
}

// φ_n u_n from the definitions in mathematics.md, section 1.
ArrayXd unit_of(const Problem& problem, const MergedServers& merged, const std::string& mechanism) {
  ArrayXd unit = merged.weight;
  for (Index j = 0; j < unit.size(); ++j) {
    if (mechanism == "tsf") unit[j] *= merged.alone_everywhere[j];
    if (mechanism != "drfh") continue;
    double share = 0;
    for (std::size_t r = 0; r < problem.resource_count(); ++r) {
      if (problem.pool()[r] > 0)
        share = std::max(share, merged.rows.demand[0](j, static_cast<Index>(r)) / problem.pool()[r]);
    }
    unit[j] /= share;
  }
  return unit;
}

std::vector<double> tasks_by_clp(const Problem& problem, const std::string& mechanism) {
  const MergedServers merged =
      merge_servers(problem, mechanism == "cmmf" ? MergeUsers::equal : MergeUsers::parallel);
  const peers::ClpRounds rounds =
      peers::clp_rounds(merged, unit_of(problem, merged, mechanism), peers::ClpStart::dual_with_presolve, 60);
  EXPECT_FALSE(rounds.stopped || rounds.failed);
  std::vector<double> tasks(problem.user_count());
  for (std::size_t j = 0; j < merged.classes.users.size(); ++j) {
    const UserClass& users = merged.classes.users[j];
    for (std::size_t k = 0; k < users.members.size(); ++k)
      tasks[users.members[k]] = rounds.totals[static_cast<Index>(j)] * users.part[k];
  }
  return tasks;
}

void expect_the_levels_of_clp(const std::string& mechanism, DemandOn demand_on, Size most, int problems) {
  constexpr std::uint64_t seed = 4;
  Random random(seed);
  for (int i = 0; i < random_cases(problems); ++i) {
    const Problem problem = random_problem(random, demand_on, most);
    const std::string replay =
        fmt::format("problem {} of seed {}, {}:\n{}", i, seed, mechanism, text_of(problem));
    const Result<Outcome> outcome = allocate(problem, mechanism);
    ASSERT_TRUE(outcome) << replay;
    ASSERT_EQ(outcome->status, Status::exact) << outcome->certificate.value << ", " << replay;
    const std::vector<double> reference = tasks_by_clp(problem, mechanism);
    for (std::size_t n = 0; n < reference.size(); ++n)
      ASSERT_NEAR(outcome->allocation.tasks[n], reference[n], 1e-6 * reference[n])
          << "user " << n << ", " << replay;
  }
}

TEST(LevelsOracle, DrfhHasTheLevelsOfRoundsThroughClp) {
  expect_the_levels_of_clp("drfh", DemandOn::none, kSmall, 2'000);
}
TEST(LevelsOracle, TsfHasTheLevelsOfRoundsThroughClp) {
  expect_the_levels_of_clp("tsf", DemandOn::none, kSmall, 2'000);
}
TEST(LevelsOracle, TsfWithDemandsPerServerHasTheLevelsOfRoundsThroughClp) {
  expect_the_levels_of_clp("tsf", DemandOn::some, kSmall, 2'000);
}
TEST(LevelsOracle, CmmfHasTheLevelsOfRoundsThroughClp) {
  expect_the_levels_of_clp("cmmf", DemandOn::some, kSmall, 2'000);
}
TEST(LevelsOracle, AllThreeHaveTheLevelsOfRoundsThroughClpWithUpToSixtyUsers) {
  expect_the_levels_of_clp("drfh", DemandOn::none, kMiddling, 300);
  expect_the_levels_of_clp("tsf", DemandOn::some, kMiddling, 300);
  expect_the_levels_of_clp("cmmf", DemandOn::none, kMiddling, 300);
}

// One server: rounds and water-filling are two ways to the same levels.
TEST(LevelsOracle, OnOneServerDrfhAndTsfAreDrfAndCmmfIsMaxMin) {
  constexpr std::uint64_t seed = 5;
  Random random(seed);
  for (int i = 0; i < random_cases(1'000); ++i) {
    const testing::PoolCase pool = testing::random_pool(random, {});
    const std::vector<double> drf = testing::tasks_of(pool, "drf");
    const std::vector<double> max_min = testing::tasks_of(pool, "max-min");
    const std::string replay = fmt::format("pool {} of seed {}: {}", i, seed, testing::text_of(pool));
    for (const auto& [ours, reference] :
         {std::pair(testing::tasks_of(pool, "drfh"), drf), std::pair(testing::tasks_of(pool, "tsf"), drf),
          std::pair(testing::tasks_of(pool, "cmmf"), max_min)}) {
      for (std::size_t n = 0; n < reference.size(); ++n)
        ASSERT_NEAR(ours[n], reference[n], 1e-8 * reference[n]) << "user " << n << ", " << replay;
    }
  }
}

Problem two_servers() {
  return *Problem::from({.resources = {"cpu", "memory"},
                         .servers = {{.name = "a", .capacity = {Quantity(2), Quantity(12)}},
                                     {.name = "b", .capacity = {Quantity(12), Quantity(2)}}},
                         .users = {{.name = "1", .demand = {*Quantity::parse("0.2"), Quantity(1)}},
                                   {.name = "2", .demand = {Quantity(1), *Quantity::parse("0.2")}}}});
}

// mathematics.md, section 4.
TEST(Levels, DrfhRunsTenTasksEachWhereDrfServerByServerRunsSix) {
  const auto tasks = [](const char* mechanism) {
    return allocate(two_servers(), mechanism)->allocation.tasks;
  };
  EXPECT_THAT(tasks("drfh"),
              ::testing::ElementsAre(::testing::DoubleNear(10, 1e-8), ::testing::DoubleNear(10, 1e-8)));
  EXPECT_THAT(tasks("per-server-drf"),
              ::testing::ElementsAre(::testing::DoubleNear(6, 1e-8), ::testing::DoubleNear(6, 1e-8)));
}

// Clp stops at 1e-9 of a capacity: four orders of magnitude are what it can tell.
TEST(Levels, DemandsOverFourOrdersOfMagnitudeHaveTheLevelsOfRoundsThroughClp) {
  constexpr std::uint64_t seed = 7;
  Random random(seed);
  for (int i = 0; i < random_cases(200); ++i) {
    Cluster cluster{.resources = {"cpu", "memory"}, .servers = {}, .users = {}};
    for (int k = 0; k < 3; ++k)
      cluster.servers.push_back(
          {.name = fmt::format("s{}", k), .capacity = some_amounts(random, 2, false, 1000, 0)});
    for (int n = 0; n < 6; ++n) {
      User user{.name = fmt::format("u{}", n), .demand = {}};
      for (int r = 0; r < 2; ++r)
        user.demand.push_back(*Quantity::parse(fmt::format("{:.3g}", std::pow(10, -2 + 4 * random.unit()))));
      cluster.users.push_back(user);
    }
    const Problem problem = *Problem::from(std::move(cluster));
    for (const std::string mechanism : {"drfh", "tsf"}) {
      const Outcome outcome = *allocate(problem, mechanism);
      ASSERT_EQ(outcome.status, Status::exact);
      const std::vector<double> reference = tasks_by_clp(problem, mechanism);
      for (std::size_t n = 0; n < reference.size(); ++n)
        ASSERT_NEAR(outcome.allocation.tasks[n], reference[n], 1e-6 * reference[n])
            << "user " << n << ", problem " << i << " of seed " << seed << ", " << mechanism;
    }
  }
}

TEST(Levels, DrfhRefusesAnotherDemandOnSomeServerAndNamesWhoHonoursIt) {
  Cluster cluster{
      .resources = {"cpu"},
      .servers = {{.name = "a", .capacity = {Quantity(1)}}, {.name = "b", .capacity = {Quantity(1)}}},
      .users = {{.name = "1", .demand = {Quantity(1)}}}};
  cluster.users[0].demand_on = {{"b", {Quantity(2)}}};
  const Problem problem = *Problem::from(std::move(cluster));
  const Result<Outcome> refused = allocate(problem, "drfh");
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, ::testing::HasSubstr("tsf"));
  EXPECT_TRUE(allocate(problem, "tsf"));
}

}  // namespace
}  // namespace mirab
