// A user who waits for a resource of which there is none: no division can give it anything, so nobody wrongs
// it, and beside it the others are judged as without it.
#include <algorithm>
#include <gmock/gmock.h>

#include <mirab/audit/explanation.hpp>
#include <mirab/audit/metrics.hpp>
#include <mirab/audit/teams.hpp>
#include <mirab/model/cluster_file.hpp>
#include <mirab/model/random.hpp>

#include "audit/clusters.hpp"
#include "audit/counterexamples.hpp"
#include "model/eligibility.hpp"
#include "random_cases.hpp"

namespace mirab {
namespace {

using testing::Divided;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::problem_of;

ResourceVector amounts(std::int64_t cpu, std::int64_t gpu) { return {Quantity(cpu), Quantity(gpu)}; }

// `gpus` may run on `plain` alone, which has no GPU; `fast` has some.
Cluster cluster_with_a_waiting_user() {
  return {
      .resources = {"cpu", "gpu"},
      .servers = {{.name = "plain", .capacity = amounts(8, 0)}, {.name = "fast", .capacity = amounts(4, 4)}},
      .users = {{.name = "cpus", .demand = amounts(1, 0)},
                {.name = "gpus",
                 .demand = amounts(1, 2),
                 .tasks = Quantity(3),
                 .servers = {{"plain"}},
                 .may_fit_nowhere = true}}};
}

// With a resource more, of which there is none; or only on a server of which nobody makes use.
Cluster with_devices(const Problem& problem, bool are_elsewhere) {
  Cluster cluster = problem.cluster();
  cluster.resources.emplace_back("devices");
  for (Server& server : cluster.servers) server.capacity.emplace_back(0);
  if (are_elsewhere) {
    Server& closet = cluster.servers.emplace_back(
        Server{.name = "closet", .capacity = ResourceVector(problem.resource_count())});
    closet.capacity.emplace_back(5);
  }
  const auto widen = [](Quota& quota) {
    if (quota.guarantee) quota.guarantee->emplace_back(0);
    if (!quota.limit.empty()) quota.limit.emplace_back();
    if (!quota.reserved.empty()) quota.reserved.emplace_back(0);
  };
  for (Group& group : cluster.groups) widen(group.quota);
  for (User& user : cluster.users) {
    user.demand.emplace_back(0);
    for (auto& [server, demand] : user.demand_on) demand.emplace_back(0);
    widen(user.quota);
  }
  return cluster;
}

// It demands as much as the first user, and a device.
User waiting_user(const Problem& problem, const Cluster& cluster, Random& random) {
  User waiting{.name = "waiting", .demand = cluster.users[0].demand, .may_fit_nowhere = true};
  waiting.demand.back() = Quantity(1);
  waiting.servers.emplace();
  for (const Server& server : problem.servers()) waiting.servers->push_back(server.name);
  std::vector<std::string> teams;
  for (const Group& group : cluster.groups) {
    if (!group.is_user) teams.push_back(group.name);
  }
  if (!teams.empty()) waiting.group = teams[random.below(teams.size())];
  return waiting;
}

// A search may find more or less with one user more, but nothing of this user.
TEST(WaitingUser, BreaksNoPropertyThatHoldsWithoutIt) {
  constexpr std::uint64_t kSeed = 3;
  Random random(kSeed);
  int compared = 0;
  for (const Mechanism& row : mechanisms()) {
    if (!row.is_rule || !row.accepts.zero_demands) continue;
    const std::string name = std::string(row.name) + (row.name.starts_with("alpha-") ? ":alpha=2" : "");
    const Rule rule = rule_of(*choose_mechanism(name));
    for (const Property property : properties()) {
      for (int trial = 0; trial < random_cases(8); ++trial) {
        const Problem drawn = random_cluster(
            {.accepts = row.accepts, .scope = row.scope, .conditions = {}, .property = property}, random);
        Cluster cluster = with_devices(drawn, row.accepts.several_servers && trial % 2 == 1);
        const Problem without = problem_of(cluster);
        const auto place = static_cast<std::ptrdiff_t>(random.below(cluster.users.size()));
        cluster.users.insert(cluster.users.begin() + place, waiting_user(drawn, cluster, random));
        const Problem with = problem_of(cluster);
        SCOPED_TRACE(name + " " + std::string(property_name(property)) + "\n" + write_cluster_yaml(cluster));
        const Result<Outcome> found = allocate(with, name);
        const Result<Outcome> before = allocate(without, name);
        ASSERT_TRUE(found && before);
        const Search search{.attempts = 20, .seed = kSeed};
        const Verdict verdict = check(property, {with, *found, rule.scope}, rule, search);
        const std::string words = verdict.witness ? verdict.witness->words : "";
        EXPECT_TRUE(!verdict.witness || verdict.witness->user != "waiting") << words;
        if (is_searched(property)) continue;
        EXPECT_TRUE(verdict.holds || !check(property, {without, *before, rule.scope}, rule, search).holds)
            << words;
        ++compared;
      }
    }
  }
  EXPECT_GT(compared, random_cases(500));
}

TEST(WaitingUser, IsComparedWithNobodyButCounted) {
  const Divided divided(problem_of(cluster_with_a_waiting_user()), "drfh");
  const Metrics metrics = measure(divided.problem, divided.outcome.allocation);
  EXPECT_EQ(metrics.gini, 0);
  EXPECT_EQ(metrics.ratio_20_20, 1);
  EXPECT_EQ(metrics.min_dominant_share, 1);
  EXPECT_THAT(metrics.dominant_shares, ElementsAre(1, 0));
  EXPECT_THAT(metrics.dominant_resources, ElementsAre(0, 1));
  const Satisfaction found = satisfaction(divided.problem, divided.outcome);
  EXPECT_EQ(found.users, 2u);
  EXPECT_EQ(found.satisfied_users, 0u);
  EXPECT_EQ(found.lowest_short_share, 1);
  EXPECT_EQ(measure_groups(divided.problem, divided.outcome.allocation).sharing_incentive_index, 1);
}

TEST(WaitingUser, AsksForAShareWhateverItsDemandsOnServers) {
  Cluster cluster = cluster_with_a_waiting_user();
  cluster.users[1].demand_on = {{"plain", amounts(2, 2)}};
  const Divided divided(problem_of(cluster), "tsf");
  EXPECT_EQ(satisfaction(divided.problem, divided.outcome).asked_shares[1], 1.5);
}

TEST(WaitingUser, IsStoppedByWhatIsMissing) {
  Cluster cluster = cluster_with_a_waiting_user();
  cluster.users[0].quota.limit = {Quantity(9), {}};
  for (const char* mechanism : {"drf", "drfh", "hdrf", "hdrfh", "ps-dsf"}) {
    SCOPED_TRACE(mechanism);
    const Result<Explanation> found = explain(problem_of(cluster), *choose_mechanism(mechanism), 1);
    ASSERT_TRUE(found) << describe(found.error());
    EXPECT_EQ(found->stop.kind, StopKind::capacity);
    EXPECT_TRUE(found->stop.is_missing);
    EXPECT_THAT(found->stop.resources, ElementsAre(1));
    EXPECT_THAT(found->bindings, IsEmpty());
    ASSERT_EQ(found->what_ifs.size(), 1u);
    EXPECT_EQ(found->what_ifs[0].change.kind, ChangeKind::unit);
    EXPECT_THAT(found->what_ifs[0].change.servers, ElementsAre(0));
    EXPECT_EQ(found->what_ifs[0].change.amount, Quantity(2));
    EXPECT_GT(found->what_ifs[0].gain, 0.9);
  }
}

// A higher limit would not help it.
TEST(WaitingUser, IsStoppedByWhatIsMissingAndNotByALimit) {
  Cluster cluster = cluster_with_a_waiting_user();
  cluster.users[1].quota.limit = {{}, Quantity(0)};
  const Result<Explanation> found = explain(problem_of(cluster), *choose_mechanism("hdrfh"), 1);
  ASSERT_TRUE(found && found->holder);
  EXPECT_TRUE(found->stop.is_missing);
  EXPECT_EQ(found->holder->kind, HoldKind::capacity);
  EXPECT_THAT(found->holder->resources, ElementsAre(1));
}

TEST(WaitingUser, LacksMoreThanOneChangeBrings) {
  Cluster cluster = cluster_with_a_waiting_user();
  cluster.resources.emplace_back("fpga");
  for (Server& server : cluster.servers) server.capacity.emplace_back(0);
  cluster.users[0].demand.emplace_back(0);
  cluster.users[1].demand.emplace_back(1);
  const Result<Survey> found = explain_all(problem_of(cluster), *choose_mechanism("drfh"));
  ASSERT_TRUE(found) << describe(found.error());
  const auto waiting = std::find_if(found->users.begin(), found->users.end(),
                                    [](const Standing& standing) { return standing.user == 1; });
  EXPECT_THAT(waiting->stop.resources, ElementsAre(1, 2));
  EXPECT_THAT(waiting->what_ifs, IsEmpty());
}

// One server has GPUs and another FPGAs: both are there, and not together.
TEST(WaitingUser, MayLackTwoResourcesOnOneServerThatAreOnTwo) {
  const auto amounts = [](std::int64_t cpu, std::int64_t gpu, std::int64_t fpga) {
    return ResourceVector{Quantity(cpu), Quantity(gpu), Quantity(fpga)};
  };
  Cluster cluster{
      .resources = {"cpu", "gpu", "fpga"},
      .servers = {{.name = "g", .capacity = amounts(8, 4, 0)}, {.name = "f", .capacity = amounts(8, 0, 4)}},
      .users = {{.name = "a", .demand = amounts(1, 0, 0)},
                {.name = "b", .demand = amounts(1, 1, 1), .tasks = Quantity(2), .may_fit_nowhere = true}}};
  const Result<Explanation> apart = explain(problem_of(cluster), *choose_mechanism("drfh"), 1);
  ASSERT_TRUE(apart);
  EXPECT_TRUE(apart->stop.is_together);
  EXPECT_THAT(apart->stop.resources, ElementsAre(1, 2));
  EXPECT_EQ(lack_words(problem_of(cluster), lack_of(problem_of(cluster), 1)), "gpu and fpga together");
  // A third server, of which none has an FPGA where it may run: that is what is lacking.
  cluster.servers[1].capacity = amounts(8, 0, 0);
  const Result<Explanation> none = explain(problem_of(cluster), *choose_mechanism("drfh"), 1);
  ASSERT_TRUE(none);
  EXPECT_FALSE(none->stop.is_together);
  EXPECT_THAT(none->stop.resources, ElementsAre(2)) << "a server has GPUs";
}

// It waits for a label, and is asked about beside others like one who waits for a resource.
TEST(WaitingUser, MayBeAllowedNoServer) {
  Cluster cluster = cluster_with_a_waiting_user();
  cluster.users[1].servers.reset();
  cluster.users[1].select = {{"model", {"new"}}};
  const Problem problem = problem_of(cluster);
  for (const char* mechanism : {"drf", "drfh", "hdrf", "hdrfh", "tsf", "ps-dsf"}) {
    SCOPED_TRACE(mechanism);
    const Divided divided(problem, mechanism);
    EXPECT_THAT(divided.outcome.allocation.tasks, ElementsAre(::testing::Gt(7.9), 0));
    EXPECT_EQ(measure(problem, divided.outcome.allocation).gini, 0);
    const Result<Explanation> found = explain(problem, *choose_mechanism(mechanism), 1);
    ASSERT_TRUE(found) << describe(found.error());
    EXPECT_EQ(found->stop.kind, StopKind::capacity);
    EXPECT_TRUE(found->stop.is_missing);
    EXPECT_THAT(found->stop.resources, IsEmpty());
    EXPECT_THAT(found->bindings, IsEmpty());
    EXPECT_THAT(found->what_ifs, IsEmpty());
    EXPECT_TRUE(explain_all(problem, *choose_mechanism(mechanism)));
  }
}

// Both want CPUs, and `ahead` has none of them; that is no reason to wait for it.
TEST(WaitingUser, IsNoSiblingThatComesFirst) {
  Cluster cluster = cluster_with_a_waiting_user();
  cluster.users.push_back({.name = "more", .demand = amounts(1, 0)});
  cluster.users[0].quota.guarantee = amounts(1, 0);
  const Result<Explanation> found = explain(problem_of(cluster), *choose_mechanism("hdrfh"), 0);
  ASSERT_TRUE(found && found->holder);
  ASSERT_EQ(found->path.size(), 1u);
  EXPECT_EQ(found->path[0].lowest, problem_of(cluster).tree().node_of_user(2));
}

}  // namespace
}  // namespace mirab
