// Kubernetes, "Node-pressure Eviction", pod selection for kubelet eviction.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "kubernetes/eviction.hpp"
#include "kubernetes/examples.hpp"

namespace mirab::kubernetes {
namespace {

using ::testing::ElementsAre;
using testing::example;
using ::testing::IsEmpty;
using testing::read;

std::string pod(const std::string& name, const std::string& resources, const std::string& more = "") {
  return "kind: Pod\nmetadata: {name: " + name + "}\nspec:\n" + more +
         "  containers: [{name: c, resources: {" + resources + "}}]\n---\n";
}

std::vector<std::string> evicted(const std::string& text, const std::string& capacity) {
  const Allocatable node = *read_capacity(capacity);
  const Pods pods = read(text, node.resources);
  std::vector<std::string> lines;
  for (const Eviction& each : evictions(pods, node)) {
    lines.push_back(fmt::format("{} {} {} {}", pods.workloads[each.workload].name, each.pods,
                                quality_name(each.quality), units_text(each.resource, each.above)));
  }
  return lines;
}

// Thesis, section 4.5.2: of the two pods with limits of 1900Mi on a node of 1800Mi, "one will be killed".
TEST(Evictions, OfTheTwoPodsHitTheOneThatIsFurthestAboveItsRequest) {
  EXPECT_THAT(evicted(example("two-pods.yaml"), "cpu=900m,memory=1800Mi"),
              ElementsAre("a 1 Burstable 1100Mi"));
}

TEST(Evictions, ThereAreNoneWhenTheLimitsFit) {
  EXPECT_THAT(evicted(example("two-pods.yaml"), "cpu=900m,memory=1900Mi"), IsEmpty());
}

TEST(Evictions, CpusAreSlowedDownInstead) {
  EXPECT_THAT(evicted(example("two-pods.yaml"), "cpu=1"), IsEmpty());
}

TEST(Evictions, ComeByPriorityFirstAndSpareThoseWithinTheirRequests) {
  const std::string text =
      pod("high", "requests: {memory: 100Mi}, limits: {memory: 900Mi}", "  priority: 100\n") +
      pod("low", "requests: {memory: 100Mi}, limits: {memory: 200Mi}", "  priority: -5\n") +
      pod("kept", "requests: {memory: 500Mi}, limits: {memory: 500Mi}", "  priority: -9\n") +
      pod("system", "requests: {memory: 100Mi}, limits: {memory: 300Mi}",
          "  priorityClassName: system-node-critical\n");
  EXPECT_THAT(evicted(text, "memory=1Gi"), ElementsAre("low 1 Burstable 100Mi", "high 1 Burstable 800Mi"));
}

TEST(Evictions, HitAsManyReplicasAsNeeded) {
  const std::string text =
      "kind: Deployment\nmetadata: {name: web}\nspec:\n  replicas: 5\n  template: {spec: {containers: "
      "[{name: c, "
      "resources: {requests: {memory: 100Mi}, limits: {memory: 300Mi}}}]}}\n";
  EXPECT_THAT(evicted(text, "memory=1Gi"), ElementsAre("deployment/web 2 Burstable 200Mi"));
}

TEST(Evictions, NameTheClassByWhatIsWritten) {
  const auto quality = [](const std::string& resources) {
    const Result<Pods> pods =
        read_pods(pod("a", resources) + pod("b", "requests: {memory: 1}"), Syntax::yaml, "p",
                  {.resources = {"memory"}, .default_request = {{"memory", 5}}, .node = {}});
    const std::vector<Eviction> all = evictions(*pods, *read_capacity("memory=1Mi"));
    return all.empty() ? "none" : std::string(quality_name(all.front().quality));
  };
  EXPECT_EQ(quality(""), "BestEffort");
  EXPECT_EQ(quality("requests: {memory: 1Ki}"), "Burstable");
}

}  // namespace
}  // namespace mirab::kubernetes
