// The park beside a list of servers that is looked through one by one.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "random_cases.hpp"
#include "scheduling/ledger/server_pool.hpp"
#include "scheduling/parks.hpp"

namespace mirab::scheduling {
namespace {

constexpr std::uint64_t kParks = random_cases(150);
constexpr int kSteps = 400;

Amounts amounts(std::span<const std::int64_t> row) { return {row.begin(), row.end()}; }

Amounts pool(const RandomPark& random_park) {
  Amounts pool(random_park.resources(), 0);
  for (const auto& server : random_park.servers()) {
    for (std::size_t r = 0; server && r < pool.size(); ++r) pool[r] += server->capacity[r];
  }
  return pool;
}

std::optional<ServerIndex> first_by_looking(const RandomPark& random_park, const Amounts& demand,
                                            const ServerSet& among, ServerIndex from) {
  for (const ServerIndex server : random_park.servers().indices()) {
    if (server >= from && among.contains(server) && random_park.has_room(server, demand)) return server;
  }
  return std::nullopt;
}

TEST(ServerPool, ADemandIsWithinTheRoomWhenNoResourceIsExceeded) {
  EXPECT_TRUE(is_within(Amounts{2, 0}, Amounts{2, 0})) << "an exact fit fits";
  EXPECT_TRUE(is_within(Amounts{0, INT64_MAX}, Amounts{1, INT64_MAX}));
  EXPECT_FALSE(is_within(Amounts{3, 0}, Amounts{2, 9}));
  EXPECT_FALSE(is_within(Amounts{0, 1}, Amounts{9, 0}));
}

TEST(ServerPool, KeepsExactlyWhatIsThereThroughAllEvents) {
  for (std::uint64_t seed = 1; seed <= kParks; ++seed) {
    SCOPED_TRACE(fmt::format("replay: seed {}", seed));
    Random random(seed);
    RandomPark random_park(random);
    for (int step = 0; step < kSteps; ++step) random_park.step();
    const ServerPool& server_pool = random_park.server_pool();
    ASSERT_EQ(server_pool.size(), random_park.servers().size());
    EXPECT_EQ(amounts(server_pool.pool()), pool(random_park));
    for (const ServerIndex server : server_pool.indices()) {
      const auto& plain = random_park.servers()[server];
      ASSERT_EQ(server_pool.is_present(server), plain.has_value());
      ASSERT_EQ(server_pool.is_open(server), plain.has_value() && plain->open);
      if (!plain) continue;
      ASSERT_EQ(amounts(server_pool.capacity(server)), plain->capacity);
      ASSERT_EQ(amounts(server_pool.free(server)), plain->free);
    }
  }
}

TEST(ServerPool, FindsTheFirstServerWithRoomThatIsAmongThoseAllowed) {
  int found = 0, missed = 0;
  for (std::uint64_t seed = 1; seed <= kParks; ++seed) {
    SCOPED_TRACE(fmt::format("replay: seed {}", seed));
    Random random(seed);
    RandomPark random_park(random);
    for (int step = 0; step < kSteps; ++step) {
      random_park.step();
      const Amounts demand = random_park.demand();
      const ServerSet among = random_park.some_servers();
      const ServerIndex from(static_cast<std::uint32_t>(random.below(random_park.servers().size() + 2) / 2));
      const auto first = random_park.server_pool().first_with_room({.demand = demand, .among = &among}, from);
      ASSERT_EQ(first, first_by_looking(random_park, demand, among, from)) << "step " << step;
      first ? ++found : ++missed;
    }
  }
  EXPECT_GT(found, 1000);
  EXPECT_GT(missed, 1000);
}

TEST(ServerPool, GivesANewServerTheLowestVacantNumber) {
  ServerPool server_pool(1);
  for (int k = 0; k < 3; ++k) server_pool.add(Amounts{5});
  server_pool.remove(ServerIndex(2));
  server_pool.remove(ServerIndex(0));
  EXPECT_EQ(server_pool.add(Amounts{7}), ServerIndex(0));
  EXPECT_EQ(server_pool.add(Amounts{8}), ServerIndex(2));
  EXPECT_EQ(server_pool.add(Amounts{9}), ServerIndex(3));
  EXPECT_EQ(amounts(server_pool.pool()), Amounts{29});
}

TEST(ServerPool, AClosedServerKeepsItsTasksAndTakesNoNewOnes) {
  ServerPool server_pool(1);
  const ServerIndex server = server_pool.add(Amounts{5});
  server_pool.take(server, Amounts{2});
  server_pool.close(server);
  EXPECT_FALSE(server_pool.has_room(server, Amounts{1}));
  EXPECT_EQ(server_pool.first_with_room({.demand = Amounts{1}, .among = nullptr}), std::nullopt);
  server_pool.give(server, Amounts{1});
  EXPECT_EQ(amounts(server_pool.free(server)), Amounts{4});
  EXPECT_EQ(server_pool.first_with_room({.demand = Amounts{1}, .among = nullptr}), std::nullopt);
  server_pool.open(server);
  EXPECT_EQ(server_pool.first_with_room({.demand = Amounts{4}, .among = nullptr}), server);
}

TEST(ServerPool, ATaskThatDemandsNothingFitsOnOpenServersOnly) {
  ServerPool server_pool(2);
  server_pool.add(Amounts{1, 1});
  server_pool.add(Amounts{0, 0});
  server_pool.close(ServerIndex(0));
  EXPECT_EQ(server_pool.first_with_room({.demand = Amounts{0, 0}, .among = nullptr}), ServerIndex(1));
}

using ParkDeath = testing::Test;

TEST(ParkDeath, NothingIsTakenThatIsNotFree) {
  ServerPool server_pool(1);
  server_pool.add(Amounts{5});
  EXPECT_DEATH(server_pool.take(ServerIndex(0), Amounts{6}), "does not fit");
  EXPECT_DEATH(server_pool.take(ServerIndex(0), Amounts{-1}), "does not fit");
  EXPECT_DEATH(server_pool.take(ServerIndex(1), Amounts{1}), "not there");
}

TEST(ParkDeath, NothingIsGivenBackThatWasNotTaken) {
  ServerPool server_pool(1);
  server_pool.add(Amounts{5});
  EXPECT_DEATH(server_pool.give(ServerIndex(0), Amounts{1}), "more than was taken");
}

TEST(ParkDeath, AServerWithTasksIsNeitherRemovedNorMadeTooSmall) {
  ServerPool server_pool(1);
  server_pool.add(Amounts{5});
  server_pool.take(ServerIndex(0), Amounts{3});
  EXPECT_DEATH(server_pool.remove(ServerIndex(0)), "tasks on it");
  EXPECT_DEATH(server_pool.resize(ServerIndex(0), Amounts{2}), "less than is taken");
}

TEST(ParkDeath, ThePoolStaysANumber) {
  ServerPool server_pool(1);
  server_pool.add(Amounts{INT64_MAX - 1});
  EXPECT_DEATH(server_pool.add(Amounts{2}), "passes");
}

TEST(ServerSet, GrowsWithWhatIsPutIn) {
  ServerSet set;
  EXPECT_FALSE(set.contains(ServerIndex(1000)));
  set.insert(ServerIndex(1000));
  set.insert(ServerIndex(64));
  EXPECT_TRUE(set.contains(ServerIndex(1000)));
  EXPECT_FALSE(set.contains(ServerIndex(1001)));
  EXPECT_EQ(set.word(1), 1U);
  EXPECT_EQ(set.word(1'000'000), 0U);
  set.erase(ServerIndex(64));
  set.erase(ServerIndex(1'000'000));
  EXPECT_FALSE(set.contains(ServerIndex(64)));
  EXPECT_EQ(set.words().size(), 16U);
}

}  // namespace
}  // namespace mirab::scheduling
