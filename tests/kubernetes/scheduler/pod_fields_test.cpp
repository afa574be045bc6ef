#include "kubernetes/scheduler/pod_fields.hpp"

#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "kubernetes/scheduler/seen_pod.hpp"

namespace mirab::kubernetes::testing {
namespace {

/// A pod with these further fields of its specification, in JSON.
Node pod_of(const std::string& more, const std::string& container = "") {
  const std::string text =
      R"({"kind":"Pod","metadata":{"name":"p","namespace":"ns","uid":"u","creationTimestamp":"2027-03-01T08:00:00Z"},)"
      R"("spec":{"schedulerName":"mirab","containers":[{"name":"c","image":"i","resources":{"requests":{"cpu":"100m"}})" +
      (container.empty() ? "" : "," + container) + "}]" + (more.empty() ? "" : "," + more) + "}}";
  Result<Node> node = read_json_line(text, "test", 1);
  EXPECT_TRUE(node) << text;
  return node ? *std::move(node) : Node{};
}

std::string refused(const std::string& more, const std::string& container = "") {
  const Node node = pod_of(more, container);
  return unsupported_field({.kind = "Pod", .root = &node, .pointer = ""}).value_or("");
}

struct Field {
  std::string spec;
  std::string refused;  // empty: honoured
};

/// A pod with these labels, annotations and status, in JSON.
Node bound_pod(const std::string& metadata, const std::string& status) {
  const std::string text = R"({"kind":"Pod","metadata":{"name":"p","namespace":"ns","uid":"u",)" + metadata +
                           R"(},"spec":{"nodeName":"n","containers":[{"name":"c","image":"i"}]},"status":)" +
                           status + "}";
  const Result<Node> node = read_json_line(text, "test", 1);
  EXPECT_TRUE(node) << text;
  return node ? *node : Node{};
}

SeenPod seen_with(const std::string& metadata) {
  const Node node = bound_pod(metadata, "{}");
  return *read_seen_pod({.kind = "Pod", .root = &node, .pointer = ""});
}

bool is_rejected_with(const std::string& status) {
  const Node node = bound_pod(R"("labels":{})", status);
  return is_rejected({.kind = "Pod", .root = &node, .pointer = ""});
}

TEST(PodFields, APodThatIsResizedInPlaceHoldsTheLargerSize) {
  const std::string text =
      R"({"kind":"Pod","metadata":{"name":"p","namespace":"ns","uid":"u"},"spec":{"nodeName":"n","containers":)"
      R"([{"name":"c","image":"i","resources":{"requests":{"cpu":"500m"}}}]},"status":{"containerStatuses":)"
      R"([{"name":"c","allocatedResources":{"cpu":"3"},"resources":{"requests":{"cpu":"2"}}}]}})";
  const Node node = *read_json_line(text, "test", 1);
  const SeenPod seen = *read_seen_pod({.kind = "Pod", .root = &node, .pointer = ""});
  EXPECT_EQ(seen.requests.at("cpu"), 3000);
  EXPECT_EQ(seen.unsupported, "");
}

TEST(PodFields, AnAmountBeyondAllBoundsIsMoreThanAnyNodeHas) {
  const Node node = pod_of("", R"("ports":[])");
  Node huge = node;
  value_at(huge, "/spec/containers/0/resources/requests/cpu")->text = "50E";
  const SeenPod seen = *read_seen_pod({.kind = "Pod", .root = &huge, .pointer = ""});
  EXPECT_EQ(seen.requests.at("cpu"), kMaxUnits + 1);
  EXPECT_EQ(seen.unsupported, "");
}

TEST(PodFields, ATolerationOfNumbersIsHonoured) {
  const Node node =
      pod_of(R"("tolerations":[{"key":"sla","operator":"Gt","value":"900","effect":"NoSchedule"}])");
  const SeenPod seen = *read_seen_pod({.kind = "Pod", .root = &node, .pointer = ""});
  EXPECT_EQ(seen.unsupported, "");
  EXPECT_TRUE(allows(seen.rule, "n", {}, {{.key = "sla", .value = "950", .effect = "NoSchedule"}}));
}

TEST(PodFields, AGangIsNamedByMirabsMarksOrByThoseOfKueue) {
  SeenPod seen = seen_with(R"("labels":{"mirab.io/gang":"g","mirab.io/gang-size":"4"})");
  EXPECT_EQ(seen.gang, "g");
  EXPECT_EQ(seen.gang_size, 4);
  seen = seen_with(
      R"("labels":{"kueue.x-k8s.io/pod-group-name":"k"},"annotations":{"kueue.x-k8s.io/pod-group-total-count":"2"})");
  EXPECT_EQ(seen.gang, "k");
  EXPECT_EQ(seen.gang_size, 2);
  EXPECT_EQ(seen_with(R"("labels":{"mirab.io/gang":"g","mirab.io/gang-size":"1"})").gang, "") << "alone";
  for (const char* size : {"", "0", "x", "2x", "-1", "100001"}) {
    seen = seen_with(R"("labels":{"mirab.io/gang":"g","mirab.io/gang-size":")" + std::string(size) + "\"}");
    EXPECT_EQ(seen.unsupported, "metadata.labels[mirab.io/gang-size]") << size;
    EXPECT_EQ(seen.fault, "must be a whole number from 1 to 100000") << size;
  }
}

TEST(PodFields, AGeneratedNameIsItsBaseAndFiveCharacters) {
  const auto is_generated = [](const std::string& name, const std::string& base) {
    const Result<Node> pod = read_json_line(
        R"({"kind":"Pod","metadata":{"uid":"u","name":")" + name + R"(","generateName":")" + base + R"("}})",
        "test", 1);
    return read_seen_pod({.kind = "Pod", .root = &*pod, .pointer = ""})->has_generated_name;
  };
  EXPECT_TRUE(is_generated("web-x2k4z", "web-"));
  EXPECT_FALSE(is_generated("web-x2k4z", ""));
  EXPECT_FALSE(is_generated("web-x2k4", "web-"));
  EXPECT_FALSE(is_generated("job-x2k4z", "web-"));
  for (const char* numbered : {"web-10000", "web-24567"})
    EXPECT_FALSE(is_generated(numbered, "web-")) << "a StatefulSet numbers its pods";
  const std::string base(60, 'w');
  EXPECT_TRUE(is_generated(base.substr(0, 58) + "x2k4z", base)) << "the API server cuts it off";
}

TEST(PodFields, AControllerAndARefusalOfTheKubeletAreSeen) {
  EXPECT_FALSE(seen_with(R"("labels":{})").has_controller);
  EXPECT_FALSE(seen_with(R"("ownerReferences":[{"kind":"Node","name":"n"}])").has_controller);
  EXPECT_TRUE(seen_with(R"("ownerReferences":[{"kind":"Job","name":"j","controller":true}])").has_controller);
  EXPECT_TRUE(is_rejected_with(R"({"phase":"Failed","reason":"OutOfmemory"})"));
  EXPECT_FALSE(is_rejected_with(R"({"phase":"Failed","reason":"Evicted"})"));
}

TEST(PodFields, EachThatCannotBeHonouredIsNamed) {
  const std::vector<Field> fields = {
      {R"("affinity":{"podAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":[{"topologyKey":"z"}]}})",
       "spec.affinity.podAffinity"},
      {R"("affinity":{"podAntiAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":[{"topologyKey":"z"}]}})",
       "spec.affinity.podAntiAffinity"},
      {R"("topologySpreadConstraints":[{"whenUnsatisfiable":"ScheduleAnyway"},{"whenUnsatisfiable":"DoNotSchedule"}])",
       "spec.topologySpreadConstraints[1]"},
      {R"("volumes":[{"name":"a","emptyDir":{}},{"name":"v","persistentVolumeClaim":{"claimName":"c"}}])",
       "spec.volumes[1].persistentVolumeClaim"},
      {R"("volumes":[{"name":"v","ephemeral":{"volumeClaimTemplate":{"spec":{"x":"y"}}}}])",
       "spec.volumes[0].ephemeral"},
      {R"("volumes":[{"name":"v","awsElasticBlockStore":{"volumeID":"x"}}])",
       "spec.volumes[0].awsElasticBlockStore"},
      {R"("resourceClaims":[{"name":"gpu"}])", "spec.resourceClaims"},
      {R"("resources":{"requests":{"cpu":"1"}})", "spec.resources"},
      {R"("fieldOfALaterRelease":{"a":"b"})", "spec.fieldOfALaterRelease"},
      {R"("affinity":{"raceAffinity":{"a":"b"}})", "spec.affinity.raceAffinity"},
  };
  for (const Field& each : fields) EXPECT_EQ(refused(each.spec), each.refused) << each.spec;
  EXPECT_EQ(refused("", R"("ports":[{"containerPort":80},{"containerPort":81,"hostPort":81}])"),
            "spec.containers[0].ports[1].hostPort");
  EXPECT_EQ(refused("", R"("volumeDevices":[{"name":"v","devicePath":"/dev/x"}])"),
            "spec.containers[0].volumeDevices");
  EXPECT_EQ(refused(R"("initContainers":[{"name":"i","resources":{"claims":[{"name":"g"}]}}])"),
            "spec.initContainers[0].resources.claims");
}

TEST(PodFields, WhatDoesNotMatterOrIsHonouredIsLetThrough) {
  for (
      const char* each : {
          R"("nodeSelector":{"a":"b"})",
          R"("affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[{"matchExpressions":[{"key":"a","operator":"Exists"}]}]}}})",
          R"("affinity":{"nodeAffinity":{"preferredDuringSchedulingIgnoredDuringExecution":[{"weight":1}]},"podAffinity":{"preferredDuringSchedulingIgnoredDuringExecution":[{"weight":1}]}})",
          R"("affinity":{"podAntiAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":[]}})",
          R"("tolerations":[{"operator":"Exists"}])",
          R"("topologySpreadConstraints":[{"whenUnsatisfiable":"ScheduleAnyway"}])",
          R"("volumes":[{"name":"a","configMap":{"name":"x"}},{"name":"b","secret":{"secretName":"x"}},{"name":"c","projected":{"sources":[{"a":"b"}]}},{"name":"d","downwardAPI":{"items":[{"path":"x"}]}},{"name":"e","hostPath":{"path":"/"}},{"name":"f","nfs":{"path":"/"}},{"name":"g","emptyDir":{"medium":"Memory"}}])",
          R"("priority":5,"priorityClassName":"high","preemptionPolicy":"Never","overhead":{"cpu":"1m"},"os":{"name":"linux"})",
          R"("schedulingGates":[{"name":"g"}],"hostNetwork":true,"terminationGracePeriodSeconds":30,"dnsPolicy":"ClusterFirst")",
      })
    EXPECT_EQ(refused(each), "") << each;
  EXPECT_EQ(refused("", R"("ports":[{"containerPort":80,"hostPort":0}],"env":[{"name":"a"}])"), "");
}

TEST(PodFields, PreferencesAreCounted) {
  const Node node = pod_of(
      R"("affinity":{"nodeAffinity":{"preferredDuringSchedulingIgnoredDuringExecution":[{"weight":1},{"weight":2}]}},"topologySpreadConstraints":[{"whenUnsatisfiable":"ScheduleAnyway"}])");
  EXPECT_EQ(preferences_of({.kind = "Pod", .root = &node, .pointer = ""}), 3);
}

TEST(SeenPod, ReadsWhatDecidesWhereAPodRuns) {
  const Node node =
      pod_of(R"("nodeName":"n7","priority":12,"os":{"name":"linux"},"schedulingGates":[{"name":"g"}])",
             R"("ports":[{"containerPort":80}])");
  const Result<SeenPod> seen = read_seen_pod({.kind = "Pod", .root = &node, .pointer = ""});
  ASSERT_TRUE(seen);
  EXPECT_EQ(seen->label(), "ns/p");
  EXPECT_EQ(seen->node, "n7");
  EXPECT_EQ(seen->priority, 12);
  EXPECT_TRUE(seen->is_gated);
  EXPECT_EQ(seen->rule.selector.at("kubernetes.io/os"), "linux");
  EXPECT_EQ(seen->requests, (Amounts{{"cpu", 100}, {"pods", 1}}));
  EXPECT_EQ(seen->created, *wall_of("2027-03-01T08:00:00Z"));
}

TEST(SeenPod, WhatCannotBeReadIsTheFaultOfAField) {
  const Node node = pod_of(R"("tolerations":[{"operator":"Perhaps"}])");
  const Result<SeenPod> seen = read_seen_pod({.kind = "Pod", .root = &node, .pointer = ""});
  ASSERT_TRUE(seen);
  EXPECT_EQ(seen->unsupported, "spec.tolerations[0].operator");
  EXPECT_EQ(seen->fault, "must be Exists, Equal, Gt or Lt, not 'Perhaps'");
}

}  // namespace
}  // namespace mirab::kubernetes::testing
