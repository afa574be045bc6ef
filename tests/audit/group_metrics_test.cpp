// Hamzeh's measures, on his own examples.
#include <gmock/gmock.h>

#include <mirab/audit/metrics.hpp>
#include <mirab/mechanisms/mechanism.hpp>

#include "model/clusters.hpp"

namespace mirab {
namespace {

using ::testing::DoubleNear;
using ::testing::Pointwise;
using testing::pool_of;

// Table 4.2.
const Problem kSlides = testing::problem_of(testing::slides());

// A holds 14 of 18 GB and B 7 of 9 CPUs, where half is fair.
TEST(GroupMetrics, ParetoIndexIsWhatTheBestOffHoldsBeyondTheFairShare) {
  const GroupMetrics metrics = measure_groups(kSlides, allocate(kSlides, "ffmra")->allocation);
  EXPECT_NEAR(*metrics.pareto_index[0], 7 - 4.5, 1e-9);
  EXPECT_NEAR(*metrics.pareto_index[1], 14 - 9, 1e-9);
  EXPECT_EQ(metrics.sharing_incentive_index, 1);
}

TEST(GroupMetrics, AResourceThatDominatesNobodyHasNoParetoIndex) {
  const Problem problem = pool_of({9, 18}, {{3, 1}});
  const GroupMetrics metrics = measure_groups(problem, allocate(problem, "drf")->allocation);
  EXPECT_FALSE(metrics.pareto_index[1]);
  EXPECT_EQ(metrics.jain_dominant[1], 1);
}

// Four users, table 4.3: C and D hold equally much memory, A and B 6.48 and 7.2 CPUs.
TEST(GroupMetrics, JainLooksAtEachGroupAlone) {
  const Problem problem = pool_of({18, 36}, {{3, 1}, {5, 3}, {1, 5}, {2, 7}});
  const GroupMetrics metrics = measure_groups(problem, allocate(problem, "mlf-drs")->allocation);
  EXPECT_NEAR(metrics.jain_dominant[1], 1, 1e-12);
  EXPECT_NEAR(metrics.jain_dominant[0], 13.68 * 13.68 / (2 * (6.48 * 6.48 + 7.2 * 7.2)), 1e-9);
  EXPECT_NEAR(metrics.jain_non_dominant[0], 4.32 * 4.32 / (2 * (1.44 * 1.44 + 2.88 * 2.88)), 1e-9);
}

// Definition 5.4: tasks of 3 of 9 CPUs, and of 4 of 18 GB.
TEST(GroupMetrics, ThePenaltyIsTheDifferenceOfTheConsumptionFactors) {
  const GroupMetrics metrics = measure_groups(kSlides, allocate(kSlides, "drf")->allocation);
  ASSERT_EQ(metrics.consumption.size(), 1u);
  EXPECT_THAT(metrics.consumption[0], Pointwise(DoubleNear(1e-12), {3.0 / 9, 4.0 / 18}));
  EXPECT_THAT(metrics.penalty, Pointwise(DoubleNear(1e-12), {1.0 / 3 - 2.0 / 9}));
}

// 0.3 of 3 CPUs and 0.1 of 1 GB are equal parts, so the first dominates, on the server and in the pool.
TEST(GroupMetrics, OfEqualPartsInDecimalsTheFirstDominates) {
  for (const char* mechanism : {"drf", "per-server-drf"}) {
    const Problem problem = pool_of({3, 1}, {{0.3, 0.1}});
    const GroupMetrics metrics = measure_groups(problem, allocate(problem, mechanism)->allocation);
    EXPECT_TRUE(metrics.pareto_index[0]) << mechanism;
    EXPECT_THAT(metrics.consumption[0], Pointwise(DoubleNear(1e-12), {0.1, 0.0})) << mechanism;
  }
}

TEST(GroupMetrics, AUserBelowTheFairShareOfWhatDominatesItIsNotCounted) {
  Allocation allocation = allocate(kSlides, "drf")->allocation;
  EXPECT_EQ(measure_groups(kSlides, allocation).sharing_incentive_index, 1);
  allocation.grants = testing::edited(allocation.grants, [](testing::EditedGrant& grant) {
    if (grant.user == 0) grant.resources[1] = 8.9;
  });
  EXPECT_EQ(measure_groups(kSlides, allocation).sharing_incentive_index, 0.5);
}

}  // namespace
}  // namespace mirab
