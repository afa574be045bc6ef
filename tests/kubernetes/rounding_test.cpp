// What is written keeps to the requests and the node to the last unit.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <mirab/model/random.hpp>

#include "kubernetes/container_limits.hpp"
#include "kubernetes/examples.hpp"
#include "random_cases.hpp"

namespace mirab::kubernetes {
namespace {

using ::testing::ElementsAre;

constexpr std::uint64_t kRoundingSeed = 4150416;

// Pods with init containers, sidecars, overhead, replicas and requests in all units; a node that is sometimes
// as large as the requests to the byte.
struct RandomPods {
  Pods pods;
  Allocatable node;
};

RandomPods random_pods(Random& random) {
  RandomPods all{.pods = {.resources = {"cpu", "memory"}, .workloads = {}, .notices = {}},
                 .node = {.node = {}, .resources = {"cpu", "memory"}, .units = {0, 0}}};
  const std::uint64_t count = 1 + random.below(6);
  for (std::uint64_t w = 0; w < count; ++w) {
    Workload workload{.name = fmt::format("p{}", w),
                      .kind = "Pod",
                      .object = {},
                      .space = {},
                      .overhead = {},
                      .containers = {}};
    workload.pods = static_cast<std::int64_t>(1 + random.below(3));
    workload.overhead = {static_cast<Units>(random.below(2) * 10),
                         static_cast<Units>(random.below(2) * 4096)};
    const std::uint64_t containers = 1 + random.below(4);
    for (std::uint64_t c = 0; c < containers; ++c) {
      Container container{.name = fmt::format("c{}", c), .needs = {}, .pointer = {}};
      const std::uint64_t role = random.below(4);
      if (c + 1 < containers && role < 2) container.role = role == 0 ? Role::init : Role::sidecar;
      const Units steps[] = {1, 1000, 1024, 1'000'000, 1 << 20};
      const Units step = steps[random.below(5)];
      container.needs.push_back({.request = static_cast<Units>(1 + random.below(500))});
      container.needs.push_back({.request = step * static_cast<Units>(1 + random.below(900)), .step = step});
      if (random.below(3) == 0) container.needs[1].request += static_cast<Units>(random.below(999));
      workload.containers.push_back(container);
    }
    std::stable_partition(workload.containers.begin(), workload.containers.end(),
                          [](const Container& each) { return each.role != Role::main; });
    all.pods.workloads.push_back(workload);
  }
  for (std::size_t r = 0; r < 2; ++r) {
    Units requested = 0;
    for (const Workload& workload : all.pods.workloads)
      requested += workload.pods * request_of_pod(workload, r);
    const double more = random.below(4) == 0 ? 0 : 2 * random.unit();
    all.node.units[r] = requested + static_cast<Units>(more * static_cast<double>(requested));
  }
  return all;
}

TEST(Rounding, KeepsRequestsStepsAndTheNodeOnRandomPods) {
  Random random(kRoundingSeed);
  for (int i = 0; i < random_cases(2000); ++i) {
    const auto [pods, node] = random_pods(random);
    SCOPED_TRACE(fmt::format("case {} of seed {}", i, kRoundingSeed));
    const Result<Limits> limits = fair_limits(pods, node, {.mechanism = *choose_mechanism("drf")});
    ASSERT_TRUE(limits) << describe(limits.error());
    for (std::size_t r = 0; r < 2; ++r) {
      ASSERT_LE(limits->limited[r], node.units[r]);
      for (std::size_t w = 0; w < pods.workloads.size(); ++w) {
        std::vector<Units> each;
        for (std::size_t c = 0; c < pods.workloads[w].containers.size(); ++c) {
          const Need& need = pods.workloads[w].containers[c].needs[r];
          const Units limit = limits->workloads[w].limits[c][r];
          ASSERT_GE(limit, need.request);
          ASSERT_TRUE(limit == need.request || limit % need.step == 0)
              << limit << " in steps of " << need.step;
          each.push_back(limit);
        }
        ASSERT_LE(static_cast<double>(taken_by_pod(pods.workloads[w], r, each)),
                  limits->workloads[w].share[r] * (1 + 1e-8));
      }
    }
  }
}

TEST(Rounding, TakesAWholeNumberForWhole) {  // 299.99999999999994 thousandths are 300
  const Pods pods = testing::read(testing::pod("a", "cpu: 100m"), {"cpu"});
  const Allocatable node = *read_capacity("cpu=1");
  EXPECT_EQ(limits_within(pods, node, {{std::nextafter(300.0, 0.0)}})[0][0][0], 300);
  EXPECT_EQ(limits_within(pods, node, {{299.9}})[0][0][0], 299);
}

TEST(Rounding, GivesBackWhatAMechanismOvershoots) {
  const Pods pods =
      testing::read(testing::pod("a", "memory: 100") + testing::pod("b", "memory: 5000000000"), {"memory"});
  const Allocatable node = *read_capacity("memory=9000000000");
  const auto limits = limits_within(pods, node, {{3000000002.0}, {6000000003.0}});
  EXPECT_THAT(limits[0][0], ElementsAre(2999999997));
  EXPECT_THAT(limits[1][0], ElementsAre(6000000003));
}

// Both steps of each pod are all of its share; a step above the node each has to give way, of one pod only.
TEST(Rounding, GivesBackInEveryStepThatTakesTooMuch) {
  const std::string text =
      "kind: Pod\nmetadata: {name: a}\nspec:\n  initContainers: [{name: i, resources: {requests: {cpu: "
      "5m}}}]\n"
      "  containers:\n  - {name: c, resources: {requests: {cpu: 1m}}}\n"
      "  - {name: d, resources: {requests: {cpu: 1m}}}\n";
  const auto limits = limits_within(testing::read(text, {"cpu"}), *read_capacity("cpu=98m"), {{100}});
  EXPECT_EQ(limits[0][0][0], 98);
  EXPECT_EQ(limits[0][1][0] + limits[0][2][0], 98);
}

TEST(Rounding, GivesBackOnceForAllReplicas) {
  const std::string text =
      "kind: Deployment\nmetadata: {name: w}\nspec:\n  replicas: 3\n  template: {spec: {containers: [{name: "
      "c, "
      "resources: {requests: {cpu: 1m}}}]}}\n";
  const auto limits = limits_within(testing::read(text, {"cpu"}), *read_capacity("cpu=294m"), {{100}});
  EXPECT_THAT(limits[0][0], ElementsAre(98));
}

}  // namespace
}  // namespace mirab::kubernetes
