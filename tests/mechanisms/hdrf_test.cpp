// hdrf and hdrfh: the worked cases (tests/golden/teams_cases.json), random trees against the definition in
// rational numbers and through linear programs, and what they are without a tree, with one resource, with
// parallel demands. Source: docs/explanation/teams.md.
#include <algorithm>
#include <fmt/format.h>
#include <fstream>
#include <gmock/gmock.h>
#include <limits>
#include <nlohmann/json.hpp>

#include <mirab/mechanisms/mechanism.hpp>
#include <mirab/model/cluster_file.hpp>

#include "fairness/share.hpp"
#include "mechanisms/exact_tree.hpp"
#include "random_cases.hpp"

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
  for (int i = 0; i < random_cases(trees); ++i) {
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

// --------------------------------------------------------------------------------------- what they are

constexpr TreeStyle kNoQuotas{.leaves_max = 16, .resources_max = 4, .quotas = false};
constexpr TreeStyle kPlain{.leaves_max = 16, .resources_max = 4, .quotas = false, .without_weight = false};

// Calls what(problem, replay) for random trees, until it fails.
template <class What>
void on_random_trees(std::uint64_t seed, int trees, const TreeStyle& style, const What& what) {
  Random random(seed);
  for (int i = 0; i < trees && !::testing::Test::HasFatalFailure(); ++i) {
    const Problem problem = testing::random_tree(random, style);
    what(problem, replay_of("tree", i, seed, problem));
  }
}

std::vector<double> tasks_of(const Cluster& cluster, const std::string& mechanism) {
  const Outcome outcome = *allocate(*Problem::from(cluster), mechanism);
  EXPECT_EQ(outcome.status, Status::exact) << outcome.certificate.value;
  return outcome.allocation.tasks;
}

void expect_equal(const Problem& problem, const std::vector<double>& ours, const std::vector<double>& other,
                  const std::string& replay) {
  for (std::size_t n = 0; n < ours.size(); ++n)
    ASSERT_NEAR(ours[n], other[n], 1e-8 * alone(problem, n)) << problem.users()[n].name << ", " << replay;
}

TEST(Hdrf, WithoutGroupsItIsDrfAndHdrfhIsDrfh) {
  TreeStyle style = kPlain;
  style.servers_max = 4;
  style.placement = true;
  on_random_trees(21, 400, style, [](const Problem& problem, const std::string& replay) {
    Cluster flat = problem.cluster();
    flat.groups.clear();
    for (User& user : flat.users) user.group.reset();
    expect_equal(problem, tasks_of(flat, "hdrf"), tasks_of(flat, "drf"), replay);
    expect_equal(problem, tasks_of(flat, "hdrfh"), tasks_of(flat, "drfh"), replay);
  });
}

// What everybody below v wants of one resource, and weighted max-min among the members, from the top.
class MaxMinDownATree {
 public:
  explicit MaxMinDownATree(const Problem& problem) : problem_(problem), tree_(problem.tree()) {
    tasks_.resize(problem.user_count());
    divide(0, problem.pool()[0]);
  }
  const std::vector<double>& tasks() const { return tasks_; }

 private:
  double wanted(std::size_t v) const {
    if (tree_.is_user(v)) {
      const User& user = problem_.users()[tree_.user_at(v)];
      return user.tasks ? user.tasks->value() * user.demand[0].value()
                        : std::numeric_limits<double>::infinity();
    }
    double sum = 0;
    for (const std::size_t m : tree_.members(v)) sum += wanted(m);
    return sum;
  }

  void divide(std::size_t v, double amount) {
    if (tree_.is_user(v)) {
      const std::size_t n = tree_.user_at(v);
      tasks_[n] = std::min(amount, wanted(v)) / problem_.users()[n].demand[0].value();
      return;
    }
    std::vector<std::size_t> hungry(tree_.members(v).begin(), tree_.members(v).end());
    std::sort(hungry.begin(), hungry.end(), [&](std::size_t a, std::size_t b) {
      return wanted(a) / tree_.weight(a) < wanted(b) / tree_.weight(b);
    });
    double weights = 0;
    for (const std::size_t m : hungry) weights += tree_.weight(m);
    for (const std::size_t m : hungry) {
      const double part = std::min(wanted(m), amount * tree_.weight(m) / weights);
      divide(m, part);
      amount -= part;
      weights -= tree_.weight(m);
    }
  }

  const Problem& problem_;
  const Tree& tree_;
  std::vector<double> tasks_;
};

TEST(Hdrf, OnOneResourceItIsWeightedMaxMinDownTheTree) {
  TreeStyle style = kPlain;
  style.resources_max = 1;
  on_random_trees(22, 400, style, [](const Problem& problem, const std::string& replay) {
    expect_equal(problem, tasks_of(problem.cluster(), "hdrf"), MaxMinDownATree(problem).tasks(), replay);
  });
}

TEST(Hdrf, AGroupOfUsersWithParallelDemandsIsOneUser) {
  TreeStyle style = kPlain;
  style.capped_users = false;
  on_random_trees(23, 400, style, [](const Problem& problem, const std::string& replay) {
    const std::size_t last = problem.user_count() - 1;
    Cluster several = problem.cluster();
    const User one = several.users.back();
    several.groups.push_back({.name = "several", .parent = one.group, .weight = one.weight});
    several.users.pop_back();
    for (const int size : {1, 2, 5}) {
      User part = one;
      part.name = fmt::format("part{}", size);
      part.group = "several";
      part.weight = Quantity(1 + size % 3);
      for (Quantity& amount : part.demand) amount = *Quantity::from(amount.value() * size);
      several.users.push_back(std::move(part));
    }
    std::vector<double> tasks = tasks_of(several, "hdrf");
    tasks[last] += 2 * tasks[last + 1] + 5 * tasks[last + 2];
    tasks.resize(last + 1);
    expect_equal(problem, tasks, tasks_of(problem.cluster(), "hdrf"), replay);
  });
}

TEST(Hdrf, SplittingAPoolIntoEqualServersChangesNothing) {
  on_random_trees(24, 400, {.leaves_max = 12, .resources_max = 4},
                  [](const Problem& problem, const std::string& replay) {
                    Cluster split = problem.cluster();
                    const Server whole = split.servers[0];
                    split.servers.clear();
                    for (const char* name : {"a", "b", "c", "d"}) {
                      Server quarter = whole;
                      quarter.name = name;
                      for (Quantity& amount : quarter.capacity) amount = *Quantity::from(amount.value() / 4);
                      split.servers.push_back(std::move(quarter));
                    }
                    const std::vector<double> tasks = tasks_of(problem.cluster(), "hdrf");
                    expect_equal(problem, tasks_of(split, "hdrf"), tasks, replay);
                    expect_equal(problem, tasks_of(split, "hdrfh"), tasks, replay);
                  });
}

// Its step has no length: what is largest at each node is seen in the next one.
TEST(Hdrf, AUserWhoAsksForNothingChangesNothing) {
  TreeStyle style{.leaves_max = 8, .servers_max = 3, .resources_max = 4};
  style.placement = true;
  on_random_trees(26, 400, style, [](const Problem& problem, const std::string& replay) {
    for (const bool is_in_group : {false, true}) {
      Cluster more = problem.cluster();
      User none = more.users.front();
      none.name = "none";
      none.tasks = Quantity(0);
      none.quota = {};
      if (!is_in_group) none.group.reset();
      more.users.push_back(std::move(none));
      for (const char* mechanism : {"hdrf", "hdrfh"}) {
        std::vector<double> tasks = tasks_of(more, mechanism);
        ASSERT_EQ(tasks.back(), 0);
        tasks.pop_back();
        expect_equal(problem, tasks, tasks_of(problem.cluster(), mechanism), replay);
      }
    }
  });
}

TEST(Hdrf, APlainUserWithoutTasksLeavesAGroupItsLargestResource) {
  const Result<Problem> problem = read_cluster_text(
      R"(resources: [cpu, nic, gpu]
servers:
  - {name: n0, capacity: {cpu: 6, nic: 1}}
  - {name: n1, capacity: {cpu: 11, gpu: 2}}
users:
  - {name: w, demand: {cpu: 1, gpu: 2}, tasks: 1, servers: [n1]}
  - {name: v, shapes: [
    {name: large, demand: {cpu: 8}, tasks: 2, servers: [n1]},
    {name: nics, demand: {cpu: 2, nic: 1}, tasks: 1, servers: [n0]},
  ]}
  - {name: u, demand: {cpu: 1, gpu: 2}, tasks: 0}
)",
      Syntax::yaml, "c.yaml");
  ASSERT_TRUE(problem) << describe(problem.error());
  const Outcome outcome = *allocate(*problem, "hdrfh");
  EXPECT_EQ(outcome.status, Status::exact) << outcome.certificate.value;
  EXPECT_THAT(outcome.allocation.tasks,
              ::testing::Pointwise(::testing::DoubleNear(1e-9), {19.0 / 28, 36.125 / 28, 1.0, 0.0}));
}

// Merging within groups, and the linear programs, on what is one user and one server class in truth.
TEST(Hdrf, UsersInPartsAreTheSameOverServers) {
  TreeStyle style{
      .leaves_max = 8, .servers_max = 3, .resources_max = 3, .capped_users = false, .placement = true};
  on_random_trees(25, 200, style, [](const Problem& problem, const std::string& replay) {
    Cluster twice = problem.cluster();
    for (User& user : twice.users) {
      if (user.quota == Quota{}) user.weight = *Quantity::from(user.weight.value() * 3);
    }
    const std::size_t users = twice.users.size();
    for (std::size_t n = 0; n < users; ++n) {
      if (!(twice.users[n].quota == Quota{})) {
        twice.users[n].weight = *Quantity::from(twice.users[n].weight.value() * 3);
        continue;
      }
      User part = twice.users[n];
      part.name += "-part";
      part.weight = *Quantity::from(part.weight.value() / 3);
      twice.users[n].weight = *Quantity::from(twice.users[n].weight.value() * 2 / 3);
      twice.users.push_back(std::move(part));
    }
    for (Group& group : twice.groups) group.weight = *Quantity::from(group.weight.value() * 3);
    std::vector<double> tasks = tasks_of(twice, "hdrfh");
    std::size_t next = users;
    for (std::size_t n = 0; n < users; ++n) {
      if (twice.users[n].quota == Quota{}) tasks[n] += tasks[next++];
    }
    tasks.resize(users);
    expect_equal(problem, tasks, tasks_of(problem.cluster(), "hdrfh"), replay);
  });
}

// ------------------------------------------------------------------------------------------ what holds

// What the tests of the properties look at: who was stopped by a capacity.
struct Divided {
  explicit Divided(const Problem& given) : problem(given), outcome(*allocate(given, "hdrf")) {
    used = fairness::used_below(given.tree(), bundles(given, outcome.allocation));
  }

  bool takes(std::size_t n, std::size_t r) const { return !problem.users()[n].demand[r].is_zero(); }
  double part(std::size_t v, std::size_t r) const { return used[v][r] / problem.pool()[r]; }
  bool stopped_by_a_capacity(std::size_t n) const {
    const User& user = problem.users()[n];
    if (user.tasks && outcome.allocation.tasks[n] >= user.tasks->value() * (1 - 1e-9)) return false;
    for (const std::size_t v : problem.tree().path(problem.tree().node_of_user(n))) {
      const std::span<const double> limit = problem.tree().limit(v);
      for (std::size_t r = 0; r < limit.size(); ++r) {
        if (takes(n, r) && used[v][r] >= limit[r] * (1 - 1e-9)) return false;
      }
    }
    return true;
  }
  double dominant_share(std::size_t v) const {
    return fairness::dominant_share<double>(used[v], problem.pool());
  }

  const Problem& problem;
  Outcome outcome;
  std::vector<std::vector<double>> used;
};

// docs/explanation/teams.md, "What holds", 2.
TEST(Hdrf, WithoutGuaranteesEveryNodeOfAStoppedUserHasItsPartOfItsParent) {
  on_random_trees(26, 1'000, kNoQuotas, [](const Problem& problem, const std::string& replay) {
    const Divided divided(problem);
    const Tree& tree = problem.tree();
    for (std::size_t n = 0; n < problem.user_count(); ++n) {
      if (!divided.stopped_by_a_capacity(n)) continue;
      double part = 1;
      for (const std::size_t v : tree.path(tree.node_of_user(n))) {
        double weights = 0;
        for (const std::size_t w : tree.members(tree.parent(v))) weights += tree.weight(w);
        if (weights == 0) break;  // no weight counts
        part *= tree.weight(v) / weights;
        ASSERT_GE(divided.dominant_share(v), part - 1e-9)
            << "node " << v << " of user " << n << ", " << replay;
      }
    }
  });
}

void expect_guarantees(const Problem& problem, const std::string& replay) {
  const Divided divided(problem);
  const Tree& tree = problem.tree();
  for (std::size_t n = 0; n < problem.user_count(); ++n) {
    if (!divided.stopped_by_a_capacity(n)) continue;
    for (const std::size_t v : tree.path(tree.node_of_user(n))) {
      bool holds = tree.guarantee(v).empty();
      for (std::size_t r = 0; r < problem.resource_count() && !holds; ++r)
        holds = divided.takes(n, r) && divided.used[v][r] >= tree.guarantee(v)[r] - 1e-9;
      ASSERT_TRUE(holds) << "node " << v << " of user " << n << ", " << replay;
    }
  }
}

// docs/explanation/teams.md, "What holds", 3.
TEST(Hdrf, AStoppedUserHasItsGuaranteeOfSomethingThatItTakes) {
  TreeStyle one_resource{.leaves_max = 16, .resources_max = 1};
  on_random_trees(27, 500, one_resource, expect_guarantees);
  on_random_trees(28, 1'000, {.leaves_max = 12}, [](const Problem& problem, const std::string& replay) {
    Cluster top_only = problem.cluster();
    for (Group& group : top_only.groups) {
      if (group.parent) group.quota = {};
    }
    for (User& user : top_only.users) {
      if (user.group) user.quota = {};
    }
    const Result<Problem> simpler = Problem::from(top_only);
    ASSERT_TRUE(simpler) << simpler.error().message << replay;
    expect_guarantees(*simpler, replay);
  });
}

// docs/explanation/teams.md, "What does not hold": guarantees inside guarantees, with several resources.
TEST(Hdrf, AnInnerGuaranteeMayBeMissedWhereTheOuterOneIsCommon) {
  const Problem problem = *read_cluster_text(R"(
resources: [cpu, gpu]
servers: [{name: s, capacity: {cpu: 10, gpu: 10}}]
groups:
  - {name: T, guarantee: {cpu: 6, gpu: 10}, groups: [{name: a, guarantee: {cpu: 4, gpu: 4}}]}
users:
  - {name: a1, group: a, demand: {gpu: 1}}
  - {name: a2, group: a, weight: 0.25, demand: {cpu: 1}}
  - {name: b, group: T, demand: {cpu: 1}}
  - {name: w, demand: {cpu: 1}, guarantee: {cpu: 4}}
)",
                                             Syntax::yaml, "inner");
  const std::vector<double> tasks = tasks_of(problem.cluster(), "hdrf");
  const std::vector<double> expected = {10, 2, 4, 4};  // a1 takes the idle GPUs in the end
  for (std::size_t n = 0; n < expected.size(); ++n) EXPECT_NEAR(tasks[n], expected[n], 1e-9) << n;
}

TEST(Hdrf, ServersThatDoNotHoldAGuaranteeAreANotice) {
  const Problem problem = *read_cluster_text(R"(
resources: [cpu]
servers: [{name: s, capacity: {cpu: 2}}, {name: t, capacity: {cpu: 8}}]
users:
  - {name: a, guarantee: {cpu: 5}, demand: {cpu: 1}, servers: [s]}
  - {name: b, demand: {cpu: 1}}
)",
                                             Syntax::yaml, "servers");
  const Outcome outcome = *allocate(problem, "hdrfh");
  EXPECT_NEAR(outcome.allocation.tasks[0], 2, 1e-9);
  EXPECT_NEAR(outcome.allocation.tasks[1], 8, 1e-9);
  EXPECT_THAT(outcome.notices, ::testing::ElementsAre(::testing::HasSubstr("guarantees of a")));
}

}  // namespace
}  // namespace mirab
