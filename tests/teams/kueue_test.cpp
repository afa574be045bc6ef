// The queues of Kueue as teams. The amounts are worked out by hand.
#include "teams/kueue.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <sstream>
#include <string>

#include "teams/read_back.hpp"

namespace mirab {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Result<teams::ImportedTeams> kueue(const std::string& text) {
  return teams::import_kueue(test::objects(text));
}

std::string kueue_refusal(const std::string& text) {
  const auto teams = kueue(text);
  return teams ? "taken" : describe(teams.error());
}

/// A ClusterQueue with one flavor. `more`: further lines of its spec.
std::string cluster_queue(const std::string& name, const std::string& quotas, const std::string& more = "") {
  return fmt::format(
      "apiVersion: kueue.x-k8s.io/v1beta2\nkind: ClusterQueue\nmetadata: {{name: {}}}\nspec:\n{}"
      "  resourceGroups:\n  - flavors:\n    - name: default\n      resources: [{}]\n---\n",
      name, more, quotas);
}

std::string local_queue(const std::string& space, const std::string& name, const std::string& queue) {
  return fmt::format(
      "apiVersion: kueue.x-k8s.io/v1beta2\nkind: LocalQueue\nmetadata: {{namespace: {}, name: {}}}\nspec: "
      "{{clusterQueue: {}}}\n---\n",
      space, name, queue);
}

// 300 + 16 CPUs of two flavors; what training keeps of its 6 GPUs: 6 - 4; the cohort adds 2 GPUs to 6 + 4,
// and may borrow 4 more; all of company is 48 + 32 + 300 + 16 CPUs.
TEST(Kueue, CohortsAndQueuesAreGroupsWithTheirQuotas) {
  std::istringstream text(read_text(MIRAB_SOURCE_DIR "/examples/queues/kueue.yaml"));
  const auto teams = kueue(text.str());
  EXPECT_EQ(test::read_back(teams), R"(groups:
  - name: company
    limit: {cpu: 396, memory: 1408Gi, nvidia.com/gpu: 12}
    reserved: {nvidia.com/gpu: 2}
    groups:
      - name: learning
        weight: 2
        guarantee: {cpu: 80, memory: 320Gi, nvidia.com/gpu: 12}
        limit: {nvidia.com/gpu: 16}
        reserved: {nvidia.com/gpu: 2}
        groups:
          - name: training
            guarantee: {cpu: 48, memory: 192Gi, nvidia.com/gpu: 6}
            reserved: {nvidia.com/gpu: 2}
            namespaces: [ml-training]
          - name: ml-inference-queue
            guarantee: {cpu: 32, memory: 128Gi, nvidia.com/gpu: 4}
            limit: {nvidia.com/gpu: 8}
            namespaces: [ml-inference]
      - name: shop
        guarantee: {cpu: 316, memory: 1088Gi}
        limit: {nvidia.com/gpu: 0}
        namespaces: [checkout, payments]
  - name: builds
    limit: 0%
    namespaces: [ci]
)");
  EXPECT_THAT(
      teams->notices,
      ElementsAre(
          HasSubstr("summed over the flavors gpu, plain: cpu, memory; a quota holds for any of these"),
          "not kept, preemption: 1 queue: training", "not kept, nodeLabels: 1 flavor: gpu",
          HasSubstr("renamed, since a member or another group has the name: 1 group: ml-inference")));
}

TEST(Kueue, WithoutACohortTheQuotaIsTheLimitToo) {
  const auto teams =
      kueue(cluster_queue("a", "{name: cpu, nominalQuota: 9}, {name: memory, nominalQuota: 36Gi}") +
            local_queue("team", "user-queue", "a"));
  EXPECT_EQ(test::read_back(teams), R"(groups:
  - name: a
    guarantee: {cpu: 9, memory: 36Gi}
    limit: {cpu: 9, memory: 36Gi}
    namespaces: [team]
)");
  EXPECT_THAT(teams->notices, IsEmpty());
}

// v1beta1: `cohort`, and the cohort is no object.
TEST(Kueue, OfOlderVersionsNameTheirCohortOnly) {
  std::string old =
      cluster_queue("a", "{name: cpu, nominalQuota: 500m, borrowingLimit: 1}", "  cohort: all\n");
  old.replace(old.find("v1beta2"), 7, "v1beta1");
  EXPECT_EQ(test::read_back(kueue(old)), R"(groups:
  - name: all
    limit: {cpu: 0.5}
    groups:
      - name: a
        guarantee: {cpu: 0.5}
        limit: {cpu: 1.5}
        namespaces: []
)");
}

// What is not lent at two levels: b keeps 6 of 10, their cohort lends 3 of the 4 + 2 that are left.
TEST(Kueue, ReservesAddUp) {
  const auto teams =
      kueue(cluster_queue("b", "{name: cpu, nominalQuota: 10, lendingLimit: 4}", "  cohortName: in\n") +
            "apiVersion: kueue.x-k8s.io/v1beta2\nkind: Cohort\nmetadata: {name: in}\nspec:\n"
            "  parentName: out\n  resourceGroups: [{flavors: [{name: default, resources: "
            "[{name: cpu, nominalQuota: 2, lendingLimit: 3}]}]}]\n");
  EXPECT_EQ(test::read_back(teams), R"(groups:
  - name: out
    limit: {cpu: 12}
    reserved: {cpu: 9}
    groups:
      - name: in
        guarantee: {cpu: 12}
        reserved: {cpu: 9}
        groups:
          - name: b
            guarantee: {cpu: 10}
            reserved: {cpu: 6}
            namespaces: []
)");
}

// Kueue lends the quota of a queue that is held.
TEST(Kueue, AHeldQueueLeavesItsQuotaToItsCohort) {
  const auto teams = kueue(
      cluster_queue("a", "{name: cpu, nominalQuota: 4}", "  cohortName: all\n") +
      cluster_queue("b", "{name: cpu, nominalQuota: 6}", "  cohortName: all\n  stopPolicy: HoldAndDrain\n"));
  EXPECT_EQ(test::read_back(teams), R"(groups:
  - name: all
    guarantee: {cpu: 10}
    limit: {cpu: 10}
    groups:
      - name: a
        guarantee: {cpu: 4}
        namespaces: []
      - name: b
        limit: 0%
        namespaces: []
)");
  EXPECT_THAT(teams->notices, Contains("not kept, that HoldAndDrain ends what runs: 1 queue: b"));
}

TEST(Kueue, AWeightOf0IsKept) {
  EXPECT_THAT(test::read_back(kueue(cluster_queue("a", "", "  fairSharing: {weight: 0}\n"))),
              HasSubstr("weight: 0\n"));
  EXPECT_THAT(test::read_back(kueue(cluster_queue("a", "", "  fairSharing: {weight: 750m}\n"))),
              HasSubstr("weight: 0.75\n"));
}

// No workload with GPUs is admitted by a queue that does not name them; of pods it counts none.
TEST(Kueue, OnlyPodsAreFreeWhereAQueueHasNoQuotaOfThem) {
  const auto teams = kueue(cluster_queue("a", "{name: cpu, nominalQuota: 4}", "  cohortName: all\n") +
                           cluster_queue("b", "{name: gpu, nominalQuota: 6}, {name: pods, nominalQuota: 5}",
                                         "  cohortName: all\n"));
  EXPECT_THAT(test::read_back(teams),
              HasSubstr("name: a\n        guarantee: {cpu: 4}\n        limit: {gpu: 0}\n"));
}

TEST(Kueue, ANamespaceOfSeveralQueuesIsInOne) {
  const std::string queues = cluster_queue("a", "") + cluster_queue("b", "");
  const auto first =
      kueue(queues + local_queue("n", "x", "a") + local_queue("n", "y", "b") + local_queue("n", "z", "a"));
  EXPECT_THAT(test::read_back(first), HasSubstr("name: a\n    namespaces: [n]"));
  EXPECT_THAT(first->notices, Contains("not kept, a second queue 'b' of one namespace: 1 namespace: n"));
  const auto with_default = kueue(queues + local_queue("n", "x", "a") + local_queue("n", "default", "b"));
  EXPECT_THAT(test::read_back(with_default), HasSubstr("name: b\n    namespaces: [n]"));
  EXPECT_THAT(with_default->notices,
              Contains("not kept, a second queue 'a' of one namespace: 1 namespace: n"));
}

TEST(Kueue, NamesWhatIsNotKept) {
  const auto teams = kueue(cluster_queue("a", "{name: cpu, nominalQuota: 1}",
                                         "  queueingStrategy: StrictFIFO\n  admissionChecks: [x]\n  "
                                         "namespaceSelector: {matchLabels: {team: a}}\n"
                                         "  preemption: {withinClusterQueue: Never}\n") +
                           "apiVersion: kueue.x-k8s.io/v1beta2\nkind: LocalQueue\nmetadata: {namespace: n, "
                           "name: l}\nspec: {clusterQueue: a, "
                           "stopPolicy: Hold, fairSharing: {weight: 2}}\n---\n" +
                           local_queue("n", "gone", "nowhere") +
                           "kind: Workload\napiVersion: kueue.x-k8s.io/v1beta2\nmetadata: {name: w}\n");
  ASSERT_TRUE(teams);
  EXPECT_THAT(
      teams->notices,
      ElementsAre("not kept, queueingStrategy: 1 queue: a", "not kept, admissionChecks: 1 queue: a",
                  "not kept, namespaceSelector: 1 queue: a", "left out, no queue: 1 object: Workload w",
                  "not kept, fairSharing: 1 LocalQueue: n/l", "not kept, stopPolicy Hold: 1 LocalQueue: n/l",
                  "left out, of a ClusterQueue 'nowhere' that is not there: 1 LocalQueue: n/gone"));
}

// The two forms in which kubectl prints several objects.
TEST(Kueue, AreReadFromAListInJson) {
  const std::string json = R"({"apiVersion": "v1", "kind": "List", "items": [
    {"apiVersion": "kueue.x-k8s.io/v1beta1", "kind": "ClusterQueue", "metadata": {"name": "a"},
     "spec": {"cohort": "", "resourceGroups": [{"coveredResources": ["cpu"], "flavors": [
       {"name": "f", "resources": [{"name": "cpu", "nominalQuota": "9", "borrowingLimit": null}]}]}]}}]})";
  EXPECT_THAT(test::read_back(kueue(json)), HasSubstr("guarantee: {cpu: 9}\n    limit: {cpu: 9}"));
}

TEST(Kueue, BadInputIsRefusedWithFileLineAndKey) {
  EXPECT_THAT(
      kueue_refusal("apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\n"),
      HasSubstr("queues.yaml:2: kind: this is a Deployment of apps; `kubectl get clusterqueues,cohorts,"));
  EXPECT_THAT(kueue_refusal("apiVersion: scheduling.volcano.sh/v1beta1\nkind: Queue\nmetadata: {name: q}\n"),
              HasSubstr("this is a Queue of scheduling.volcano.sh; `kubectl get "));
  EXPECT_THAT(kueue_refusal("groups: []\n"), HasSubstr("queues.yaml:1: kind: is no object of Kubernetes"));
  EXPECT_THAT(kueue_refusal("{apiVersion: v1, kind: List, items: []}\n"),
              HasSubstr("queues.yaml: there are no queues"));
  EXPECT_EQ(kueue_refusal(cluster_queue("a", "{name: cpu, nominalQuota: 9x}")),
            "queues.yaml:8: spec.resourceGroups[0].flavors[0].resources[0].nominalQuota: '9x' is not an "
            "amount; write a number like 16, 0.5 or 1e3, or one with a suffix like 500m, 2k or 64Gi");
  EXPECT_EQ(kueue_refusal(cluster_queue("a", "{name: cpu}")),
            "queues.yaml:8: spec.resourceGroups[0].flavors[0].resources[0].nominalQuota: missing");
  EXPECT_THAT(kueue_refusal(cluster_queue("a", "{name: cpu, nominalQuota: 1}, {name: cpu, nominalQuota: 2}")),
              HasSubstr("resources[1]: a second quota of cpu in the flavor 'default'"));
  EXPECT_EQ(kueue_refusal(cluster_queue("a", "") + cluster_queue("a", "")),
            "queues.yaml:12: metadata.name: a second ClusterQueue 'a'");
  EXPECT_EQ(kueue_refusal(cluster_queue("a", "", "  stopPolicy: Sometimes\n")),
            "queues.yaml:5: spec.stopPolicy: must be None, Hold or HoldAndDrain");
  EXPECT_THAT(
      kueue_refusal(
          cluster_queue("a", "", "  cohortName: x\n") +
          "apiVersion: kueue.x-k8s.io/v1beta2\nkind: Cohort\nmetadata: {name: x}\nspec: {parentName: "
          "y}\n---\n"
          "apiVersion: kueue.x-k8s.io/v1beta2\nkind: Cohort\nmetadata: {name: y}\nspec: {parentName: x}\n"),
      HasSubstr("spec.parentName: the cohort 'x' is above itself"));
  EXPECT_THAT(
      kueue_refusal(
          "apiVersion: kueue.x-k8s.io/v1alpha1\nkind: ClusterQueue\nmetadata: {name: a}\nspec: {resources: "
          "[]}\n"),
      HasSubstr("spec.resources: belongs to a version before v1beta1"));
}

}  // namespace
}  // namespace mirab
