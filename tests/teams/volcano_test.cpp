// The queues of Volcano as teams.
#include "teams/volcano.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <string>

#include "teams/read_back.hpp"

namespace mirab {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

Result<teams::ImportedTeams> volcano(const std::string& text) {
  return teams::import_volcano(test::objects(text));
}

std::string volcano_refusal(const std::string& text) {
  const auto teams = volcano(text);
  return teams ? "taken" : describe(teams.error());
}

std::string volcano_queue(const std::string& name, const std::string& spec) {
  return fmt::format(
      "apiVersion: scheduling.volcano.sh/v1beta1\nkind: Queue\nmetadata: {{name: {}}}\nspec: {}\n---\n", name,
      spec);
}

TEST(Volcano, QueuesAreGroupsWithWhatTheyDeserve) {
  const auto teams = volcano(read_text(MIRAB_SOURCE_DIR "/examples/queues/volcano.yaml"));
  EXPECT_EQ(test::read_back(teams), R"(groups:
  - name: default
    namespaces: [search]
  - name: learning
    weight: 4
    guarantee: {cpu: 100, memory: 400Gi, nvidia.com/gpu: 12}
    groups:
      - name: training
        weight: 3
        guarantee: {cpu: 60, memory: 240Gi, nvidia.com/gpu: 8}
        limit: {nvidia.com/gpu: 14}
        reserved: {nvidia.com/gpu: 2}
        namespaces: [ml-training]
      - name: inference
        guarantee: {cpu: 40, memory: 160Gi, nvidia.com/gpu: 4}
        namespaces: [ml-inference]
  - name: old
    limit: 0%
    namespaces: [notebooks]
)");
  EXPECT_THAT(teams->notices, ElementsAre("not kept, reclaimable: 1 queue: training"));
}

// What is guaranteed is not lent; it is all that is guaranteed where nothing is deserved.
TEST(Volcano, AGuaranteeIsReserved) {
  EXPECT_THAT(test::read_back(
                  volcano(volcano_queue("a", "{guarantee: {resource: {cpu: 4}}, deserved: {memory: 1Gi}}"))),
              HasSubstr("guarantee: {cpu: 4, memory: 1Gi}\n    reserved: {cpu: 4}"));
}

// With `kubectl get queues` alone nobody knows whose they are.
TEST(Volcano, WithoutNamespacesSayHowToPrintThem) {
  const auto teams = volcano(volcano_queue("a", "{weight: 2, priority: 7}"));
  EXPECT_THAT(test::read_back(teams), HasSubstr("weight: 2\n    namespaces: []"));
  EXPECT_THAT(teams->notices,
              ElementsAre(HasSubstr("no queue has a namespace, since none was read: kubectl get"),
                          "not kept, priority: 1 queue: a",
                          "without a namespace: write its namespaces in: 1 queue: a"));
}

TEST(Volcano, NamesWhatIsNotKept) {
  const auto teams = volcano(
      "apiVersion: scheduling.volcano.sh/v1beta1\nkind: Queue\nmetadata: {name: a, annotations: "
      "{volcano.sh/hierarchy: "
      "root/a}}\nspec: {affinity: {nodeGroupAffinity: {}}, dequeueStrategy: fifo}\n---\n"
      "kind: Namespace\napiVersion: v1\nmetadata: {name: n, annotations: {scheduling.volcano.sh/queue-name: "
      "gone}}\n");
  ASSERT_TRUE(teams);
  for (const char* notice : {"not kept, affinity: 1 queue: a", "not kept, dequeueStrategy: 1 queue: a",
                             "not kept, the annotation volcano.sh/hierarchy: 1 queue: a",
                             "left out, of a queue 'gone' that is not there: 1 namespace: n"})
    EXPECT_THAT(teams->notices, Contains(notice));
}

TEST(Volcano, BadInputIsRefusedWithFileLineAndKey) {
  EXPECT_THAT(
      volcano_refusal("apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\n"),
      HasSubstr(
          "this is a Deployment of apps; `kubectl get queues.scheduling.volcano.sh,namespaces -o yaml`"));
  EXPECT_THAT(volcano_refusal("apiVersion: scheduling.run.ai/v2\nkind: Queue\nmetadata: {name: a}\n"),
              HasSubstr("this is a Queue of scheduling.run.ai"));
  EXPECT_EQ(volcano_refusal(volcano_queue("a", "{parent: b}")),
            "queues.yaml:4: spec.parent: there is no queue 'b'; did you mean a? Known are a");
  EXPECT_EQ(volcano_refusal(volcano_queue("a", "{parent: b}") + volcano_queue("b", "{parent: a}")),
            "queues.yaml:4: spec.parent: the queue 'a' is above itself");
  EXPECT_EQ(volcano_refusal(volcano_queue("a", "{deserved: {cpu: -1}}")),
            "queues.yaml:4: spec.deserved.cpu: '-1' is negative; an amount is at least 0");
  EXPECT_EQ(volcano_refusal(volcano_queue("a", "{capability: 4}")),
            "queues.yaml:4: spec.capability: must be a map of keys and values");
  EXPECT_EQ(volcano_refusal(volcano_queue("a", "{}") + volcano_queue("a", "{}")),
            "queues.yaml:8: metadata.name: a second queue 'a'");
  EXPECT_THAT(volcano_refusal(volcano_queue("root", "{}")), HasSubstr("there is no queue but root"));
}

}  // namespace
}  // namespace mirab
