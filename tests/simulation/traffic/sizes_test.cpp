#include <cmath>
#include <gtest/gtest.h>

#include "lab/simulation/base/replications.hpp"
#include "lab/simulation/traffic/arrivals.hpp"

namespace mirab::simulation {
namespace {

constexpr std::uint64_t kSizesSeed = 1958;
constexpr int kDraws = 200'000;

struct Moments {
  double mean = 0, cv2 = 0;
};

Moments moments_of(const Sizes& sizes) {
  Random random = stream(kSizesSeed, "sizes");
  double sum = 0, squares = 0;
  for (int draw = 0; draw < kDraws; ++draw) {
    const double size = draw_size(sizes, random);
    EXPECT_GE(size, 0);
    sum += size;
    squares += size * size;
  }
  const double mean = sum / kDraws;
  return {.mean = mean, .cv2 = squares / kDraws / (mean * mean) - 1};
}

void expect_law(const Sizes& sizes, double cv2) {
  EXPECT_EQ(cv2_of(sizes), cv2);
  const Moments found = moments_of(sizes);
  EXPECT_NEAR(found.mean, 1, 4 * std::sqrt(cv2 / kDraws) + 1e-12) << "seed " << kSizesSeed;
  EXPECT_NEAR(found.cv2, cv2, 0.05 * cv2 + 1e-12) << "seed " << kSizesSeed;
}

TEST(Sizes, HaveMeanOneAndTheirCoefficientOfVariation) {
  expect_law({.law = Sizes::Law::exponential}, 1);
  expect_law({.law = Sizes::Law::erlang, .stages = 20}, 0.05);
  expect_law({.law = Sizes::Law::deterministic}, 0);
  expect_law({.law = Sizes::Law::hyperexponential, .cv2 = 4}, 4);
  expect_law({.law = Sizes::Law::hyperexponential, .cv2 = 1}, 1);
}

TEST(Sizes, OfWhichThereAreNoneAreRefused) {
  EXPECT_FALSE(check_sizes({}));
  EXPECT_EQ(check_sizes({.law = Sizes::Law::erlang, .stages = 0})->key, "sizes");
  EXPECT_EQ(check_sizes({.law = Sizes::Law::hyperexponential, .cv2 = 0.5})->message,
            "the cv2 of a hyperexponential law must be a number from 1 to 10000");
  EXPECT_TRUE(check_sizes({.law = Sizes::Law::hyperexponential, .cv2 = std::nan("")}));
  EXPECT_TRUE(check_sizes({.law = Sizes::Law::hyperexponential, .cv2 = 1e300}));
  EXPECT_FALSE(check_sizes({.law = Sizes::Law::hyperexponential, .cv2 = kMostCv2}));
}

}  // namespace
}  // namespace mirab::simulation
