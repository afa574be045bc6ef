#include <cmath>
#include <gmock/gmock.h>

#include <mirab/mechanisms/mechanism.hpp>

#include "mechanisms/pool.hpp"
#include "mechanisms/pool_case.hpp"

namespace mirab {
namespace {

using ::testing::Contains;
using ::testing::ContainsRegex;
using ::testing::DoubleEq;
using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::PoolCase;

const PoolCase slides_pool{.capacity = {9, 18}, .demand = {{1, 4}, {3, 1}}, .weight = {}, .cap = {}};

Cluster slides_cluster() {
  const Problem problem = testing::problem_of(slides_pool);
  return {.resources = problem.resources(), .servers = problem.servers(), .users = problem.users()};
}

TEST(Registry, ListsTheMechanismsInOrder) {
  std::vector<std::string_view> names;
  for (const Mechanism& row : mechanisms()) names.push_back(row.name);
  EXPECT_THAT(names, ElementsAre("max-min", "drf", "asset", "pf", "alpha-fair", "drfh", "tsf", "cmmf",
                                 "per-server-drf", "ps-dsf", "ps-dsf-tdm", "alpha-pf-vds", "baa", "mlf-drs",
                                 "ffmra", "h-ffmra", "hdrf", "hdrfh", "given"));
}

TEST(Registry, CeeiIsAnotherNameOfPf) {
  EXPECT_EQ(choose_mechanism("ceei")->name, "pf");
  EXPECT_EQ(allocate(testing::problem_of(slides_pool), "ceei")->allocation.tasks,
            allocate(testing::problem_of(slides_pool), "pf")->allocation.tasks);
}

TEST(Registry, ChoosyAndDrbfAreOtherNamesOfCmmfAndBaa) {
  EXPECT_EQ(choose_mechanism("choosy")->name, "cmmf");
  EXPECT_EQ(choose_mechanism("drbf")->name, "baa");
}

ResourceVector amounts(std::int64_t cpu, std::int64_t gpu) { return {Quantity(cpu), Quantity(gpu)}; }

// The server has no GPU, for which `gpus` and `b/gpu` wait.
Cluster cluster_without_gpus() {
  return {
      .resources = {"cpu", "gpu"},
      .servers = {{.name = "s", .capacity = amounts(9, 0)}},
      .users =
          {{.name = "gpus",
            .demand = amounts(1, 2),
            .tasks = Quantity(3),
            .may_fit_nowhere = true,
            .group = "within"},
           {.name = "a", .demand = amounts(2, 0)},
           {.name = "b/gpu", .demand = amounts(0, 1), .may_fit_nowhere = true, .group = "b", .shape = "gpu"},
           {.name = "b/cpu", .demand = amounts(1, 0), .group = "b", .shape = "cpu"}},
      .groups = {{.name = "ahead"}, {.name = "within", .parent = "ahead"}, {.name = "b", .is_user = true}},
      .running = {{{.user = "a", .server = "s", .tasks = Quantity(2)}}}};
}

TEST(Registry, UsersWhoMayRunNowhereGetNothingAndChangeNothingForTheOthers) {
  Cluster with = cluster_without_gpus();
  Cluster without = with;
  without.groups = {with.groups[2]};
  without.users = {with.users[1], with.users[3]};
  for (const Mechanism& row : mechanisms()) {
    const std::string name = std::string(row.name) + (row.name.starts_with("alpha-") ? ":alpha=2" : "");
    SCOPED_TRACE(name);
    with.users[0].tasks = row.accepts.caps ? std::optional(Quantity(3)) : std::nullopt;
    const Result<Outcome> outcome = allocate(*Problem::from(with), name);
    const Result<Outcome> other = allocate(*Problem::from(without), name);
    ASSERT_EQ(static_cast<bool>(outcome), static_cast<bool>(other));
    if (!outcome) continue;
    EXPECT_EQ(outcome->status, other->status);
    EXPECT_THAT(outcome->allocation.tasks, ElementsAre(0, DoubleEq(other->allocation.tasks[0]), 0,
                                                       DoubleEq(other->allocation.tasks[1])));
    for (const Grant& grant : outcome->allocation.grants) EXPECT_TRUE(grant.user == 1 || grant.user == 3);
    if (!row.is_rule) continue;
    EXPECT_THAT(
        outcome->notices,
        Contains(
            "no server on which they may run has all that they ask for, so they get nothing: gpus, b/gpu"));
  }
}

TEST(Registry, UsersWhoAreAllowedNoServerAreNotedApartFromThoseWhoLackAResource) {
  Cluster cluster = cluster_without_gpus();
  cluster.users[0].demand = amounts(1, 0);
  cluster.users[0].select = {{"model", {"new"}}};
  const Result<Outcome> outcome = allocate(*Problem::from(cluster), "hdrfh");
  ASSERT_TRUE(outcome);
  EXPECT_THAT(outcome->notices,
              ::testing::IsSupersetOf(
                  {"no server on which they may run has all that they ask for, so they get nothing: b/gpu",
                   "there is no server on which they may run, so they get nothing: gpus"}));
}

// What waits has no tasks, and none of its own could be shown to have all of them.
TEST(Registry, AUserWhoMayRunNowhereLeavesTheCertificateOfTheOthersAsItIs) {
  const auto of = [](std::int64_t cpu, std::int64_t memory, std::int64_t nic, std::int64_t gpu) {
    return ResourceVector{Quantity(cpu), Quantity(memory), Quantity(nic), Quantity(gpu)};
  };
  const Result<Problem> problem = Problem::from(
      {.resources = {"cpu", "memory", "nic", "gpu"},
       .servers = {{.name = "n0", .capacity = of(6, 2024, 1, 0)},
                   {.name = "n1", .capacity = of(11, 2490, 0, 2)}},
       .users = {{.name = "w", .demand = of(1, 500, 0, 2), .tasks = Quantity(1), .servers = {{"n1"}}},
                 {.name = "v/large",
                  .demand = of(8, 967, 0, 0),
                  .tasks = Quantity(2),
                  .servers = {{"n1"}},
                  .group = "v",
                  .shape = "large"},
                 {.name = "v/stray",
                  .demand = of(2, 500, 1, 0),
                  .tasks = Quantity(1),
                  .servers = {{"n0"}},
                  .group = "v",
                  .shape = "stray"},
                 {.name = "u",
                  .demand = of(1, 500, 1, 0),
                  .tasks = Quantity(1),
                  .servers = {{"n1"}},
                  .may_fit_nowhere = true}},
       .groups = {{.name = "v", .is_user = true}}});
  ASSERT_TRUE(problem) << describe(problem.error());
  const Result<Outcome> outcome = allocate(*problem, "hdrfh");
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->status, Status::exact);
}

// What is reserved is not lent, whether its owner may run or not; what is only guaranteed is.
TEST(Registry, AUserWhoMayRunNowhereKeepsItsReserve) {
  Cluster cluster = cluster_without_gpus();
  cluster.users[0].quota = {.guarantee = amounts(4, 0), .reserved = amounts(3, 0)};
  for (const char* name : {"hdrf", "hdrfh"}) {
    const Result<Outcome> outcome = allocate(*Problem::from(cluster), name);
    ASSERT_TRUE(outcome) << name;
    EXPECT_THAT(outcome->allocation.tasks, ElementsAre(0, DoubleNear(1.5, 1e-9), 0, DoubleNear(3, 1e-9)))
        << name;
  }
}

// The group is guaranteed what its member is, though that one may not run: the other member may use it.
TEST(Registry, AGroupKeepsTheGuaranteeOfAMemberWhoMayRunNowhere) {
  Cluster cluster = cluster_without_gpus();
  cluster.users[0].quota.guarantee = amounts(6, 0);
  cluster.users[1].group = "within";
  for (const char* name : {"hdrf", "hdrfh"}) {
    const Result<Outcome> outcome = allocate(*Problem::from(cluster), name);
    ASSERT_TRUE(outcome) << name;
    EXPECT_THAT(outcome->allocation.tasks, ElementsAre(0, DoubleNear(3.75, 1e-9), 0, DoubleNear(1.5, 1e-9)))
        << name;
  }
}

TEST(Registry, AnUnknownMechanismIsAnErrorThatListsTheNearest) {
  const Result<Outcome> outcome = allocate(testing::problem_of(slides_pool), "dfr");
  ASSERT_FALSE(outcome);
  EXPECT_THAT(outcome.error().message, HasSubstr("drf"));
}

TEST(Registry, AlphaFairWithoutAnAlphaAboveZeroIsAnError) {
  for (const char* text : {"alpha-fair", "alpha-fair:alpha=0", "alpha-fair:alpha=-1", "alpha-fair:alpha=nan",
                           "alpha-fair:alpha=2,yardstick=weight"}) {
    EXPECT_FALSE(allocate(testing::problem_of(slides_pool), text)) << text;
  }
}

TEST(Registry, SeveralServersAreAnErrorOfMechanismsForOneThatSaysWhichCan) {
  Cluster cluster = slides_cluster();
  cluster.servers[0].count = 2;
  for (const char* mechanism : {"mlf-drs", "ffmra"}) {
    const Result<Outcome> outcome = allocate(*Problem::from(cluster), mechanism);
    ASSERT_FALSE(outcome) << mechanism;
    EXPECT_EQ(outcome.error().key, "servers");
    EXPECT_THAT(outcome.error().message, HasSubstr("h-ffmra"));
  }
}

TEST(Registry, ABadOptionOfFfmraIsAnErrorBeforeAnythingIsRead) {
  for (const char* text : {"ffmra:units=kg", "ffmra:surplus=most", "h-ffmra:spill=1", "mlf-drs:spill=true"})
    EXPECT_FALSE(choose_mechanism(text)) << text;
}

TEST(Registry, AnotherDemandOnSomeServerIsAnErrorThatSaysWhichMechanismsCan) {
  Cluster cluster = slides_cluster();
  cluster.users[1].demand_on["all"] = {Quantity(1), Quantity(1)};
  const Result<Outcome> outcome = allocate(*Problem::from(cluster), "drf");
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().key, "users[1].demand_on");
  EXPECT_THAT(outcome.error().message,
              HasSubstr("mechanisms that can: tsf, cmmf, per-server-drf, ps-dsf, ps-dsf-tdm, alpha-pf-vds"));
}

TEST(Registry, PlacementConstraintsAreTheSameNoticeOfAllPoolMechanismsAndNoneOfOthers) {
  Cluster cluster = slides_cluster();
  cluster.servers.push_back(cluster.servers[0]);
  cluster.servers[1].name = "other";
  cluster.users[0].servers = {"other"};
  const auto notices = [&](std::string_view mechanism) {
    return allocate(*Problem::from(cluster), mechanism)->notices;
  };
  const auto notice_of = [](const std::string& users) {
    return "the servers are treated as one, and `servers` and `select` of " + users +
           " are ignored: tasks that fit into the sum of 2 servers may fit on none of them; drfh respects "
           "each "
           "server";
  };
  EXPECT_THAT(notices("drf"), ElementsAre(notice_of(cluster.users[0].name)));
  for (const Mechanism& row : mechanisms()) {
    if (!row.accepts.several_servers || !row.is_rule) continue;
    const bool of_alpha = row.name == "alpha-fair" || row.name == "alpha-pf-vds";
    const std::string alpha = of_alpha ? ":alpha=2" : "";
    const std::vector<std::string> expected =
        row.accepts.placement ? std::vector<std::string>{} : notices("drf");
    EXPECT_EQ(notices(std::string(row.name) + alpha), expected) << row.name;
  }
  for (const char* name : {"c", "d", "e", "f"}) {
    cluster.users.push_back(cluster.users[0]);
    cluster.users.back().name = name;
  }
  EXPECT_THAT(notices("drf"), ElementsAre(notice_of(cluster.users[0].name + ", c, d and 2 more")));
}

TEST(Registry, GroupsAreOneNoticeOfMechanismsThatIgnoreThem) {
  Cluster cluster = slides_cluster();
  cluster.groups = {{.name = "team"}};
  for (User& user : cluster.users) user.group = "team";
  for (const Mechanism& row : mechanisms()) {
    if (!row.is_rule) continue;
    const bool of_alpha = row.name == "alpha-fair" || row.name == "alpha-pf-vds";
    const auto notices =
        allocate(*Problem::from(cluster), std::string(row.name) + (of_alpha ? ":alpha=2" : ""))->notices;
    if (row.accepts.groups) {
      EXPECT_THAT(notices, IsEmpty()) << row.name;
    } else {
      EXPECT_THAT(notices, ElementsAre(std::string(row.name) +
                                       " ignores groups, guarantees, limits and reserves: every user counts "
                                       "by itself; mechanisms that honour them: hdrf, hdrfh"));
    }
  }
}

TEST(Registry, AWeightOfZeroIsAnErrorOfMechanismsThatIgnoreGroups) {
  Cluster user = slides_cluster();
  user.users[1].weight = Quantity(0);
  Cluster group = slides_cluster();
  group.groups = {{.name = "team", .weight = Quantity(0)}};
  group.users[0].group = "team";
  for (const char* mechanism : {"drf", "pf", "drfh", "baa"}) {
    const Result<Outcome> of_user = allocate(*Problem::from(user), mechanism);
    const Result<Outcome> of_group = allocate(*Problem::from(group), mechanism);
    ASSERT_FALSE(of_user) << mechanism;
    ASSERT_FALSE(of_group) << mechanism;
    EXPECT_EQ(of_user.error().key, "users[1].weight");
    EXPECT_EQ(of_group.error().key, "groups[0].weight");
    EXPECT_THAT(of_user.error().message, HasSubstr("mechanisms that can: hdrf, hdrfh"));
  }
  for (const char* mechanism : {"hdrf", "hdrfh"}) {
    EXPECT_TRUE(allocate(*Problem::from(user), mechanism));
    EXPECT_TRUE(allocate(*Problem::from(group), mechanism));
  }
}

TEST(Registry, AResourceThatNoServerHasIsLeftOutWithANotice) {
  Cluster cluster = slides_cluster();
  cluster.resources.push_back("gpu");
  cluster.servers[0].capacity.push_back(Quantity(0));
  for (User& user : cluster.users) user.demand.push_back(Quantity(0));
  for (const char* mechanism : {"drf", "pf"}) {
    const Result<Outcome> outcome = allocate(*Problem::from(cluster), mechanism);
    ASSERT_TRUE(outcome);
    EXPECT_THAT(outcome->notices, ElementsAre(HasSubstr("no server has any gpu")));
    EXPECT_EQ(outcome->allocation.servers[0].used.size(), 3u);
    EXPECT_EQ(outcome->allocation.servers[0].used[2], 0);
  }
}

TEST(Registry, AnOutcomeSaysWhatWasAskedForAndWhoHoldsWhat) {
  const Result<Outcome> outcome =
      allocate(testing::problem_of(slides_pool), "alpha-fair:alpha=2,yardstick=dominant");
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->mechanism, "alpha-fair:alpha=2,yardstick=dominant");
  EXPECT_EQ(outcome->certificate.kind, "relative-duality-gap");
  EXPECT_LE(outcome->certificate.value, 1e-9);
  EXPECT_EQ(outcome->allocation.servers[0].name, "pool");
  EXPECT_EQ(outcome->allocation.servers[0].prices.size(), 2u);
  EXPECT_THAT(outcome->notices, IsEmpty());
  for (const Grant& grant : outcome->allocation.grants) {
    for (std::size_t r = 0; r < 2; ++r) {
      EXPECT_DOUBLE_EQ(grant.resources[r], grant.tasks * slides_pool.demand[grant.user][r]);
    }
  }
}

// Amounts go as the prices to the power -1/α, far beyond what a double holds: a notice says so, and still
// nothing is overused, which allocate() asserts.
TEST(Registry, AnAlphaNearZeroSaysThatItIsNotConverged) {
  const PoolCase capped{
      .capacity = {9, 18}, .demand = {{1, 4}, {3, 1}, {0, 2}}, .weight = {1, 2, 1}, .cap = {1, 0.5, 100}};
  for (const PoolCase& problem : {slides_pool, capped}) {
    for (const char* alpha :
         {"alpha-fair:alpha=1e-300", "alpha-fair:alpha=1e-6", "alpha-fair:alpha=0.0001"}) {
      const Result<Outcome> outcome = allocate(testing::problem_of(problem), alpha);
      ASSERT_TRUE(outcome);
      EXPECT_EQ(outcome->status, Status::not_converged) << alpha;
      EXPECT_GT(outcome->certificate.value, 1e-9) << alpha;
      for (const double tasks : outcome->allocation.tasks) EXPECT_TRUE(std::isfinite(tasks)) << alpha;
    }
  }
}

TEST(Registry, ASmallAlphaOfDominantSharesIsNoNumberOutOfRange) {
  const PoolCase far_apart{
      .capacity = {1e9, 1e9}, .demand = {{1e-9, 0}, {1e9, 1}, {1, 1e-6}}, .weight = {}, .cap = {}};
  for (const PoolCase& problem : {slides_pool, far_apart}) {
    for (const char* alpha : {"0.05", "1e-3", "1e-5", "1e-300", "5e-324"}) {
      for (const char* yardstick : {"dominant", "tasks"}) {
        const std::string text = std::string("alpha-fair:alpha=") + alpha + ",yardstick=" + yardstick;
        const Result<Outcome> outcome = allocate(testing::problem_of(problem), text);
        ASSERT_TRUE(outcome);
        for (const double tasks : outcome->allocation.tasks) EXPECT_TRUE(std::isfinite(tasks)) << text;
      }
    }
  }
}

TEST(Registry, AnApproximationAtATinyAlphaLeavesNoWantedCapacityIdle) {
  const PoolCase capped{.capacity = {10}, .demand = {{1}, {2}}, .weight = {}, .cap = {1, -1}};
  const Result<Outcome> outcome = allocate(testing::problem_of(capped), "alpha-fair:alpha=1e-300");
  ASSERT_TRUE(outcome);
  EXPECT_THAT(outcome->allocation.tasks, ElementsAre(1, 4.5));
  EXPECT_THAT(outcome->notices, ElementsAre(HasSubstr("so small an α")));
}

TEST(Registry, PricesThatADoubleDoesNotHoldAreLeftOutWithANotice) {
  const Result<Outcome> outcome = allocate(testing::problem_of(slides_pool), "alpha-fair:alpha=1e3");
  ASSERT_TRUE(outcome);
  EXPECT_THAT(outcome->allocation.servers[0].prices, IsEmpty());
  EXPECT_THAT(outcome->notices, ElementsAre(HasSubstr("beyond what a double holds")));
}

// Half of the least double is no double: nobody gets anything of a capacity that is wanted.
TEST(Registry, WaterFillingThatMissesItsCapacityIsNotConverged) {
  Pool pool{.demand = Eigen::ArrayXXd::Ones(2, 1),
            .capacity = Eigen::ArrayXd::Constant(1, std::numeric_limits<double>::denorm_min()),
            .weight = {},
            .cap = {},
            .resources = {0}};
  EXPECT_EQ(divide(pool, {.yardstick = one_task}).status, Status::not_converged);
  pool.capacity[0] = 1;
  EXPECT_EQ(divide(pool, {.yardstick = one_task}).status, Status::exact);
}

TEST(Registry, EveryPropertyHasANameAndEveryClaimASource) {
  for (const Mechanism& row : mechanisms()) {
    for (const Claim& claim : row.claims) {
      EXPECT_FALSE(property_name(claim.property).empty());
      EXPECT_FALSE(claim.source.empty()) << row.name;
    }
  }
}

}  // namespace
}  // namespace mirab
