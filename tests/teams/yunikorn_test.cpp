// The queues of YuniKorn as teams.
#include "teams/yunikorn.hpp"

#include <gmock/gmock.h>
#include <string>

#include "teams/read_back.hpp"

namespace mirab {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

Result<teams::ImportedTeams> yunikorn(const std::string& text) {
  return teams::import_yunikorn(test::objects(text));
}

std::string yunikorn_refusal(const std::string& text) {
  const auto teams = yunikorn(text);
  return teams ? "taken" : describe(teams.error());
}

const std::string kQueuesYaml = read_text(MIRAB_SOURCE_DIR "/examples/queues/yunikorn.yaml");

const std::string kYunikornGroups = R"(groups:
  - name: tenants
    guarantee: {cpu: 200, memory: 800Gi, nvidia.com/gpu: 8}
    groups:
      - name: ml-training-queue
        guarantee: {cpu: 50, memory: 200Gi, nvidia.com/gpu: 8}
        limit: {cpu: 100, memory: 400Gi, nvidia.com/gpu: 12}
        namespaces: [ml-training]
      - name: ci-queue
        limit: {cpu: 20.5}
        namespaces: [ci]
  - name: reports
    guarantee: {cpu: 16}
    namespaces: []
)";

TEST(Yunikorn, QueuesBelowTheParentOfTheRuleHaveTheNamespacesOfTheirNames) {
  const auto teams = yunikorn(kQueuesYaml);
  EXPECT_EQ(test::read_back(teams), kYunikornGroups);
  EXPECT_THAT(
      teams->notices,
      ElementsAre(
          HasSubstr("not kept: YuniKorn makes a queue below tenants for each namespace that has none"),
          "not kept, priority.offset: 1 queue: tenants.ml-training",
          "not kept, maxapplications: 1 queue: reports",
          "not kept: 1 placement rule: provided (partitions[0].placementrules[0])",
          HasSubstr("write its namespaces in: 1 queue: reports"),
          HasSubstr("renamed, since a member or another group has the name: 2 groups:")));
}

// As kubectl prints the ConfigMap; that of the defaults is overridden.
TEST(Yunikorn, AreReadFromTheirConfigMap) {
  std::string indented;
  std::istringstream lines(kQueuesYaml);
  for (std::string line; std::getline(lines, line);) indented += "    " + line + "\n";
  const std::string maps =
      "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: yunikorn-configs}\ndata:\n  queues.yaml: |\n" +
      indented +
      "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: yunikorn-defaults}\ndata: {queues.yaml: "
      "\"partitions: []\"}\n";
  EXPECT_EQ(test::read_back(yunikorn(maps)), kYunikornGroups);
}

TEST(Yunikorn, AListWithoutRootStandsBelowIt) {
  EXPECT_EQ(test::read_back(yunikorn(R"(partitions:
- placementrules: [{name: tag, value: namespace}]
  queues: [{name: a}, {name: b, queues: [{name: c}]}]
)")),
            R"(groups:
  - name: a-queue
    namespaces: [a]
  - name: b
    groups:
      - name: c
        namespaces: []
)");
}

TEST(Yunikorn, QueuesOfOneNameAreCalledByTheirPaths) {
  const auto teams = yunikorn(R"(partitions:
- queues:
  - name: root
    queues: [{name: a, queues: [{name: x}]}, {name: b, queues: [{name: x}, {name: y}]}]
)");
  EXPECT_EQ(test::read_back(teams), R"(groups:
  - name: a
    groups:
      - name: a.x
        namespaces: []
  - name: b
    groups:
      - name: b.x
        namespaces: []
      - name: y
        namespaces: []
)");
}

TEST(Yunikorn, BytesCoresAndMillicoresAreAmounts) {
  EXPECT_THAT(test::read_back(yunikorn(
                  "partitions: [{queues: [{name: a, resources: {guaranteed: {memory: 100G, vcore: 500m, "
                  "pods: 10}, max: {vcore: 10, memory: 200000000000}}}]}]\n")),
              HasSubstr("guarantee: {cpu: 0.5, memory: 97656250Ki, pods: 10}\n    limit: {cpu: 10, memory: "
                        "195312500Ki}"));
}

TEST(Yunikorn, NamesLimitsTemplatesAndSettingsOfThePartition) {
  const auto teams = yunikorn(R"(partitions:
- nodesortpolicy: {type: binpacking}
  limits: [{users: [bob], maxapplications: 1}]
  queues: [{name: a, limits: [{users: [eve]}], childtemplate: {maxapplications: 2}, submitacl: "*"}]
)");
  ASSERT_TRUE(teams);
  for (const char* notice :
       {"not kept, nodesortpolicy: 1 partition: default", "not kept, limits: 1 partition: default",
        "not kept, childtemplate: 1 queue: a", "not kept, submitacl: 1 queue: a"})
    EXPECT_THAT(teams->notices, Contains(notice));
  EXPECT_THAT(teams->notices, Contains("not kept, limits: 1 queue: a"));
}

TEST(Yunikorn, BadInputIsRefusedWithFileLineAndKey) {
  EXPECT_THAT(yunikorn_refusal("apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\n"),
              HasSubstr("queues.yaml:2: kind: this is a Deployment of apps; a queues.yaml has `partitions`"));
  EXPECT_THAT(yunikorn_refusal("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\ndata: {a: b}\n"),
              HasSubstr("this is a ConfigMap; a queues.yaml has `partitions`"));
  EXPECT_EQ(yunikorn_refusal("partitions:\n- queues:\n  - name: a\n    resources: {max: {vcore: 1x}}\n"),
            "queues.yaml:4: partitions[0].queues[0].resources.max.vcore: '1x' is not an amount; write a "
            "number like 16, 0.5 or 1e3, or one with a suffix like 500m, 2k or 64Gi");
  EXPECT_EQ(yunikorn_refusal("partitions:\n- queues:\n  - {name: a}\n  - {name: A}\n"),
            "queues.yaml:4: partitions[0].queues[1].name: a second queue 'a'");
  EXPECT_EQ(yunikorn_refusal("partitions:\n- queues:\n  - {name: a.b}\n"),
            "queues.yaml:3: partitions[0].queues[0].name: must be a name without a point");
  EXPECT_THAT(yunikorn_refusal("partitions:\n- {queues: []}\n- {queues: []}\n"),
              HasSubstr("partitions[1]: a second partition"));
  EXPECT_THAT(yunikorn_refusal("partitions:\n- queues: [{name: root}]\n"),
              HasSubstr("there is no queue below root"));
  EXPECT_THAT(yunikorn_refusal("partitions: {}\n"), HasSubstr("queues.yaml:1: partitions: must be a list"));
  // Lines are those of the inner text.
  EXPECT_THAT(yunikorn_refusal(
                  "kind: ConfigMap\nmetadata: {name: c}\ndata:\n  queues.yaml: |\n    partitions:\n    - "
                  "queues: 7\n"),
              HasSubstr("queues.yaml, data.queues.yaml of the ConfigMap on line 1:2: partitions[0].queues: "
                        "must be a list"));
}

}  // namespace
}  // namespace mirab
