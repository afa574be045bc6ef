#include <algorithm>
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <mirab/kubernetes/pods.hpp>

namespace mirab::kubernetes {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr Units kMi = 1 << 20;
const PodReading kBoth{.resources = {"cpu", "memory"}, .default_request = {}, .node = {}};

Pods read(std::string_view text, const PodReading& reading = kBoth, Syntax syntax = Syntax::yaml) {
  Result<Pods> pods = read_pods(text, syntax, "pods.yaml", reading);
  EXPECT_TRUE(pods) << (pods ? "" : describe(pods.error()));
  return pods ? *std::move(pods) : Pods{};
}

std::string refusal(std::string_view text, const PodReading& reading = kBoth) {
  const Result<Pods> pods = read_pods(text, Syntax::yaml, "pods.yaml", reading);
  return pods ? "read" : describe(pods.error());
}

std::string pod_manifest(const std::string& name, const std::string& containers,
                         const std::string& more = "") {
  return "kind: Pod\nmetadata: {name: " + name + "}\nspec:\n" + more + "  containers:\n" + containers +
         "\n---\n";
}

constexpr const char* kOne = "  - {name: c, resources: {requests: {cpu: 100m, memory: 64Mi}}}";

TEST(Pods, OfSeveralDocumentsAreReadInOrderAndOtherKindsPassedOver) {
  const Pods pods = read(pod_manifest("a", kOne) + "kind: Service\nmetadata: {name: s}\n---\n---\n" +
                         pod_manifest("b", kOne));
  ASSERT_EQ(pods.workloads.size(), 2u);
  EXPECT_EQ(pods.workloads[0].name, "a");
  EXPECT_EQ(pods.workloads[1].name, "b");
  EXPECT_EQ(pods.workloads[1].containers[0].needs[0].request, 100);
  EXPECT_EQ(pods.workloads[1].containers[0].needs[1].request, 64 * kMi);
}

TEST(Pods, AreReadFromTheListThatKubectlPrints) {
  const Pods pods = read(R"({"apiVersion": "v1", "kind": "List", "items": [
      {"kind": "Pod", "metadata": {"name": "a", "namespace": "shop"}, "spec": {"containers": [
         {"name": "c", "resources": {"requests": {"cpu": 0.5, "memory": "1Gi"}, "limits": {"cpu": "2"}}}]},
       "status": {"phase": "Running"}}]})",
                         kBoth, Syntax::json);
  ASSERT_EQ(pods.workloads.size(), 1u);
  const Container& container = pods.workloads[0].containers[0];
  EXPECT_EQ(container.pointer, "/items/0/spec/containers/0");
  EXPECT_EQ(container.needs[0].request, 500);
  EXPECT_EQ(container.needs[0].limit, 2000);
  EXPECT_EQ(container.needs[1].limit, std::nullopt);
  EXPECT_EQ(pods.workloads[0].space, "shop");
}

// As `kubectl get pod a -o json; kubectl get pod b -o json` prints them, and `kubectl cluster-info dump`.
TEST(Pods, OfSeveralJsonTextsOneAfterTheOtherAreReadWhateverTheFileIsCalled) {
  const auto json = [](const std::string& name) {
    return R"({"kind": "Pod", "metadata": {"name": ")" + name +
           R"("}, "spec": {"containers": [{"name": "c", "resources": {"requests": {"cpu": "1", "memory": "1Gi"}}}]}})";
  };
  const std::vector<std::string> betweens = {"", "\n",
                                             "\n==== START logs for container c of pod d/a ====\n{\"no\n==== "
                                             "END logs for container c of pod d/a ====\n",
                                             "\n==== START logs for container c of pod d/a ====\nno line "
                                             "end==== END logs for container c of pod d/a "
                                             "====\n"};
  for (const std::string& between : betweens) {
    for (const Syntax syntax : {Syntax::yaml, Syntax::json}) {
      const Pods pods = read(json("a") + between + json("b"), kBoth, syntax);
      ASSERT_EQ(pods.workloads.size(), 2u) << between;
      EXPECT_EQ(pods.workloads[1].name, "b");
      EXPECT_EQ(pods.workloads[1].document, 1u);
      EXPECT_EQ(pods.workloads[1].line, 1 + std::count(between.begin(), between.end(), '\n'));
    }
  }
  EXPECT_THAT(refusal(json("a") + "\nand so on"), HasSubstr("pods.yaml:2: "));
  EXPECT_THAT(refusal(json("a") + json("b").substr(0, 29)), HasSubstr("pods.yaml:1: "));
}

TEST(Pods, WithNumbersThatReadersTakeForDifferentOnesAreRefused) {
  EXPECT_THAT(refusal(pod_manifest("a", "  - {name: c, resources: {requests: {cpu: 010, memory: 64Mi}}}")),
              HasSubstr("'010' begins with 0"));
  EXPECT_THAT(refusal(pod_manifest("a", "  - {name: c, resources: {requests: {cpu: 0x10, memory: 64Mi}}}")),
              HasSubstr("0x10"));
  EXPECT_EQ(refusal(pod_manifest("a", "  - {name: c, resources: {requests: {cpu: 0.5, memory: 1Mi}}}")),
            "read");
}

// kubectl merges the map, which would be passed over here.
TEST(Pods, WithMergedMapsAreRefused) {
  EXPECT_THAT(
      refusal(pod_manifest("a", "  - {name: c, resources: {requests: {<<: {cpu: 2}, memory: 64Mi}}}")),
      HasSubstr("merged maps (<<)"));
  EXPECT_EQ(refusal(pod_manifest("a", "  - {name: c, resources: {requests: {cpu: 1, memory: 64Mi}}}") +
                    "kind: Service\nmetadata: {\"<<\": s}\n"),
            "read");
}

TEST(Pods, OfATemplateCountAsItsReplicas) {
  const auto object = [](const std::string& kind, const std::string& spec, const std::string& indent) {
    return "kind: " + kind + "\nmetadata: {name: x}\nspec:\n" + spec + indent +
           "template: {spec: {containers: [{name: c, resources: {requests: {cpu: 1, memory: 1Gi}}}]}}\n---\n";
  };
  const Pods pods = read(object("Deployment", "  replicas: 3\n", "  ") +
                         object("StatefulSet", "  replicas: 2\n", "  ") + object("DaemonSet", "", "  ") +
                         object("ReplicaSet", "", "  ") + object("Job", "  parallelism: 4\n", "  ") +
                         object("CronJob", "  jobTemplate:\n   spec:\n    parallelism: 5\n", "    "));
  std::vector<std::string> counted;
  for (const Workload& each : pods.workloads) counted.push_back(fmt::format("{} {}", each.name, each.pods));
  EXPECT_THAT(counted, ElementsAre("deployment/x 3", "statefulset/x 2", "daemonset/x 1", "replicaset/x 1",
                                   "job/x 4", "cronjob/x 5"));
}

TEST(Pods, WithoutARequestAskForTheirLimit) {
  const Pods pods = read(pod_manifest("a", "  - {name: c, resources: {limits: {cpu: 200m, memory: 1Gi}}}"));
  const Need& need = pods.workloads[0].containers[0].needs[0];
  EXPECT_EQ(need.request, 200);
  EXPECT_FALSE(need.request_written);
}

TEST(Pods, WithNeitherRequestNorLimitAskForWhatIsGivenForSuch) {
  const std::string text =
      pod_manifest("a", "  - {name: c}\n  - {name: d, resources: {requests: {cpu: 0, memory: 1Gi}}}");
  EXPECT_THAT(refusal(text), HasSubstr("pods.yaml:5: spec.containers[0].resources.requests.cpu: neither a "
                                       "request nor a limit"));
  PodReading reading = kBoth;
  reading.default_request = {{"cpu", 50}, {"memory", 32 * kMi}};
  const Pods pods = read(text, reading);
  EXPECT_EQ(pods.workloads[0].containers[0].needs[0].request, 50);
  EXPECT_EQ(pods.workloads[0].containers[0].needs[1].request, 32 * kMi);
  EXPECT_EQ(pods.workloads[0].containers[0].needs[1].step, kMi);
  EXPECT_EQ(pods.workloads[0].containers[1].needs[0].request, 50);
  EXPECT_EQ(pods.workloads[0].containers[1].needs[1].request, 1024 * kMi);
}

// Kubernetes, "Sidecar Containers", resource sharing within containers.
TEST(Pods, TakeWhatRunsTogetherOrTheLargestStepOfTheirStart) {
  const auto requests = [](const std::string& inits, const std::string& more) {
    const std::string main =
        "  - {name: a, resources: {requests: {cpu: 100m}}}\n  - {name: b, resources: {requests: {cpu: "
        "200m}}}";
    const PodReading cpus{.resources = {"cpu"}, .default_request = {}, .node = {}};
    return request_of_pod(
        read(pod_manifest("p", main, more + "  initContainers:\n" + inits), cpus).workloads[0], 0);
  };
  const auto init = [](const std::string& name, int cpus, const std::string& more = "") {
    return fmt::format("  - {{name: {}, {}resources: {{requests: {{cpu: {}m}}}}}}\n", name, more, cpus);
  };
  const std::string sidecar = "restartPolicy: Always, ";
  EXPECT_EQ(requests(init("i", 250) + init("j", 10), ""), 300);
  EXPECT_EQ(requests(init("i", 500) + init("j", 10), ""), 500);
  EXPECT_EQ(requests(init("s", 90, sidecar) + init("i", 10), ""), 390);
  EXPECT_EQ(requests(init("s", 90, sidecar) + init("i", 400), ""), 490);
  EXPECT_EQ(requests(init("i", 400) + init("s", 90, sidecar), ""), 400);
  EXPECT_EQ(requests(init("i", 500), "  overhead: {cpu: 50m}\n"), 550);
}

TEST(Pods, ThatAreDoneElsewhereOwnedOrNotWantedAreLeftOutWithANotice) {
  const std::string owned =
      "kind: Pod\nmetadata: {name: web-1, ownerReferences: [{kind: Deployment, name: web}]}\n"
      "spec: {containers: [{name: c}]}\n---\n";
  const std::string web =
      "kind: Deployment\nmetadata: {name: web}\nspec:\n  template: {spec: {containers: [{name: c, resources: "
      "{requests: {cpu: 1, memory: 1Gi}}}]}}\n---\n";
  const std::string none =
      "kind: Deployment\nmetadata: {name: idle}\nspec:\n  replicas: 0\n  template: {spec: {containers: "
      "[{name: c, "
      "resources: {requests: {cpu: 1, memory: 1Gi}}}]}}\n---\n";
  PodReading reading = kBoth;
  reading.node = "here";
  const Pods pods = read(pod_manifest("old", kOne + std::string("\nstatus: {phase: Succeeded}")) +
                             pod_manifest("far", kOne, "  nodeName: there\n") +
                             pod_manifest("soon", kOne + std::string("\nstatus: {phase: Pending}")) +
                             pod_manifest("near", kOne, "  nodeName: here\n") + owned + web + none,
                         reading);
  std::vector<std::string> names;
  for (const Workload& each : pods.workloads) names.push_back(each.name);
  EXPECT_THAT(names, ElementsAre("near", "deployment/web"));
  EXPECT_THAT(pods.notices,
              ElementsAre("left out, since their owners are counted: web-1",
                          "left out, since they are done: old", "left out, since they wait for a node: soon",
                          "1 pod on another node skipped: far", "left out, since they run no pods: idle"));
}

// kubectl get deployments,pods: the ReplicaSet between them is not in the text.
TEST(Pods, OfADeploymentAreItsOwnThroughItsReplicaSetToo) {
  const auto pod_of = [](const std::string& replica_set, const std::string& hash) {
    return "kind: Pod\nmetadata: {name: " + replica_set + "-x, labels: {pod-template-hash: " + hash +
           "}, ownerReferences: [{kind: ReplicaSet, name: " + replica_set + "}]}\nspec:\n  containers:\n" +
           kOne + "\n---\n";
  };
  const std::string web =
      "kind: Deployment\nmetadata: {name: web}\nspec:\n  template: {spec: {containers: [{name: c, resources: "
      "{requests: {cpu: 1, memory: 1Gi}}}]}}\n---\n";
  const Pods pods =
      read(web + pod_of("web-5d4f", "5d4f") + pod_of("web-api-77c", "77c") + pod_of("web-5d4f2", "4f2"));
  std::vector<std::string> names;
  for (const Workload& each : pods.workloads) names.push_back(each.name);
  EXPECT_THAT(names, ElementsAre("deployment/web", "web-api-77c-x", "web-5d4f2-x"));
}

TEST(Pods, OfOneNameInTwoNamespacesAreToldApart) {
  const auto in = [](const std::string& space) {
    return "kind: Pod\nmetadata: {name: a, namespace: " + space + "}\nspec:\n  containers:\n" + kOne +
           "\n---\n";
  };
  const Pods pods = read(in("x") + in("y"));
  EXPECT_EQ(pods.workloads[0].name, "x/a");
  EXPECT_EQ(pods.workloads[1].name, "y/a");
  EXPECT_EQ(refusal(in("x") + in("x")),
            "pods.yaml:7: metadata.name: duplicate pod 'a'; the first is on line 1");
}

TEST(Pods, ThatCannotBeReadAreRefusedWithFileLineAndKey) {
  EXPECT_EQ(refusal("kind: Service\n"), "pods.yaml: the file contains no pod and no object that runs pods");
  EXPECT_EQ(refusal(""), "pods.yaml: the file contains no pod and no object that runs pods");
  EXPECT_EQ(refusal("kind: Pod\nmetadata: {name: a}\n"),
            "pods.yaml:1: spec: missing: the specification of the pod");
  EXPECT_THAT(refusal("kind: Pod\nspec: {containers: []}\n"),
              HasSubstr("pods.yaml:1: metadata.name: missing"));
  EXPECT_THAT(refusal("kind: Pod\nmetadata: {name: \"a; reboot\"}\nspec: {containers: []}\n"),
              HasSubstr("metadata.name: is not a valid Kubernetes name"));
  EXPECT_THAT(refusal(pod_manifest("a", "  []")), HasSubstr("pods.yaml:4: spec.containers: missing"));
  EXPECT_THAT(refusal("kind: Pod\nmetadata: {name: a}\nspec: {containers: {name: c}}\n"),
              HasSubstr("pods.yaml:3: spec.containers: must be a list"));
  EXPECT_THAT(refusal(pod_manifest("a", "  - {name: c, resources: [cpu]}")),
              HasSubstr("pods.yaml:5: spec.containers[0].resources: must be a map"));
  EXPECT_THAT(refusal(pod_manifest("a", "  - {name: c, resources: {limits: 3}}")),
              HasSubstr("pods.yaml:5: spec.containers[0].resources.limits: must be a map"));
  EXPECT_THAT(refusal("kind: List\nitems: {a: 1}\n"),
              HasSubstr("pods.yaml:2: items: must be a list of objects"));
  EXPECT_THAT(refusal(pod_manifest("a", "  - {image: x}")),
              HasSubstr("pods.yaml:5: spec.containers[0].name: missing"));
  EXPECT_THAT(refusal(pod_manifest("a", std::string(kOne) + "\n" + kOne)),
              HasSubstr("pods.yaml:6: spec.containers[1].name: a second container of this name"));
  EXPECT_THAT(refusal(pod_manifest("a", "  - name: c\n    resources:\n      requests:\n        cpu: lots")),
              HasSubstr("pods.yaml:8: spec.containers[0].resources.requests.cpu: 'lots' is not an amount"));
  EXPECT_THAT(
      refusal(
          pod_manifest("a",
                       "  - name: c\n    resources:\n      requests: {cpu: 2, memory: 1Gi}\n      limits:\n"
                       "        cpu: 1")),
      HasSubstr("pods.yaml:9: spec.containers[0].resources.limits.cpu: the limit 1 is below the request 2"));
  EXPECT_THAT(refusal(pod_manifest("a", kOne, "  resources: {requests: {cpu: 1}}\n")),
              HasSubstr("pods.yaml:4: spec.resources: requests of a whole pod"));
  EXPECT_THAT(
      refusal("kind: Deployment\nmetadata: {name: w}\nspec:\n  replicas: -1\n  template: {spec: {}}\n"),
      HasSubstr("pods.yaml:4: spec.replicas: must be a whole number"));
  EXPECT_THAT(refusal("kind: Pod\n  bad: indent\n"), HasSubstr("pods.yaml:2: "));
  EXPECT_THAT(refusal("kind: List\nitems:\n- kind: Pod\n  metadata: {name: a}\n"),
              HasSubstr("pods.yaml:3: items[0].spec: missing"));
}

TEST(Pods, InATextAtWhichTheParserStandsStillAreRefused) {
  EXPECT_THAT(refusal("kind: Pod\nspec:\n  a:\n    b:\n      \t:\n        c: d\n"), HasSubstr("pods.yaml:"));
  EXPECT_THAT(refusal("kind: Pod\n]\n"), HasSubstr("pods.yaml:2: "));
  EXPECT_THAT(refusal("a: 1\n b: 2\n"), HasSubstr("pods.yaml:2: "));
}

TEST(Pods, OfTooManyContainersAreRefusedBeforeTheyTakeMemory) {
  EXPECT_THAT(
      refusal(
          "kind: Deployment\nmetadata: {name: w}\nspec:\n  replicas: 20000\n  template: {spec: {containers: "
          "[{name: a, resources: {limits: {cpu: 1, memory: 1}}}, {name: b, resources: {limits: {cpu: "
          "1, memory: 1}}}]}}\n"),
      HasSubstr("spec.replicas: more than 30000 containers"));
}

}  // namespace
}  // namespace mirab::kubernetes
