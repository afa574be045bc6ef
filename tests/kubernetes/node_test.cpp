#include <gmock/gmock.h>

#include <mirab/kubernetes/amounts.hpp>

namespace mirab::kubernetes {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Figure 4.16 of the thesis: a node's allocatable memory is less than its capacity.
constexpr const char* kMinikube = R"(apiVersion: v1
kind: Node
metadata: {name: minikube}
status:
  capacity: {cpu: "2", memory: 2838624Ki}
  allocatable:
    cpu: "2"
    memory: 1936224Ki
    pods: "110"
)";

constexpr const char* kTwo = R"({"kind": "List", "items": [
  {"kind": "Node", "metadata": {"name": "one"}, "status": {"allocatable": {"cpu": "1930m", "memory": "1Gi"}}},
  {"kind": "Node", "metadata": {"name": "two"}, "status": {"allocatable": {"cpu": "4", "memory": "2Gi"}}}]})";

std::string refusal(std::string_view text, Syntax syntax, std::string_view name) {
  const Result<Allocatable> node = read_node(text, syntax, "node.yaml", name);
  return node ? "read" : describe(node.error());
}

TEST(Node, GivesPodsWhatIsAllocatable) {
  const Result<Allocatable> node = read_node(kMinikube, Syntax::yaml, "node.yaml", "");
  ASSERT_TRUE(node);
  EXPECT_EQ(node->node, "minikube");
  EXPECT_THAT(node->resources, ElementsAre("cpu", "memory"));
  EXPECT_THAT(node->units, ElementsAre(2000, Units{1936224} << 10));
}

TEST(Node, OfSeveralIsPickedByName) {
  const Result<Allocatable> node = read_node(kTwo, Syntax::json, "nodes.json", "two");
  ASSERT_TRUE(node);
  EXPECT_THAT(node->units, ElementsAre(4000, Units{2} << 30));
  EXPECT_THAT(refusal(kTwo, Syntax::json, ""), HasSubstr("2 nodes, one, two: choose one with --node-name"));
  EXPECT_THAT(refusal(kTwo, Syntax::json, "tow"),
              HasSubstr("there is no node 'tow' in it; did you mean two? Known are one, two"));
}

TEST(Node, WithoutWhatPodsNeedIsRefusedWithLineAndKey) {
  EXPECT_EQ(refusal("kind: Pod\n", Syntax::yaml, ""),
            "node.yaml: the file contains no node; kubectl get node NAME -o yaml writes one");
  EXPECT_THAT(refusal("kind: Node\nstatus:\n  allocatable:\n    cpu: 2\n", Syntax::yaml, ""),
              HasSubstr("node.yaml:4: status.allocatable.memory: missing"));
  EXPECT_THAT(refusal("kind: Node\nstatus:\n  allocatable:\n    cpu: two\n", Syntax::yaml, ""),
              HasSubstr("node.yaml:4: status.allocatable.cpu: 'two' is not an amount"));
  EXPECT_THAT(refusal("kind: Node\nstatus:\n  allocatable:\n    cpu: 0\n", Syntax::yaml, ""),
              HasSubstr("node.yaml:4: status.allocatable.cpu: must be more than 0"));
}

}  // namespace
}  // namespace mirab::kubernetes
