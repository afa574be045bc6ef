// One limit for each template of a cluster, and the bound on limits.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <map>

#include <mirab/kubernetes/limits.hpp>
#include <mirab/kubernetes/manifests.hpp>
#include <mirab/model/random.hpp>

#include "kubernetes/examples.hpp"

namespace mirab::kubernetes {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::limits_of;
using testing::limits_text;

const PodReading kRunning{
    .resources = {"cpu", "memory"}, .default_request = {}, .node = {}, .only_pods = true};

std::string running_pod(const std::string& name, const std::string& space, const std::string& owner,
                        const std::string& on, const std::string& requests, const std::string& more = "") {
  return fmt::format(
      "kind: Pod\nmetadata: {{name: {}, namespace: {}, labels: {{pod-template-hash: abc}}, ownerReferences: "
      "[{{kind: "
      "ReplicaSet, name: {}-abc}}]}}\nspec: {{{}containers: [{{name: c, resources: {{requests: "
      "{{{}}}{}}}}}]}}\n---\n",
      name, space, owner, on.empty() ? "" : "nodeName: " + on + ", ", requests, more);
}

std::string node_text(const std::string& name, const std::string& cpu, const std::string& memory) {
  return fmt::format(
      "kind: Node\nmetadata: {{name: {}}}\nstatus: {{allocatable: {{cpu: {}, memory: {}}}}}\n---\n", name,
      cpu, memory);
}

Result<ClusterLimits> try_cluster(const std::string& nodes, const std::string& pods,
                                  LimitOptions options = {}, const std::string& mechanism = "drf") {
  options.mechanism = *choose_mechanism(mechanism);
  const Result<std::vector<Allocatable>> read_of = read_nodes(nodes, Syntax::yaml, "nodes.yaml");
  if (!read_of) return read_of.error();
  const Result<Pods> read = read_pods(pods, Syntax::yaml, "pods.yaml", kRunning);
  if (!read) return read.error();
  return fair_limits_of_cluster(*read, *read_of, options);
}

ClusterLimits cluster(const std::string& nodes, const std::string& pods, const LimitOptions& options = {}) {
  Result<ClusterLimits> limits = try_cluster(nodes, pods, options);
  EXPECT_TRUE(limits) << (limits ? "" : describe(limits.error()));
  return limits ? *std::move(limits) : ClusterLimits{};
}

std::string cluster_refusal(const std::string& nodes, const std::string& pods,
                            const LimitOptions& options = {}) {
  const Result<ClusterLimits> limits = try_cluster(nodes, pods, options);
  return limits ? "divided" : describe(limits.error());
}

const std::string kTwoNodes = node_text("n1", "4", "4Gi") + node_text("n2", "8", "8Gi");

TEST(ClusterLimits, ATemplateHasTheLeastThatAnyOfItsPodsGets) {
  const ClusterLimits limits =
      cluster(kTwoNodes, running_pod("web-1", "shop", "web", "n1", "cpu: 1, memory: 1Gi") +
                             running_pod("web-2", "shop", "web", "n2", "cpu: 1, memory: 1Gi") +
                             running_pod("db-1", "shop", "db", "n1", "cpu: 1, memory: 1Gi"));
  ASSERT_EQ(limits.templates.workloads.size(), 2u);
  EXPECT_EQ(limits.templates.workloads[0].name, "shop/deployment/web");
  EXPECT_EQ(limits.templates.workloads[0].pods, 2);
  EXPECT_THAT(limits_text(limits.limits, {"cpu", "memory"}), ElementsAre("2 2Gi", "2 2Gi"));
  EXPECT_EQ(limits.nodes, 2u);
  EXPECT_THAT(limits.all.units, ElementsAre(12'000, Units{12} << 30));
  EXPECT_THAT(limits.limits.limited, ElementsAre(6'000, Units{6} << 30));
  EXPECT_THAT(patch_commands(limits.templates, limits.limits),
              HasSubstr("kubectl patch deployment web --namespace shop"));
}

// n1 has 4 CPUs, and web and db request them all there; on n2 web could have more.
TEST(ClusterLimits, TheNodeThatLeavesATemplateNoMoreThanItsRequestIsNamed) {
  const ClusterLimits limits =
      cluster(kTwoNodes, running_pod("web-1", "shop", "web", "n1", "cpu: 3, memory: 1Gi") +
                             running_pod("web-2", "shop", "web", "n2", "cpu: 3, memory: 1Gi") +
                             running_pod("db-1", "shop", "db", "n1", "cpu: 1, memory: 1Gi"));
  EXPECT_THAT(limits_text(limits.limits, {"cpu", "memory"}), Contains("3 1Gi"));
  EXPECT_THAT(limits.limits.workloads[0].full_node, ElementsAre("n1", "n1"));
}

// Hamzeh, section 4.4.4.3, as two nodes: q = 16216/23312 of both, in thousandths and Mi. Divided one by one q
// is 7096/9120 on the first, and b would have 7.002 CPUs.
TEST(ClusterLimits, HFfmraHasOneRatioForAllNodesAsAllocateHas) {
  const std::string nodes = node_text("n1", "9", "18Gi") + node_text("n2", "10", "20Gi");
  const auto pod = [](const std::string& name, const std::string& node, const std::string& requests) {
    return running_pod(name, "x", name, node, requests);
  };
  const std::string pods = pod("a1", "n1", "cpu: 1, memory: 4Gi") + pod("b1", "n1", "cpu: 3, memory: 1Gi") +
                           pod("a2", "n2", "cpu: 2, memory: 5Gi") + pod("b2", "n2", "cpu: 4, memory: 3Gi");
  const Result<ClusterLimits> together = try_cluster(nodes, pods, {}, "h-ffmra");
  ASSERT_TRUE(together) << describe(together.error());
  const auto cpus = [](const ClusterLimits& limits, std::size_t w) {
    return limits.limits.workloads[w].limits[0][0];
  };
  EXPECT_EQ(cpus(*together, 0), 2739) << "9 (1 - q) = 2.7395";
  EXPECT_EQ(cpus(*together, 1), 6260) << "9 q = 6.2605";
  EXPECT_EQ(cpus(*together, 2), 3043);
  EXPECT_EQ(cpus(*together, 3), 6956);
  EXPECT_THAT(together->limits.notices, Contains(HasSubstr("q adds up cpu in thousandths and memory in Mi")));
  const Result<ClusterLimits> alone = try_cluster(nodes, pods, {}, "ffmra");
  ASSERT_TRUE(alone);
  EXPECT_EQ(cpus(*alone, 1), 7002) << "each node by itself";
}

TEST(ClusterLimits, PodsOfATemplateWithOtherRequestsAreATemplateOfTheirOwn) {
  const ClusterLimits limits =
      cluster(kTwoNodes, running_pod("web-1", "shop", "web", "n1", "cpu: 1, memory: 1Gi") +
                             running_pod("web-2", "shop", "web", "n2", "cpu: 2, memory: 1Gi"));
  ASSERT_EQ(limits.templates.workloads.size(), 2u);
  EXPECT_EQ(limits.templates.workloads[1].name, "shop/deployment/web (web-2)");
}

TEST(ClusterLimits, PodsThatWaitOrRunElsewhereAreNamed) {
  const ClusterLimits limits =
      cluster(kTwoNodes, running_pod("a", "s", "a", "n1", "cpu: 1, memory: 1Gi") +
                             running_pod("b", "s", "b", "", "cpu: 1, memory: 1Gi") +
                             running_pod("c", "s", "c", "n9", "cpu: 1, memory: 1Gi"));
  EXPECT_THAT(limits.limits.notices, Contains("left out, since they wait for a node: b"));
  EXPECT_THAT(limits.limits.notices, Contains("left out, since their node was not read: c"));
  EXPECT_THAT(cluster_refusal(kTwoNodes, running_pod("b", "s", "b", "", "cpu: 1, memory: 1Gi")),
              HasSubstr("no pod in it runs on one of the nodes"));
}

TEST(ClusterLimits, ANamespaceHasAWeight) {
  const std::string pods = running_pod("a", "red", "a", "n1", "cpu: 1, memory: 1Gi") +
                           running_pod("b", "blue", "b", "n1", "cpu: 1, memory: 1Gi") +
                           running_pod("c", "blue", "c", "n2", "cpu: 1, memory: 1Gi");
  const ClusterLimits limits =
      cluster(kTwoNodes, pods, {.mechanism = {}, .weights = {{"namespace/red", Quantity(3)}}});
  EXPECT_THAT(limits_text(limits.limits, {"cpu", "memory"}), ElementsAre("3 3Gi", "1 1Gi", "8 8Gi"));
  EXPECT_THAT(
      cluster_refusal(kTwoNodes, pods, {.mechanism = {}, .weights = {{"namespace/rad", Quantity(3)}}}),
      HasSubstr("--weight: there is no pod in a namespace 'rad'; did you mean red? Known are blue, red"));
  EXPECT_THAT(cluster_refusal(kTwoNodes, pods, {.mechanism = {}, .weights = {{"deployment/a", Quantity(3)}}}),
              HasSubstr("there is no template 'deployment/a'"));
}

TEST(ClusterLimits, NodesAndRequestsThatAreWrongAreNamed) {
  const std::string pod = running_pod("a", "s", "a", "n1", "cpu: 5, memory: 1Gi");
  EXPECT_THAT(cluster_refusal(kTwoNodes, pod),
              HasSubstr("the requests do not fit on n1: cpu 5 requested, 4 allocatable"));
  EXPECT_THAT(cluster_refusal(kTwoNodes + kTwoNodes, pod),
              HasSubstr("nodes.yaml:9: metadata.name: a second node 'n1'"));
  EXPECT_THAT(cluster_refusal(kTwoNodes, pod, {.mechanism = {}, .recalculate = Recalculate::when_exceeded}),
              HasSubstr("--only-when-exceeded: is for one node"));
}

// Against each node divided alone, as `--node-name` does it.
TEST(ClusterLimits, OfRandomClustersAreTheLeastOverTheNodesAndFitOnEach) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    Random random(seed);
    std::string nodes, pods;
    const std::size_t n = 2 + random.below(4);
    for (std::size_t i = 0; i < n; ++i)
      nodes += node_text(fmt::format("n{}", i), std::to_string(20 + random.below(20)), "64Gi");
    int count = 0;
    for (int owner = 0; owner < 6; ++owner) {
      const std::string requests =
          fmt::format("cpu: {}m, memory: {}Mi", 100 + random.below(900), 64 + random.below(900));
      for (std::size_t p = 0; p < 1 + random.below(8); ++p)
        pods += running_pod(fmt::format("p{}", count++), "s", fmt::format("o{}", owner),
                            fmt::format("n{}", random.below(n)), requests);
    }
    const ClusterLimits limits = cluster(nodes, pods);
    std::map<std::string, std::vector<Units>> least;
    std::map<std::string, std::map<std::string, std::int64_t>> on_node;
    for (std::size_t i = 0; i < n; ++i) {
      const std::string name = fmt::format("n{}", i);
      const Allocatable node = *read_node(nodes, Syntax::yaml, "nodes.yaml", name);
      const Result<Pods> alone =
          read_pods(pods, Syntax::yaml, "pods.yaml",
                    {.resources = {"cpu", "memory"}, .default_request = {}, .node = name});
      if (!alone) continue;  // nothing runs there
      const Limits of_node = *fair_limits(*alone, node, {.mechanism = *choose_mechanism("drf")});
      for (std::size_t w = 0; w < alone->workloads.size(); ++w) {
        const std::string owner = alone->workloads[w].owner;
        ++on_node[name][owner];
        const std::vector<Units>& own = of_node.workloads[w].limits[0];
        const auto [place, is_new] = least.emplace(owner, own);
        for (std::size_t r = 0; r < 2; ++r) place->second[r] = std::min(place->second[r], own[r]);
      }
    }
    ASSERT_EQ(limits.templates.workloads.size(), least.size());
    for (std::size_t w = 0; w < least.size(); ++w) {
      const std::vector<Units>& found = limits.limits.workloads[w].limits[0];
      EXPECT_EQ(found, least.at(limits.templates.workloads[w].owner));
      for (std::size_t r = 0; r < 2; ++r)
        EXPECT_GE(found[r], limits.templates.workloads[w].containers[0].needs[r].request);
    }
    for (const auto& [name, owners] : on_node) {
      const Allocatable node = *read_node(nodes, Syntax::yaml, "nodes.yaml", name);
      for (std::size_t r = 0; r < 2; ++r) {
        Units sum = 0;
        for (const auto& [owner, pods_there] : owners) sum += pods_there * least.at(owner)[r];
        EXPECT_LE(sum, node.units[r]);
      }
    }
  }
}

TEST(LimitBound, GivesTheRestToOthers) {
  const std::string text = testing::pod("a", "cpu: 100m") + testing::pod("b", "cpu: 100m");
  LimitOptions options{.mechanism = {}, .weights = {{"a", Quantity(9)}}};
  EXPECT_THAT(limits_text(limits_of(text, "cpu=700m", options), {"cpu"}), ElementsAre("600m", "100m"));
  options.at_most = Quantity(4);
  EXPECT_THAT(limits_text(limits_of(text, "cpu=700m", options), {"cpu"}), ElementsAre("400m", "300m"));
  EXPECT_THAT(limits_text(limits_of(text, "cpu=20", options), {"cpu"}), ElementsAre("400m", "400m"));
}

TEST(LimitBound, HoldsForEachContainerAndForMechanismsThatTakeNoCaps) {
  const std::string text =
      "kind: Pod\nmetadata: {name: a}\nspec:\n  initContainers: [{name: i, resources: {requests: {cpu: "
      "100m}}}]\n  "
      "containers: [{name: c, resources: {requests: {cpu: 500m}}}]\n---\n";
  EXPECT_THAT(limits_text(limits_of(text, "cpu=8", {.mechanism = {}, .at_most = Quantity(2)}), {"cpu"}),
              ElementsAre("200m + 1"));
  EXPECT_THAT(limits_text(limits_of(text, "cpu=8",
                                    {.mechanism = *choose_mechanism("mlf-drs"), .at_most = Quantity(2)}),
                          {"cpu"}),
              ElementsAre("200m + 1"));
}

}  // namespace
}  // namespace mirab::kubernetes
