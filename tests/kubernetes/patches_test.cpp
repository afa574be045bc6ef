// Kubernetes 1.35, "Resize CPU and Memory Resources assigned to Containers", limitations.
#include <gmock/gmock.h>

#include <mirab/kubernetes/manifests.hpp>

#include "kubernetes/examples.hpp"

namespace mirab::kubernetes {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

// By drf; containers that ask for nothing are taken to ask for 100 MB.
std::string patches(const std::string& text, const std::string& capacity) {
  const Allocatable node = *read_capacity(capacity);
  const Result<Pods> pods =
      read_pods(text, Syntax::yaml, "pods.yaml",
                {.resources = node.resources, .default_request = {{"memory", 100'000'000}}, .node = {}});
  EXPECT_TRUE(pods) << (pods ? "" : describe(pods.error()));
  const Result<Limits> limits = fair_limits(*pods, node, {.mechanism = *choose_mechanism("drf")});
  EXPECT_TRUE(limits) << (limits ? "" : describe(limits.error()));
  return patch_commands(*pods, *limits);
}

std::string resized_pod(const std::string& containers, const std::string& metadata = "name: a") {
  return "kind: Pod\nmetadata: {" + metadata + "}\nspec:\n  containers:\n" + containers;
}

std::string container(const std::string& resources, const std::string& more = "") {
  return "  - {name: c, " + more + "resources: {" + resources + "}}\n";
}

std::string with_template(const std::string& kind) {
  return "kind: " + kind +
         "\nmetadata: {name: x}\nspec:\n  template: {spec: {containers: [{name: c, resources: {requests: "
         "{cpu: "
         "1}}}]}}\n";
}

TEST(Patches, ResizePods) {
  EXPECT_EQ(patches(resized_pod(container("requests: {cpu: 1}"), "name: a, namespace: shop"), "cpu=2"),
            "kubectl patch pod a --namespace shop --subresource resize --patch "
            "'{\"spec\":{\"containers\":[{\"name\":\"c\",\"resources\":{\"limits\":{\"cpu\":\"2\"}}}]}}'\n");
}

TEST(Patches, WriteTheRequestThatKubernetesTookFromTheLimit) {
  EXPECT_THAT(patches(resized_pod(container("requests: {cpu: 1}, limits: {memory: 1G}")), "cpu=2,memory=2G"),
              HasSubstr("\"limits\":{\"cpu\":\"2\",\"memory\":\"2G\"},\"requests\":{\"memory\":\"1G\"}"));
}

TEST(Patches, ChangeTemplates) {
  for (const auto& [kind, name] :
       {std::pair("Deployment", "deployment"), std::pair("StatefulSet", "statefulset"),
        std::pair("DaemonSet", "daemonset")}) {
    EXPECT_EQ(patches(with_template(kind), "cpu=2"),
              std::string("kubectl patch ") + name +
                  " x --patch '{\"spec\":{\"template\":{\"spec\":{\"containers\":[{\"name\":\"c\","
                  "\"resources\":{\"limits\":{\"cpu\":\"2\"}}}]}}}}'\n");
  }
  EXPECT_THAT(
      patches("kind: CronJob\nmetadata: {name: n}\nspec:\n  jobTemplate:\n    spec:\n      template: {spec: "
              "{containers: [{name: c, resources: {requests: {cpu: 1}}}]}}\n",
              "cpu=2"),
      HasSubstr(
          "kubectl patch cronjob n --patch '{\"spec\":{\"jobTemplate\":{\"spec\":{\"template\":{\"spec\":{"
          "\"containers\""));
}

TEST(Patches, SayWhereATemplateDoesNotReplaceItsPods) {
  EXPECT_THAT(patches(with_template("ReplicaSet"), "cpu=2"),
              StartsWith("# replicaset x: pods that run keep their limits until they are deleted\n"
                         "kubectl patch replicaset x --patch"));
}

TEST(Patches, LeaveJobsAlone) {
  EXPECT_EQ(patches(with_template("Job"), "cpu=2"),
            "# job x: its template cannot be changed; delete it and recreate it with --format manifest\n");
}

TEST(Patches, LeavePodsAloneWhoseClassWouldChange) {
  const std::string same = "requests: {cpu: 1, memory: 1Gi}, limits: {cpu: 1, memory: 1Gi}";
  EXPECT_EQ(patches(resized_pod(container(same)), "cpu=2,memory=2Gi"),
            "# pod a: not resized: it is Guaranteed and would be Burstable, and no pod can change its class; "
            "recreate it from its manifest, or its controller's, with the new limits\n");
  EXPECT_THAT(patches(resized_pod(container("requests: {cpu: 1, memory: 1Gi}, limits: {cpu: 2}")),
                      "cpu=1,memory=1Gi"),
              StartsWith("# pod a: not resized: it is Burstable and would be Guaranteed"));
  EXPECT_THAT(patches(resized_pod(container("")), "memory=2Gi"),
              StartsWith("# pod a: not resized: it is BestEffort and would be Burstable"));
  EXPECT_THAT(patches(resized_pod(container(same)), "cpu=1,memory=1Gi"), StartsWith("kubectl patch pod a"));
}

TEST(Patches, SayThatKubernetes133RefusesLowerMemoryLimits) {
  const std::string lowered = "requests: {memory: 1Gi}, limits: {memory: 3Gi}";
  EXPECT_THAT(patches(resized_pod(container(lowered)), "memory=2Gi"),
              AllOf(StartsWith("# pod a: lowers memory limits (c): Kubernetes 1.33 refuses the patch unless"),
                    HasSubstr("\nkubectl patch pod a --subresource resize")));
  const std::string restarts = "resizePolicy: [{resourceName: memory, restartPolicy: RestartContainer}], ";
  const std::string keeps =
      "resizePolicy: [{resourceName: memory, restartPolicy: NotRequired}, "
      "{resourceName: cpu, restartPolicy: RestartContainer}], ";
  EXPECT_THAT(patches(resized_pod(container(lowered, restarts)), "memory=2Gi"), StartsWith("kubectl"));
  EXPECT_THAT(patches(resized_pod(container(lowered, keeps)), "memory=2Gi"), StartsWith("# pod a: lowers"));
  EXPECT_THAT(patches(resized_pod(container(lowered)), "memory=3Gi"), StartsWith("kubectl"));
}

TEST(Patches, LeaveOutStorage) {
  const std::string both = "requests: {cpu: 1, ephemeral-storage: 1Gi}, limits: {ephemeral-storage: 1Gi}";
  const std::string text = patches(resized_pod(container(both)), "cpu=2,ephemeral-storage=2Gi");
  EXPECT_THAT(text, StartsWith("# pod a: ephemeral-storage cannot be resized in place; recreate it"));
  EXPECT_THAT(text, HasSubstr("\"resources\":{\"limits\":{\"cpu\":\"2\"}}"));
  EXPECT_THAT(patches(resized_pod(container(both)), "ephemeral-storage=2Gi"), Not(HasSubstr("kubectl")));
  EXPECT_THAT(patches(resized_pod(container(both)), "cpu=2,ephemeral-storage=1Gi"), StartsWith("kubectl"));
}

TEST(Patches, LeaveOutInitContainersButNotSidecars) {
  const std::string text =
      patches(resized_pod(container("requests: {cpu: 1}")) +
                  "  initContainers:\n  - {name: i, resources: {requests: {cpu: 1}}}\n  - {name: s, "
                  "restartPolicy: Always, resources: {requests: {cpu: 1}}}\n",
              "cpu=4");
  EXPECT_THAT(text, StartsWith("# pod a: init containers cannot be resized in place (i); recreate it"));
  EXPECT_THAT(text, HasSubstr("\"initContainers\":[{\"name\":\"s\""));
  EXPECT_THAT(text, Not(HasSubstr("\"name\":\"i\"")));
}

// The class goes by what the patch leaves as it is, too.
TEST(Patches, CountTheInitContainersThatKeepTheirLimitsInTheClass) {
  const std::string init = "  initContainers:\n  - {name: i, resources: {limits: {cpu: 1, memory: 1Gi}}}\n";
  EXPECT_THAT(
      patches(resized_pod(container("requests: {cpu: 2, memory: 2Gi}, limits: {cpu: 3, memory: 3Gi}")) + init,
              "cpu=2,memory=2Gi"),
      StartsWith("# pod a: not resized: it is Burstable and would be Guaranteed"));
}

TEST(Patches, LeavePodsOfWindowsAlone) {
  EXPECT_THAT(patches(resized_pod(container("requests: {cpu: 1}")) + "  os: {name: windows}\n", "cpu=2"),
              StartsWith("# pod a: a pod of Windows is not resized; recreate it"));
  EXPECT_THAT(patches(resized_pod(container("requests: {cpu: 1}")) + "  os: {name: linux}\n", "cpu=2"),
              StartsWith("kubectl"));
}

TEST(Patches, LeaveStaticPodsAlone) {
  EXPECT_EQ(patches(resized_pod(container("requests: {cpu: 1}"),
                                "name: etcd, annotations: {kubernetes.io/config.mirror: 0f1e}"),
                    "cpu=2"),
            "# pod etcd: a static pod is not resized; write the limits into its file on the node\n");
}

}  // namespace
}  // namespace mirab::kubernetes
