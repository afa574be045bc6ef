// Servers that are alike count as one class, each with the least amount of each resource.
#include "model/alike_servers.hpp"

#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <numeric>

#include <mirab/model/random.hpp>

#include "random_cases.hpp"

namespace mirab {
namespace {

using testing::ElementsAre;

ResourceVector amounts(std::initializer_list<const char*> texts) {
  ResourceVector amounts;
  for (const char* const text : texts) amounts.push_back(*Quantity::parse(text));
  return amounts;
}

TEST(AlikeServers, CountTogetherWithTheLeastOfEachResource) {
  const std::vector<AlikeServer> servers = {{.capacity = amounts({"16", "1004Mi"})},
                                            {.capacity = amounts({"15.9", "1008Mi"})},
                                            {.capacity = amounts({"32", "1004Mi"})}};
  const std::vector<AlikeClass> classes = alike_servers(servers, kAlike);
  ASSERT_EQ(classes.size(), 2U);
  EXPECT_THAT(classes[0].servers, ElementsAre(0U, 1U));
  EXPECT_EQ(classes[0].capacity, amounts({"15.9", "1004Mi"}));
  EXPECT_DOUBLE_EQ(classes[0].most_left_out, 0.1 / 16);
  EXPECT_EQ(classes[1].most_left_out, 0);
}

TEST(AlikeServers, TheToleranceIsAPartOfTheLeastAndIsReachedExactly) {
  const std::vector<AlikeServer> servers = {{.capacity = amounts({"100"})}, {.capacity = amounts({"101"})}};
  EXPECT_EQ(alike_servers(servers, kAlike).size(), 1U);
  EXPECT_EQ(alike_servers(servers, mpq_class(99, 10'000)).size(), 2U);
  EXPECT_EQ(alike_servers(servers, 0).size(), 2U);
}

/// 100, 100.8 and 101.6: each is within 1 % of the next, but not all are.
TEST(AlikeServers, AChainOfSmallStepsIsNotOneClass) {
  const std::vector<AlikeServer> servers = {
      {.capacity = amounts({"100.8"})}, {.capacity = amounts({"101.6"})}, {.capacity = amounts({"100"})}};
  const std::vector<AlikeClass> classes = alike_servers(servers, kAlike);
  ASSERT_EQ(classes.size(), 2U);
  EXPECT_THAT(classes[0].servers, ElementsAre(0U, 2U));
}

TEST(AlikeServers, SomethingIsNeverLikeNothing) {
  const std::vector<AlikeServer> servers = {{.capacity = amounts({"8", "0"})},
                                            {.capacity = amounts({"8", "0.001"})}};
  EXPECT_EQ(alike_servers(servers, 1'000).size(), 2U);
}

TEST(AlikeServers, OneWhoseUseWouldNotFitStaysOut) {
  const std::vector<AlikeServer> servers = {{.capacity = amounts({"100"}), .used = {mpq_class(1001, 10)}},
                                            {.capacity = amounts({"100.5"}), .used = {mpq_class(1003, 10)}},
                                            {.capacity = amounts({"100.2"}), .used = {mpq_class(100)}}};
  const std::vector<AlikeClass> classes = alike_servers(servers, kAlike);
  ASSERT_EQ(classes.size(), 2U) << "the first runs more than it has, which no class changes";
  EXPECT_THAT(classes[0].servers, ElementsAre(0U, 2U));
  EXPECT_THAT(classes[1].servers, ElementsAre(1U));
}

/// Of random servers: each is in one class, of one kind, with no more than any of it has, and within the
/// tolerance; what runs fits; and another order of the servers gives the same classes.
TEST(AlikeServers, AreWithinTheToleranceOfOneAnother) {
  std::size_t merged = 0;
  for (int seed = 1; seed <= random_cases(200); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Random random(static_cast<std::uint64_t>(seed));
    const mpq_class tolerance(static_cast<long>(random.below(4)), 100);
    std::vector<AlikeServer> servers;
    for (std::size_t n = 1 + random.below(30); n > 0; --n) {
      AlikeServer server{.capacity = {}, .kind = random.below(2)};
      for (int r = 0; r < 2; ++r)
        server.capacity.emplace_back(static_cast<std::int64_t>(1'000 * random.below(3) + random.below(40)));
      if (random.below(2) == 0)
        for (const Quantity& each : server.capacity)
          server.used.push_back(rational(each) * static_cast<long>(90 + random.below(11)) / 100);
      servers.push_back(std::move(server));
    }
    const std::vector<AlikeClass> classes = alike_servers(servers, tolerance);
    std::vector<std::size_t> seen;
    for (const AlikeClass& each : classes) {
      for (const std::size_t server : each.servers) {
        seen.push_back(server);
        EXPECT_EQ(servers[server].kind, servers[each.servers.front()].kind);
        for (std::size_t r = 0; r < 2; ++r) {
          const mpq_class least = rational(each.capacity[r]), own = rational(servers[server].capacity[r]);
          EXPECT_LE(least, own);
          EXPECT_LE(own, least * (1 + tolerance));
          EXPECT_LE(nearest(own - least), each.most_left_out * nearest(own) * (1 + 1e-12));
          if (!servers[server].used.empty()) {
            EXPECT_LE(servers[server].used[r], least);
          }
        }
      }
    }
    std::sort(seen.begin(), seen.end());
    std::vector<std::size_t> all(servers.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    EXPECT_EQ(seen, all);
    std::vector<AlikeServer> turned(servers.rbegin(), servers.rend());
    for (AlikeServer& each : turned) each.used.clear();
    for (AlikeServer& each : servers) each.used.clear();
    EXPECT_EQ(alike_servers(turned, tolerance).size(), alike_servers(servers, tolerance).size());
    merged += servers.size() - classes.size();
  }
  if (!kIsSanitized) {
    EXPECT_GT(merged, 100U) << "servers that joined others";
  }
}

}  // namespace
}  // namespace mirab
