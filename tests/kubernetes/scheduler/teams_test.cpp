// Teams: namespaces in groups, by a file or by a label.
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kubernetes/scheduler/bench.hpp"

namespace mirab::kubernetes::testing {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::SizeIs;

Result<LiveTeams> read_teams(const std::string& text) {
  const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();  // each has a file of its own
  const std::string path = ::testing::TempDir() + "kubernetes-teams-" + test->name() + ".yaml";
  std::ofstream(path) << text;
  return LiveTeams::read(path, "namespaces");
}

SchedulerOptions with_teams(const std::string& text, const std::string& label = {}) {
  SchedulerOptions given = options();
  if (!text.empty()) given.policy.teams.file = *read_teams(text);
  given.policy.teams.label = label;
  return given;
}

void put_pods(Bench& bench, const std::string& space, int count) {
  for (int i = 0; i < count; ++i)
    bench.server.put_pod(waiting_pod(space, "p" + std::to_string(i), 1000, 100));
}

TEST(KubernetesTeams, ShareFirstAndTheirNamespacesAfterwards) {
  Bench bench(
      with_teams("groups:\n"
                 "  - {name: research, weight: 2, namespaces: [vision, language]}\n"
                 "  - {name: web, namespaces: [\"shop-*\"]}\n"));
  bench.server.put_node(node_row("n1", 12000, 80000));
  for (const char* space : {"vision", "language", "shop-a", "shop-b", "shop-c"}) put_pods(bench, space, 12);
  bench.run(1);
  EXPECT_EQ(bench.bound("vision"), 4U);
  EXPECT_EQ(bench.bound("language"), 4U);
  EXPECT_EQ(bench.bound("shop-a") + bench.bound("shop-b") + bench.bound("shop-c"), 4U);
}

TEST(KubernetesTeams, AWeightThatSharesCannotBeComparedWithIsAnError) {
  const Result<Scheduler> scheduler =
      Scheduler::from(with_teams("groups: [{name: tiny, weight: 1e-20, namespaces: [a]}]"));
  ASSERT_FALSE(scheduler);
  EXPECT_EQ(scheduler.error().key, "teams");
  EXPECT_THAT(scheduler.error().message, HasSubstr("the group 'tiny': the weight has more digits"));
}

TEST(KubernetesTeams, ANamespaceThatNoGroupNamesStandsNextToTheGroups) {
  Bench bench(with_teams("groups: [{name: all, namespaces: [a, b, c]}]"));
  bench.server.put_node(node_row("n1", 6000, 80000));
  for (const char* space : {"a", "b", "c", "alone"}) put_pods(bench, space, 6);
  bench.run(1);
  EXPECT_EQ(bench.bound("alone"), 3U);
}

TEST(KubernetesTeams, AGuaranteeComesFirstAndALimitIsKept) {
  Bench bench(
      with_teams("groups:\n"
                 "  - {name: sure, guarantee: 50%, namespaces: [sure]}\n"
                 "  - {name: small, limit: {cpu: 2}, namespaces: [small]}\n"));
  bench.server.put_node(node_row("n1", 4000, 80000));
  put_pods(bench, "other", 3);
  put_pods(bench, "small", 8);
  bench.run(1);
  EXPECT_EQ(bench.bound("small"), 2U);
  EXPECT_EQ(bench.bound("other"), 2U);
  EXPECT_THAT(bench.server.pods.at("small-p7-0").conditions["Unschedulable"], HasSubstr(""));
  // More nodes: half of all is what is sure.
  bench.server.put_node(node_row("n2", 4000, 80000));
  put_pods(bench, "sure", 8);
  put_pods(bench, "other", 8);
  bench.run(3);
  EXPECT_EQ(bench.bound("sure"), 4U) << "of 8 CPUs; the others had four before";
  EXPECT_EQ(bench.bound("small"), 2U);
}

TEST(KubernetesTeams, GuaranteesBeyondTheClusterAreCutInProportion) {
  Bench bench(
      with_teams("groups:\n"
                 "  - {name: a, guarantee: {cpu: 30, memory: 1k}, namespaces: [a]}\n"
                 "  - {name: b, guarantee: {cpu: 10, memory: 1k}, namespaces: [b]}\n"));
  bench.server.put_node(node_row("n1", 4000, 80000));
  put_pods(bench, "a", 8);
  put_pods(bench, "b", 8);
  put_pods(bench, "c", 8);
  bench.run(1);
  EXPECT_EQ(bench.bound("a"), 3U);
  EXPECT_EQ(bench.bound("b"), 1U);
}

TEST(KubernetesTeams, ALabelOfTheNamespaceNamesTheTeamAndMovesIt) {
  Bench bench(with_teams("", "team"));
  bench.server.put_node(node_row("n1", 4000, 80000));
  bench.server.put_space({.name = "a", .team = "x"});
  bench.server.put_space({.name = "b", .team = "x"});
  put_pods(bench, "a", 8);
  put_pods(bench, "b", 8);
  put_pods(bench, "c", 8);
  bench.run(1);
  EXPECT_EQ(bench.bound("c"), 2U) << "next to the team of the two others";
  EXPECT_EQ(bench.scheduler.cluster().engine().group_count(), 1U);
  bench.server.put_space({.name = "b", .team = ""});
  bench.run(2);
  bench.server.put_node(node_row("n2", 5000, 80000));
  bench.run(3);
  EXPECT_EQ(bench.bound("a"), 3U);
  EXPECT_EQ(bench.bound("b"), 3U);
  EXPECT_EQ(bench.bound("c"), 3U);
  bench.server.put_space({.name = "a", .team = ""});
  bench.run(4);
  EXPECT_EQ(bench.scheduler.cluster().engine().group_count(), 0U);
}

TEST(KubernetesTeams, CriticalPodsAreOfTheSameTeam) {
  Bench bench(with_teams("groups: [{name: all, namespaces: [a]}]"));
  bench.server.put_node(node_row("n1", 1000, 80000));
  put_pods(bench, "a", 2);
  SeenPod critical = waiting_pod("a", "critical", 1000, 100);
  critical.priority = kSystemCritical;
  bench.server.put_pod(critical);
  bench.run(1);
  EXPECT_EQ(bench.node_of(critical.uid), "n1");
}

TEST(KubernetesTeams, WhatIsWrongInTheFileIsNamedWithItsLine) {
  const auto wrong = [](const std::string& text) { return describe(read_teams(text).error()); };
  EXPECT_THAT(wrong("groups:\n  - {name: a, namespaces: [x]}\n  - {name: b, namespaces: [x]}\n"),
              HasSubstr(":3: groups[1].namespaces[0]: the namespace 'x' is already in the group 'a'"));
  EXPECT_THAT(wrong("groups:\n  - {name: a}\n  - {name: a}\n"),
              HasSubstr(":3: groups[1].name: duplicate name"));
  EXPECT_THAT(wrong("groups:\n  - {name: a, wieght: 2}\n"), HasSubstr(":2: groups[0].wieght"));
  EXPECT_THAT(wrong("groups:\n  - name: a\n    guarantee: {cpu: 2}\n    limit: {cpu: 1}\n"),
              HasSubstr(":4: groups[0].limit"));
  EXPECT_THAT(wrong("groups: []\n"), HasSubstr("must have at least one group"));
}

TEST(KubernetesTeams, PercentagesThatAreTooHighAreNamedAsPercentages) {
  const auto wrong = [](const std::string& text) { return describe(read_teams(text).error()); };
  EXPECT_THAT(
      wrong("groups:\n  - {name: a, guarantee: 60%}\n  - {name: b, guarantee: 60%}\n"),
      EndsWith(":3: groups[1].guarantee: the guarantees together are 120 % (a 60 %, b 60 %), and there "
               "are 100 %"));
  EXPECT_THAT(wrong("groups:\n  - {name: a, guarantee: {cpu: 60%}}\n  - {name: b, guarantee: {cpu: 60%}}\n"),
              EndsWith(":3: groups[1].guarantee.cpu: the guarantees together are 120 % (a 60 %, b 60 %), and "
                       "there are 100 %"));
  EXPECT_THAT(wrong("groups:\n  - name: a\n    groups:\n      - {name: b, guarantee: 40%}\n"
                    "      - {name: c, guarantee: 80%}\n"),
              EndsWith(":5: groups[0].groups[1].guarantee: the guarantees together are 120 % (a 120 %), and "
                       "there are 100 %"));
  EXPECT_THAT(wrong("groups:\n  - name: a\n    limit: 10%\n    groups: [{name: b, guarantee: 20%}]\n"),
              EndsWith(":3: groups[0].limit: 10 % is less than the guarantee, which is 20 %"));
  EXPECT_THAT(wrong("groups:\n  - {name: a, guarantee: 12.5%, reserved: 33.3%}\n"),
              HasSubstr(":2: groups[0].reserved: 33.3 % is more than the guarantee, which is 12.5 %;"));
  EXPECT_TRUE(read_teams("groups: [{name: a, guarantee: 60%}, {name: b, guarantee: 40%}]\n"));
  EXPECT_TRUE(read_teams("groups: [{name: a, guarantee: {cpu: 90}}, {name: b, guarantee: {cpu: 90}}]\n"));
}

TEST(KubernetesTeams, DisciplinesWithoutGroupsRefuseThem) {
  SchedulerOptions given = with_teams("groups: [{name: all, namespaces: [a]}]");
  given.policy.discipline = *choose_discipline("fifo");
  const Result<Scheduler> refused = Scheduler::from(given);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().key, "--discipline");
  EXPECT_THAT(refused.error().message, HasSubstr("teams: "));
}

TEST(KubernetesTeams, ResourcesThatNoNodeHasAreNoticed) {
  SchedulerOptions given =
      with_teams("groups: [{name: a, guarantee: {example.com/gpu: 1}, namespaces: [a]}]");
  given.policy.share_scale["memroy"] = Quantity(0);
  Bench bench(given);
  bench.server.put_node(node_row("n1", 1000, 80000));
  bench.run(0.1);
  std::vector<std::string> notices;
  for (const Happening& each : bench.scheduler.take_happenings()) notices.push_back(each.why);
  EXPECT_THAT(notices,
              ::testing::ElementsAre("no node has 'memroy', which --share-scale names",
                                     "no node has 'example.com/gpu', which the file of --teams names"));
}

}  // namespace
}  // namespace mirab::kubernetes::testing
