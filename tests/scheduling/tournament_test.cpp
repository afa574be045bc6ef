// Who comes first, after any change of one entrant.
#include "scheduling/order/tournament.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <map>

#include <mirab/model/random.hpp>

#include "random_cases.hpp"
#include "scheduling/ledger/slots.hpp"

namespace mirab::scheduling {
namespace {

using Entrant = Index<struct EntrantTag>;

TEST(Tournament, NobodyWinsWhenNobodyEnters) {
  Tournament<Entrant> tournament;
  const auto before = [](Entrant a, Entrant b) { return a < b; };
  EXPECT_TRUE(tournament.empty());
  tournament.leave(Entrant(7), before);
  EXPECT_TRUE(tournament.empty());
  tournament.play(Entrant(7), before);
  EXPECT_EQ(tournament.winner(), Entrant(7));
  tournament.leave(Entrant(7), before);
  EXPECT_TRUE(tournament.empty());
}

TEST(Tournament, TheWinnerIsTheLeastAfterAnyChange) {
  for (std::uint64_t seed = 1; seed <= random_cases(50); ++seed) {
    Random random(seed);
    std::map<Entrant, std::uint64_t> keys;
    const auto before = [&](Entrant a, Entrant b) {
      return keys.at(a) != keys.at(b) ? keys.at(a) < keys.at(b) : a < b;
    };
    Tournament<Entrant> tournament;
    for (int change = 0; change < 500; ++change) {
      const Entrant entrant(static_cast<std::uint32_t>(random.below(40)));
      if (random.below(3) == 0) {
        tournament.leave(entrant, before);
        keys.erase(entrant);
      } else {
        keys[entrant] = random.below(20);
        tournament.play(entrant, before);
      }
      ASSERT_EQ(tournament.empty(), keys.empty()) << "seed " << seed;
      if (keys.empty()) continue;
      const auto least = std::min_element(
          keys.begin(), keys.end(), [&](const auto& a, const auto& b) { return before(a.first, b.first); });
      ASSERT_EQ(tournament.winner(), least->first) << "seed " << seed << ", change " << change;
      std::size_t tied = 0;
      tournament.for_each_tied([&](Entrant other) { return keys[other] == least->second; },
                               [&](Entrant) { ++tied; });
      ASSERT_EQ(tied,
                static_cast<std::size_t>(std::count_if(keys.begin(), keys.end(), [&](const auto& entry) {
                  return entry.second == least->second;
                })));
    }
  }
}

enum class Id : std::uint64_t {};

TEST(Slots, AnIdentifierIsNeverGivenTwice) {
  Slots<int, Id> slots;
  const Id first = slots.id(slots.add(1));
  slots.remove(index_of(first));
  EXPECT_FALSE(slots.find(first));
  const Id second = slots.id(slots.add(2));
  EXPECT_EQ(number(second), number(first)) << "the place is";
  EXPECT_NE(second, first);
  EXPECT_FALSE(slots.find(first));
  ASSERT_TRUE(slots.find(second));
  EXPECT_EQ(slots[*slots.find(second)], 2);
  EXPECT_EQ(slots.size(), 1U);
}

TEST(Slots, AnUnknownIdentifierIsNotFound) {
  Slots<int, Id> slots;
  EXPECT_FALSE(slots.find(Id{0}));
  slots.add(1);
  EXPECT_FALSE(slots.find(Id{1}));
  EXPECT_FALSE(slots.find(Id{std::uint64_t{1} << 32}));
  EXPECT_FALSE(slots.find(Id{UINT64_MAX}));
}

TEST(Slots, PlacesMayBeChosen) {
  Slots<int, Id> slots;
  slots.add_at(Index<Id>(3), 7);
  EXPECT_FALSE(slots.holds(Index<Id>(2)));
  EXPECT_EQ(slots[Index<Id>(3)], 7);
  slots.remove(Index<Id>(3));
  slots.add_at(Index<Id>(3), 8);
  EXPECT_EQ(slots.size(), 1U);
}

}  // namespace
}  // namespace mirab::scheduling
