#include <gtest/gtest.h>

#include "lab/simulation/reallocation/division.hpp"

namespace mirab::simulation {
namespace {

ResourceVector amounts(std::int64_t cpu, std::int64_t memory) { return {Quantity(cpu), Quantity(memory)}; }

Problem cluster_of_servers(std::vector<Server> servers) {
  Result<Problem> problem = Problem::from({.resources = {"cpu", "memory"},
                                           .servers = std::move(servers),
                                           .users = {{.name = "nobody", .demand = amounts(1, 1)}}});
  return *std::move(problem);
}

// The slides' example: A asks for (1, 4), B for (3, 1).
Workload slides(std::int64_t weight_of_b) {
  return {.resources = {"cpu", "memory"},
          .users = {{.name = "A"}, {.name = "B", .weight = Quantity(weight_of_b)}},
          .requests = {{.demand = amounts(1, 4)}, {.demand = amounts(3, 1)}},
          .jobs = {}};
}

const std::vector<Claim> both = {{.claimant = 0, .user = 0, .request = 0},
                                 {.claimant = 1, .user = 1, .request = 1}};

Result<DividedShares> divided(const Problem& servers, const Workload& workload, const Choice& mechanism) {
  const Result<ServerKinds> kinds = server_kinds(servers, workload);
  if (!kinds) return kinds.error();
  return divide(*kinds, workload.users, mechanism, both);
}

TEST(DividedShares, AreThoseOfTheMechanismOnWhoClaims) {
  const Problem one = cluster_of_servers({{.name = "s", .capacity = amounts(9, 18)}});
  const Result<DividedShares> shares = divided(one, slides(1), *choose_mechanism("ps-dsf"));
  ASSERT_TRUE(shares);
  EXPECT_NEAR(shares->tasks[0], 3, 1e-8);
  EXPECT_NEAR(shares->tasks[1], 2, 1e-8);
  EXPECT_NEAR(shares->used[0], 9, 1e-7);
  EXPECT_NEAR(shares->used[1], 14, 1e-7);
}

TEST(DividedShares, AClaimHasTheWeightOfItsUser) {
  const Problem one = cluster_of_servers({{.name = "s", .capacity = amounts(9, 18)}});
  const Result<DividedShares> shares = divided(one, slides(2), *choose_mechanism("ps-dsf"));
  ASSERT_TRUE(shares);
  EXPECT_NEAR(2 * shares->tasks[0] * 4 / 18, shares->tasks[1] * 3 / 9, 1e-8);
}

TEST(DividedShares, AMechanismOfThePoolUsesTheSamePartOfEveryServer) {
  const Problem two = cluster_of_servers({{.name = "small", .capacity = amounts(3, 0)},
                                          {.name = "large", .capacity = amounts(3, 9), .count = 2}});
  const Result<DividedShares> shares = divided(two, slides(1), *choose_mechanism("drf"));
  ASSERT_TRUE(shares);
  EXPECT_NEAR(shares->used[0], 3, 1e-9);
  EXPECT_EQ(shares->used[1], 0);
  EXPECT_NEAR(shares->used[2], 6, 1e-9);
  EXPECT_NEAR(shares->used[3], 14, 1e-9);
}

}  // namespace
}  // namespace mirab::simulation
