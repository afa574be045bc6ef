// What groups use, and what of their guarantees is unused, lent and borrowed: docs/explanation/teams.md, "The
// organisation" (tests/golden/teams_cases.json, organisation), and cases of one group.
#include <algorithm>
#include <gmock/gmock.h>
#include <map>
#include <string>
#include <vector>

#include <mirab/audit/explanation.hpp>
#include <mirab/audit/metrics.hpp>
#include <mirab/audit/teams.hpp>
#include <mirab/mechanisms/mechanism.hpp>
#include <mirab/model/cluster_file.hpp>

namespace mirab {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;

// One line of the table: CPUs and GPUs, share, share beyond the guarantee, that per weight.
struct Line {
  const char* name;
  double cpu, gpu, share, beyond, key;
};

TEST(Teams, TheOrganisationHasTheNumbersOfItsTable) {
  const Problem problem = *read_cluster_file(MIRAB_SOURCE_DIR "/examples/teams/organisation.yaml");
  const Line lines[] = {
      {"", 320, 40, 1, 0.7, 0.7},
      {"research", 544.0 / 3, 88.0 / 3, 11.0 / 15, 11.0 / 30, 11.0 / 60},
      {"vision", 2096.0 / 15, 128.0 / 15, 131.0 / 300, 131.0 / 300, 131.0 / 300},
      {"language", 41.6, 20.8, 0.52, 0.32, 0.32},
      {"production", 416.0 / 3, 32.0 / 3, 13.0 / 30, 1.0 / 6, 1.0 / 6},
      {"alice", 512.0 / 15, 128.0 / 15, 16.0 / 75, 16.0 / 75, 16.0 / 75},
      {"bob", 105.6, 0, 0.33, 0.33, 0.33},
      {"carol", 41.6, 20.8, 0.52, 0.52, 0.26},
      {"dave", 96, 0, 0.3, 0.3, 0.3},
      {"erin", 128.0 / 3, 32.0 / 3, 4.0 / 15, 4.0 / 15, 4.0 / 15},
  };
  for (const char* mechanism : {"hdrf", "hdrfh"}) {
    const Outcome outcome = *allocate(problem, mechanism);
    const std::vector<GroupFigures> figures = group_figures(problem, outcome.allocation);
    ASSERT_EQ(figures.size(), std::size(lines));
    for (std::size_t v = 0; v < figures.size(); ++v) {
      SCOPED_TRACE(lines[v].name);
      EXPECT_THAT(figures[v].used,
                  ElementsAre(DoubleNear(lines[v].cpu, 1e-7), DoubleNear(lines[v].gpu, 1e-7)));
      EXPECT_NEAR(figures[v].share, lines[v].share, 1e-9);
      if (v == 0) continue;
      EXPECT_NEAR(figures[v].beyond, lines[v].beyond, 1e-9);
      EXPECT_NEAR(figures[v].key, lines[v].key, 1e-9);
    }
    EXPECT_THAT(figures[1].guarantee, ElementsAre(64, 16));
    EXPECT_THAT(figures[1].borrowed,
                ElementsAre(DoubleNear(544.0 / 3 - 64, 1e-7), DoubleNear(40.0 / 3, 1e-7)));
    EXPECT_THAT(figures[1].lent, ElementsAre(0, 0));
    EXPECT_THAT(figures[2].guarantee, ElementsAre(0, 0));
  }
}

// 4 CPUs are guaranteed, 3 of them not lent, 1 is in use: of the 3 that are idle, others have 1.
TEST(Teams, AReserveIsUnusedAndNotLent) {
  const Problem problem = *read_cluster_text(R"(
resources: [cpu]
servers: [{name: s, capacity: {cpu: 10}}]
groups: [{name: z, guarantee: {cpu: 4}, reserved: {cpu: 3}}]
users:
  - {name: a, group: z, demand: {cpu: 1}, tasks: 1}
  - {name: w, demand: {cpu: 1}}
)",
                                             Syntax::yaml, "reserved");
  const Outcome outcome = *allocate(problem, "hdrf");
  const std::vector<GroupFigures> figures = group_figures(problem, outcome.allocation);
  EXPECT_THAT(figures[1].used, ElementsAre(DoubleNear(1, 1e-9)));
  EXPECT_THAT(figures[1].unused, ElementsAre(DoubleNear(3, 1e-9)));
  EXPECT_THAT(figures[1].lent, ElementsAre(DoubleNear(1, 1e-9)));
  EXPECT_THAT(figures[1].borrowed, ElementsAre(0));
  EXPECT_EQ(figures[1].beyond, 0);
  EXPECT_THAT(figures[3].borrowed, ElementsAre(DoubleNear(7, 1e-9)));
}

// docs/reference/output.md: of what is guaranteed to no node nothing is borrowed, though all is beyond a
// guarantee.
TEST(Teams, WhereNothingIsGuaranteedNothingIsBorrowed) {
  const Problem problem = *read_cluster_text(R"(
resources: [cpu, gpu]
servers: [{name: s, capacity: {cpu: 10, gpu: 10}}]
groups: [{name: z, guarantee: {cpu: 4}}, {name: y}]
users:
  - {name: a, group: z, demand: {cpu: 1, gpu: 1}}
  - {name: w, group: y, demand: {cpu: 1, gpu: 1}}
)",
                                             Syntax::yaml, "borrowed");
  const std::vector<GroupFigures> figures = group_figures(problem, allocate(problem, "hdrf")->allocation);
  EXPECT_THAT(figures[1].borrowed, ElementsAre(DoubleNear(1, 1e-9), 0));
  EXPECT_THAT(figures[2].borrowed, ElementsAre(DoubleNear(5, 1e-9), 0));
  EXPECT_NEAR(figures[2].beyond, 0.5, 1e-9);
}

// Without weight the share beyond the guarantee is not divided by it.
TEST(Teams, ANodeWithoutWeightCountsAsOne) {
  const Problem problem = *read_cluster_text(R"(
resources: [cpu]
servers: [{name: s, capacity: {cpu: 10}}]
users:
  - {name: z, weight: 0, guarantee: {cpu: 2}, demand: {cpu: 1}}
  - {name: w, demand: {cpu: 1}, tasks: 5}
)",
                                             Syntax::yaml, "no weight");
  const Outcome outcome = *allocate(problem, "hdrf");
  EXPECT_NEAR(group_figures(problem, outcome.allocation)[1].key, 0.3, 1e-12);
  EXPECT_EQ(measure(problem, outcome.allocation).jain, 1);  // of w alone
  EXPECT_EQ(measure(problem, outcome.allocation).ratio_20_20, 1);
}

Problem limited() {
  return *read_cluster_text(R"(
resources: [cpu, gpu]
servers: [{name: s, capacity: {cpu: 12, gpu: 12}}]
groups: [{name: v, limit: {cpu: 4}}]
users:
  - {name: a, group: v, demand: {cpu: 1}}
  - {name: b, group: v, demand: {cpu: 1, gpu: 1}}
  - {name: w, demand: {cpu: 1, gpu: 1}, tasks: 5}
)",
                            Syntax::yaml, "limit");
}

TEST(Teams, AUserIsStoppedByItsTasksALimitAFullResourceOrAReserve) {
  for (const char* mechanism : {"hdrf", "hdrfh"}) {
    const Problem problem = limited();
    const Outcome outcome = *allocate(problem, mechanism);
    const Stops stops(problem, outcome);
    EXPECT_EQ(stops.of(0).kind, StopKind::limit) << mechanism;
    EXPECT_EQ(stops.of(0).node, problem.tree().node_of_group(0));
    EXPECT_THAT(stops.of(1).resources, ElementsAre(0)) << "the CPUs, not the GPUs";
    EXPECT_EQ(stops.of(2).kind, StopKind::tasks);

    const Problem organisation = *read_cluster_file(MIRAB_SOURCE_DIR "/examples/teams/organisation.yaml");
    const Outcome divided = *allocate(organisation, mechanism);
    EXPECT_EQ(Stops(organisation, divided).of(1).kind, StopKind::capacity);
    EXPECT_THAT(Stops(organisation, divided).of(1).resources, ElementsAre(0));

    const Problem reserved = *read_cluster_text(R"(
resources: [cpu]
servers: [{name: s, capacity: {cpu: 10}}]
groups: [{name: z, guarantee: {cpu: 4}, reserved: {cpu: 3}}]
users:
  - {name: a, group: z, demand: {cpu: 1}, tasks: 1}
  - {name: w, demand: {cpu: 1}}
)",
                                                Syntax::yaml, "reserved");
    const Outcome kept = *allocate(reserved, mechanism);
    EXPECT_EQ(Stops(reserved, kept).of(1).kind, StopKind::reserve) << mechanism;
  }
}

// A cohort may use all that its queues have: that stops nobody whom the capacity does not stop.
TEST(Teams, ALimitOfAllThatThereIsIsNotWhatStopsAUser) {
  const Problem problem = *read_cluster_text(R"(
resources: [cpu]
servers: [{name: s, capacity: {cpu: 10}}]
groups: [{name: all, limit: {cpu: 10}}]
users: [{name: a, group: all, demand: {cpu: 1}}, {name: b, group: all, demand: {cpu: 1}}]
)",
                                             Syntax::yaml, "all");
  for (const char* mechanism : {"hdrf", "hdrfh"}) {
    const Outcome outcome = *allocate(problem, mechanism);
    const Stop stop = Stops(problem, outcome).of(0);
    EXPECT_EQ(stop.kind, StopKind::capacity) << mechanism;
    EXPECT_THAT(stop.resources, ::testing::ElementsAre(0u));
  }
}

Problem one_resource(const std::string& groups, const std::string& users) {
  return *read_cluster_text(
      "resources: [cpu]\nservers: [{name: s, capacity: {cpu: 10}}]\ngroups:\n" + groups + "users:\n" + users,
      Syntax::yaml, "one resource");
}

// 10 CPUs. Where g could grow it would take from w alone: what w has beyond its guarantee and beyond what g
// has for its weight.
TEST(Teams, ALimitStopsOnlyAUserWhoWouldHaveMoreWithoutIt) {
  struct Case {
    const char* limit;
    const char* w;
    StopKind stop;
  };
  for (const Case& each :
       {Case{"4", "{name: w, demand: {cpu: 1}}", StopKind::limit},
        Case{"5", "{name: w, demand: {cpu: 1}}", StopKind::capacity},
        Case{"4", "{name: w, demand: {cpu: 1}, tasks: 6}", StopKind::limit},
        Case{"4", "{name: w, demand: {cpu: 1}, tasks: 5}", StopKind::limit},
        Case{"4", "{name: w, demand: {cpu: 1}, tasks: 6, guarantee: {cpu: 6}}", StopKind::capacity},
        Case{"4", "{name: w, demand: {cpu: 1}, weight: 1.5}", StopKind::capacity},
        Case{"8", "{name: w, demand: {cpu: 1}, weight: 0}", StopKind::limit}}) {
    SCOPED_TRACE(std::string(each.limit) + " " + each.w);
    const Problem problem =
        one_resource(std::string("  - {name: g, limit: {cpu: ") + each.limit + "}}\n",
                     std::string("  - {name: a, group: g, demand: {cpu: 1}}\n  - ") + each.w + "\n");
    for (const char* mechanism : {"hdrf", "hdrfh"}) {
      const Outcome outcome = *allocate(problem, mechanism);
      const Stop stop = Stops(problem, outcome).of(0);
      EXPECT_EQ(stop.kind, each.stop);
      EXPECT_TRUE(is_at_limit(stop)) << "to an audit it is at its limit";
      EXPECT_THAT(stop.resources, ElementsAre(0));
      Cluster higher = problem.cluster();
      higher.groups[0].quota.limit = {Quantity(9)};
      const double gain = allocate(*Problem::from(std::move(higher)), mechanism)->allocation.tasks[0] -
                          outcome.allocation.tasks[0];
      EXPECT_EQ(gain > 1e-6, each.stop == StopKind::limit) << "a higher limit brings " << gain;
    }
  }
}

// 10 CPUs. Of two equal limits, one inside the other, neither alone brings anything; with the inner one alone
// in the way, only that is named.
TEST(Teams, OfLimitsWithinEachOtherThoseAreNamedThatHaveToRise) {
  const auto stop_of = [](const std::string& outer, const std::string& inner, const std::string& others) {
    const Problem problem = one_resource("  - {name: outer, limit: {cpu: " + outer +
                                             "}, groups: [{name: inner, limit: {cpu: " + inner + "}}]}\n",
                                         "  - {name: a, group: inner, demand: {cpu: 1}}\n" + others);
    const Outcome outcome = *allocate(problem, "hdrf");
    const Stop stop = Stops(problem, outcome).of(0);
    EXPECT_EQ(stop.kind, StopKind::limit);
    std::vector<std::string> names;
    for (const std::size_t node : nodes_of(stop))
      names.push_back(problem.groups()[problem.tree().group_at(node)].name);
    return names;
  };
  EXPECT_THAT(stop_of("4", "4", ""), ElementsAre("inner", "outer"));
  EXPECT_THAT(stop_of("6", "2", "  - {name: c, group: outer, demand: {cpu: 1}}\n"), ElementsAre("inner"))
      << "c, which has more, gives way within the outer one";
  EXPECT_THAT(stop_of("4", "4", "  - {name: c, group: outer, demand: {cpu: 1}}\n"), ElementsAre("outer"));
  EXPECT_THAT(stop_of("6", "3", "  - {name: c, group: outer, demand: {cpu: 1}}\n"),
              ElementsAre("inner", "outer"))
      << "c has no more than inner";
}

TEST(Teams, LimitsThatHaveToRiseTogetherAreTriedTogether) {
  const Problem problem =
      one_resource("  - {name: outer, limit: {cpu: 4}, groups: [{name: inner, limit: {cpu: 4}}]}\n",
                   "  - {name: a, group: inner, demand: {cpu: 1}}\n");
  const Explanation explanation = *explain(problem, *choose_mechanism("hdrf"), 0);
  const auto limit = std::find_if(explanation.what_ifs.begin(), explanation.what_ifs.end(),
                                  [](const WhatIf& tried) { return tried.change.kind == ChangeKind::limit; });
  ASSERT_NE(limit, explanation.what_ifs.end());
  EXPECT_EQ(limit->change.also.size(), 1U);
  EXPECT_DOUBLE_EQ(limit->tasks, 8);
}

// 10 CPUs of which 6 are reserved for z, who has no task: a has all 4 of its limit, and more would not be
// its.
TEST(Teams, WhatIsReservedForOthersIsNotHeldByALimit) {
  const Problem problem = one_resource(
      "  - {name: g, limit: {cpu: 4}}\n  - {name: z, guarantee: {cpu: 6}, reserved: {cpu: 6}}\n",
      "  - {name: a, group: g, demand: {cpu: 1}}\n  - {name: u, group: z, demand: {cpu: 1}, tasks: 1}\n");
  for (const char* mechanism : {"hdrf", "hdrfh"}) {
    const Outcome outcome = *allocate(problem, mechanism);
    const Stop stop = Stops(problem, outcome).of(0);
    EXPECT_EQ(stop.kind, StopKind::reserve) << mechanism;
    EXPECT_TRUE(stop.reaches_limit);
  }
}

// a may run on s1, which w fills too, with less; b fills the limit of g on s2, where x has most.
TEST(Teams, ALimitThatASiblingFillsOnOtherServersIsNotWhatStopsAUser) {
  const Problem problem = *read_cluster_text(R"(
resources: [cpu]
servers: [{name: s1, capacity: {cpu: 2}}, {name: s2, capacity: {cpu: 20}}]
groups: [{name: g, limit: {cpu: 6}}]
users:
  - {name: a, group: g, demand: {cpu: 1}, servers: [s1]}
  - {name: b, group: g, demand: {cpu: 1}, servers: [s2]}
  - {name: w, demand: {cpu: 1}, servers: [s1]}
  - {name: x, demand: {cpu: 1}, servers: [s2]}
)",
                                             Syntax::yaml, "other servers");
  const Outcome outcome = *allocate(problem, "hdrfh");
  const Stops stops(problem, outcome);
  EXPECT_EQ(stops.of(0).kind, StopKind::capacity) << "s1 is full";
  EXPECT_EQ(stops.of(1).kind, StopKind::limit) << "x would give way to b";
}

// What runs stays: where all CPUs are in use a higher limit lets nothing start.
TEST(Teams, WhatRunsOnAFullClusterIsNotHeldByALimit) {
  const auto kind = [](const char* w) {
    const Problem problem = one_resource("  - {name: g, limit: {cpu: 4}}\n",
                                         "  - {name: a, group: g, demand: {cpu: 1}}\n"
                                         "  - {name: w, demand: {cpu: 1}}\n"
                                         "running:\n  - {user: a, server: s, tasks: 4}\n"
                                         "  - {user: w, server: s, tasks: " +
                                             std::string(w) + "}\n");
    const Outcome given = *allocate(problem, "given");
    return Stops(problem, given).of(0).kind;
  };
  EXPECT_EQ(kind("6"), StopKind::capacity);
  EXPECT_EQ(kind("5"), StopKind::limit);
}

TEST(Teams, AnExplanationTriesTheLimitAndTheWeightsOfTheGroupsAround) {
  const Problem problem = limited();
  const Explanation explanation = *explain(problem, *choose_mechanism("hdrf"), 0);
  EXPECT_EQ(explanation.stop.kind, StopKind::limit);
  const auto found = [&](ChangeKind kind) {
    return std::find_if(explanation.what_ifs.begin(), explanation.what_ifs.end(),
                        [&](const WhatIf& what_if) { return what_if.change.kind == kind; });
  };
  ASSERT_NE(found(ChangeKind::limit), explanation.what_ifs.end());
  const WhatIf& limit = *found(ChangeKind::limit);
  EXPECT_EQ(limit.change.amount, Quantity(8));
  EXPECT_NEAR(limit.tasks, 3.5, 1e-9) << "12 CPUs less the 5 of w, in halves";
  ASSERT_NE(found(ChangeKind::group_weight), explanation.what_ifs.end());
  EXPECT_NEAR(found(ChangeKind::group_weight)->gain, 0, 1e-9) << "a limit is not a matter of weight";
}

const WhatIf& the_change(ChangeKind kind, const Explanation& explanation) {
  for (const WhatIf& what_if : explanation.what_ifs) {
    if (what_if.change.kind == kind) return what_if;
  }
  MIRAB_ASSERT(false, "a change of this kind was tried");
  return explanation.what_ifs.front();
}

std::size_t node_of(const Problem& problem, const std::string& group) {
  for (std::size_t g = 0; g < problem.groups().size(); ++g) {
    if (problem.groups()[g].name == group) return problem.tree().node_of_group(g);
  }
  MIRAB_ASSERT(false, "a group of this name");
  return 0;
}

// Of 40 GPUs research has 29.33, of these vision 8.53 and language 20.8, and all GPUs of vision are alice's.
// language has 32 % beyond its guarantee, vision 43.67 %, and carol wants more.
TEST(Teams, AUserIsHeldBackWhereItsPathLosesMostOfTheFullResource) {
  const Problem problem = *read_cluster_file(MIRAB_SOURCE_DIR "/examples/teams/organisation.yaml");
  for (const char* mechanism : {"hdrf", "hdrfh"}) {
    const Explanation alice = *explain(problem, *choose_mechanism(mechanism), 0);
    ASSERT_TRUE(alice.holder) << mechanism;
    EXPECT_EQ(alice.holder->node, node_of(problem, "vision"));
    EXPECT_EQ(alice.holder->kind, HoldKind::sibling);
    EXPECT_THAT(alice.holder->resources, ElementsAre(1)) << "GPUs, of which she has more than of CPUs";
    EXPECT_NEAR(alice.holder->part, 8.533333 / 29.333333, 1e-6);
    EXPECT_EQ(alice.holder->sibling, node_of(problem, "language"));
    EXPECT_NEAR(alice.holder->sibling_key, 0.32, 1e-7);

    const Explanation dave = *explain(problem, *choose_mechanism(mechanism), 3);
    EXPECT_FALSE(dave.holder) << "it has all its tasks";
  }
}

// research is guaranteed (64, 16), and language (16, 8) of it: (48, 8) are left for vision.
TEST(Teams, AGuaranteeIsTriedForTheNodeThatHoldsTheUserBackWithinThatOfItsGroup) {
  const Problem problem = *read_cluster_file(MIRAB_SOURCE_DIR "/examples/teams/organisation.yaml");
  const Explanation alice = *explain(problem, *choose_mechanism("hdrf"), 0);
  const WhatIf& guarantee = the_change(ChangeKind::guarantee, alice);
  EXPECT_EQ(guarantee.change.node, node_of(problem, "vision"));
  EXPECT_THAT(guarantee.change.guarantee, ElementsAre(Quantity(48), Quantity(8)));
  Cluster changed = problem.cluster();
  changed.groups[problem.tree().group_at(guarantee.change.node)].quota.guarantee = {Quantity(48),
                                                                                    Quantity(8)};
  const Outcome solved = *allocate(*Problem::from(std::move(changed)), "hdrf");
  EXPECT_NEAR(guarantee.tasks, solved.allocation.tasks[0], 1e-9);
  EXPECT_NEAR(guarantee.gain, guarantee.tasks - 128.0 / 15, 1e-9);
  EXPECT_GT(guarantee.gain, 1);
}

// dave has all his tasks, so no sibling of erin can grow, though he has the lower key in production.
TEST(Teams, ASiblingThatIsStoppedIsNotTheLowestThatCanStillGrow) {
  Cluster cluster = read_cluster_file(MIRAB_SOURCE_DIR "/examples/teams/organisation.yaml")->cluster();
  cluster.users[3].tasks = Quantity(1);
  const Problem problem = *Problem::from(std::move(cluster));
  const Explanation erin = *explain(problem, *choose_mechanism("hdrf"), 4);
  ASSERT_EQ(erin.path.size(), 2U);
  EXPECT_EQ(erin.path[0].lowest, node_of(problem, "research"));
  EXPECT_FALSE(erin.path[1].lowest);
}

// z has 1 of the 4 that it is guaranteed, and 3 are reserved: w has 9 - 2 of the others, less those of v.
TEST(Teams, AUserWhomAReserveStopsIsToldWhoseAndWhatItsEndWouldBring) {
  const Problem problem = one_resource(
      "  - {name: z, guarantee: {cpu: 4}, reserved: {cpu: 3}}\n"
      "  - {name: y}\n",
      "  - {name: a, group: z, demand: {cpu: 1}, tasks: 1}\n"
      "  - {name: w, group: y, demand: {cpu: 1}}\n"
      "  - {name: v, demand: {cpu: 1}, tasks: 2}\n");
  const Explanation w = *explain(problem, *choose_mechanism("hdrf"), 1);
  ASSERT_TRUE(w.holder);
  EXPECT_EQ(w.holder->kind, HoldKind::reserve);
  EXPECT_EQ(w.holder->node, node_of(problem, "y"));
  EXPECT_EQ(w.holder->sibling, node_of(problem, "z"));
  const WhatIf& released = the_change(ChangeKind::reserve, w);
  EXPECT_EQ(released.change.node, node_of(problem, "z"));
  EXPECT_EQ(released.change.amount, Quantity(3));
  EXPECT_NEAR(released.tasks, 7, 1e-9);
  EXPECT_NEAR(released.gain, 2, 1e-9);
  EXPECT_EQ(the_change(ChangeKind::weight, w).gain, 0) << "no rounding is left";
}

TEST(Teams, WhoIsHeldBackIsToldOfAWeightOf0OfOthersGuaranteesAndOfALimit) {
  const Problem without = one_resource("  - {name: y, weight: 0}\n",
                                       "  - {name: w, group: y, demand: {cpu: 1}}\n"
                                       "  - {name: v, demand: {cpu: 1}, tasks: 8}\n");
  const Explanation poor = *explain(without, *choose_mechanism("hdrf"), 0);
  ASSERT_TRUE(poor.holder);
  EXPECT_EQ(poor.holder->kind, HoldKind::no_weight);
  EXPECT_EQ(poor.holder->node, 1U);
  EXPECT_NEAR(poor.holder->part, 0.2, 1e-9);

  const Problem guaranteed = one_resource("  - {name: g, guarantee: {cpu: 8}}\n",
                                          "  - {name: w, demand: {cpu: 1}}\n"
                                          "  - {name: v, group: g, demand: {cpu: 1}, tasks: 8}\n");
  const Explanation late = *explain(guaranteed, *choose_mechanism("hdrf"), 0);
  ASSERT_TRUE(late.holder);
  EXPECT_EQ(late.holder->kind, HoldKind::guarantee);
  EXPECT_EQ(late.holder->sibling, 1U);

  const Problem problem = limited();
  const Explanation bound = *explain(problem, *choose_mechanism("hdrf"), 0);
  ASSERT_TRUE(bound.holder);
  EXPECT_EQ(bound.holder->kind, HoldKind::limit);
  EXPECT_EQ(bound.holder->node, node_of(problem, "v"));
}

// A sibling of weight 0 holds nothing, and still what it gets is what others leave.
TEST(Teams, ASiblingOfWeight0ComesLastAlsoWhileItHoldsNothing) {
  const auto with = [](const std::string& others) {
    return one_resource("  - {name: y}\n", "  - {name: w, group: y, demand: {cpu: 1}}\n" + others);
  };
  const auto lowest_beside_y = [](const Problem& problem) {
    return explain(problem, *choose_mechanism("hdrf"), 0)->path.front();
  };
  const std::string zero = "  - {name: z, weight: 0, demand: {cpu: 1}}\n";
  const std::string one = "  - {name: v, demand: {cpu: 1}}\n";
  const Problem both = with(zero + one);
  EXPECT_EQ(lowest_beside_y(both).lowest, both.tree().node_of_user(2));
  EXPECT_FALSE(lowest_beside_y(both).lowest_is_last);
  const Problem alone = with(zero);
  EXPECT_EQ(lowest_beside_y(alone).lowest, alone.tree().node_of_user(1));
  EXPECT_TRUE(lowest_beside_y(alone).lowest_is_last);
  const Problem guaranteed =
      with("  - {name: z, weight: 0, guarantee: {cpu: 2}, demand: {cpu: 1}, tasks: 4}\n" + one);
  EXPECT_EQ(lowest_beside_y(guaranteed).lowest, guaranteed.tree().node_of_user(2))
      << "z has what it is guaranteed";
}

// Alone there is no path, and under a mechanism that ignores groups neither.
TEST(Teams, WithoutGroupsThatDivideNoNodeHoldsAUserBack) {
  const Problem problem = *read_cluster_file(MIRAB_SOURCE_DIR "/examples/teams/organisation.yaml");
  const Explanation flat = *explain(problem, *choose_mechanism("drf"), 0);
  EXPECT_FALSE(flat.holder);
  EXPECT_TRUE(flat.path.empty());
}

// docs/explanation/teams-elsewhere.md: what it says that Mirab divides. Tasks, in the order of the file's
// users.
TEST(TeamsElsewhere, DividesEachExampleAsItSays) {
  const std::map<std::string, std::vector<double>> examples = {
      {"collapsed", {0.5, 0.5, 0.5}},
      {"starvation", {5, 10, 5}},
      {"blocked", {1.0 / 3, 1.0 / 3, 1.0 / 3, 0.5, 0.5}},
      {"kueue-story-3", {30, 30, 90, 150}},
      {"kueue-3779", {0.8, 1, 1}},
      {"kueue-4961", {1, 0}},
      {"kai-1934", {4, 4}},
      {"volcano-1661", {120, 30, 90}},
      {"volcano-3729", {2.75, 2.75}},
      {"volcano-4947", {0.75, 1, 1}},
      {"yarn-8379", {50, 50, 0}},
      {"yarn-floor", {8, 2}},
      {"slurm-fair-tree", {60, 60, 120}},
  };
  for (const auto& [name, tasks] : examples) {
    const Problem problem = *read_cluster_file(MIRAB_SOURCE_DIR "/examples/teams/" + name + ".yaml");
    const Outcome outcome = *allocate(problem, "hdrf");
    ASSERT_EQ(outcome.allocation.tasks.size(), tasks.size()) << name;
    for (std::size_t n = 0; n < tasks.size(); ++n)
      EXPECT_NEAR(outcome.allocation.tasks[n], tasks[n], 1e-9) << name << ", " << problem.users()[n].name;
  }
}

}  // namespace
}  // namespace mirab
