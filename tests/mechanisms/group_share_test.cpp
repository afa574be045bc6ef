// MLF-DRS, FFMRA and H-FFMRA beyond the thesis' own numbers (golden_test.cpp has these): weights, empty
// groups, units, shortage.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <mirab/mechanisms/mechanism.hpp>
#include <mirab/model/random.hpp>

#include "model/clusters.hpp"
#include "random_cases.hpp"

namespace mirab {
namespace {

using testing::amounts;
using ::testing::DoubleNear;
using ::testing::Pointwise;
using testing::slides;

Allocation divided(const Cluster& cluster, const std::string& mechanism) {
  return allocate(*Problem::from(cluster), mechanism)->allocation;
}

constexpr const char* kAll[] = {"mlf-drs", "ffmra", "ffmra:surplus=equal", "h-ffmra",
                                "h-ffmra:surplus=equal"};

TEST(GroupShare, AUserOfWeightTwoHoldsWhatTwoUsersWould) {
  for (const char* mechanism : kAll) {
    Cluster weighted = slides();
    weighted.users[0].weight = Quantity(2);
    Cluster twice = slides();
    twice.users.push_back(twice.users[0]);
    twice.users[2].name = "A2";
    const Allocation one = divided(weighted, mechanism);
    const Allocation two = divided(twice, mechanism);
    for (std::size_t r = 0; r < 2; ++r) {
      EXPECT_NEAR(one.grants[0].resources[r], two.grants[0].resources[r] + two.grants[2].resources[r], 1e-9)
          << mechanism;
      EXPECT_NEAR(one.grants[1].resources[r], two.grants[1].resources[r], 1e-9) << mechanism;
    }
  }
}

// s2 has no memory, which every task needs: no user holds anything there.
TEST(GroupShare, AGrantHasSomethingInIt) {
  Cluster cluster = slides();
  cluster.servers.push_back({.name = "s2", .capacity = amounts({4, 0})});
  const Result<Problem> problem = Problem::from(cluster);
  for (const char* mechanism : {"h-ffmra", "h-ffmra:surplus=equal"}) {
    const Result<Outcome> outcome = allocate(*problem, mechanism);
    ASSERT_TRUE(outcome) << mechanism << describe(outcome.error());
    for (const Grant& grant : outcome->allocation.grants) {
      double most = 0;
      for (const double amount : grant.resources) most = std::max(most, amount);
      EXPECT_GT(most, 0) << mechanism << ": user " << grant.user << " on server " << grant.server;
    }
  }
}

TEST(GroupShare, AServerOfCountTwoIsTwoServers) {
  Cluster counted = slides();
  counted.servers[0].count = 2;
  Cluster spelled = slides();
  spelled.servers.push_back(spelled.servers[0]);
  spelled.servers[1].name = "other";
  EXPECT_THAT(divided(counted, "h-ffmra").tasks,
              Pointwise(DoubleNear(1e-9), divided(spelled, "h-ffmra").tasks));
}

// Everybody is dominated by memory, q = (4 + 2) / (5 + 3): a quarter of the memory and three of the CPUs'
// quarters have no group.
TEST(GroupShare, APartWithoutAGroupIsLeftOverUnlessItSpills) {
  Cluster cluster = slides();
  cluster.users[1].demand = amounts({1, 3});
  const Allocation kept = divided(cluster, "ffmra");
  EXPECT_THAT(kept.servers[0].used, Pointwise(DoubleNear(1e-9), {9 * 2.0 / 9, 18 * 7.0 / 9}));
  const Allocation spilt = divided(cluster, "ffmra:spill=true");
  EXPECT_THAT(spilt.servers[0].used, Pointwise(DoubleNear(1e-9), {9.0, 18.0}));
}

// CPUs and bytes are counted in thousandths and Mi: q = (4096 + 3000)/(1000 + 4096 + 3000 + 1024).
TEST(GroupShare, BytesAreAddedUpInMiAndOtherResourcesInThousandths) {
  constexpr double kGi = 1 << 30;
  Cluster cluster = slides();
  cluster.resources = {"cpu", "memory"};
  cluster.servers[0].capacity = amounts({9, 18 * kGi});
  cluster.users[0].demand = amounts({1, 4 * kGi});
  cluster.users[1].demand = amounts({3, 1 * kGi});
  for (const char* mechanism : {"ffmra", "h-ffmra"}) {
    const Outcome outcome = *allocate(*Problem::from(cluster), mechanism);
    EXPECT_NEAR(outcome.allocation.grants[1].resources[0], 9 * 7096.0 / 9120, 1e-9) << mechanism;
    EXPECT_THAT(outcome.notices, ::testing::ElementsAre(
                                     ::testing::HasSubstr("q adds up cpu in thousandths and memory in Mi")));
  }
  EXPECT_TRUE(allocate(*Problem::from(slides()), "ffmra")->notices.empty()) << "as the thesis prints them";
  EXPECT_TRUE(allocate(*Problem::from(cluster), "ffmra:units=normalised")->notices.empty());
}

TEST(GroupShare, NormalisedUnitsMakeFfmraIndependentOfTheUnit) {
  Cluster in_mega = slides();
  in_mega.servers[0].capacity[1] = *Quantity::from(18000);
  in_mega.users[0].demand[1] = *Quantity::from(4000);
  in_mega.users[1].demand[1] = *Quantity::from(1000);
  const auto tasks = [](const Cluster& cluster, const char* mechanism) {
    return divided(cluster, mechanism).tasks;
  };
  EXPECT_THAT(tasks(in_mega, "ffmra:units=normalised"),
              Pointwise(DoubleNear(1e-9), tasks(slides(), "ffmra:units=normalised")));
  EXPECT_GT(std::abs(tasks(in_mega, "ffmra")[0] - tasks(slides(), "ffmra")[0]), 0.1);
}

// 0.3 of 3 and 0.1 of 1 are equal parts, though not in doubles: the first of equals is dominant in every
// unit.
TEST(GroupShare, EqualPartsAreEqualInEveryUnit) {
  Cluster small = slides();
  small.servers[0].capacity = amounts({3, 1});
  small.users[0].demand = amounts({0.3, 0.1});
  small.users[1].demand = amounts({1.5, 0.1});
  Cluster large = slides();
  large.servers[0].capacity = amounts({30, 10});
  large.users[0].demand = amounts({3, 1});
  large.users[1].demand = amounts({15, 1});
  for (const char* mechanism : {"mlf-drs", "ffmra"})
    EXPECT_THAT(divided(small, mechanism).tasks,
                Pointwise(DoubleNear(1e-9), divided(large, mechanism).tasks));
}

// Definition 4.28: the tasks of one of each take 12 of 10 CPUs.
TEST(GroupShare, UnderShortageNobodyIsGrantedMoreThanItRequests) {
  Cluster cluster = slides();
  cluster.servers[0].capacity = amounts({10, 18});
  cluster.users[0].demand = amounts({6, 4});
  cluster.users[1].demand = amounts({6, 1});
  const Allocation allocation = divided(cluster, "h-ffmra");
  EXPECT_THAT(allocation.grants[0].resources, Pointwise(DoubleNear(1e-9), {5.0, 4.0}));
  EXPECT_THAT(allocation.grants[1].resources, Pointwise(DoubleNear(1e-9), {5.0, 1.0}));
}

// A user holds nothing that it does not demand, nobody holds more than there is, and tasks are what the
// scarcest part of a bundle allows.
TEST(GroupShare, BundlesAreFeasibleAndOfWhatIsDemanded) {
  constexpr std::uint64_t kSeed = 4;
  Random random(kSeed);
  for (int i = 0; i < random_cases(500); ++i) {
    Cluster cluster{.resources = {"a", "b", "c"}, .servers = {{.name = "s", .capacity = {}}}, .users = {}};
    for (int r = 0; r < 3; ++r)
      cluster.servers[0].capacity.emplace_back(20 + static_cast<int>(random.below(30)));
    for (std::size_t n = 0; n < 1 + random.below(5); ++n) {
      User user{.name = fmt::format("u{}", n), .demand = {}};
      for (int r = 0; r < 3; ++r) user.demand.emplace_back(static_cast<int>(random.below(4)));
      user.demand[random.below(3)] = Quantity(1 + static_cast<int>(random.below(5)));
      cluster.users.push_back(user);
    }
    for (const char* mechanism : kAll) {
      const Allocation allocation = divided(cluster, mechanism);
      for (std::size_t r = 0; r < 3; ++r) {
        ASSERT_LE(allocation.servers[0].used[r], allocation.servers[0].capacity[r] * (1 + 1e-12))
            << mechanism << ", problem " << i << " of seed " << kSeed;
      }
      for (const Grant& grant : allocation.grants) {
        const ResourceVector& demand = cluster.users[grant.user].demand;
        double tasks = 1e300;
        for (std::size_t r = 0; r < 3; ++r) {
          if (demand[r].is_zero()) {
            ASSERT_EQ(grant.resources[r], 0) << mechanism << ", problem " << i << " of seed " << kSeed;
          } else {
            tasks = std::min(tasks, grant.resources[r] / demand[r].value());
          }
        }
        ASSERT_DOUBLE_EQ(grant.tasks, tasks) << mechanism << ", problem " << i << " of seed " << kSeed;
      }
    }
  }
}

}  // namespace
}  // namespace mirab
