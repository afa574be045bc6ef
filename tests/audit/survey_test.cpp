// Why every user has what it has: what explain() says of each, solved once for all, and the best remedy.
#include <algorithm>
#include <gmock/gmock.h>
#include <tuple>

#include <mirab/audit/explanation.hpp>
#include <mirab/audit/properties.hpp>
#include <mirab/model/cluster_file.hpp>

#include "model/clusters.hpp"

namespace mirab {
namespace {

using testing::cluster_of;
using ::testing::DoubleNear;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::problem_of;
using testing::slides;

Survey surveyed(const Problem& problem, const std::string& mechanism, const ExplainOptions& options = {}) {
  Result<Survey> survey = explain_all(problem, *choose_mechanism(mechanism), options);
  MIRAB_ASSERT(static_cast<bool>(survey), describe(survey.error()).c_str());
  return *std::move(survey);
}

void expect_same(const Standing& standing, const Explanation& explanation) {
  EXPECT_EQ(standing.tasks, explanation.outcome.allocation.tasks[standing.user]);
  EXPECT_EQ(standing.dominant_share, explanation.dominant_share);
  EXPECT_EQ(standing.satisfied, explanation.has_all_tasks);
  EXPECT_EQ(standing.stop.kind, explanation.stop.kind);
  EXPECT_EQ(standing.stop.resources, explanation.stop.resources);
  ASSERT_EQ(standing.bindings.size(), explanation.bindings.size());
  for (std::size_t i = 0; i < standing.bindings.size(); ++i) {
    EXPECT_EQ(standing.bindings[i].servers, explanation.bindings[i].servers);
    EXPECT_EQ(standing.bindings[i].held, explanation.bindings[i].held);
  }
  if (standing.satisfied) {
    EXPECT_THAT(standing.what_ifs, IsEmpty());
    return;
  }
  ASSERT_EQ(standing.what_ifs.size(), explanation.what_ifs.size());
  EXPECT_EQ(standing.untried, explanation.untried);
  // Changes of the same gain are in any order.
  using Tried = std::tuple<double, ChangeKind, double>;
  const auto tried = [](const std::vector<WhatIf>& what_ifs) {
    std::vector<Tried> all;
    for (const WhatIf& each : what_ifs) all.emplace_back(-each.gain, each.change.kind, each.tasks);
    EXPECT_TRUE(std::is_sorted(all.begin(), all.end(), [](const Tried& a, const Tried& b) {
      return std::get<0>(a) < std::get<0>(b);
    }));
    std::sort(all.begin(), all.end());
    return all;
  };
  EXPECT_EQ(tried(standing.what_ifs), tried(explanation.what_ifs));
}

// Guarantees are tried for one user only.
Explanation without_guarantees(Explanation explanation) {
  std::erase_if(explanation.what_ifs,
                [](const WhatIf& what_if) { return what_if.change.kind == ChangeKind::guarantee; });
  return explanation;
}

TEST(Survey, SaysOfEachUserWhatItsExplanationSaysButForGuarantees) {
  for (const std::string name : {"team-cluster", "psdsf-fig1", "teams/organisation", "kubernetes/cluster"}) {
    SCOPED_TRACE(name);
    Cluster cluster = read_cluster_file(MIRAB_SOURCE_DIR "/examples/" + name + ".yaml")->cluster();
    for (User& user : cluster.users) user.demand_on.clear();
    const Problem problem = problem_of(cluster);
    const Choice choice = recommended(problem).choice;
    const ExplainOptions options{.what_ifs = 100};
    const Survey survey = *explain_all(problem, choice, options);
    ASSERT_EQ(survey.users.size(), problem.user_count());
    for (const Standing& standing : survey.users) {
      SCOPED_TRACE(problem.users()[standing.user].name);
      expect_same(standing, without_guarantees(*explain(problem, choice, standing.user, options)));
    }
  }
}

TEST(Survey, SolvesAChangeOfSeveralUsersOnce) {
  // The weights of A and B, the server, its CPUs and its memory: five clusters, of which each user asks four.
  const Survey survey = surveyed(problem_of(slides()), "drf");
  EXPECT_EQ(survey.solved, 5U - 1U);  // memory is not full
  for (const Standing& standing : survey.users) EXPECT_EQ(standing.what_ifs.size(), 3U);
}

TEST(Survey, IsTheSameWithAnyNumberOfThreads) {
  const Problem problem = *read_cluster_file(MIRAB_SOURCE_DIR "/examples/google2011-100x20.yaml");
  const Survey one = surveyed(problem, "drfh");
  const Survey four = surveyed(problem, "drfh", {.execution = {.threads = 4}});
  ASSERT_EQ(one.users.size(), four.users.size());
  for (std::size_t i = 0; i < one.users.size(); ++i) {
    EXPECT_EQ(one.users[i].user, four.users[i].user);
    EXPECT_EQ(one.users[i].remedy, four.users[i].remedy);
    ASSERT_EQ(one.users[i].what_ifs.size(), four.users[i].what_ifs.size());
    for (std::size_t k = 0; k < one.users[i].what_ifs.size(); ++k)
      EXPECT_EQ(one.users[i].what_ifs[k].tasks, four.users[i].what_ifs[k].tasks);
  }
}

TEST(Survey, PutsThoseWhoAreShortestFirst) {
  Cluster cluster = cluster_of({{10}}, {{1}, {1}, {1}, {1}});
  cluster.users[0].tasks = Quantity(1);   // has all
  cluster.users[1].tasks = Quantity(6);   // has half
  cluster.users[3].tasks = Quantity(30);  // has a tenth; C asks without end
  const Survey survey = surveyed(problem_of(cluster), "drf");
  std::vector<std::size_t> order;
  for (const Standing& standing : survey.users) order.push_back(standing.user);
  EXPECT_THAT(order, ::testing::ElementsAre(3, 1, 2, 0));
}

const WhatIf& tried(const Standing& standing, ChangeKind kind) {
  const auto found = std::find_if(standing.what_ifs.begin(), standing.what_ifs.end(),
                                  [&](const WhatIf& what_if) { return what_if.change.kind == kind; });
  MIRAB_ASSERT(found != standing.what_ifs.end(), "a change of this kind was tried");
  return *found;
}

// A has 5 of 6 tasks. Twice the weight is enough, and B would pay for it; a server is enough, too.
TEST(Survey, TheBestRemedyIsTheCheapestThatBringsAllAndWhatOthersPayForIsTheDearest) {
  Cluster cluster = cluster_of({{10}}, {{1}, {1}});
  cluster.users[0].tasks = Quantity(6);
  const Survey survey = surveyed(problem_of(cluster), "drf");
  const Standing& short_user = survey.users.front();
  ASSERT_EQ(short_user.user, 0U);
  EXPECT_THAT(tried(short_user, ChangeKind::weight).tasks, DoubleNear(6, 1e-9));
  ASSERT_TRUE(short_user.remedy);
  EXPECT_EQ(short_user.what_ifs[*short_user.remedy].change.kind, ChangeKind::server);
  EXPECT_THAT(short_user.what_ifs[*short_user.remedy].tasks, DoubleNear(6, 1e-9));
  EXPECT_EQ(short_user.free_remedy, std::nullopt) << "nobody pays for the best";
}

// B has 5 of 10 CPUs, and 10/3 when the weight of A is 2.
TEST(Survey, SaysWhoHasLessAfterAChangeAndByHowMuch) {
  const Survey survey = surveyed(problem_of(cluster_of({{10}}, {{1}, {1}})), "drf");
  const Standing& a = survey.users.front();
  const Losers& losers = tried(a, ChangeKind::weight).losers;
  EXPECT_EQ(losers.count, 1U);
  ASSERT_EQ(losers.most.size(), 1U);
  EXPECT_EQ(losers.most[0].user, a.user == 0 ? "B" : "A");
  EXPECT_THAT(losers.most[0].lost_share(), DoubleNear(0.5 - 1.0 / 3, 1e-9));
  EXPECT_EQ(tried(a, ChangeKind::server).losers.count, 0U);
}

// Under pf one CPU more in the pool takes from A: to B that is a loser, to A a change that does not help.
TEST(Survey, NobodyIsAmongThoseWhoPayForTheirOwnChange) {
  const Problem problem = problem_of(slides());
  int paid = 0;
  const Survey survey = surveyed(problem, "pf");
  for (const Standing& standing : survey.users) {
    for (const WhatIf& what_if : standing.what_ifs) {
      for (const Loser& loser : what_if.losers.most) {
        EXPECT_NE(loser.user, problem.users()[standing.user].name);
        ++paid;
      }
    }
  }
  EXPECT_GT(paid, 0);
}

// Five others pay a tenth of a share each, of whom three are named.
TEST(Survey, NamesTheLargestLosersAndCountsTheRest) {
  const Survey survey = surveyed(problem_of(cluster_of({{10}}, {{1}, {1}, {1}, {1}, {1}, {1}})), "drf");
  const Losers& losers = tried(survey.users.front(), ChangeKind::weight).losers;
  EXPECT_EQ(losers.count, 5U);
  EXPECT_EQ(losers.most.size(), 3U);
}

// Ten servers of one CPU: the weight brings A 5/3 tasks at the cost of B, and a server half a task.
TEST(Survey, WhereOthersPayForTheBestNamesTheBestForWhichNobodyPays) {
  Cluster cluster = cluster_of({{1}}, {{1}, {1}});
  cluster.servers[0].count = 10;
  const Survey survey = surveyed(problem_of(cluster), "drfh");
  const Standing& user = survey.users.front();
  ASSERT_TRUE(user.remedy && user.free_remedy);
  EXPECT_EQ(user.what_ifs[*user.remedy].change.kind, ChangeKind::weight);
  const WhatIf& free = user.what_ifs[*user.free_remedy];
  EXPECT_EQ(free.losers.count, 0U);
  EXPECT_THAT(free.gain, DoubleNear(0.5, 1e-6));
}

// C tells the two servers apart, and one more of either brings A as much.
TEST(Survey, CountsRemediesThatBringAsMuchAtTheSameCostAsTies) {
  Cluster cluster = cluster_of({{10}, {10}}, {{1}, {1}, {1}});
  cluster.users[2].servers = {{"s1"}};
  cluster.users[2].tasks = Quantity(1);
  const Survey survey = surveyed(problem_of(cluster), "drfh");
  const Standing& user = survey.users.front();
  ASSERT_TRUE(user.remedy);
  EXPECT_EQ(user.what_ifs[*user.remedy].change.kind, ChangeKind::server);
  EXPECT_EQ(user.ties, 1U);
}

TEST(Survey, WithoutARemedyThatBringsAllTheBestBringsMost) {
  Cluster cluster = cluster_of({{10}}, {{1}, {1}});
  cluster.users[0].tasks = Quantity(60);
  const Survey survey = surveyed(problem_of(cluster), "drf");
  const Standing& short_user = survey.users.front();
  ASSERT_TRUE(short_user.remedy);
  const double best = short_user.what_ifs.front().gain;
  EXPECT_GE(short_user.what_ifs[*short_user.remedy].gain, 0.9 * best);
}

TEST(Survey, OfWhatRunsNowTriesNoChange) {
  const Problem problem =
      *with_allocation_file(*read_cluster_file(MIRAB_SOURCE_DIR "/examples/textbook.yaml"),
                            MIRAB_SOURCE_DIR "/examples/textbook-running.csv");
  const Survey survey = surveyed(problem, "given");
  EXPECT_EQ(survey.solved, 0U);
  for (const Standing& standing : survey.users) EXPECT_FALSE(standing.remedy);
  EXPECT_THAT(survey.outcome.notices.back(), HasSubstr("follows no rule"));
}

TEST(Survey, AnAllocationBeyondALimitIsNotFeasible) {
  Cluster cluster = cluster_of({{10}}, {{1}, {1}});
  cluster.groups = {{.name = "g", .quota = {.limit = {Quantity(2)}}}};
  cluster.users[0].group = "g";
  cluster.running = {{.user = "A", .server = "s1", .tasks = Quantity(5)},
                     {.user = "B", .server = "s1", .tasks = Quantity(5)}};
  const Problem problem = problem_of(cluster);
  const Choice given = *choose_mechanism("given");
  const Outcome outcome = *allocate(problem, given);
  const Verdict verdict = check(Property::feasible, {problem, outcome, Scope::servers}, rule_of(given));
  EXPECT_FALSE(verdict.holds);
  EXPECT_EQ(verdict.witness->words, "g has a limit of 2.0 of cpu, and given gives it 5.0");
  const Outcome divided = *allocate(problem, "hdrf");
  EXPECT_TRUE(
      check(Property::feasible, {problem, divided, Scope::pool}, rule_of(*choose_mechanism("hdrf"))).holds);
}

// Of 4 GPUs lab gets 2 with its shapes; one more server of 4 brings it 2 more, twice its weight 2/3.
TEST(Survey, OfATeamHasWhatEachChangeBringsItsUsersTogether) {
  const Problem problem = *read_cluster_text(R"(
resources: [gpu]
servers: [{name: s, capacity: {gpu: 4}}]
users:
  - {name: lab, shapes: [{name: x, demand: {gpu: 1}, tasks: 9}, {name: y, demand: {gpu: 1}, tasks: 9}]}
  - {name: other, demand: {gpu: 1}, tasks: 9}
)",
                                             Syntax::yaml, "lab");
  const std::vector<std::size_t> team{0, 1};
  const Survey survey = *explain_team(problem, *choose_mechanism("hdrfh"), team);
  ASSERT_EQ(survey.users.size(), 2U);
  EXPECT_THAT(survey.users[0].tasks, DoubleNear(1, 1e-6));
  const auto brings = [&](ChangeKind kind) {
    const auto found = std::find_if(survey.together.begin(), survey.together.end(),
                                    [&](const WhatIf& what_if) { return what_if.change.kind == kind; });
    return found == survey.together.end() ? -1 : found->gain;
  };
  EXPECT_THAT(brings(ChangeKind::server), DoubleNear(2, 1e-6));
  EXPECT_THAT(brings(ChangeKind::group_weight), DoubleNear(2.0 / 3, 1e-6));
  EXPECT_EQ(brings(ChangeKind::weight), -1) << "the weight of one shape is its own";
  EXPECT_TRUE(surveyed(problem, "hdrfh").together.empty());
}

// The limits of sibling groups hold different users of research: one change raises both.
TEST(Survey, OfATeamRaisesTheLimitsOfSiblingGroupsTogether) {
  const Problem problem = *read_cluster_text(R"(
resources: [gpu]
servers: [{name: s, capacity: {gpu: 40}}]
groups:
  - name: research
    groups: [{name: vision, limit: {gpu: 4}}, {name: language, limit: {gpu: 6}}]
users:
  - {name: alice, group: vision, demand: {gpu: 1}, tasks: 10}
  - {name: bob, group: language, demand: {gpu: 1}, tasks: 10}
)",
                                             Syntax::yaml, "research");
  const std::vector<std::size_t> team{0, 1};
  const Survey survey = *explain_team(problem, *choose_mechanism("hdrfh"), team);
  ASSERT_FALSE(survey.together.empty());
  const WhatIf& best = survey.together.front();
  EXPECT_EQ(best.change.kind, ChangeKind::limit);
  EXPECT_EQ(best.change.with.size(), 1U);
  EXPECT_THAT(best.tasks, DoubleNear(18, 1e-6)) << "8 of vision, and the 10 that bob asks for";
}

}  // namespace
}  // namespace mirab
