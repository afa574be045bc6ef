// A cluster of Kubernetes as a cluster file.
#include "kubernetes/cluster_import.hpp"

#include <cmath>
#include <fmt/format.h>
#include <functional>
#include <gmock/gmock.h>
#include <map>
#include <set>
#include <tuple>

#include <mirab/mechanisms/mechanism.hpp>
#include <mirab/model/cluster_file.hpp>
#include <mirab/model/random.hpp>

#include "model/eligibility.hpp"
#include "support/files.hpp"

namespace mirab::kubernetes {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

ObjectText objects(const std::string& text, Syntax syntax = Syntax::yaml,
                   const std::string& file = "c.yaml") {
  Result<std::vector<Node>> documents = read_documents(text, syntax, file);
  EXPECT_TRUE(documents) << (documents ? "" : describe(documents.error()));
  return {file, documents ? *std::move(documents) : std::vector<Node>{}};
}

Result<ClusterImport> try_import(const std::string& text, const ClusterImportOptions& options = {}) {
  const std::vector<ObjectText> texts{objects(text)};
  return import_cluster(texts, options);
}

ClusterImport import_text(const std::string& text, const ClusterImportOptions& options = {}) {
  Result<ClusterImport> import = try_import(text, options);
  EXPECT_TRUE(import) << (import ? "" : describe(import.error()));
  return import ? *std::move(import) : ClusterImport{};
}

std::string import_refusal(const std::string& text, const ClusterImportOptions& options = {}) {
  const Result<ClusterImport> import = try_import(text, options);
  return import ? "imported" : describe(import.error());
}

/// The file below its head.
std::string yaml(const ClusterImport& import) { return write_cluster_yaml(import.cluster); }

std::string node(const std::string& name, const std::string& labels = "", const std::string& spec = "",
                 const std::string& allocatable = "cpu: 4, memory: 16Gi, pods: 110") {
  return fmt::format(
      "kind: Node\nmetadata: {{name: {}, labels: {{{}}}}}\nspec: {{{}}}\nstatus: {{allocatable: "
      "{{{}}}}}\n---\n",
      name, labels, spec, allocatable);
}

struct TestPod {
  std::string name;
  std::string space = "shop";
  std::string on = "";                           // a node
  std::string spec = "";                         // lines of the spec, each `  key: value\n`
  std::string requests = "cpu: 1, memory: 1Gi";  // of its only container
  std::string metadata = "";                     // `, labels: {…}`
  std::string phase = "Running";
};

std::string pod(const TestPod& pod) {
  return fmt::format(
      "kind: Pod\nmetadata: {{name: {}, namespace: {}{}}}\nspec:\n{}{}  containers: [{{name: c, resources: "
      "{{requests: "
      "{{{}}}}}}}]\nstatus: {{phase: {}}}\n---\n",
      pod.name, pod.space, pod.metadata, pod.on.empty() ? "" : "  nodeName: " + pod.on + "\n", pod.spec,
      pod.requests, pod.phase);
}

std::string owned_by(const std::string& kind, const std::string& name) {
  return fmt::format(", ownerReferences: [{{kind: {}, name: {}, controller: true}}]", kind, name);
}

TEST(KubernetesImport, TheExampleIsWhatTheImporterMakesOfItsNodesAndPods) {
  const std::string folder = MIRAB_SOURCE_DIR "/examples/kubernetes/";
  const std::vector<ObjectText> texts{objects(read_text(folder + "nodes.json"), Syntax::json, "nodes.json"),
                                      objects(read_text(folder + "pods.json"), Syntax::json, "pods.json")};
  const Result<ClusterImport> import = import_cluster(texts, {});
  ASSERT_TRUE(import) << describe(import.error());
  const std::string kept = read_text(folder + "cluster.yaml");
  EXPECT_EQ(kept.substr(kept.find("version:")), yaml(*import));
  EXPECT_EQ(import->nodes.size(), 3u);
  std::int64_t running = 0;
  for (const Running& each : *import->cluster.running) running += *count_units(each.tasks, 0, Rounding::down);
  EXPECT_EQ(running, 294);  // 300 of teams, of which 6 wait for a GPU
}

TEST(KubernetesImport, EqualNodesAreOneEntryAndEqualPodsOneShape) {
  const ClusterImport import =
      import_text(node("n1") + node("n2") + node("big", "", "", "cpu: 8, memory: 32Gi") +
                  pod({.name = "web-1", .on = "n1", .metadata = owned_by("StatefulSet", "web")}) +
                  pod({.name = "web-2", .on = "n2", .metadata = owned_by("StatefulSet", "web")}) +
                  pod({.name = "db", .requests = "cpu: 2, memory: 8Gi", .phase = "Pending"}) +
                  pod({.name = "one", .space = "solo", .on = "big"}));
  EXPECT_EQ(yaml(import), R"(version: 1
resources: [cpu, memory]
servers:
  - {name: n, capacity: {cpu: 4, memory: 16Gi}, count: 2}
  - {name: big, capacity: {cpu: 8, memory: 32Gi}}
users:
  - {name: shop, shapes: [
    {name: web, demand: {cpu: 1, memory: 1Gi}, tasks: 2},
    {name: db, demand: {cpu: 2, memory: 8Gi}, tasks: 1},
  ]}
  - {name: solo, demand: {cpu: 1, memory: 1Gi}, tasks: 1}
running:
  - {user: shop, shape: web, server: n, tasks: 2}
  - {user: solo, server: big, tasks: 1}
)");
  EXPECT_THAT(import.nodes, ElementsAre(ElementsAre("n1", "n2"), ElementsAre("big")));
}

/// What kubectl prints of two machines of one type.
TEST(KubernetesImport, NodesThatDifferBySomeKibibytesAreOneEntryUnlessTheyAreToBeExact) {
  const std::string text = node("n1", "", "", "cpu: 4, memory: 16207652Ki") +
                           node("n2", "", "", "cpu: 4, memory: 16207644Ki") +
                           pod({.name = "one", .on = "n1"});
  EXPECT_THAT(import_text(text).nodes, ElementsAre(ElementsAre("n1", "n2")));
  EXPECT_THAT(yaml(import_text(text)),
              HasSubstr("{name: n, capacity: {cpu: 4, memory: 16207644Ki}, count: 2}"));
  EXPECT_THAT(import_text(text, {.tolerance = 0}).nodes, ElementsAre(ElementsAre("n1"), ElementsAre("n2")));
}

TEST(KubernetesImport, TextsMayComeInAnyOrderAndAsListsWithinLists) {
  const std::string nodes =
      "{\"kind\": \"NodeList\", \"items\": [{\"metadata\": {\"name\": \"n\"}, \"status\": "
      "{\"allocatable\": {\"cpu\": \"2\", \"memory\": \"1Gi\"}}}]}";
  const std::vector<ObjectText> texts{objects(pod({.name = "a", .on = "n"})),
                                      objects(nodes, Syntax::json, "n.json")};
  const Result<ClusterImport> import = import_cluster(texts, {});
  ASSERT_TRUE(import) << describe(import.error());
  EXPECT_EQ(import->cluster.running->size(), 1u);
}

TEST(KubernetesImport, ADemandIsWhatTheSchedulerReserves) {
  const auto demand = [](const std::string& spec) {
    const ClusterImport import =
        import_text(node("n", "", "", "cpu: 64, memory: 512Gi, nvidia.com/gpu: 8") +
                    "kind: Pod\nmetadata: {name: p, namespace: s}\nspec: {" + spec + "}\n");
    std::string text;
    for (std::size_t r = 0; r < import.cluster.resources.size(); ++r)
      text += import.cluster.resources[r] + "=" + import.cluster.users[0].demand[r].text() + " ";
    return text;
  };
  EXPECT_EQ(demand("containers: [{resources: {requests: {cpu: 100m, memory: 1k}}}, {resources: {requests: "
                   "{cpu: 1}}}]"),
            "cpu=1.1 memory=1000 nvidia.com/gpu=0 ");
  EXPECT_EQ(
      demand(
          "initContainers: [{resources: {requests: {cpu: 3}}}], containers: [{resources: {requests: {cpu: 1, "
          "memory: 1k}}}]"),
      "cpu=3 memory=1000 nvidia.com/gpu=0 ");
  EXPECT_EQ(
      demand(
          "initContainers: [{restartPolicy: Always, resources: {requests: {cpu: 1}}}, {resources: {requests: "
          "{cpu: 3}}}], containers: [{resources: {requests: {cpu: 2}}}]"),
      "cpu=4 memory=0 nvidia.com/gpu=0 ");
  EXPECT_EQ(demand("overhead: {cpu: 250m}, containers: [{resources: {limits: {cpu: 1, nvidia.com/gpu: 2}}}]"),
            "cpu=1.25 memory=0 nvidia.com/gpu=2 ");
  EXPECT_EQ(
      demand("resources: {requests: {cpu: 5}}, containers: [{resources: {requests: {cpu: 1, memory: 2k}}}]"),
      "cpu=5 memory=2000 nvidia.com/gpu=0 ");
  EXPECT_EQ(demand("containers: [{resources: {requests: {cpu: 0.0001}}}]"),
            "cpu=0.001 memory=0 nvidia.com/gpu=0 ");
}

TEST(KubernetesImport, ANodeThatHasLessThanRunsThereKeepsItAndHasNoRoom) {
  // A device plugin is gone: the CPUs of the pod with GPUs stay in use.
  const ClusterImport gone =
      import_text(node("g1", "", "", "cpu: 64, memory: 512Gi, nvidia.com/gpu: 0") +
                  pod({.name = "a", .space = "a", .on = "g1", .requests = "cpu: 60, nvidia.com/gpu: 2"}) +
                  pod({.name = "b", .space = "b", .requests = "cpu: 32", .phase = "Pending"}));
  EXPECT_EQ(yaml(gone), R"(version: 1
resources: [cpu, memory, nvidia.com/gpu]
servers:
  - {name: g1, capacity: {cpu: 64, memory: 512Gi, nvidia.com/gpu: 2}, overfull: true}
users:
  - {name: a, demand: {cpu: 60, nvidia.com/gpu: 2}, tasks: 1}
  - {name: b, demand: {cpu: 32}, tasks: 1}
running:
  - {user: a, server: g1, tasks: 1}
)");
  EXPECT_THAT(gone.notices, Contains("counted with what runs there, which is more than they have: 1 node: g1 "
                                     "(nvidia.com/gpu 2 instead of 0)"));
  // One GPU failed: both teams keep their pods.
  const ClusterImport failed =
      import_text(node("g1", "", "", "cpu: 96, memory: 512Gi, nvidia.com/gpu: 7") +
                  pod({.name = "a", .space = "a", .on = "g1", .requests = "cpu: 64, nvidia.com/gpu: 4"}) +
                  pod({.name = "b", .space = "b", .on = "g1", .requests = "cpu: 8, nvidia.com/gpu: 4"}));
  EXPECT_EQ(failed.cluster.servers[0].capacity[2], Quantity(8));
  EXPECT_EQ(failed.cluster.running->size(), 2u);
  // Its CPUs were lowered.
  const ClusterImport lowered =
      import_text(node("n1") + pod({.name = "a", .space = "a", .on = "n1", .requests = "cpu: 3"}) +
                  pod({.name = "b", .space = "b", .on = "n1", .requests = "cpu: 3"}) +
                  pod({.name = "c", .space = "c", .requests = "cpu: 1", .phase = "Pending"}));
  EXPECT_EQ(lowered.cluster.servers[0].capacity[0], Quantity(6));
  EXPECT_EQ(lowered.cluster.running->size(), 2u);
}

TEST(KubernetesImport, APodThatWaitsForDevicesWhichNoNodeHasYetIsKept) {
  const ClusterImport import = import_text(
      node("n") + pod({.name = "a", .space = "a", .on = "n"}) +
      pod({.name = "train", .space = "ml", .requests = "cpu: 1, nvidia.com/gpu: 4", .phase = "Pending"}));
  EXPECT_THAT(yaml(import),
              HasSubstr("{name: ml, demand: {cpu: 1, nvidia.com/gpu: 4}, tasks: 1, may_fit_nowhere: true}"));
  EXPECT_THAT(import.notices,
              Contains("kept, although no node on which they may run has all that they ask for: 1 "
                       "pod: ml/train"));
}

TEST(KubernetesImport, APodThatIsResizedTakesTheMostOfWhatItAsksForIsGivenAndHas) {
  const auto demand = [](const std::string& resources, const std::string& status,
                         const std::string& list = "containers") {
    const ClusterImport import =
        import_text(node("n", "", "", "cpu: 64, memory: 512Gi") +
                    "kind: Pod\nmetadata: {name: p, namespace: s}\nspec: {" +
                    (list == "containers" ? "" : "containers: [{name: d}], ") + list + ": [{name: c, " +
                    resources + "}]}\nstatus: {phase: Running, " + status + "}\n");
    return import.cluster.users[0].demand[0].text();
  };
  const std::string asks = "resources: {requests: {cpu: 500m}}";
  const auto says = [](const std::string& allocated, const std::string& actual,
                       const std::string& list = "containerStatuses") {
    return list + ": [{name: other}, {name: c, allocatedResources: {cpu: " + allocated +
           "}, resources: {requests: {cpu: " + actual + "}}}]";
  };
  EXPECT_EQ(demand(asks, says("3", "3")), "3") << "to be made smaller";
  EXPECT_EQ(demand(asks, says("1", "2")), "2");
  EXPECT_EQ(demand(asks, says("2", "1")), "2");
  EXPECT_EQ(demand(asks, says("100m", "100m")), "0.5") << "to be made larger";
  EXPECT_EQ(demand(asks, "containerStatuses: [{name: c}]"), "0.5") << "an older Kubernetes";
  EXPECT_EQ(demand(asks, "containerStatuses: [{name: c, allocatedResources: {cpu: 1}}]"), "1");
  const std::string infeasible =
      ", conditions: [{type: PodResizePending, status: 'True', reason: Infeasible}]";
  EXPECT_EQ(demand("resources: {requests: {cpu: 500}}", says("2", "2") + infeasible), "2")
      << "what the node can never give is not reserved";
  EXPECT_EQ(
      demand("restartPolicy: Always, " + asks, says("3", "3", "initContainerStatuses"), "initContainers"),
      "3")
      << "a sidecar";
  EXPECT_EQ(demand(asks, says("3", "3", "initContainerStatuses"), "initContainers"), "0.5")
      << "what only starts the pod is not resized";
  EXPECT_EQ(demand("}], resources: {requests: {cpu: 2}}, x: [{",
                   "resources: {requests: {cpu: 4}}, allocatedResources: {cpu: 3}"),
            "4")
      << "the pod as a whole";
}

TEST(KubernetesImport, AnAmountBeyondAllBoundsStopsNoImport) {
  const ClusterImport pods =
      import_text(node("n") + pod({.name = "huge", .space = "a", .requests = "cpu: 1, memory: 50E"}) +
                  pod({.name = "more", .space = "c", .requests = "cpu: 9e30, memory: 1Gi"}) +
                  pod({.name = "b", .space = "b", .on = "n"}));
  EXPECT_EQ(pods.cluster.users.size(), 3u);
  EXPECT_EQ(pods.cluster.users[0].demand[1].text(), "9223372036854775807") << "as Kubernetes caps it";
  EXPECT_EQ(pods.cluster.running->size(), 1u);
  const ClusterImport node_of_1Ei =
      import_text(node("n", "", "", "cpu: 4, memory: 1Ei") + node("m", "", "", "cpu: 4, memory: 100E") +
                  pod({.name = "huge", .requests = "memory: 50E"}) + pod({.name = "b", .on = "n"}));
  EXPECT_EQ(node_of_1Ei.cluster.servers[0].capacity[1].text(), "1152921504606846976");
  EXPECT_LT(node_of_1Ei.cluster.servers[1].capacity[1], node_of_1Ei.cluster.users[0].demand[1]);
  const ClusterImport sums = import_text(node("n") + pod({.name = "b", .on = "n"}) +
                                         "kind: Pod\nmetadata: {name: p, namespace: s}\nspec: {overhead: "
                                         "{memory: 5E}, containers: [{resources: {requests: {memory: 8E}}}, "
                                         "{resources: {requests: {memory: 8E}}}]}\n");
  EXPECT_EQ(sums.cluster.users[1].demand[1].text(), "9223372036854775807");
  EXPECT_THAT(import_refusal(node("n") + pod({.name = "b", .requests = "cpu: 5Q"})),
              HasSubstr("'5Q' is not an amount"));
}

TEST(KubernetesImport, AnAmountOfManyDigitsOrOfNextToNothingStopsNoImport) {
  const ClusterImport pods =
      import_text(node("n") + node("m", "", "", "cpu: 4, memory: 9223372036854775808m") +
                  pod({.name = "long", .space = "a", .requests = "cpu: 1, memory: 9223372036854775808m"}) +
                  pod({.name = "tiny", .space = "c", .requests = "cpu: 1e-400, memory: 1Gi"}) +
                  pod({.name = "b", .space = "b", .on = "n"}));
  ASSERT_EQ(pods.cluster.users.size(), 3u);
  EXPECT_EQ(pods.cluster.users[0].demand[1].text(), "9223372036854776");
  std::map<std::string, std::string> cpus;
  for (const User& user : pods.cluster.users) cpus[user.name] = user.demand[0].text();
  EXPECT_EQ(cpus["c"], "0.001") << "as Kubernetes rounds it up";
}

TEST(KubernetesImport, ItemsThatAreNoListAreNamed) {
  EXPECT_THAT(import_refusal("kind: List\nitems: 5\n"), HasSubstr("items: must be a list of objects"));
  EXPECT_THAT(import_refusal("kind: List\nitems:\n- {kind: PodList, items: {a: b}}\n"),
              HasSubstr("items[0].items: must be a list of objects"));
  EXPECT_THAT(import_refusal("kind: NodeList\nitems: null\n"), HasSubstr("no node"));
}

TEST(KubernetesImport, TakesDaemonSetsAndStaticPodsOffTheirNodes) {
  const ClusterImport import = import_text(
      node("n1") + node("n2") + node("n3") + pod({.name = "web", .on = "n1"}) +
      pod({.name = "agent-1",
           .space = "sys",
           .on = "n1",
           .requests = "cpu: 500m",
           .metadata = owned_by("DaemonSet", "agent")}) +
      pod({.name = "agent-2",
           .space = "sys",
           .spec =
               "  affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
               "{nodeSelectorTerms: [{matchFields: [{key: metadata.name, operator: In, values: [n2]}]}]}}}\n",
           .requests = "cpu: 500m",
           .metadata = owned_by("DaemonSet", "agent"),
           .phase = "Pending"}) +
      pod({.name = "etcd",
           .space = "sys",
           .on = "n3",
           .requests = "cpu: 500m",
           .metadata = ", annotations: {kubernetes.io/config.mirror: x}"}));
  EXPECT_THAT(yaml(import), HasSubstr("{name: n, capacity: {cpu: 3.5, memory: 16Gi}, count: 3}"));
  EXPECT_EQ(import.cluster.users.size(), 1u);
  EXPECT_THAT(import.notices, Contains("taken off the capacity of their nodes, daemon sets and static pods, "
                                       "cpu 1500m: 3 pods: sys/agent, sys/etcd"));
}

TEST(KubernetesImport, LeavesOutWhatIsDoneAndCountsWhatWaits) {
  const ClusterImport import =
      import_text(node("n") + pod({.name = "a", .on = "n", .phase = "Succeeded"}) +
                  pod({.name = "b", .on = "n", .phase = "Failed"}) + pod({.name = "c", .phase = "Pending"}) +
                  pod({.name = "d", .on = "gone"}));
  EXPECT_THAT(yaml(import), HasSubstr("tasks: 2}\nrunning: []\n"));
  EXPECT_THAT(import.notices, Contains("left out, done: 2 pods: shop/a, shop/b"));
  EXPECT_THAT(import.notices, Contains("counted as waiting, on nodes that were not read: 1 pod: on gone"));
}

TEST(KubernetesImport, LeavesOutPodsWithoutRequestsUnlessOneIsGiven) {
  const std::string text =
      node("n") + pod({.name = "a"}) + pod({.name = "b", .space = "free", .requests = ""});
  const ClusterImport import = import_text(text);
  EXPECT_EQ(import.cluster.users.size(), 1u);
  EXPECT_THAT(import.notices, Contains("left out, request nothing: 1 pod: free/b"));
  const ClusterImport given = import_text(text, {.default_request = {{"cpu", 100}}});
  EXPECT_THAT(yaml(given), HasSubstr("{name: free, demand: {cpu: 0.1}, tasks: 1}"));
  EXPECT_THAT(yaml(given), HasSubstr("{name: shop, demand: {cpu: 1, memory: 1Gi}, tasks: 1}"));
  const ClusterImport zero = import_text(text + pod({.name = "c", .space = "zero", .requests = "cpu: '0'"}),
                                         {.default_request = {{"cpu", 100}, {"memory", Units{1} << 30}}});
  EXPECT_THAT(yaml(zero), HasSubstr("{name: zero, demand: {memory: 1Gi}, tasks: 1}")) << "0 is a request";
}

TEST(KubernetesImport, TeamsMayBeValuesOfALabelOfThePodOrItsNamespace) {
  const std::string text = node("n") + pod({.name = "a", .metadata = ", labels: {team: red}"}) +
                           pod({.name = "b", .space = "blue-1"}) + pod({.name = "c", .space = "bare"}) +
                           "kind: Namespace\nmetadata: {name: blue-1, labels: {team: blue}}\n";
  const ClusterImport import = import_text(text, {.team_label = "team"});
  std::vector<std::string> names;
  for (const User& user : import.cluster.users) names.push_back(user.name);
  EXPECT_THAT(names, ElementsAre("red", "blue", "bare"));
  EXPECT_THAT(
      import.notices,
      Contains(HasSubstr("without the label team, and in the team of their namespace: 1 pod: bare/c")));
}

TEST(KubernetesImport, WritesLabelsTaintsAndWhatPodsTolerate) {
  const ClusterImport import = import_text(
      node("a1", "zone: a, disk: ssd") + node("b1", "zone: b, disk: ssd") +
      node("g1", "zone: a", "taints: [{key: gpu, value: 'true', effect: NoSchedule}]") +
      pod({.name = "anywhere"}) +
      pod({.name = "b-only", .space = "two", .spec = "  nodeSelector: {zone: b}\n"}) +
      pod({.name = "tolerant", .space = "three", .spec = "  tolerations: [{key: gpu, operator: Exists}]\n"}) +
      pod({.name = "a-only", .space = "four", .spec = "  nodeSelector: {zone: a}\n"}));
  EXPECT_EQ(yaml(import), R"(version: 1
resources: [cpu, memory]
servers:
  - {name: a1, capacity: {cpu: 4, memory: 16Gi}, labels: {zone: a}}
  - {name: b1, capacity: {cpu: 4, memory: 16Gi}, labels: {zone: b}}
  - {name: g1, capacity: {cpu: 4, memory: 16Gi}, labels: {zone: a}, taints: [gpu=true]}
users:
  - {name: shop, demand: {cpu: 1, memory: 1Gi}, tasks: 1}
  - {name: two, demand: {cpu: 1, memory: 1Gi}, tasks: 1, select: {zone: [b]}}
  - {name: three, demand: {cpu: 1, memory: 1Gi}, tasks: 1, tolerates: [gpu]}
  - {name: four, demand: {cpu: 1, memory: 1Gi}, tasks: 1, select: {zone: [a]}}
running: []
)");
}

TEST(KubernetesImport, WritesEveryOperatorOfOneTermAndNamesServersOfAnyOtherRule) {
  const auto affinity = [](const std::string& terms) {
    return "  affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: "
           "[" +
           terms + "]}}}\n";
  };
  const auto term = [](const std::string& key, const std::string& op, const std::string& values) {
    return fmt::format("{{matchExpressions: [{{key: {}, operator: {}, values: [{}]}}]}}", key, op, values);
  };
  const auto line_of = [&](const std::string& spec) {
    const std::string all =
        yaml(import_text(node("a", "zone: a, size: '4', kubernetes.io/hostname: a") +
                         node("b", "zone: b, size: '8', kubernetes.io/hostname: b, disk: ssd", "",
                              "cpu: 9, memory: 16Gi, pods: 110") +
                         pod({.name = "x", .space = "other"}) + pod({.name = "p", .spec = spec})));
    const std::string begin = "{name: shop, demand: {cpu: 1, memory: 1Gi}, tasks: 1, ";
    const std::size_t at = all.find(begin);
    return at == std::string::npos ? all
                                   : all.substr(at + begin.size(), all.find('\n', at) - at - begin.size());
  };
  EXPECT_EQ(line_of(affinity(term("zone", "NotIn", "a"))), "select: {zone: {not: a}}}");
  EXPECT_EQ(line_of(affinity(term("disk", "Exists", ""))), "select: {disk: {exists: true}}}");
  EXPECT_EQ(line_of(affinity(term("disk", "DoesNotExist", ""))), "select: {disk: {exists: false}}}");
  EXPECT_EQ(line_of(affinity(term("size", "Gt", "'4'"))), "select: {size: {above: 4}}}");
  EXPECT_EQ(line_of(affinity(term("size", "Lt", "'8'"))), "select: {size: {below: 8}}}");
  EXPECT_EQ(line_of(affinity(term("zone", "In", "a") + ", " + term("size", "In", "'4'"))), "servers: [a]}")
      << "one of several terms";
  EXPECT_EQ(line_of("  nodeSelector: {kubernetes.io/hostname: b}\n"), "servers: [b]}");
  EXPECT_EQ(line_of(affinity("{matchFields: [{key: metadata.name, operator: In, values: [b]}]}")),
            "servers: [b]}");
}

TEST(KubernetesImport, ClosedNodesAreKeptOffByTheirTaintsAndByNameFromThoseWhoTolerateAll) {
  const ClusterImport import =
      import_text(node("open") + node("cordoned", "", "unschedulable: true") + pod({.name = "a"}) +
                  pod({.name = "b", .space = "all", .spec = "  tolerations: [{operator: Exists}]\n"}) +
                  pod({.name = "c", .space = "stays", .on = "cordoned"}));
  EXPECT_THAT(yaml(import), HasSubstr("{name: cordoned, capacity: {cpu: 1, memory: 1Gi}, taints: "
                                      "[node.kubernetes.io/unschedulable]}"));
  EXPECT_THAT(yaml(import), HasSubstr("{name: shop, demand: {cpu: 1, memory: 1Gi}, tasks: 1}"));
  EXPECT_THAT(yaml(import), HasSubstr("{name: all, demand: {cpu: 1, memory: 1Gi}, tasks: 1, servers: {not: "
                                      "[cordoned]}, tolerates: [\"*\"]}"));
  EXPECT_THAT(yaml(import), HasSubstr("{name: stays, demand: {cpu: 1, memory: 1Gi}, tasks: 1, servers: "
                                      "[cordoned], tolerates: [\"*\"]}"));
}

TEST(KubernetesImport, LeavesOutWhatKubernetesTellsEveryPodToTolerateAndWhatEveryNodeIs) {
  const std::string common =
      "  nodeSelector: {kubernetes.io/os: linux}\n  tolerations: [{key: node.kubernetes.io/not-ready, "
      "operator: "
      "Exists, effect: NoExecute}]\n";
  EXPECT_THAT(yaml(import_text(node("n", "kubernetes.io/os: linux") + pod({.name = "p", .spec = common}))),
              AllOf(Not(HasSubstr("select")), Not(HasSubstr("tolerates")), Not(HasSubstr("labels"))));
  EXPECT_THAT(yaml(import_text(node("n", "kubernetes.io/os: linux") + node("w", "kubernetes.io/os: windows") +
                               pod({.name = "p", .spec = common}))),
              HasSubstr("select: {kubernetes.io/os: [linux]}"));
}

TEST(KubernetesImport, AQuotaOfANamespaceIsItsLimit) {
  const auto quota = [](const std::string& name, const std::string& hard, const std::string& more = "") {
    return fmt::format(
        "kind: ResourceQuota\nmetadata: {{name: {}, namespace: shop}}\nspec: {{hard: {{{}}}{}}}\n---\n", name,
        hard, more);
  };
  const std::string text =
      node("n") + pod({.name = "a"}) + quota("one", "requests.cpu: 3, limits.cpu: 9, memory: 4Gi") +
      quota("two", "cpu: 2500m, requests.memory: 8Gi") + quota("night", "cpu: 1", ", scopes: [Terminating]");
  const ClusterImport import = import_text(text);
  EXPECT_THAT(yaml(import), HasSubstr("limit: {cpu: 2.5, memory: 4Gi}"));
  EXPECT_THAT(import.notices, Contains("not kept, quotas with scopes: 1 item: shop/night"));
  EXPECT_THAT(import.notices,
              Contains("not kept, quotas of other things than requests: 1 item: shop/one limits.cpu"));
  EXPECT_THAT(
      import_text(text, {.team_label = "team"}).notices,
      Contains("not kept, quotas of namespaces, where teams are values of a label: 2 items: shop/one, "
               "shop/two"));
  const ClusterImport shapes = import_text(text + pod({.name = "b", .requests = "cpu: 2"}));
  EXPECT_THAT(yaml(shapes), HasSubstr("{name: shop, limit: {cpu: 2.5, memory: 4Gi}, shapes: ["));
  const ClusterImport lost =
      import_text(text + quota("gpus", "requests.nvidia.com/gpu: 2") +
                  "kind: ResourceQuota\nmetadata: {name: q, namespace: idle}\nspec: {hard: {cpu: 1}}\n");
  EXPECT_THAT(lost.notices, Contains("not kept, quotas of namespaces without a pod: 1 item: idle/q cpu"));
  EXPECT_THAT(lost.notices, Contains("not kept, quotas of resources that no pod asks for and no node has: 1 "
                                     "item: shop/gpus requests.nvidia.com/gpu"));
  EXPECT_THAT(import_refusal(text + quota("bad", "cpu: x")), HasSubstr("spec.hard.cpu: 'x'"));
}

TEST(KubernetesImport, ClosedNodesStayWhileAPodRunsThere) {
  const std::string text =
      node("n1") + node("cordoned", "", "unschedulable: true") +
      node("control", "", "taints: [{key: node-role.kubernetes.io/control-plane, effect: NoSchedule}]") +
      pod({.name = "a", .on = "n1"});
  const ClusterImport import = import_text(text);
  EXPECT_EQ(import.cluster.servers.size(), 1u);
  EXPECT_THAT(import.notices,
              Contains("left out, closed to new pods and without one of a team: 2 nodes: control, cordoned"));
  const ClusterImport busy = import_text(text + pod({.name = "b", .on = "cordoned", .requests = "cpu: 2"}));
  EXPECT_THAT(yaml(busy), HasSubstr("{name: n1, capacity: {cpu: 4, memory: 16Gi}}\n  - {name: cordoned, "
                                    "capacity: {cpu: 2}, taints: [node.kubernetes.io/unschedulable]}"));
  EXPECT_THAT(yaml(busy), HasSubstr("{name: a, demand: {cpu: 1, memory: 1Gi}, tasks: 1}"));
  EXPECT_THAT(yaml(busy), HasSubstr("{name: b-stray, demand: {cpu: 2}, tasks: 1, servers: "
                                    "[cordoned], tolerates: [\"*\"]}"));
  EXPECT_THAT(yaml(busy), HasSubstr("shape: b-stray, server: cordoned, tasks: 1}"));
  EXPECT_THAT(busy.notices,
              Contains("kept where they run, although no new ones may start there: 1 pod: on cordoned"));
  const ClusterImport tolerated = import_text(
      text +
      pod({.name = "dns", .space = "sys", .on = "control", .spec = "  tolerations: [{operator: Exists}]\n"}));
  EXPECT_THAT(yaml(tolerated), HasSubstr("{name: control, capacity: {cpu: 4, memory: 16Gi}, taints: "
                                         "[node-role.kubernetes.io/control-plane]}"))
      << "a node of the control plane is open to pods that tolerate it";
}

TEST(KubernetesImport, NamesWhatCannotBeKept) {
  const ClusterImport import = import_text(
      node("n", "", "taints: [{key: soft, effect: PreferNoSchedule}]",
           "cpu: 4, memory: 8Gi, ephemeral-storage: 1Gi, pods: 9") +
      pod({.name = "a",
           .spec = "  affinity:\n    podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
                   "[{topologyKey: "
                   "zone}]}\n    podAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [{weight: "
                   "1}]}\n    "
                   "nodeAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [{weight: 1}]}\n  "
                   "topologySpreadConstraints: [{maxSkew: 1}]\n  volumes: [{name: v, persistentVolumeClaim: "
                   "{claimName: c}}]\n  priorityClassName: high\n  schedulerName: mine\n"}) +
      "kind: Pod\nmetadata: {name: p, namespace: shop}\nspec: {containers: [{ports: [{hostPort: 80}], "
      "resources: "
      "{requests: {cpu: 1}}}]}\n---\nkind: Service\nmetadata: {name: s}\n");
  const std::string notices = ::testing::PrintToString(import.notices);
  for (const char* words : {"pod anti-affinity", "pod affinity", "preferred node affinity", "topology spread",
                            "volumes", "priorities", "other schedulers", "host ports"})
    EXPECT_THAT(notices, HasSubstr(fmt::format("not kept, {}: 1 pod", words)));
  EXPECT_THAT(notices, HasSubstr("not kept, taints with PreferNoSchedule: soft"));
  EXPECT_THAT(notices, HasSubstr("(--resource keeps one): ephemeral-storage, pods"));
  EXPECT_THAT(notices, HasSubstr("passed over: 1 Service"));
}

TEST(KubernetesImport, KeepsAResourceThatIsAskedFor) {
  const std::string text = node("n") + pod({.name = "a"});
  const ClusterImport import = import_text(text, {.resources = {"pods"}});
  EXPECT_THAT(yaml(import),
              AllOf(HasSubstr("pods: 110"), HasSubstr("demand: {cpu: 1, memory: 1Gi, pods: 1}")));
  EXPECT_THAT(import_refusal(text, {.resources = {"gpus"}}),
              HasSubstr("--resource: no node has a resource 'gpus'; known are cpu, memory, pods"));
}

TEST(KubernetesImport, BadInputNamesFileLineAndKey) {
  const std::string n = node("n");
  EXPECT_EQ(import_refusal(n),
            "c.yaml: there is no pod in what was read; `kubectl get pods -A -o json` prints them");
  EXPECT_EQ(import_refusal(pod({.name = "a"})),
            "c.yaml: there is no node in what was read; `kubectl get nodes -o json` prints them");
  EXPECT_THAT(import_refusal(n + n),
              HasSubstr("c.yaml:6: metadata.name: a second node 'n'; the first is on line 1"));
  EXPECT_THAT(import_refusal(n + pod({.name = "a"}) + pod({.name = "a"})), HasSubstr("a second pod 'a'"));
  EXPECT_THAT(import_refusal(n + pod({.name = "A b"})),
              HasSubstr("metadata.name: is not a valid Kubernetes name"));
  EXPECT_THAT(import_refusal(n + pod({.name = "a", .requests = "cpu: -1"})),
              HasSubstr("c.yaml:9: spec.containers[0].resources.requests.cpu: '-1' is negative"));
  EXPECT_THAT(import_refusal(node("n", "", "", "cpu: lots")),
              HasSubstr("c.yaml:4: status.allocatable.cpu: 'lots'"));
  EXPECT_THAT(import_refusal("kind: Node\nmetadata: {name: n}\n"), HasSubstr("status.allocatable: missing"));
  EXPECT_THAT(import_refusal(n + "kind: Pod\nmetadata: {name: p}\n"), HasSubstr("spec: missing"));
  EXPECT_THAT(import_refusal(n + "kind: Pod\nmetadata: {name: p}\nspec: {containers: []}\n"),
              HasSubstr("spec.containers: missing"));
  EXPECT_THAT(import_refusal(n + pod({.name = "a", .spec = "  nodeSelector: [a]\n"})),
              HasSubstr("spec.nodeSelector: must be a map"));
  EXPECT_THAT(
      import_refusal(
          n + pod({.name = "a",
                   .spec = "  affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
                           "{nodeSelectorTerms: [{matchExpressions: [{key: a, operator: Near}]}]}}}\n"})),
      HasSubstr("nodeSelectorTerms[0].matchExpressions[0].operator: must be In, NotIn, Exists, DoesNotExist, "
                "Gt or Lt, not 'Near'"));
  EXPECT_THAT(import_refusal(n + pod({.name = "a", .spec = "  tolerations: [{operator: Maybe}]\n"})),
              HasSubstr("spec.tolerations[0].operator: must be Exists, Equal, Gt or Lt, not 'Maybe'"));
  EXPECT_THAT(import_refusal(node("n", "", "taints: [{key: a, effect: Never}]")),
              HasSubstr("spec.taints[0].effect: must be"));
  EXPECT_THAT(import_refusal(n + pod({.name = "a", .requests = ""})),
              HasSubstr("no pod is left that a team could run; left out, request nothing: 1 pod: shop/a"));
}

// Random clusters: what a pod may use is known from how its rule was made.

struct RandomNode {
  std::string name;
  std::string zone;  // empty: without the label
  bool has_gpu;
  int size;
  bool is_tainted;
  bool is_of_tier_5 = false;  // tainted so that nothing runs there
};

struct KnownRule {
  std::string spec;
  std::function<bool(const RandomNode&)> allows;
};

std::string required(const std::string& terms) {
  return "  affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [" +
         terms + "]}}}\n";
}

std::string expression(const std::string& key, const std::string& op, const std::string& values = "") {
  return fmt::format("{{matchExpressions: [{{key: {}, operator: {}, values: [{}]}}]}}", key, op, values);
}

const std::string kTolerates =
    "  tolerations: [{key: dedicated, operator: Equal, value: x, effect: NoSchedule}]\n";

// Of nodes without a tier.
std::vector<KnownRule> rules_without_tiers() {
  using N = const RandomNode&;
  return {{"", [](N n) { return !n.is_tainted; }},
          {kTolerates, [](N) { return true; }},
          {"  nodeSelector: {zone: a}\n", [](N n) { return n.zone == "a" && !n.is_tainted; }},
          {kTolerates + "  nodeSelector: {zone: a, gpu: 'yes'}\n",
           [](N n) { return n.zone == "a" && n.has_gpu; }},
          {kTolerates + required(expression("zone", "In", "a, b")),
           [](N n) { return n.zone == "a" || n.zone == "b"; }},
          {required(expression("zone", "NotIn", "a")), [](N n) { return n.zone != "a" && !n.is_tainted; }},
          {required(expression("gpu", "Exists")), [](N n) { return n.has_gpu && !n.is_tainted; }},
          {required(expression("gpu", "DoesNotExist")), [](N n) { return !n.has_gpu && !n.is_tainted; }},
          {kTolerates + required(expression("size", "Gt", "'8'")), [](N n) { return n.size > 8; }},
          {kTolerates + required(expression("size", "Lt", "'8'")), [](N n) { return n.size < 8; }},
          {kTolerates + required(expression("zone", "In", "b") + ", " + expression("gpu", "Exists")),
           [](N n) { return n.zone == "b" || n.has_gpu; }},
          {kTolerates + "  nodeSelector: {zone: b}\n" + required(expression("size", "In", "'4', '8'")),
           [](N n) { return n.zone == "b" && (n.size == 4 || n.size == 8); }}};
}

std::vector<KnownRule> known_rules() {
  using N = const RandomNode&;
  std::vector<KnownRule> rules = rules_without_tiers();
  for (KnownRule& rule : rules)
    rule.allows = [allows = rule.allows](N n) { return allows(n) && !n.is_of_tier_5; };
  const auto tolerates = [](const std::string& tolerations) {
    return "  tolerations: [" + tolerations + "]\n";
  };
  rules.push_back({tolerates("{operator: Exists}"), [](N) { return true; }});
  rules.push_back({tolerates("{key: tier, operator: Gt, value: '4'}"), [](N n) { return !n.is_tainted; }});
  rules.push_back({tolerates("{key: tier, operator: Gt, value: '6'}"),
                   [](N n) { return !n.is_tainted && !n.is_of_tier_5; }});
  rules.push_back({tolerates("{key: tier, operator: Exists, effect: NoSchedule}, {key: dedicated, operator: "
                             "Exists}"),
                   [](N n) { return !n.is_of_tier_5; }});
  rules.push_back({tolerates("{key: tier, operator: Equal, value: '5'}, {key: dedicated, value: x}") +
                       required(expression("zone", "NotIn", "b")),
                   [](N n) { return n.zone != "b"; }});
  return rules;
}

using Where = std::set<std::string>;                      // names of nodes
using Key = std::tuple<std::string, std::string, Where>;  // team, demand, where it may run

/// What a cluster file cannot say, and its name in the notices.
struct Lost {
  std::string words;
  std::string spec;
};

const std::vector<Lost> kLost = {
    {"priorities", "  priorityClassName: high\n"},
    {"topology spread", "  topologySpreadConstraints: [{maxSkew: 1}]\n"},
    {"other schedulers", "  schedulerName: mine\n"},
    {"volumes", "  volumes: [{name: v, persistentVolumeClaim: {claimName: c}}]\n"},
};

TEST(KubernetesImport, OfRandomClustersLosesNothingThatTheFormatCanSayAndNamesTheRest) {
  const std::vector<KnownRule> rules = known_rules();
  int widened = 0, said = 0, in_all = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    Random random(seed);
    std::vector<RandomNode> nodes;
    std::string text;
    for (std::size_t i = 0; i < 3 + random.below(12); ++i) {
      const std::vector<std::string> zones{"a", "b", ""};
      nodes.push_back({.name = fmt::format("n{}", i),
                       .zone = zones[random.below(3)],
                       .has_gpu = random.below(3) == 0,
                       .size = 4 << random.below(3),
                       .is_tainted = random.below(4) == 0,
                       .is_of_tier_5 = random.below(4) == 0});
      const RandomNode& n = nodes.back();
      text += node(n.name,
                   fmt::format("size: '{}', {}{}", n.size, n.zone.empty() ? "" : "zone: " + n.zone + ", ",
                               n.has_gpu ? "gpu: 'yes'" : ""),
                   fmt::format("taints: [{}{}{{key: soft, effect: PreferNoSchedule}}]",
                               n.is_tainted ? "{key: dedicated, value: x, effect: NoSchedule}, " : "",
                               n.is_of_tier_5 ? "{key: tier, value: '5', effect: NoExecute}, " : ""),
                   fmt::format("cpu: {}, memory: 900Gi", 100 * n.size));
    }
    std::map<Key, std::int64_t> tasks;
    std::map<std::pair<Key, std::string>, std::int64_t> running;  // on a node
    std::map<std::string, int> lost;                              // pods, by the words
    int nowhere = 0;                                              // pods that may run on no node
    int pods = 0;
    for (int kind = 0; kind < 12; ++kind) {
      const KnownRule& rule = rules[random.below(rules.size())];
      const std::string team = fmt::format("team-{}", random.below(4));
      const std::string cpu = fmt::format("{}", 1 + random.below(3));
      Where where;
      for (const RandomNode& n : nodes) {
        if (rule.allows(n)) where.insert(n.name);
      }
      const std::vector<std::string> allowed(where.begin(), where.end());
      const std::size_t count = 1 + random.below(4);
      for (std::size_t p = 0; p < count; ++p) {
        const bool runs = !allowed.empty() && random.below(4) > 0;
        const std::string on = runs ? allowed[random.below(allowed.size())] : "";
        const Lost* extra = random.below(6) == 0 ? &kLost[random.below(kLost.size())] : nullptr;
        text += pod({.name = fmt::format("p{}", pods++),
                     .space = team,
                     .on = on,
                     .spec = rule.spec + (extra ? extra->spec : ""),
                     .requests = "cpu: " + cpu + ", memory: 1Gi",
                     .phase = runs ? "Running" : "Pending"});
        if (extra) ++lost[extra->words];
        if (allowed.empty()) ++nowhere;
        if (allowed.empty()) continue;
        const Key key{team, cpu, where};
        ++tasks[key];
        if (runs) ++running[{key, on}];
      }
    }
    const Result<ClusterImport> import = try_import(text);
    if (tasks.empty()) {
      EXPECT_FALSE(import);
      continue;
    }
    ASSERT_TRUE(import) << describe(import.error());
    const Result<Problem> problem = read_cluster_text(yaml(*import), Syntax::yaml, "again");
    ASSERT_TRUE(problem) << describe(problem.error()) << "\n" << yaml(*import);
    EXPECT_EQ(problem->cluster().running, import->cluster.running);
    EXPECT_EQ(problem->servers(), import->cluster.servers);
    EXPECT_EQ(problem->users(), import->cluster.users);

    const auto number = [](int count) { return fmt::format("{} pod{}: ", count, count == 1 ? "" : "s"); };
    for (const auto& [words, count] : lost)
      EXPECT_THAT(import->notices, Contains(StartsWith("not kept, " + words + ": " + number(count))));
    if (nowhere > 0) {
      EXPECT_THAT(import->notices, Contains(StartsWith("left out, allowed on no node: " + number(nowhere))));
    }

    std::map<Key, std::int64_t> found;
    std::map<std::string, Key> key_of_user;
    for (std::size_t n = 0; n < problem->user_count(); ++n) {
      const User& user = problem->users()[n];
      Where where;
      for (std::size_t i = 0; i < problem->server_count(); ++i) {
        if (problem->eligible(n, i)) where.insert(import->nodes[i].begin(), import->nodes[i].end());
      }
      const Key key{user.shape ? *user.group : user.name, user.demand[0].text(), where};
      found[key] += *count_units(*user.tasks, 0, Rounding::down);
      key_of_user.emplace(user.name, key);
    }
    EXPECT_EQ(found, tasks);

    std::map<std::pair<Key, std::size_t>, std::int64_t> expected, placed;
    std::map<std::string, std::size_t> entry_of;
    for (std::size_t i = 0; i < import->nodes.size(); ++i) {
      for (const std::string& name : import->nodes[i]) entry_of[name] = i;
    }
    for (const auto& [where, count] : running) expected[{where.first, entry_of.at(where.second)}] += count;
    for (const Running& each : *problem->cluster().running) {
      const std::string name = each.shape ? each.user + "/" + *each.shape : each.user;
      std::size_t entry = 0;
      while (problem->servers()[entry].name != each.server) ++entry;
      placed[{key_of_user.at(name), entry}] += *count_units(each.tasks, 0, Rounding::down);
    }
    EXPECT_EQ(placed, expected);

    std::map<std::pair<Key, std::size_t>, std::int64_t> given;
    if (!running.empty()) {
      const Result<Outcome> outcome = allocate(*problem, "given");
      ASSERT_TRUE(outcome) << describe(outcome.error());
      for (std::size_t n = 0; n < problem->user_count(); ++n) {
        for (const Grant& grant : outcome->allocation.grants.of(n))
          given[{key_of_user.at(problem->users()[n].name), grant.server}] += std::llround(grant.tasks);
      }
    }
    EXPECT_EQ(given, expected) << "`given` is what runs";

    Cluster named = import->cluster;
    name_servers(named);
    const Problem lists = *Problem::from(named);
    for (const char* mechanism : {"drfh", "hdrfh"}) {
      const Result<Outcome> outcome = allocate(*problem, mechanism), of_lists = allocate(lists, mechanism);
      ASSERT_EQ(static_cast<bool>(outcome), static_cast<bool>(of_lists));
      if (!outcome) continue;
      EXPECT_EQ(outcome->allocation.tasks, of_lists->allocation.tasks) << mechanism;
    }
    for (const User& user : import->cluster.users) said += user.servers ? 0 : 1, in_all += 1;
    widened += import->nodes.size() < nodes.size() ? 1 : 0;
  }
  EXPECT_GT(widened, 10) << "equal nodes were put together";
  EXPECT_GT(said * 10, in_all * 8) << "few rules have to name servers";
}

}  // namespace
}  // namespace mirab::kubernetes
