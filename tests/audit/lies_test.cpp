// What users may tell instead of the truth, and in which words.
#include <gmock/gmock.h>
#include <set>

#include "audit/clusters.hpp"
#include "audit/properties/strategy_proofness.hpp"

namespace mirab {
namespace {

using testing::amounts;
using testing::cluster_of;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::pool_of;
using testing::problem_of;
using ::testing::SizeIs;

// A may not run on s4; no two servers are alike.
Cluster four_servers() {
  Cluster cluster = cluster_of({{4}, {5}, {6}, {7}}, {{1}, {1}});
  cluster.users[0].servers = {{"s1", "s2", "s3"}};
  return cluster;
}

TEST(Lies, AServerThatIsHiddenIsNotOfferedAndNoOtherIs) {
  const Problem problem = problem_of(four_servers());
  const std::optional<ReportedCluster> reported = report(problem, {.user = "A", .hidden = {"s2"}});
  ASSERT_TRUE(reported);
  EXPECT_THAT(*reported->cluster.users[0].servers, ElementsAre("s1", "s3"));
  EXPECT_EQ(reported->words, "by saying that it may not run on s2");
}

// A misreport is tried again on smaller clusters, and on those it names the servers that are left.
TEST(Lies, OnlyServersOnWhichTheUserMayRunAreNamedAsHidden) {
  const Problem problem = problem_of(four_servers());
  const std::optional<ReportedCluster> reported =
      report(problem, {.user = "A", .hidden = {"gone", "s1", "s4"}});
  ASSERT_TRUE(reported);
  EXPECT_EQ(reported->words, "by saying that it may not run on s1");
  EXPECT_FALSE(report(problem, {.user = "A", .hidden = {"gone", "s4"}})) << "hides nothing";
  EXPECT_FALSE(report(problem, {.user = "A", .hidden = {"s1", "s2", "s3"}})) << "offers nothing";
}

TEST(Lies, ADemandThatDiffersOnAServerIsMisreportedThereToo) {
  Cluster cluster = cluster_of({{4, 4}, {5, 5}}, {{1, 2}});
  cluster.users[0].demand_on = {{"s2", amounts({3, 4})}};
  const std::optional<ReportedCluster> reported =
      report(problem_of(cluster), {.user = "A", .demands = {{{"cpu", 2.0}, {"memory", 0.5}}}});
  ASSERT_TRUE(reported);
  EXPECT_EQ(reported->cluster.users[0].demand, amounts({2, 1}));
  EXPECT_EQ(reported->cluster.users[0].demand_on.at("s2"), amounts({6, 2}));
  EXPECT_EQ(reported->words, "by reporting cpu 2, memory 1 instead of cpu 1, memory 2");
}

// A task of A is a tenth of the CPUs; half of that of the memory is 10.
TEST(Lies, AskingForWhatIsNotNeededIsMeasuredByWhatIsNeededMost) {
  const std::optional<ReportedCluster> reported =
      report(pool_of({10, 200}, {{1, 0}}), {.user = "A", .demands = {{{"memory", 0.5}}}});
  ASSERT_TRUE(reported);
  EXPECT_EQ(reported->cluster.users[0].demand, amounts({1, 10}));
}

TEST(Lies, WhoAppearsAsTwoHasTheSameWeightAndTasksTogether) {
  Cluster cluster = cluster_of({{4, 4}}, {{1, 2}, {1, 1}});
  cluster.users[0].weight = Quantity(3);
  cluster.users[0].tasks = Quantity(5);
  const std::optional<ReportedCluster> reported =
      report(problem_of(cluster), {.user = "A", .demands = {{{"cpu", 2.0}}, {{"cpu", 0.5}}}});
  ASSERT_TRUE(reported);
  EXPECT_THAT(reported->liars, ElementsAre(0u, 2u));
  for (const std::size_t liar : reported->liars) {
    EXPECT_EQ(reported->cluster.users[liar].weight.value(), 1.5);
    EXPECT_EQ(reported->cluster.users[liar].tasks->value(), 2.5);
  }
  EXPECT_EQ(reported->cluster.users[2].demand[0].value(), 0.5);
  EXPECT_EQ(reported->words,
            "by appearing as two of half the weight, of cpu 2, memory 2 and of cpu 0.5, memory 2, instead of "
            "one of cpu 1, memory 2");
}

// Half of 3e-60 is below the smallest weight that there is.
TEST(Lies, AWeightThatCannotBeHalvedIsNotSplit) {
  Cluster cluster = cluster_of({{4, 4}}, {{1, 2}, {1, 1}});
  cluster.users[0].weight = *Quantity::parse("0." + std::string(59, '0') + "3");
  EXPECT_FALSE(report(problem_of(cluster), {.user = "A", .demands = {{{"cpu", 2.0}}, {{"cpu", 0.5}}}}));
}

// To state no limit would be another report than the one that is described.
TEST(Lies, ALimitThatCannotBeRepresentedIsNotReportedAsNone) {
  Cluster cluster = cluster_of({{4, 4}}, {{1, 2}, {1, 1}});
  cluster.users[0].tasks = *Quantity::parse("0." + std::string(59, '0') + "3");
  const Problem problem = problem_of(cluster);
  EXPECT_FALSE(report(problem, {.user = "A", .demands = {{{"cpu", 2.0}}, {{"cpu", 0.5}}}}));
  EXPECT_FALSE(report(problem, {.user = "A", .tasks = 0.5}));
  EXPECT_TRUE(report(problem, {.user = "A", .tasks = 2.0}));
}

TEST(Lies, WhoIsNotThereTellsNone) {
  EXPECT_FALSE(report(pool_of({4}, {{1}}), {.user = "Z", .demands = {{{"cpu", 2.0}}}}));
}

std::vector<Misreport> moves(const Cluster& cluster, Scope scope = Scope::servers) {
  return misreports_of(problem_of(cluster), scope, 0);
}

std::size_t count(const std::vector<Misreport>& lies, auto wanted) {
  return static_cast<std::size_t>(std::count_if(lies.begin(), lies.end(), wanted));
}

TEST(Lies, EveryKindOfServerIsHiddenAndKeptAlone) {
  Cluster cluster = four_servers();
  cluster.servers[2].capacity = cluster.servers[1].capacity;  // s2 and s3 are of a kind
  cluster.users[0].servers = {};
  std::set<std::vector<std::string>> hidden;
  for (const Misreport& lie : moves(cluster)) {
    if (!lie.hidden.empty()) hidden.insert(lie.hidden);
  }
  using Names = std::vector<std::string>;
  EXPECT_EQ(hidden, (std::set<Names>{
                        {"s1"}, {"s2", "s3"}, {"s4"}, {"s2", "s3", "s4"}, {"s1", "s4"}, {"s1", "s2", "s3"}}));
  EXPECT_THAT(misreports_of(problem_of(cluster), Scope::pool, 0),
              Each(::testing::Field(&Misreport::hidden, IsEmpty())))
      << "there is one server in a pool";
}

TEST(Lies, DemandsAreMovedAloneAndAgainstEachOther) {
  const std::vector<Misreport> lies = moves(cluster_of({{4, 4, 4}}, {{1, 2, 0}}));
  const auto says = [](std::vector<Factors> demands) {
    return [=](const Misreport& lie) { return lie.demands == demands; };
  };
  EXPECT_EQ(count(lies, says({{{"cpu", 0.0}}})), 1u) << "conceals what it needs";
  EXPECT_EQ(count(lies, says({{{"cpu", 2.0}}})), 1u) << "more";
  EXPECT_EQ(count(lies, says({{{"cpu", 0.5}}})), 1u) << "less";
  EXPECT_EQ(count(lies, says({{{"cpu", 0.5}, {"memory", 2.0}}})), 1u) << "one against the other";
  EXPECT_EQ(count(lies, says({{{"disk", 0.1}}})), 1u) << "a little of what it does not need";
  EXPECT_EQ(count(lies, says({{{"memory", 0.0}}, {{"cpu", 0.0}}})), 1u) << "as two, each with one demand";
  EXPECT_EQ(count(lies, says({{{"cpu", 2.0}}, {{"cpu", 0.5}}})), 1u) << "as two, one of them large";
}

TEST(Lies, OnlyWhoHasALimitInflatesIt) {
  Cluster cluster = cluster_of({{4}}, {{1}});
  const auto inflates = [](const Misreport& lie) { return lie.tasks.has_value(); };
  EXPECT_EQ(count(moves(cluster), inflates), 0u);
  cluster.users[0].tasks = Quantity(3);
  EXPECT_EQ(count(moves(cluster), inflates), 3u);
}

TEST(Lies, ARandomLieIsAnybodysWithinAFactorOfEight) {
  Random random(7);
  const Problem problem = pool_of({9, 18}, {{1, 4}, {3, 1}, {2, 2}});
  std::set<std::string> users;
  for (int k = 0; k < 100; ++k) {
    const Misreport lie = random_misreport(problem, random);
    users.insert(lie.user);
    ASSERT_THAT(lie.demands, SizeIs(1));
    ASSERT_THAT(lie.demands[0], SizeIs(2));
    for (const auto& [resource, factor] : lie.demands[0]) {
      EXPECT_GE(factor, 0.125);
      EXPECT_LE(factor, 8);
    }
  }
  EXPECT_THAT(users, SizeIs(3));
}

}  // namespace
}  // namespace mirab
