#include <cmath>
#include <gtest/gtest.h>
#include <vector>

#include "lab/simulation/base/replications.hpp"
#include "lab/simulation/base/statistics.hpp"

namespace mirab::simulation {
namespace {

constexpr std::uint64_t kRankVonNeumannSeed = 1982;

TEST(RankVonNeumann, IsTheFormulaOfBartels) {
  // Ranks 1 3 2 4: steps 4 + 1 + 4, spread 5; variance 4·2·(80 - 8 - 9) / (20·5·9).
  const std::vector<double> series = {-1, 7, 2, 100};
  EXPECT_NEAR(rank_von_neumann(series), (2 - 9.0 / 5) / std::sqrt(504.0 / 900), 1e-12);
}

TEST(RankVonNeumann, GivesTiesTheMeanOfTheirRanks) {
  // Ranks 1.5 1.5 3.5 3.5: steps 4, spread 4.
  const std::vector<double> series = {0, 0, 9, 9};
  EXPECT_NEAR(rank_von_neumann(series), 1 / std::sqrt(504.0 / 900), 1e-12);
  EXPECT_EQ(rank_von_neumann(std::vector<double>(20, 3.0)), 0);
  EXPECT_EQ(rank_von_neumann(std::vector<double>{1, 2}), 0);
}

TEST(RankVonNeumann, OfTwentyIndependentValuesIsStandardNormal) {
  Random random = stream(kRankVonNeumannSeed, "values");
  constexpr int kSeries = 20'000;
  double sum = 0, squares = 0;
  int beyond = 0;
  for (int i = 0; i < kSeries; ++i) {
    std::vector<double> series(20);
    for (double& value : series) value = random.unit();
    const double z = rank_von_neumann(series);
    sum += z;
    squares += z * z;
    beyond += z > 3.09;
  }
  EXPECT_NEAR(sum / kSeries, 0, 0.03) << "seed " << kRankVonNeumannSeed;
  EXPECT_NEAR(squares / kSeries, 1, 0.04) << "seed " << kRankVonNeumannSeed;
  EXPECT_LT(beyond, 40) << "seed " << kRankVonNeumannSeed;  // 20 expected
}

TEST(RankVonNeumann, SeesADrift) {
  std::vector<double> series(20);
  for (std::size_t i = 0; i < series.size(); ++i) series[i] = static_cast<double>(i * i);
  EXPECT_GT(rank_von_neumann(series), 4.5);
}

}  // namespace
}  // namespace mirab::simulation
