// hdrf and hdrfh: the worked cases (tests/golden/teams_cases.json), random trees against the definition in
// rational numbers and through linear programs, and what they are without a tree, with one resource, with
// parallel demands. Source: docs/explanation/teams.md.
#include <fmt/format.h>
#include <fstream>
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <mirab/mechanisms/mechanism.hpp>
#include <mirab/model/cluster_file.hpp>

#include "fairness/share.hpp"
#include "mechanisms/exact_tree.hpp"

namespace mirab {
namespace {

using json = nlohmann::ordered_json;
using testing::TreeOver;
using testing::TreeStyle;

mpq_class fraction(const json& text) {
  mpq_class value(text.get<std::string>());
  value.canonicalize();
  return value;
}

// Fractions of the cases are decimals where problems have them.
Quantity decimal(const json& text) { return *Quantity::from(fraction(text).get_d()); }

ResourceVector decimals(const json& amounts, const std::vector<std::string>& resources) {
  ResourceVector vector;
  for (const std::string& resource : resources)
    vector.push_back(amounts.contains(resource) ? decimal(amounts.at(resource)) : Quantity(0));
  return vector;
}

Quota quota_of(const json& member, const std::vector<std::string>& resources) {
  Quota quota;
  if (member.contains("guarantee")) quota.guarantee = decimals(member.at("guarantee"), resources);
  if (member.contains("reserved")) quota.reserved = decimals(member.at("reserved"), resources);
  if (!member.contains("limit")) return quota;
  for (const std::string& resource : resources) {
    const json& limit = member.at("limit");
    quota.limit.push_back(limit.contains(resource) ? std::optional(decimal(limit.at(resource)))
                                                   : std::nullopt);
  }
  return quota;
}

void add_members(const json& members, const std::optional<std::string>& group, Cluster& cluster) {
  for (const json& member : members) {
    const std::string name = member.at("name");
    const Quantity weight = member.contains("weight") ? decimal(member.at("weight")) : Quantity(1);
    if (member.contains("members")) {
      cluster.groups.push_back(
          {.name = name, .parent = group, .weight = weight, .quota = quota_of(member, cluster.resources)});
      add_members(member.at("members"), name, cluster);
      continue;
    }
    User user{.name = name,
              .demand = decimals(member.at("demand"), cluster.resources),
              .weight = weight,
              .group = group,
              .quota = quota_of(member, cluster.resources)};
    if (member.contains("tasks")) user.tasks = decimal(member.at("tasks"));
    if (member.contains("servers")) user.servers = member.at("servers").get<std::vector<std::string>>();
    cluster.users.push_back(std::move(user));
  }
}

Problem problem_of_case(const json& problem) {
  Cluster cluster;
  cluster.resources = problem.at("resources").get<std::vector<std::string>>();
  for (const json& server : problem.at("servers"))
    cluster.servers.push_back(
        {.name = server.at("name"), .capacity = decimals(server.at("capacity"), cluster.resources)});
  add_members(problem.at("members"), {}, cluster);
  Result<Problem> valid = Problem::from(std::move(cluster));
  EXPECT_TRUE(valid) << valid.error().message;
  return *std::move(valid);
}

std::vector<json> divisible_cases() {
  std::ifstream file(MIRAB_SOURCE_DIR "/tests/golden/teams_cases.json");
  std::vector<json> cases;
  const json all = json::parse(file);
  for (const json& one : all.at("cases")) {
    if (one.at("kind") == "divisible") cases.push_back(one);
  }
  return cases;
}

// The dominant share of a user or group by its name.
double share_of(const Problem& problem, const Allocation& allocation, const std::string& name) {
  const Tree& tree = problem.tree();
  const auto used = fairness::used_below(tree, bundles(problem, allocation));
  for (std::size_t v = 1; v < used.size(); ++v) {
    const std::string& of =
        tree.is_user(v) ? problem.users()[tree.user_at(v)].name : problem.groups()[tree.group_at(v)].name;
    if (of == name) return fairness::dominant_share<double>(used[v], problem.pool());
  }
  ADD_FAILURE() << "nobody is called " << name;
  return 0;
}

void expect_case(const json& given, const std::string& mechanism) {
  SCOPED_TRACE(given.at("name").get<std::string>() + ", " + mechanism);
  const Problem problem = problem_of_case(given.at("problem"));
  const Result<Outcome> outcome = allocate(problem, mechanism);
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_EQ(outcome->status, Status::exact) << outcome->certificate.value;
  EXPECT_THAT(outcome->notices, ::testing::IsEmpty());
  for (std::size_t n = 0; n < problem.user_count(); ++n)
    EXPECT_NEAR(outcome->allocation.tasks[n], fraction(given.at("tasks").at(problem.users()[n].name)).get_d(),
                1e-9 * problem.pool()[0])
        << problem.users()[n].name;
  for (const auto& [name, share] : given.at("dominant_share").items())
    EXPECT_NEAR(share_of(problem, outcome->allocation, name), fraction(share).get_d(), 1e-9) << name;
}

TEST(HdrfGolden, HdrfhHasTheNumbersOfEveryDivisibleCase) {
  const std::vector<json> cases = divisible_cases();
  EXPECT_EQ(cases.size(), 17u);
  for (const json& one : cases) expect_case(one, "hdrfh");
}

TEST(HdrfGolden, HdrfHasTheNumbersOfEveryDivisibleCaseOnOneServer) {
  for (const json& one : divisible_cases()) {
    if (one.at("problem").at("servers").size() == 1) expect_case(one, "hdrf");
  }
}

// SoCC 2013: where the tree is left out, n2 gets a third instead of half.
TEST(HdrfGolden, TheLieOfNotStrategyProofPays) {
  for (json one : divisible_cases()) {
    if (one.at("name") != "not-strategy-proof") continue;
    one.at("problem").at("members")[0].at("members")[2].at("demand")["net"] = "3/5";
    const Outcome outcome = *allocate(problem_of_case(one.at("problem")), "hdrf");
    EXPECT_NEAR(outcome.allocation.tasks[2], 41.0 / 51, 1e-12);
  }
}

// ------------------------------------------------------------------------------------------ random trees

std::string replay_of(const char* what, int i, std::uint64_t seed, const Problem& problem) {
  return fmt::format("{} {} of seed {}:\n{}", what, i, seed, write_cluster_yaml(problem.cluster()));
}

// All that a user could have alone in the pool: what a difference is measured in when it has next to nothing.
double alone(const Problem& problem, std::size_t n) {
  double share = 0;
  for (std::size_t r = 0; r < problem.resource_count(); ++r) {
    if (problem.pool()[r] > 0)
      share = std::max(share, problem.users()[n].demand[r].value() / problem.pool()[r]);
  }
  return 1 / share;
}

void expect_tasks(const Problem& problem, const Outcome& outcome, const std::vector<mpq_class>& exact,
                  double within, const std::string& replay) {
  ASSERT_EQ(outcome.status, Status::exact) << outcome.certificate.value << ", " << replay;
  for (std::size_t n = 0; n < exact.size(); ++n)
    ASSERT_NEAR(outcome.allocation.tasks[n], exact[n].get_d(), within * alone(problem, n))
        << problem.users()[n].name << ", " << replay;
}

void expect_the_definition(const std::string& mechanism, TreeOver over, const TreeStyle& style, int trees,
                           std::uint64_t seed) {
  Random random(seed);
  for (int i = 0; i < trees; ++i) {
    const Problem problem = testing::random_tree(random, style);
    const std::string replay = replay_of(mechanism.c_str(), i, seed, problem);
    const Result<Outcome> outcome = allocate(problem, mechanism);
    ASSERT_TRUE(outcome) << outcome.error().message << replay;
    expect_tasks(problem, *outcome, testing::exact_tree(problem, over), 1e-7, replay);
    if (::testing::Test::HasFatalFailure()) return;
  }
}

TEST(HdrfOracle, RandomTreesInOnePoolAreTheDefinitionInRationalNumbers) {
  expect_the_definition("hdrf", TreeOver::pool, {.leaves_max = 6}, 1'500, 1);
  expect_the_definition("hdrf", TreeOver::pool, {.leaves_max = 14}, 300, 2);
}
TEST(HdrfOracle, TreesOfUpToFortyUsersAreTheDefinitionInRationalNumbers) {
  expect_the_definition("hdrf", TreeOver::pool, {.leaves_max = 40, .resources_max = 4}, 40, 3);
}
TEST(HdrfOracle, TreesWithoutQuotasAreTheDefinitionInRationalNumbers) {
  expect_the_definition("hdrf", TreeOver::pool, {.leaves_max = 14, .quotas = false}, 300, 4);
  expect_the_definition("hdrf", TreeOver::pool,
                        {.leaves_max = 14, .quotas = false, .capped_users = false, .without_weight = false},
                        300, 5);
}
TEST(HdrfOracle, OnOneServerHdrfhIsTheDefinitionToo) {
  expect_the_definition("hdrfh", TreeOver::pool, {.leaves_max = 8}, 300, 6);
}
TEST(HdrfOracle, RandomTreesOverServersAreTheDefinitionThroughLinearPrograms) {
  expect_the_definition("hdrfh", TreeOver::servers, {.leaves_max = 8, .servers_max = 4, .placement = true},
                        200, 7);
  expect_the_definition("hdrfh", TreeOver::servers, {.leaves_max = 40, .servers_max = 4, .placement = true},
                        10, 8);
}

}  // namespace
}  // namespace mirab
