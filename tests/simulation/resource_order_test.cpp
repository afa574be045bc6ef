#include <gmock/gmock.h>

#include "lab/simulation/base/workload_check.hpp"
#include "simulation/workloads.hpp"

namespace mirab::simulation {
namespace {

TEST(ResourceOrder, PutsAWorkloadsVectorsInTheOrderOfTheCluster) {
  const Problem cluster = cluster_of({"cpu", "memory", "gpu"}, {{.name = "s", .capacity = whole({4, 5, 6})}});
  const Workload workload{.resources = {"gpu", "cpu", "memory"},
                          .users = {},
                          .requests = {{.demand = whole({3, 1, 2}), .servers = {{"s"}}}},
                          .jobs = {}};
  const std::vector<std::size_t> order = resource_order(cluster, workload);
  EXPECT_THAT(order, testing::ElementsAre(1, 2, 0));
  EXPECT_EQ(reordered(whole({3, 1, 2}), order), whole({1, 2, 3}));
  const Request in_order{.demand = whole({1, 2, 3}), .servers = {{"s"}}};
  EXPECT_THAT(reordered(workload.requests, order), testing::ElementsAre(in_order));
}

}  // namespace
}  // namespace mirab::simulation
