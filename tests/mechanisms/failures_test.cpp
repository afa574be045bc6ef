// What the mechanisms over servers do not keep, by the examples that their documents work out.
#include <gmock/gmock.h>

#include <mirab/mechanisms/mechanism.hpp>

namespace mirab {
namespace {

using ::testing::DoubleNear;
using ::testing::Pointwise;

ResourceVector amounts(std::initializer_list<double> values) {
  ResourceVector vector;
  for (const double value : values) vector.push_back(*Quantity::from(value));
  return vector;
}

std::vector<double> tasks_of(const Cluster& cluster, const char* mechanism) {
  return allocate(*Problem::from(cluster), mechanism)->allocation.tasks;
}

// src/mechanisms/drfh.cpp. Half of the first server holds 5 tasks of the first user.
TEST(Failures, DrfhDoesNotKeepTheSharingIncentive) {
  const Cluster cluster{
      .resources = {"cpu", "memory"},
      .servers = {{.name = "1", .capacity = amounts({10, 10})}, {.name = "2", .capacity = amounts({0, 90})}},
      .users = {{.name = "1", .demand = amounts({1, 1})}, {.name = "2", .demand = amounts({1, 10})}}};
  EXPECT_THAT(tasks_of(cluster, "drfh"), Pointwise(DoubleNear(1e-8), {10.0 / 11, 10.0 / 11}));
}

// docs/mechanisms/tsf.md. Half of the first server holds 1 task of the second user.
TEST(Failures, TsfDoesNotKeepTheSharingIncentiveUnderPlacementConstraints) {
  const Cluster cluster{
      .resources = {"cpu", "memory"},
      .servers = {{.name = "1", .capacity = amounts({2, 2})}, {.name = "2", .capacity = amounts({2, 6})}},
      .users = {{.name = "1", .demand = amounts({1, 2}), .servers = {{"1"}}},
                {.name = "2", .demand = amounts({1, 1}), .servers = {{"1"}}}}};
  EXPECT_THAT(tasks_of(cluster, "tsf"), Pointwise(DoubleNear(1e-8), {0.6, 0.8}));
}

// Ravi Kiran and Srinuvas, figure 1: memory is what everybody needs most wherever they may run, and even
// memory is 2, 6, 8 and 8 tasks.
TEST(Failures, DrfhAndTsfAreNotBottleneckFair) {
  const Cluster cluster{.resources = {"cpu", "memory", "bandwidth"},
                        .servers = {{.name = "1", .capacity = amounts({12, 4, 75})},
                                    {.name = "2", .capacity = amounts({8, 16, 0})}},
                        .users = {{.name = "1", .demand = amounts({1.5, 1, 6})},
                                  {.name = "2", .demand = amounts({0.5, 0.333333333333333, 6})},
                                  {.name = "3", .demand = amounts({0.25, 1, 0})},
                                  {.name = "4", .demand = amounts({0.5, 1, 0})}}};
  const std::vector<double> even = {2, 6, 8, 8};
  EXPECT_THAT(tasks_of(cluster, "ps-dsf"), Pointwise(DoubleNear(1e-6), even));
  EXPECT_THAT(tasks_of(cluster, "drfh"), Pointwise(DoubleNear(1e-6), {3.0, 3.0, 8.0, 8.0}));
  EXPECT_THAT(tasks_of(cluster, "tsf"), Pointwise(DoubleNear(1e-6), {5.0 / 3, 5.0, 25.0 / 3, 25.0 / 3}));
}

}  // namespace
}  // namespace mirab
