// Kubernetes, "Pod Quality of Service Classes".
#include <gtest/gtest.h>

#include "kubernetes/eviction.hpp"

namespace mirab::kubernetes {
namespace {

// The class of a pod whose containers have these resources, when only memory is shared.
std::string quality(const std::vector<std::string>& containers, const std::string& init = "") {
  std::string text = "kind: Pod\nmetadata: {name: a}\nspec:\n";
  if (!init.empty()) text += "  initContainers: [{name: i, resources: {" + init + "}}]\n";
  text += "  containers:\n";
  for (std::size_t c = 0; c < containers.size(); ++c)
    text += "  - {name: c" + std::to_string(c) + ", resources: {" + containers[c] + "}}\n";
  const Result<Pods> pods =
      read_pods(text, Syntax::yaml, "pods.yaml",
                {.resources = {"memory"}, .default_request = {{"memory", 5}}, .node = {}});
  return pods ? std::string(quality_name(quality_of(pods->workloads[0]))) : describe(pods.error());
}

const std::string kEqual = "requests: {cpu: 1, memory: 1Gi}, limits: {cpu: 1, memory: 1Gi}";

TEST(Quality, IsGuaranteedWhereAllContainersAreLimitedToWhatTheyRequestOfCpusAndMemory) {
  EXPECT_EQ(quality({kEqual}), "Guaranteed");
  EXPECT_EQ(quality({kEqual, kEqual}, kEqual), "Guaranteed");
  EXPECT_EQ(quality({"requests: {cpu: 1000m, memory: 1024Mi}, limits: {cpu: 1.0, memory: 1Gi}"}),
            "Guaranteed");
  EXPECT_EQ(quality({kEqual, "requests: {cpu: 1, memory: 1Gi}, limits: {cpu: 2, memory: 1Gi}"}), "Burstable");
}

TEST(Quality, TakesARequestThatIsLeftOutForTheLimit) {
  EXPECT_EQ(quality({"limits: {cpu: 1, memory: 1Gi}"}), "Guaranteed");
  EXPECT_EQ(quality({"requests: {cpu: 500m}, limits: {cpu: 1, memory: 1Gi}"}), "Burstable");
  EXPECT_EQ(quality({"requests: {cpu: 0}, limits: {cpu: 1, memory: 1Gi}"}), "Burstable");
}

TEST(Quality, LooksAtCpusAndMemoryWhicheverOfThemIsShared) {
  EXPECT_EQ(quality({"requests: {memory: 1Gi}, limits: {memory: 1Gi}"}), "Burstable");
  EXPECT_EQ(quality({"requests: {cpu: 100m}"}), "Burstable");
}

TEST(Quality, LooksAtInitContainersToo) {
  EXPECT_EQ(quality({kEqual}, "requests: {memory: 1Mi}"), "Burstable");
  EXPECT_EQ(quality({""}, "limits: {cpu: 1}"), "Burstable");
}

TEST(Quality, IsBestEffortWhereNoContainerSaysAnything) {
  EXPECT_EQ(quality({"", ""}), "BestEffort");
  EXPECT_EQ(quality({"requests: {cpu: 0, memory: 0}, limits: {cpu: 0}"}), "BestEffort");
  EXPECT_EQ(quality({"", "requests: {memory: 1}"}), "Burstable");
}

TEST(Quality, DoesNotLookAtStorageAndDevices) {
  EXPECT_EQ(quality({"requests: {ephemeral-storage: 1Gi}, limits: {example.com/gpu: 1}"}), "BestEffort");
  EXPECT_EQ(quality({"requests: {cpu: 1, memory: 1Gi, ephemeral-storage: 1Gi}, limits: {cpu: 1, memory: 1Gi, "
                     "ephemeral-storage: 2Gi}"}),
            "Guaranteed");
}

}  // namespace
}  // namespace mirab::kubernetes
