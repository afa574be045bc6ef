#include <cmath>
#include <gtest/gtest.h>
#include <set>

#include "lab/simulation/base/replications.hpp"

namespace mirab::simulation {
namespace {

TEST(Streams, TheSameSeedPurposeAndIndexGiveTheSameStream) {
  Random one = stream(1, "arrivals", {3});
  Random other = stream(1, "arrivals", {3});
  for (int draw = 0; draw < 100; ++draw) EXPECT_EQ(one.bits(), other.bits());
  EXPECT_EQ(one.seed(), stream_seed(1, "arrivals", {3}));
}

TEST(Streams, ThousandsOfSeedsPurposesAndIndicesHaveStreamsOfTheirOwn) {
  std::set<std::uint64_t> seeds;
  std::size_t made = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    for (const char* purpose : {"", "a", "b", "ab", "ba", "arrivals", "sizes"}) {
      seeds.insert(stream_seed(seed, purpose));
      ++made;
      for (std::uint64_t i = 0; i < 20; ++i) {
        seeds.insert(stream_seed(seed, purpose, {i}));
        ++made;
        for (std::uint64_t j = 0; j < 20; ++j, ++made) seeds.insert(stream_seed(seed, purpose, {i, j}));
      }
    }
  }
  EXPECT_EQ(seeds.size(), made);
}

TEST(Streams, ALetterOfThePurposeIsNotTakenForAnIndex) {
  EXPECT_NE(stream_seed(1, "ab", {1}), stream_seed(1, "a", {'b', 1}));
}

// A promise to every stored result: these numbers, computed apart from the code, never change.
TEST(Streams, AreTheSameInEveryVersion) {
  EXPECT_EQ(stream_seed(0, ""), 0xa706dd2f4d197e6fU);
  EXPECT_EQ(stream_seed(42, "arrivals", {0, 7}), 0xd1e3036c91ded8f1U);
}

TEST(Streams, NeighboursAreUncorrelated) {
  constexpr int kDraws = 20'000;
  Random one = stream(1, "arrivals", {0});
  Random other = stream(1, "arrivals", {1});
  double product = 0;
  for (int draw = 0; draw < kDraws; ++draw) product += (one.unit() - 0.5) * (other.unit() - 0.5);
  EXPECT_NEAR(12 * product / kDraws, 0, 4 / std::sqrt(kDraws));  // four standard errors; the seed is fixed
}

}  // namespace
}  // namespace mirab::simulation
