// Groups, guarantees, limits, reserves and task shapes: read from a cluster file, checked, and written back.
#include <gmock/gmock.h>
#include <limits>
#include <string>

#include <mirab/model/cluster_file.hpp>
#include <mirab/model/tree.hpp>

namespace mirab {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// The organisation of docs/reference/cluster-file.md.
constexpr std::string_view kOrganisation = R"(resources: [cpu, gpu]
servers:
  - {name: node, capacity: {cpu: 32, gpu: 4}, count: 10}
groups:
  - name: research
    weight: 2
    guarantee: {cpu: 64, gpu: 16}
    limit: {gpu: 32}
    groups:
      - {name: vision}
      - {name: language, guarantee: {cpu: 16, gpu: 8}}
  - name: production
    guarantee: {cpu: 96, gpu: 4}
    reserved: {gpu: 1}
users:
  - {name: alice, group: vision, demand: {cpu: 4, gpu: 1}}
  - {name: carol, group: language, weight: 2, demand: {cpu: 2, gpu: 1}}
  - {name: dave, group: production, demand: {cpu: 2}, tasks: 48}
  - {name: frank, demand: {cpu: 1}, guarantee: {cpu: 1}}
)";

constexpr std::string_view kShapes = R"(resources: [cpu, gpu]
servers:
  - {name: a, capacity: {cpu: 8, gpu: 1}, labels: {zone: x}}
  - {name: b, capacity: {cpu: 8, gpu: 1}, labels: {zone: y}}
groups: [{name: shop}]
users:
  - {name: erin, demand: {cpu: 1}}
  - name: checkout
    group: shop
    weight: 3
    servers: [a, b]
    select: {zone: [x, y]}
    guarantee: {cpu: 2}
    shapes:
      - {name: web, demand: {cpu: 1}, tasks: 4, weight: 2}
      - {name: batch, demand: {cpu: 2}, servers: [b], select: {zone: [y, z]}, demand_on: {b: {cpu: 3}}}
)";

constexpr double kNoLimit = std::numeric_limits<double>::infinity();

Result<Problem> organised(std::string_view text) { return read_cluster_text(text, Syntax::yaml, "c.yaml"); }

Problem organisation_after(std::string_view what, std::string_view with,
                           std::string_view text = kOrganisation) {
  std::string changed(text);
  const std::size_t at = changed.find(what);
  EXPECT_NE(at, std::string::npos) << what;
  changed.replace(at, what.size(), with);
  const Result<Problem> problem = organised(changed);
  EXPECT_TRUE(problem) << describe(problem.error());
  return *problem;
}

// The error after one change of the text.
std::string refusal(std::string_view what, std::string_view with, std::string_view text = kOrganisation) {
  std::string changed(text);
  const std::size_t at = changed.find(what);
  if (at == std::string::npos) return "not found: " + std::string(what);
  changed.replace(at, what.size(), with);
  const Result<Problem> problem = organised(changed);
  return problem ? "accepted" : describe(problem.error());
}

TEST(Tree, GroupsComeInTheOrderOfTheFileAndParentsBeforeMembers) {
  const Problem problem = *organised(kOrganisation);
  const Tree& tree = problem.tree();
  EXPECT_FALSE(tree.is_flat());
  ASSERT_THAT(problem.groups(), SizeIs(4));
  EXPECT_EQ(problem.groups()[0].name, "research");
  EXPECT_EQ(problem.groups()[1].parent, "research");
  EXPECT_EQ(problem.groups()[3].name, "production");
  const std::size_t research = tree.node_of_group(0);
  EXPECT_THAT(tree.members(0), ElementsAre(research, tree.node_of_group(3), tree.node_of_user(3)));
  EXPECT_THAT(tree.members(research), ElementsAre(tree.node_of_group(1), tree.node_of_group(2)));
  EXPECT_THAT(tree.members(tree.node_of_group(1)), ElementsAre(tree.node_of_user(0)));
  EXPECT_THAT(tree.path(tree.node_of_user(1)),
              ElementsAre(research, tree.node_of_group(2), tree.node_of_user(1)));
  EXPECT_EQ(tree.weight(research), 2);
  EXPECT_EQ(tree.weight(tree.node_of_user(1)), 2);
}

TEST(Tree, AGuaranteeIsTheOneGivenElseTheSumOfThoseOfTheMembers) {
  const Problem problem = organisation_after("    guarantee: {cpu: 64, gpu: 16}\n", "");
  const Tree& tree = problem.tree();
  EXPECT_THAT(tree.guarantee(tree.node_of_group(0)), ElementsAre(16, 8)) << "that of language";
  EXPECT_THAT(tree.guarantee(tree.node_of_group(1)), IsEmpty()) << "vision has none";
  EXPECT_THAT(tree.guarantee(tree.node_of_group(3)), ElementsAre(96, 4));
  EXPECT_THAT(tree.reserve(tree.node_of_group(3)), ElementsAre(0, 1));
  EXPECT_THAT(tree.limit(tree.node_of_group(0)), ElementsAre(kNoLimit, 32));
  EXPECT_THAT(tree.limit(tree.node_of_group(3)), IsEmpty());
}

TEST(Tree, AGroupReservesAtLeastWhatItsMembersReserve) {
  const Problem problem = organisation_after("language, guarantee: {cpu: 16, gpu: 8}",
                                             "language, guarantee: 5%, reserved: {cpu: 3}");
  const Tree& tree = problem.tree();
  EXPECT_THAT(tree.guarantee(tree.node_of_group(2)), ElementsAre(16, 2)) << "5% of 320 and of 40";
  EXPECT_THAT(tree.reserve(tree.node_of_group(0)), ElementsAre(3, 0));
}

TEST(Tree, APercentageIsThatPartOfTheCapacityExactly) {
  const Problem problem =
      organisation_after("guarantee: {cpu: 96, gpu: 4}", "guarantee: {cpu: 12.5%, gpu: 2.5%}");
  EXPECT_THAT(problem.tree().guarantee(4), ElementsAre(40, 1));
  EXPECT_EQ(problem.groups()[3].quota.guarantee->at(1), Quantity(1));
}

TEST(Tree, WithoutGroupsAndQuotasATreeIsFlat) {
  const Problem problem = *organised(R"({resources: [cpu], servers: [{name: s, capacity: {cpu: 4}}],
                                    users: [{name: u, demand: {cpu: 1}}, {name: v, demand: {cpu: 1}}]})");
  EXPECT_TRUE(problem.tree().is_flat());
  EXPECT_THAT(problem.tree().members(0), ElementsAre(1, 2));
  EXPECT_THAT(problem.tree().guarantee(1), IsEmpty());
}

TEST(Tree, AmountsOfAResourceAreAmountsWhateverItsName) {
  constexpr std::string_view kText =
      "resources: [load in %]\n"
      "servers: [{name: s, capacity: {load in %: 2}}]\n"
      "users: [{name: u, demand: {load in %: 1}, guarantee: {load in %: 1}}]\n";
  EXPECT_EQ(
      refusal("guarantee: {load in %: 1}", "guarantee: {load in %: 3}", kText),
      "c.yaml:3: users[0].guarantee.load in %: the guarantees together are 3 of load in % (u 3), and the "
      "cluster has 2");
}

TEST(Tree, TooMuchThatAGroupHasOfItsMembersIsBlamedOnTheMemberWithMost) {
  constexpr std::string_view kText =
      "resources: [cpu]\n"
      "servers: [{name: s, capacity: {cpu: 10}}]\n"
      "groups: [{name: g}]\n"
      "users:\n"
      "  - {name: u, group: g, demand: {cpu: 1}, guarantee: {cpu: 4}}\n"
      "  - {name: v, group: g, demand: {cpu: 1}, guarantee: {cpu: 6}}\n";
  EXPECT_EQ(refusal("guarantee: {cpu: 6}", "guarantee: {cpu: 8}", kText),
            "c.yaml:6: users[1].guarantee.cpu: the guarantees together are 12 of cpu (g 12), and the cluster "
            "has 10");
}

TEST(Tree, EveryFaultOfAQuotaIsRefusedWithFileLineAndKey) {
  EXPECT_EQ(refusal("gpu: 16}", "gpu: 7}"),
            "c.yaml:7: groups[0].guarantee.gpu: 7 is less than the 8 that its members are guaranteed");
  EXPECT_EQ(refusal("cpu: 96", "cpu: 300"),
            "c.yaml:13: groups[1].guarantee.cpu: the guarantees together are 365 of cpu (research 64, "
            "production 300, frank 1), and the cluster has 320");
  EXPECT_EQ(refusal("reserved: {gpu: 1}", "reserved: {gpu: 5}"),
            "c.yaml:14: groups[1].reserved.gpu: 5 is more than the guarantee, which is 4; only a part of a "
            "guarantee can be reserved");
  EXPECT_EQ(refusal("limit: {gpu: 32}", "limit: {gpu: 15}"),
            "c.yaml:8: groups[0].limit.gpu: 15 is less than the guarantee, which is 16");
  EXPECT_EQ(refusal("guarantee: {cpu: 1}", "limit: {cpu: 1}, reserved: {cpu: 1}"),
            "c.yaml:19: users[3].reserved.cpu: 1 is more than the guarantee, which is 0; only a part of a "
            "guarantee can be reserved");
  EXPECT_THAT(refusal("guarantee: {cpu: 1}", "guarantee: {disk: 1}"),
              HasSubstr("c.yaml:19: users[3].guarantee.disk: unknown resource"));
  EXPECT_EQ(refusal("guarantee: {cpu: 1}", "guarantee: 101%"),
            "c.yaml:19: users[3].guarantee: must be a part from 0% to 100%, not '101%'");
  EXPECT_EQ(refusal("guarantee: {cpu: 1}", "limit: 3"),
            "c.yaml:19: users[3].limit: must be an amount for each resource, like {cpu: 64}, or a part of "
            "everything, like 25%");
  EXPECT_EQ(refusal("guarantee: {cpu: 1}", "limit: {cpu: x%}"),
            "c.yaml:19: users[3].limit.cpu: must be a part from 0% to 100%, not 'x%'");
}

TEST(Tree, EveryFaultOfAGroupIsRefusedWithFileLineAndKey) {
  EXPECT_EQ(refusal("group: vision", "group: visio"),
            "c.yaml:16: users[0].group: there is no group 'visio'; did you mean vision? Known are research, "
            "vision, language, production");
  EXPECT_EQ(refusal("{name: vision}", "{name: language}"),
            "c.yaml:11: groups[0].groups[1].name: duplicate name: there is already a group "
            "'language'; groups and users share one set of names");
  EXPECT_EQ(
      refusal("{name: vision}", "{name: frank}"),
      "c.yaml:10: groups[0].groups[0].name: duplicate name: there is already a user 'frank'; groups and "
      "users share one set of names");
  EXPECT_EQ(
      refusal("group: vision, ", ""),
      "c.yaml:10: groups[0].groups[0]: the group 'vision' has no members: name it as `group` of a user, or "
      "leave it out");
  EXPECT_THAT(refusal("{name: vision}", "{name: vision, wieght: 2}"),
              HasSubstr("c.yaml:10: groups[0].groups[0].wieght: unknown key; did you mean weight?"));
  EXPECT_THAT(refusal("{name: vision}", "{weight: 2}"),
              HasSubstr("c.yaml:10: groups[0].groups[0].name: missing"));
  EXPECT_THAT(refusal("weight: 2", "weight: -2"), HasSubstr("c.yaml:6: groups[0].weight: '-2' is negative"));
}

TEST(Tree, AUserWithShapesIsAGroupOfThem) {
  const Result<Problem> problem = organised(kShapes);
  ASSERT_TRUE(problem) << describe(problem.error());
  ASSERT_THAT(problem->users(), SizeIs(3));
  ASSERT_THAT(problem->groups(), SizeIs(2));
  const Group& checkout = problem->groups()[1];
  EXPECT_TRUE(checkout.is_user);
  EXPECT_EQ(checkout.name, "checkout");
  EXPECT_EQ(checkout.parent, "shop");
  EXPECT_EQ(checkout.weight, Quantity(3));
  const User& web = problem->users()[1];
  EXPECT_EQ(web.name, "checkout/web");
  EXPECT_EQ(web.group, "checkout");
  EXPECT_EQ(web.shape, "web");
  EXPECT_EQ(web.weight, Quantity(2));
  EXPECT_EQ(web.tasks, Quantity(4));
  EXPECT_THAT(*web.servers, ElementsAre("a", "b")) << "its user's";
  const User& batch = problem->users()[2];
  EXPECT_THAT(*batch.servers, ElementsAre("b"));
  EXPECT_EQ(batch.select.at("zone"), LabelCondition{"y"}) << "where both allow it";
  EXPECT_FALSE(problem->eligible(2, 0));
  EXPECT_EQ(problem->demand(2, 1)[0], Quantity(3));
}

TEST(Tree, FaultsOfShapesAreFoundWhereTheyStandInTheFile) {
  const auto refused = [](std::string_view what, std::string_view with) {
    return refusal(what, with, kShapes);
  };
  EXPECT_EQ(refused("name: batch", "name: web"),
            "c.yaml:16: users[1].shapes[1].name: duplicate name: the user has already a shape 'web'");
  EXPECT_EQ(
      refused("demand: {cpu: 2}", "demand: {cpu: 0}"),
      "c.yaml:16: users[1].shapes[1].demand: user 'checkout/batch' demands nothing; at least one amount "
      "must be more than 0");
  EXPECT_EQ(refused("servers: [b]", "servers: [c]"),
            "c.yaml:16: users[1].shapes[1].servers[0]: there is no server 'c'; did you mean a or b? Known "
            "are a, b");
  EXPECT_EQ(refused("servers: [a, b]", "servers: [a, c]"),
            "c.yaml:11: users[1].servers[1]: there is no server 'c'; did you mean a or b? Known are a, b");
  EXPECT_EQ(refused("group: shop", "group: sho"),
            "c.yaml:9: users[1].group: there is no group 'sho'; did you mean shop? Known are shop");
  EXPECT_EQ(refused("weight: 3\n", "weight: 3\n    demand: {cpu: 1}\n"),
            "c.yaml:11: users[1].demand: a user with `shapes` has it in each of its shapes");
  EXPECT_EQ(refused("demand: {cpu: 1}}", "demand: {cpu: 1}, group: checkout}"),
            "c.yaml:7: users[0].group: 'checkout' is a user: only its task shapes are its members");
}

TEST(Tree, WhatIsWrittenReadsBackEqual) {
  for (const std::string_view text : {kOrganisation, kShapes}) {
    const Problem problem = *organised(text);
    const std::string yaml = write_cluster_yaml(problem.cluster());
    const Result<Problem> again = organised(yaml);
    ASSERT_TRUE(again) << describe(again.error()) << "\n" << yaml;
    EXPECT_TRUE(again->users() == problem.users()) << yaml;
    EXPECT_TRUE(again->groups() == problem.groups()) << yaml;
  }
}

TEST(Tree, AGuaranteeThatNoTaskBelowFitsIntoIsNoticed) {
  EXPECT_THAT(unusable_guarantees(*organised(kOrganisation)), IsEmpty());
  const Problem problem =
      organisation_after("language, guarantee: {cpu: 16, gpu: 8}", "language, guarantee: {cpu: 16}");
  const std::vector<Error> notices = unusable_guarantees(problem);
  ASSERT_THAT(notices, SizeIs(1));
  EXPECT_EQ(
      describe(notices[0]),
      "groups[2].guarantee: no task of any user below fits into the guarantee of 'language', so it covers no "
      "task; it still counts where shares are compared, which are those beyond it, and so lets 'language' "
      "come "
      "earlier; every task needs gpu too, and what it does not name is 0");
}

}  // namespace
}  // namespace mirab
