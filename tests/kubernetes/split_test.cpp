// Kubernetes, "Sidecar Containers", resource sharing within containers: what runs together.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <mirab/model/random.hpp>

#include "kubernetes/container_limits.hpp"
#include "kubernetes/examples.hpp"

namespace mirab::kubernetes {
namespace {

using ::testing::DoubleEq;
using ::testing::ElementsAre;

constexpr std::uint64_t kSplitSeed = 20260117;

struct Asking {
  Role role;
  Units request;
};

Workload workload_of(const std::vector<Asking>& containers, Units overhead = 0) {
  Workload workload{
      .name = "a", .kind = "Pod", .object = "a", .space = {}, .overhead = {overhead}, .containers = {}};
  for (const Asking& each : containers) {
    workload.containers.push_back({.name = fmt::format("c{}", workload.containers.size()),
                                   .role = each.role,
                                   .needs = {{.request = each.request}},
                                   .pointer = {}});
  }
  return workload;
}

std::vector<double> split(const std::vector<Asking>& containers, double share, Units overhead = 0) {
  return split_over_containers(workload_of(containers, overhead), 0, share);
}

TEST(Split, GoesByRequestsWhereAllContainersRunTogether) {
  EXPECT_THAT(split({{Role::main, 100}, {Role::main, 300}}, 1000), ElementsAre(250, 750));
  EXPECT_THAT(split({{Role::sidecar, 100}, {Role::main, 300}}, 1000), ElementsAre(250, 750));
  EXPECT_THAT(split({{Role::main, 100}, {Role::main, 300}}, 1050, 50), ElementsAre(250, 750));
}

// The pod requests 500, that of its init container; what it was granted is the main containers' too.
TEST(Split, LetsMainContainersUseAllThatAnInitContainerMakesThePodRequest) {
  EXPECT_THAT(split({{Role::init, 500}, {Role::main, 100}, {Role::main, 300}}, 1000),
              ElementsAre(1000, 250, 750));
  EXPECT_THAT(split({{Role::init, 500}, {Role::main, 100}, {Role::main, 300}}, 500),
              ElementsAre(500, 125, 375));
}

TEST(Split, LetsEveryInitContainerUseAllThatThePodIsGranted) {
  EXPECT_THAT(split({{Role::init, 10}, {Role::init, 20}, {Role::main, 100}}, 300),
              ElementsAre(300, 300, 300));
}

TEST(Split, HoldsASidecarToTheTightestStepInWhichItRuns) {
  // With the init container a share of 1200 is twice the requests, with the main one six times.
  EXPECT_THAT(split({{Role::sidecar, 100}, {Role::init, 500}, {Role::main, 100}}, 1200),
              ElementsAre(200, 1000, 1000));
  // The second sidecar starts after the tight step and shares what the first leaves with the main container.
  EXPECT_THAT(split({{Role::sidecar, 100}, {Role::init, 500}, {Role::sidecar, 100}, {Role::main, 300}}, 1200),
              ElementsAre(200, 1000, DoubleEq(250), DoubleEq(750)));
  EXPECT_THAT(split({{Role::init, 500}, {Role::sidecar, 100}, {Role::main, 300}}, 1200),
              ElementsAre(1200, 300, 900));
}

// What each step takes, with the init container's index, or one behind the last for the main containers.
std::vector<double> steps(const Workload& workload, const std::vector<double>& amounts) {
  std::vector<double> taken;
  double sidecars = 0, main = 0;
  for (std::size_t c = 0; c < amounts.size(); ++c) {
    if (workload.containers[c].role == Role::sidecar) sidecars += amounts[c];
    if (workload.containers[c].role == Role::init) taken.push_back(sidecars + amounts[c]);
    if (workload.containers[c].role == Role::main) main += amounts[c];
  }
  taken.push_back(sidecars + main);
  return taken;
}

TEST(Split, GivesEveryStepAllOfTheShareAndNobodyLessThanItsRequest) {
  Random random(kSplitSeed);
  for (int i = 0; i < 2000; ++i) {
    SCOPED_TRACE(fmt::format("case {} of seed {}", i, kSplitSeed));
    std::vector<Asking> containers;
    const std::uint64_t before = random.below(6);
    const auto request = [&] { return static_cast<Units>(1 + random.below(1000)); };
    for (std::uint64_t c = 0; c < before; ++c)
      containers.push_back({random.below(2) == 0 ? Role::init : Role::sidecar, request()});
    for (std::uint64_t c = 0; c <= random.below(3); ++c) containers.push_back({Role::main, request()});
    const Workload workload = workload_of(containers, static_cast<Units>(random.below(2) * 40));
    const double more = random.below(4) == 0 ? 1 : 1 + 2 * random.unit();
    const double share = more * static_cast<double>(request_of_pod(workload, 0));
    const std::vector<double> amounts = split_over_containers(workload, 0, share);
    for (std::size_t c = 0; c < amounts.size(); ++c)
      ASSERT_GE(amounts[c], static_cast<double>(containers[c].request));
    for (const double taken : steps(workload, amounts))
      ASSERT_NEAR(taken, share - static_cast<double>(workload.overhead[0]), 1e-9 * share);
  }
}

}  // namespace
}  // namespace mirab::kubernetes
