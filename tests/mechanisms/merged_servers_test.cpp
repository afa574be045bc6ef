// Servers that are alike, counted together: what that costs each level is within what the outcome says.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>

#include <mirab/mechanisms/mechanism.hpp>
#include <mirab/model/random.hpp>

#include "model/alike_servers.hpp"
#include "model/counted_together.hpp"
#include "model/exact.hpp"
#include "random_cases.hpp"

namespace mirab {
namespace {

Quantity whole(std::uint64_t amount) { return Quantity(static_cast<std::int64_t>(amount)); }

/// Nodes of a few types, of which no two have the same amounts: by up to `jitter` millionths less.
Cluster nodes_with_jitter(std::size_t nodes, std::uint64_t jitter, Random& random) {
  constexpr std::int64_t kUnits = 1'000'000;
  Cluster cluster{.resources = {"cpu", "memory", "gpu"}, .servers = {}, .users = {}};
  const std::size_t types = 1 + random.below(4);
  std::vector<ResourceVector> sizes;
  for (std::size_t t = 0; t < types; ++t)
    sizes.push_back({whole(1 + random.below(8)), whole(1 + random.below(8)), whole(random.below(3))});
  for (std::size_t i = 0; i < nodes; ++i) {
    const std::size_t type = random.below(types);
    ResourceVector capacity;
    for (const Quantity& size : sizes[type])
      capacity.push_back(rounded_down(rational(size) * (kUnits - static_cast<long>(random.below(jitter)))));
    cluster.servers.push_back({.name = fmt::format("node-{}", i),
                               .capacity = std::move(capacity),
                               .labels = {{"type", fmt::format("t{}", type)}}});
  }
  return cluster;
}

/// Of the cpu and memory of `nodes` nodes a part, at most an eighth.
ResourceVector eighth(std::uint64_t nodes, std::uint64_t parts) {
  const Quantity part = rounded_down(mpq_class(nodes) / (8 * parts));
  return {part, part, Quantity(0)};
}

/// Two groups, the second with one or two inside, one of which may have no weight; some with a limit, a
/// guarantee or a reserve.
void add_groups(Cluster& cluster, Random& random) {
  const std::uint64_t nodes = cluster.servers.size();
  cluster.groups = {{.name = "a", .weight = Quantity(2)}, {.name = "b"}, {.name = "inner", .parent = "b"}};
  if (random.below(2) == 0) cluster.groups.push_back({.name = "last", .parent = "b", .weight = Quantity(0)});
  if (random.below(2) == 0) cluster.groups[0].quota.limit = {whole(1 + random.below(2 * nodes)), {}, {}};
  if (random.below(2) == 0) cluster.groups[2].quota.limit = {whole(1 + random.below(nodes)), {}, {}};
  if (random.below(2) == 0) {
    cluster.groups[1].quota.guarantee = eighth(nodes, 1);
    if (random.below(2) == 0) cluster.groups[1].quota.reserved = eighth(nodes, 2);
  }
  if (random.below(3) == 0 && !cluster.groups[2].quota.limit.empty())
    cluster.groups[2].quota.limit[0].reset();
}

/// Some endless, some with a number of tasks that may be in the way, some without weight; some on nodes of
/// one type only.
void add_users(Cluster& cluster, std::size_t users, bool groups, Random& random) {
  if (groups) add_groups(cluster, random);
  const auto group_of = [&] { return cluster.groups[random.below(cluster.groups.size())].name; };
  for (std::size_t n = 0; n < users; ++n) {
    User user{.name = fmt::format("u{}", n), .demand = {}, .weight = whole(1 + random.below(4))};
    if (groups && random.below(6) == 0) user.weight = Quantity(0);
    for (std::size_t r = 0; r < 3; ++r)
      user.demand.push_back(whole(random.below(r == 2 ? 4 : 3) == 0 ? 0 : 1'000 * (1 + random.below(2'000))));
    if (random.below(3) > 0) user.demand[2] = Quantity(0);
    if (user.demand[0].is_zero() && user.demand[1].is_zero()) user.demand[0] = Quantity(100'000);
    if (random.below(3) == 0) user.tasks = whole(1 + random.below(20 * cluster.servers.size()));
    if (random.below(4) == 0) user.select = {{"type", {cluster.servers[random.below(2)].labels.at("type")}}};
    if (groups && random.below(4) > 0) user.group = group_of();
    user.may_fit_nowhere = true;
    cluster.users.push_back(std::move(user));
  }
  std::vector<std::string> everywhere{"a", "b"};  // one user of each group may run anywhere
  if (groups) {
    everywhere.clear();
    for (const Group& group : cluster.groups) everywhere.push_back(group.name);
  }
  for (const std::string& group : everywhere) {
    User user{.name = "anywhere-" + group, .demand = {Quantity(1), Quantity(1), Quantity(0)}};
    if (groups) user.group = group;
    cluster.users.push_back(std::move(user));
  }
}

struct Found {
  std::size_t levels = 0, users = 0, small_bounds = 0;
  double worst = 0;  ///< of what was off, as a part of its bound
};

/// Both divisions of one cluster, level by level.
void compare(const std::string& mechanism, const Problem& exact, const Problem& merged, Found& found) {
  const Result<Outcome> as_they_are = allocate(exact, mechanism);
  const Result<Outcome> together = allocate(merged, mechanism);
  ASSERT_TRUE(as_they_are && together);
  if (as_they_are->status != Status::exact || together->status == Status::not_converged) return;
  EXPECT_EQ(together->status, Status::converged) << "never exact";
  if (together->merged_levels.empty()) return;  // found in more digits
  constexpr double kRounding = 1e-7;
  const double left_out = merged.cluster().merged->largest_difference;
  for (const MergedLevel& level : together->merged_levels) {
    double least = INFINITY;
    for (const std::size_t n : level.users) {
      const double here = together->allocation.tasks[n], there = as_they_are->allocation.tasks[n];
      if (here <= 0 && there <= 0) continue;
      const double off = std::abs(here - there) / std::max(here, there);
      EXPECT_LE(off, level.user_bound + kRounding) << mechanism << ", user " << n;
      found.worst = std::max(found.worst, off / (level.user_bound + kRounding));
      least = std::min(least, there / here);
      ++found.users;
      if (level.user_bound < 0.1) ++found.small_bounds;
    }
    if (!std::isfinite(least)) continue;
    // A unit of a level follows from the pool, which has up to `left_out` less.
    EXPECT_GE(least, (1 - level.bound) * (1 - left_out) - kRounding) << mechanism << ": the level fell";
    if (level.bound < 1) {
      EXPECT_LE(least, 1 / ((1 - level.bound) * (1 - left_out)) + kRounding) << mechanism << ": it rose";
    }
    ++found.levels;
  }
}

int from_environment(const char* name, int otherwise) {
  const char* const text = std::getenv(name);
  return text != nullptr ? std::atoi(text) : otherwise;
}

/// MIRAB_MERGED_CLUSTERS=100 MIRAB_MERGED_NODES=200 draws as many clusters of 50 to 200 nodes.
TEST(MergedServers, CostEachLevelNoMoreThanTheOutcomeSays) {
  const int clusters = from_environment("MIRAB_MERGED_CLUSTERS", random_cases(48));
  const auto most = static_cast<std::size_t>(from_environment("MIRAB_MERGED_NODES", 24));
  Found found;
  for (int seed = 1; seed <= clusters; ++seed) {
    SCOPED_TRACE(fmt::format("seed {} of MIRAB_MERGED_NODES={}", seed, most));
    Random random(static_cast<std::uint64_t>(seed));
    const std::uint64_t jitter = std::vector<std::uint64_t>{30, 1'000, 9'900}[random.below(3)];
    const std::string mechanism = std::vector<std::string>{"drfh", "tsf", "cmmf", "hdrfh"}[random.below(4)];
    Cluster cluster = nodes_with_jitter(most / 4 + random.below(most * 3 / 4 + 1), jitter, random);
    add_users(cluster, 2 + random.below(12), mechanism == "hdrfh", random);
    const Result<Problem> exact = Problem::from(std::move(cluster));
    ASSERT_TRUE(exact) << exact.error().message;
    const Result<Problem> merged = Problem::from(counted_together(*exact, kAlike).cluster);
    ASSERT_TRUE(merged) << merged.error().message;
    if (!merged->cluster().merged) continue;
    EXPECT_LE(merged->server_count(), 4U);
    compare(mechanism, *exact, *merged, found);
  }
  if (!kIsSanitized) {
    EXPECT_GT(found.levels, 50U);
    EXPECT_GT(found.small_bounds, 50U) << "bounds that say something";
  }
  fmt::print("{} levels, {} users, {} of them with a bound below 10 %; worst {:.3f} of its bound\n",
             found.levels, found.users, found.small_bounds, found.worst);
}

TEST(MergedServers, AConvergedOutcomeIsCertifiedForTheServersAndKeepsTheSolversOwnInANotice) {
  Cluster cluster{.resources = {"cpu", "memory"},
                  .servers = {{.name = "s", .capacity = {Quantity(8), Quantity(6)}, .count = 2}},
                  .users = {{.name = "a", .demand = {Quantity(1), Quantity(2)}},
                            {.name = "b", .demand = {Quantity(2), Quantity(1)}}}};
  const Result<Outcome> alone = allocate(*Problem::from(cluster), "pf");
  ASSERT_TRUE(alone);
  ASSERT_EQ(alone->status, Status::converged);
  cluster.merged = Merged{.nodes = 2, .classes = 1, .largest_difference = 0.005};
  const Result<Outcome> outcome = allocate(*Problem::from(cluster), "pf");
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->status, Status::converged);
  EXPECT_EQ(outcome->certificate.kind, "merged-servers");
  EXPECT_EQ(outcome->certificate.value, 1) << "not known for pf";
  EXPECT_THAT(outcome->notices,
              ::testing::Contains(::testing::HasSubstr("pf is converged: " + alone->certificate.kind)));
}

}  // namespace
}  // namespace mirab
