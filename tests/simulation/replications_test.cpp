#include "lab/simulation/base/replications.hpp"

#include <gmock/gmock.h>
#include <string>

namespace mirab::simulation {
namespace {

using ::testing::ElementsAre;

constexpr std::uint64_t kSeeds[] = {5, 2, 9, 4};

TEST(Replicate, HasAnOutcomeForEachSeedInTheirOrderWithAnyNumberOfThreads) {
  const auto twice = [](std::uint64_t seed, int, const Progress&) -> Result<std::uint64_t> {
    return 2 * seed;
  };
  for (const int threads : {1, 2, 3, 8}) {
    const Result<std::vector<std::uint64_t>> outcomes = replicate<std::uint64_t>(kSeeds, threads, twice);
    ASSERT_TRUE(outcomes);
    EXPECT_THAT(*outcomes, ElementsAre(10, 4, 18, 8));
  }
}

TEST(Replicate, NeverUsesMoreThreadsThanItIsGivenAndLeavesTheRestToTheRuns) {
  const auto given = [](std::uint64_t, int threads, const Progress&) -> Result<int> { return threads; };
  EXPECT_THAT(*replicate<int>(kSeeds, 3, given), ElementsAre(1, 1, 1, 1));
  EXPECT_THAT(*replicate<int>(kSeeds, 8, given), ElementsAre(2, 2, 2, 2));
  EXPECT_THAT(*replicate<int>(std::span(kSeeds).first(1), 8, given), ElementsAre(8));
}

TEST(Replicate, TellsTheErrorOfTheFirstSeedThatHasOne) {
  const auto odd = [](std::uint64_t seed, int, const Progress&) -> Result<int> {
    if (seed % 2 == 1) return Error{.message = std::to_string(seed)};
    return 0;
  };
  for (const int threads : {1, 2}) {
    const Result<std::vector<int>> outcomes = replicate<int>(kSeeds, threads, odd);
    ASSERT_FALSE(outcomes);
    EXPECT_EQ(outcomes.error().message, "5");
  }
}

TEST(Replicate, CountsRunsAndLeavesALoneOneToCountItself) {
  const auto halfway = [](std::uint64_t, int, const Progress& progress) -> Result<int> {
    if (progress) progress(0.5);
    return 0;
  };
  std::vector<double> reported;
  const auto report = [&](double part) { reported.push_back(part); };
  ASSERT_TRUE(replicate<int>(kSeeds, 1, halfway, report));
  EXPECT_THAT(reported, ElementsAre(0.25, 0.5, 0.75, 1));
  reported.clear();
  ASSERT_TRUE(replicate<int>(std::span(kSeeds).first(1), 1, halfway, report));
  EXPECT_THAT(reported, ElementsAre(0.5));
}

}  // namespace
}  // namespace mirab::simulation
