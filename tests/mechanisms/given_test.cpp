// What runs now as a mechanism, and which mechanism is recommended for which cluster.
#include <algorithm>
#include <gmock/gmock.h>

#include <mirab/mechanisms/mechanism.hpp>

#include "model/clusters.hpp"

namespace mirab {
namespace {

using testing::cluster_of;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::problem_of;
using testing::slides;

Running running(const std::string& user, const std::string& server, int tasks) {
  return {.user = user, .server = server, .tasks = Quantity(tasks)};
}

TEST(Given, IsWhatRunsAndNothingElse) {
  Cluster cluster = cluster_of({{9, 18}, {4, 4}}, {{1, 4}, {3, 1}, {1, 1}});
  cluster.servers[1].count = 2;
  cluster.running = {running("C", "s2", 3), running("A", "s1", 1), running("A", "s2", 1)};
  const Outcome outcome = *allocate(problem_of(cluster), "given");
  EXPECT_EQ(outcome.status, Status::exact);
  EXPECT_THAT(outcome.notices, IsEmpty());
  EXPECT_THAT(outcome.allocation.tasks, ElementsAre(2, 0, 3));
  const auto rows = testing::rows_of(outcome.allocation.grants);
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[1].server, 1u);
  EXPECT_THAT(rows[1].resources, ElementsAre(1, 4));
  EXPECT_THAT(outcome.allocation.servers[1].capacity, ElementsAre(8, 8));
  EXPECT_THAT(outcome.allocation.servers[1].used, ElementsAre(4, 7));
  EXPECT_EQ(outcome.allocation.servers[1].count, 2);
}

TEST(Given, TakesTheDemandOfTheServerOnWhichATaskRuns) {
  Cluster cluster = cluster_of({{9}, {4}}, {{1}});
  cluster.users[0].demand_on = {{"s2", testing::amounts({2})}};
  cluster.running = {running("A", "s2", 2)};
  EXPECT_THAT(allocate(problem_of(cluster), "given")->allocation.servers[1].used, ElementsAre(4));
}

TEST(Given, WithoutAnythingRunningIsAnErrorOfTheProblem) {
  const Result<Outcome> outcome = allocate(problem_of(slides()), "given");
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().key, "running");
}

TEST(Given, IsNamedByNoErrorAsAMechanismThatCan) {
  Cluster cluster = slides();
  cluster.users[0].weight = Quantity(0);
  const Result<Outcome> outcome = allocate(problem_of(cluster), "drf");
  ASSERT_FALSE(outcome);
  EXPECT_THAT(outcome.error().message, ::testing::Not(HasSubstr("given")));
}

TEST(Recommended, IsDrfOnOneServerAndDrfhOnSeveral) {
  EXPECT_EQ(recommended(problem_of(slides())).choice.name, "drf");
  Cluster counted = slides();
  counted.servers[0].count = 2;
  EXPECT_EQ(recommended(problem_of(counted)).choice.name, "drfh");
  EXPECT_EQ(recommended(problem_of(counted)).reason, "2 servers, without groups");
  EXPECT_EQ(recommended(problem_of(cluster_of({{1}, {1}}, {{1}}))).choice.name, "drfh");
}

TEST(Recommended, HonoursGroupsShapesGuaranteesLimitsAndTheWeightZero) {
  const auto named = [](const auto& change) {
    Cluster one = slides();
    change(one);
    Cluster two = one;
    two.servers[0].count = 2;
    EXPECT_EQ(recommended(problem_of(one)).choice.name, "hdrf");
    EXPECT_EQ(recommended(problem_of(two)).choice.name, "hdrfh");
    return recommended(problem_of(two)).reason;
  };
  EXPECT_EQ(named([](Cluster& c) {
              c.groups = {{.name = "team"}};
              c.users[0].group = "team";
            }),
            "2 servers, with groups");
  EXPECT_EQ(named([](Cluster& c) {
              c.groups = {{.name = "team", .is_user = true}};
              c.users[0].group = "team";
              c.users[0].shape = "web";
              c.users[0].name = "team/web";
            }),
            "2 servers, with task shapes");
  EXPECT_EQ(named([](Cluster& c) {
              c.users[0].quota.guarantee = testing::amounts({1, 1});
            }),
            "2 servers, with guarantees");
  EXPECT_EQ(named([](Cluster& c) { c.users[1].quota.limit = {Quantity(1), {}}; }), "2 servers, with limits");
  EXPECT_EQ(named([](Cluster& c) { c.users[1].weight = Quantity(0); }), "2 servers, with a weight of 0");
}

TEST(Recommended, CanDivideWhatItIsRecommendedFor) {
  Cluster cluster = cluster_of({{9}, {4}}, {{1}, {1}});
  cluster.users[0].demand_on = {{"s2", testing::amounts({2})}};
  const Problem problem = problem_of(cluster);
  EXPECT_TRUE(allocate(problem, recommended(problem).choice));
  EXPECT_THAT(recommended(problem).reason, HasSubstr("tasks of A demand something else on some servers"));
}

const Applicability& of(const std::vector<Applicability>& all, std::string_view name) {
  return *std::find_if(all.begin(), all.end(),
                       [&](const Applicability& each) { return each.mechanism->name == name; });
}

TEST(Applicability, SaysWhatEachMechanismIgnoresOrWhyItRefuses) {
  Cluster cluster = cluster_of({{9, 18}, {4, 4}}, {{1, 4}, {3, 1}});
  cluster.users[0].servers = {{"s1"}};
  cluster.users[1].tasks = Quantity(2);
  cluster.groups = {{.name = "team"}};
  cluster.users[0].group = "team";
  const std::vector<Applicability> all = applicability(problem_of(cluster));
  EXPECT_EQ(all.size(), mechanisms().size());
  EXPECT_THAT(of(all, "drf").ignores,
              ElementsAre("that there are 2 servers", "`servers` and `select` of A", "groups"));
  EXPECT_THAT(of(all, "drfh").ignores, ElementsAre("groups"));
  EXPECT_THAT(of(all, "hdrfh").ignores, IsEmpty());
  EXPECT_FALSE(of(all, "hdrfh").refused);
  EXPECT_TRUE(of(all, "baa").refused);
  EXPECT_TRUE(of(all, "given").refused);
}

TEST(Applicability, AgreesWithWhatDividingSays) {
  for (const bool groups : {false, true}) {
    Cluster cluster = cluster_of({{9, 18}, {4, 4}}, {{1, 4}, {3, 1}});
    cluster.running = {running("A", "s1", 1)};
    if (groups) {
      cluster.groups = {{.name = "team"}};
      cluster.users[0].group = "team";
    }
    const Problem problem = problem_of(cluster);
    for (const Applicability& each : applicability(problem)) {
      std::string text(each.mechanism->name);
      if (text == "alpha-fair" || text == "alpha-pf-vds") text += ":alpha=2";
      const Result<Outcome> outcome = allocate(problem, text);
      EXPECT_EQ(each.refused.has_value(), !outcome) << text;
      if (outcome) {
        EXPECT_EQ(each.ignores.empty(), outcome->notices.empty()) << text;
      }
    }
  }
}

}  // namespace
}  // namespace mirab
