// Where tasks run is mostly one placement of many with the same tasks. Mechanisms with several servers choose
// the one that treats equal servers alike, so that nobody buys servers of a kind because a picture shows one
// of them full and its twin empty.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <mirab/mechanisms/mechanism.hpp>
#include <mirab/model/random.hpp>

#include "model/clusters.hpp"
#include "random_cases.hpp"

namespace mirab {
namespace {

/// A kind of servers is two or three entries of equal servers, which no user tells apart, of different
/// counts, one entry of the other kinds in between: kind k has the entries k, k + `kinds`, …
struct Twins {
  std::size_t kinds;
  Problem problem;

  std::size_t kind_of(std::size_t entry) const { return entry % kinds; }
};

std::int64_t from_1_to(Random& random, std::uint64_t most) {
  return static_cast<std::int64_t>(1 + random.below(most));
}

Twins random_twins(Random& random, const Accepts& accepts) {
  const std::size_t kinds = 1 + random.below(3), entries = kinds * (2 + random.below(2));
  Cluster cluster{.resources = {"cpu", "memory"}, .servers = {}, .users = {}};
  for (std::size_t i = 0; i < entries; ++i) {
    const bool is_first = i < kinds;
    cluster.servers.push_back(
        {.name = fmt::format("s{}", i),
         .capacity = is_first ? ResourceVector{Quantity(from_1_to(random, 9)), Quantity(from_1_to(random, 9))}
                              : cluster.servers[i - kinds].capacity,
         .count = from_1_to(random, 4)});
  }
  const std::size_t users = 1 + random.below(5);
  for (std::size_t n = 0; n < users; ++n) {
    User user{.name = fmt::format("u{}", n),
              .demand = {Quantity(from_1_to(random, 4)), Quantity(from_1_to(random, 4))}};
    if (accepts.weights) user.weight = Quantity(from_1_to(random, 3));
    if (accepts.caps && random.below(2) == 0) user.tasks = Quantity(from_1_to(random, 12));
    if (accepts.placement && kinds > 1 && random.below(2) == 0) {
      const std::size_t forbidden = random.below(kinds);
      user.servers.emplace();
      for (std::size_t i = 0; i < entries; ++i) {
        if (i % kinds != forbidden) user.servers->push_back(cluster.servers[i].name);
      }
    }
    cluster.users.push_back(std::move(user));
  }
  return {.kinds = kinds, .problem = testing::problem_of(cluster)};
}

// What a user has on one server of each entry: its tasks, then the bundle. [i][1 + m].
std::vector<std::vector<double>> on_one_server(const Problem& problem, const Allocation& allocation,
                                               std::size_t user) {
  std::vector<std::vector<double>> has(problem.server_count(),
                                       std::vector<double>(1 + problem.resource_count()));
  for (const Grant& grant : allocation.grants.of(user)) {
    const auto count = static_cast<double>(problem.servers()[grant.server].count);
    has[grant.server][0] += grant.tasks / count;
    for (std::size_t r = 0; r < grant.resources.size(); ++r)
      has[grant.server][1 + r] += grant.resources[r] / count;
  }
  return has;
}

TEST(EqualServers, HaveEqualPartsOfEveryUserUnderEveryMechanism) {
  constexpr double kRounding = 1e-9;  // of at most 12 tasks or 9 units on a server
  std::size_t rows = 0;
  for (const Mechanism& row : mechanisms()) {
    if (!row.is_rule || row.scope == Scope::pool || !row.accepts.several_servers) continue;
    ++rows;
    const std::string mechanism = std::string(row.name) + (row.name == "alpha-pf-vds" ? ":alpha=2" : "");
    for (std::uint64_t seed = 0; seed < random_cases(200); ++seed) {
      SCOPED_TRACE(fmt::format("{}, seed {}", mechanism, seed));
      Random random(seed);
      const Twins twins = random_twins(random, row.accepts);
      const Result<Outcome> outcome = allocate(twins.problem, mechanism);
      ASSERT_TRUE(outcome) << describe(outcome.error());
      for (std::size_t n = 0; n < twins.problem.user_count(); ++n) {
        const auto has = on_one_server(twins.problem, outcome->allocation, n);
        for (std::size_t i = 0; i < has.size(); ++i) {
          for (std::size_t what = 0; what < has[i].size(); ++what)
            ASSERT_NEAR(has[i][what], has[twins.kind_of(i)][what], kRounding) << "user " << n << ", s" << i;
        }
      }
    }
  }
  EXPECT_EQ(rows, 9u) << "drfh, tsf, cmmf, per-server-drf, ps-dsf, ps-dsf-tdm, alpha-pf-vds, h-ffmra, hdrfh";
}

}  // namespace
}  // namespace mirab
