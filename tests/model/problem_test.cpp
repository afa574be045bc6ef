#include <functional>
#include <gmock/gmock.h>

#include <mirab/model/problem.hpp>

namespace mirab {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;

Quantity problem_amount(std::string_view text) { return *Quantity::parse(text); }

// Two server entries in two zones, the second without a GPU; two users.
Cluster two_by_two() {
  return {.resources = {"cpu", "gpu"},
          .servers = {{.name = "big",
                       .capacity = {problem_amount("16"), problem_amount("4")},
                       .labels = {{"zone", "a"}}},
                      {.name = "small",
                       .capacity = {problem_amount("2.5"), problem_amount("0")},
                       .count = 10,
                       .labels = {{"zone", "b"}}}},
          .users = {{.name = "ann", .demand = {problem_amount("1"), problem_amount("1")}},
                    {.name = "ben", .demand = {problem_amount("1"), problem_amount("0")}}}};
}

Problem problem_valid(Cluster cluster) {
  Result<Problem> problem = Problem::from(std::move(cluster));
  EXPECT_TRUE(problem) << describe(problem.error());
  return *std::move(problem);
}

// The error after one change of the valid cluster.
std::string problem_refusal(const std::function<void(Cluster&)>& change) {
  Cluster cluster = two_by_two();
  change(cluster);
  const Result<Problem> problem = Problem::from(std::move(cluster));
  return problem ? "accepted" : describe(problem.error());
}

TEST(Problem, ThePoolIsTheSumOfAllServersWithTheirCounts) {
  EXPECT_THAT(problem_valid(two_by_two()).pool(), ::testing::ElementsAre(41.0, 4.0));
}

TEST(Problem, AUserMayRunWhereEveryDemandedResourceHasCapacity) {
  const Problem problem = problem_valid(two_by_two());
  EXPECT_TRUE(problem.eligible(0, 0));
  EXPECT_FALSE(problem.eligible(0, 1)) << "no GPU there";
  EXPECT_TRUE(problem.eligible(1, 1));
  EXPECT_FALSE(problem.has_placement_constraints()) << "a missing GPU is no constraint";
}

TEST(Problem, ServersAndSelectMustBothAllowAServer) {
  Cluster cluster = two_by_two();
  cluster.users[1].servers = {{"big", "small"}};
  cluster.users[1].select = {{"zone", {"b", "c"}}};
  const Problem problem = problem_valid(std::move(cluster));
  EXPECT_FALSE(problem.eligible(1, 0));
  EXPECT_TRUE(problem.eligible(1, 1));
  EXPECT_TRUE(problem.has_placement_constraints());
}

TEST(Problem, ADemandOnOneServerReplacesTheDemandThereOnly) {
  Cluster cluster = two_by_two();
  cluster.users[0].demand_on = {{"small", {problem_amount("2"), problem_amount("0")}}};
  const Problem problem = problem_valid(std::move(cluster));
  EXPECT_TRUE(problem.has_demand_on());
  EXPECT_TRUE(problem.eligible(0, 1)) << "on the small servers it needs no GPU";
  EXPECT_EQ(problem.demand(0, 1)[0], problem_amount("2"));
  EXPECT_EQ(problem.demand(0, 0)[0], problem_amount("1"));
}

TEST(Problem, UsersWithTheSameServersShareAnEligibilityClass) {
  Cluster cluster = two_by_two();
  cluster.users.push_back(
      {.name = "cat", .demand = {problem_amount("2"), problem_amount("0")}, .servers = {{"big"}}});
  const Problem problem = problem_valid(std::move(cluster));
  EXPECT_EQ(problem.eligibility_class(2), problem.eligibility_class(0)) << "both on the big server only";
  EXPECT_NE(problem.eligibility_class(1), problem.eligibility_class(0));
}

TEST(Problem, RefusesAnEmptyCluster) {
  EXPECT_THAT(problem_refusal([](Cluster& c) { c.resources.clear(); }),
              HasSubstr("resources: there must be at least one"));
  EXPECT_THAT(problem_refusal([](Cluster& c) { c.servers.clear(); }),
              HasSubstr("servers: the cluster is empty"));
  EXPECT_THAT(problem_refusal([](Cluster& c) { c.users.clear(); }),
              HasSubstr("users: there must be at least one user"));
}

TEST(Problem, RefusesDuplicateAndMissingNames) {
  EXPECT_THAT(problem_refusal([](Cluster& c) { c.resources[1] = "cpu"; }),
              HasSubstr("resources[1]: duplicate name"));
  EXPECT_THAT(problem_refusal([](Cluster& c) { c.servers[1].name = "big"; }),
              HasSubstr("servers[1].name: duplicate name: there is already a server 'big'"));
  EXPECT_THAT(problem_refusal([](Cluster& c) { c.users[1].name = "ann"; }),
              HasSubstr("users[1].name: duplicate name"));
  EXPECT_THAT(problem_refusal([](Cluster& c) { c.users[1].name.clear(); }),
              HasSubstr("users[1].name: a user needs a name"));
}

TEST(Problem, RefusesNamesThatCannotStandInALineOfText) {
  EXPECT_THAT(problem_refusal([](Cluster& c) { c.users[1].name = "a\nb"; }),
              HasSubstr("users[1].name: holds a control character"));
  EXPECT_THAT(problem_refusal([](Cluster& c) { c.resources[0] = "cpu\x7f"; }),
              HasSubstr("resources[0]: holds a control character"));
  EXPECT_THAT(problem_refusal([](Cluster& c) { c.servers[0].name = "a\u009bb"; }),
              HasSubstr("servers[0].name: holds a control character"))
      << "C1: U+009B alone opens an escape sequence";
  for (const char* bytes :
       {"\xff", "\xc0\x80", "\xe0\x80\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xe2\x82"}) {
    EXPECT_THAT(problem_refusal([&](Cluster& c) { c.servers[0].name = bytes; }),
                HasSubstr("servers[0].name: is not valid UTF-8"));
  }
  EXPECT_EQ(problem_refusal([](Cluster& c) { c.users[1].name = "\xc3\xbc \xe2\x82\xac \xf0\x9f\x98\x80"; }),
            "accepted");
}

TEST(Problem, RefusesVectorsOfAnotherLength) {
  EXPECT_THAT(problem_refusal([](Cluster& c) { c.servers[0].capacity.pop_back(); }),
              HasSubstr("servers[0].capacity: 1 amounts for 2 resources"));
  EXPECT_THAT(problem_refusal([](Cluster& c) { c.users[0].demand.push_back(Quantity{1}); }),
              HasSubstr("users[0].demand: 3 amounts for 2 resources"));
}

TEST(Problem, RefusesAUserWithoutDemandOrPlace) {
  EXPECT_THAT(problem_refusal([](Cluster& c) {
                c.users[0].demand = {Quantity{}, Quantity{}};
              }),
              HasSubstr("users[0].demand: user 'ann' demands nothing"));
  EXPECT_THAT(problem_refusal([](Cluster& c) { c.servers[0].count = 0; }),
              HasSubstr("servers[0].count: must be a whole number from 1, not 0"));
  EXPECT_THAT(problem_refusal([](Cluster& c) { c.servers[0].capacity[1] = Quantity{}; }),
              HasSubstr("users[0].demand: user 'ann' fits on none of the 2 servers: 2 without any gpu"));
  EXPECT_THAT(problem_refusal([](Cluster& c) { c.users[0].servers = {{"small"}}; }),
              HasSubstr("fits on none of the 2 servers: `servers` excludes 1, 1 without any gpu"));
  EXPECT_THAT(problem_refusal([](Cluster& c) {
                c.users[1].select = {{"zone", {"a"}}, {"disk", {"ssd"}}};
                c.servers[1].labels.emplace("disk", "ssd");
              }),
              HasSubstr("users[1].select: user 'ben' fits on none of the 2 servers: `select` excludes 2"));
  EXPECT_THAT(problem_refusal([](Cluster& c) { c.users[1].servers = std::vector<std::string>{}; }),
              HasSubstr("users[1].servers: user 'ben' fits on none"));
  EXPECT_THAT(problem_refusal([](Cluster& c) {
                c.users[1].select = {{"zone", {}}};
              }),
              HasSubstr("users[1].select.zone: names no value"));
}

TEST(Problem, AUserThatFitsNowhereIsAnErrorThatNamesTheKeyWithWhichItWaits) {
  const auto without_gpus = [](Cluster& c) { c.servers[0].capacity[1] = Quantity{}; };
  EXPECT_EQ(problem_refusal(without_gpus),
            "users[0].demand: user 'ann' fits on none of the 2 servers: 2 without any gpu; with "
            "`may_fit_nowhere: true` it waits for a server");
  EXPECT_THAT(problem_refusal([&](Cluster& c) {
                without_gpus(c);
                c.users.push_back(c.users[0]);
                c.users[0].may_fit_nowhere = true;
                c.users[2].name = "eve";
              }),
              HasSubstr("users[2].demand: user 'eve' fits on none of the 2 servers"))
      << "one who is like it says so, but not this one";
}

TEST(Problem, AUserWhoMayFitNowhereIsEligibleNowhereWhereNothingFits) {
  const auto waits = [](const std::function<void(Cluster&)>& change) {
    Cluster cluster = two_by_two();
    change(cluster);
    cluster.users[0].may_fit_nowhere = true;
    const Result<Problem> problem = Problem::from(std::move(cluster));
    EXPECT_TRUE(problem) << describe(problem.error());
    return problem && !problem->eligible(0, 0) && !problem->eligible(0, 1) && problem->eligible(1, 0);
  };
  EXPECT_TRUE(waits([](Cluster& c) { c.servers[0].capacity[1] = Quantity{}; }));
  EXPECT_TRUE(waits([](Cluster& c) { c.users[0].servers = {{"small"}}; }));
  EXPECT_TRUE(waits([](Cluster& c) { c.users[0].select = {{"zone", {"c"}}}; })) << "no server has the value";
  EXPECT_TRUE(waits([](Cluster& c) { c.users[0].select = {{"gpu-model", {"new"}}}; })) << "nor the label";
  EXPECT_FALSE(waits([](Cluster& /*c*/) {})) << "it fits";
}

TEST(Problem, AUserWhoMayFitNowhereNamesServersThatAreThereAndIsNotAlone) {
  const auto refusal = [](const std::function<void(Cluster&)>& change) {
    return problem_refusal([&](Cluster& c) {
      c.users[0].may_fit_nowhere = true;
      change(c);
    });
  };
  EXPECT_THAT(refusal([](Cluster& c) { c.users[0].servers = {{"bigger"}}; }),
              HasSubstr("users[0].servers[0]: there is no server 'bigger'"));
  EXPECT_EQ(refusal([](Cluster& c) { c.users[0].servers = std::vector<std::string>{}; }),
            "users[0].servers: user 'ann' fits on none of the 2 servers: `servers` excludes 2");
  EXPECT_EQ(refusal([](Cluster& c) {
              c.servers[0].capacity[1] = Quantity{};
              c.users.resize(1);
            }),
            "users[0].demand: user 'ann' fits on none of the 2 servers: 2 without any gpu; at least one user "
            "must fit somewhere");
}

TEST(Problem, RefusesGroupsThatAreNoTree) {
  const auto with = [](Group group) { return [group](Cluster& c) { c.groups = {group}; }; };
  EXPECT_THAT(problem_refusal(with({.name = "g", .parent = "g"})),
              HasSubstr("groups[0].parent: there is no group 'g'"));
  EXPECT_THAT(problem_refusal(with({.name = ""})), HasSubstr("groups[0].name: a group needs a name"));
  EXPECT_THAT(problem_refusal(with({.name = "g", .quota = {.guarantee = ResourceVector(3)}})),
              HasSubstr("groups[0]"));
  EXPECT_THAT(problem_refusal([](Cluster& c) { c.users[0].shape = "web"; }),
              HasSubstr("users[0].group: missing: a task shape is a member of a user"));
  EXPECT_THAT(problem_refusal([](Cluster& c) { c.users[0].quota.limit.resize(1); }),
              HasSubstr("users[0].limit: 1 amounts for 2 resources"));
}

TEST(Problem, RefusesALabelOrValueThatNoServerHasWithThoseThatExist) {
  EXPECT_THAT(
      problem_refusal([](Cluster& c) {
        c.users[1].select = {{"Zon", {"a"}}};
      }),
      HasSubstr("users[1].select.Zon: no server has a label 'Zon'; did you mean zone? Known are zone"));
  EXPECT_THAT(problem_refusal([](Cluster& c) {
                c.users[1].select = {{"zone", {"xyz", "x"}}};
              }),
              HasSubstr("users[1].select.zone: no server has 'xyz' for the label 'zone'; known are a, b"));
  EXPECT_THAT(problem_refusal([](Cluster& c) {
                for (Server& server : c.servers) server.labels.clear();
                c.users[1].select = {{"zone", {"a"}}};
              }),
              HasSubstr("users[1].select.zone: no server has labels"));
  EXPECT_EQ(problem_refusal([](Cluster& c) {
              c.users[1].select = {{"zone", {"x", "b"}}};
            }),
            "accepted")
      << "a value beside one that exists";
}

TEST(Problem, OfManyKnownNamesAFewAreListed) {
  const auto add_servers = [](Cluster& c, int count) {
    for (int i = 0; i < count; ++i) {
      c.servers.push_back(
          {.name = "n" + std::to_string(i), .capacity = {problem_amount("1"), problem_amount("1")}});
    }
    c.users[1].servers = {{"xyzzy"}};
  };
  EXPECT_THAT(problem_refusal([&](Cluster& c) { add_servers(c, 6); }),
              EndsWith("known are big, n0, n1, n2, n3, n4, n5, small"));
  EXPECT_THAT(
      problem_refusal([&](Cluster& c) { add_servers(c, 30); }),
      EndsWith(
          "there is no server 'xyzzy'; known are big, n0, n1, n10, n11, n12, n13, n14, n15, n16, n17, n18, "
          "n19, n2, n20, n21, n22, n23, n24, n25 and 12 more"));
}

TEST(Problem, AUserIsConstrainedWhenItsOwnServersOrSelectExcludeAServer) {
  Cluster cluster = two_by_two();
  cluster.users[0].servers = {{"big", "small"}};
  cluster.users.push_back(cluster.users[1]);
  cluster.users.push_back(cluster.users[1]);
  cluster.users[2].name = "cat";
  cluster.users[3].name = "dan";
  cluster.users[2].servers = cluster.users[3].servers = {{"big"}};
  const Problem problem = problem_valid(std::move(cluster));
  EXPECT_FALSE(problem.is_constrained(0)) << "all servers are named, and the missing GPU does not count";
  EXPECT_FALSE(problem.is_constrained(1));
  EXPECT_TRUE(problem.is_constrained(2));
  EXPECT_TRUE(problem.is_constrained(3)) << "like the one before";
}

TEST(Problem, RefusesServersThatDoNotExistWithTheNearestName) {
  EXPECT_THAT(
      problem_refusal([](Cluster& c) { c.users[1].servers = {{"smal"}}; }),
      HasSubstr("users[1].servers[0]: there is no server 'smal'; did you mean small? Known are big, small"));
  EXPECT_THAT(
      problem_refusal([](Cluster& c) {
        c.users[1].demand_on = {{"bigg", {Quantity{1}, Quantity{}}}};
      }),
      HasSubstr(
          "users[1].demand_on.bigg: there is no server 'bigg'; did you mean big? Known are big, small"));
  EXPECT_THAT(problem_refusal([](Cluster& c) {
                c.users[1].demand_on = {{"big", {Quantity{}, Quantity{}}}};
              }),
              HasSubstr("users[1].demand_on.big: user 'ben' demands nothing"));
}

}  // namespace
}  // namespace mirab
