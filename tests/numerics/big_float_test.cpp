#include "numerics/base/big_float.hpp"

#include <Eigen/LU>
#include <gtest/gtest.h>

namespace mirab::numerics {
namespace {

TEST(BigFloat, KeepsWhatDoublesLose) {
  const BigFloat third = BigFloat(mpq_class(1, 3));
  EXPECT_LT(abs(third * 3 - 1), tolerance<BigFloat>(1e-20));
  EXPECT_EQ(BigFloat(1e100) + 1 - BigFloat(1e100), 1);
  EXPECT_EQ(static_cast<double>(BigFloat(0.1)), 0.1);
  EXPECT_LE(static_cast<double>(BigFloat(mpq_class(1, 10))), 0.1);
  EXPECT_LT(BigFloat(-2), BigFloat(1));
}

TEST(BigFloat, WhatIsDividedByNothingIsInfinite) {
  const BigFloat infinite = BigFloat(1) / BigFloat(0);
  EXPECT_FALSE(isfinite(infinite));
  EXPECT_EQ(infinite, infinity_of<BigFloat>());
  EXPECT_GT(infinite, BigFloat(1e300) * BigFloat(1e300));
  EXPECT_FALSE(isfinite(infinite - infinite));
  EXPECT_EQ(static_cast<double>(infinite), infinity_of<double>());
  EXPECT_TRUE(isfinite(BigFloat(2)));
}

// Hilbert's matrix of order 12: in doubles no digit of its inverse is right.
TEST(BigFloat, SolvesWhatIsIllConditioned) {
  Eigen::Matrix<BigFloat, Eigen::Dynamic, Eigen::Dynamic> hilbert(12, 12);
  for (int i = 0; i < 12; ++i) {
    for (int j = 0; j < 12; ++j) hilbert(i, j) = BigFloat(mpq_class(1, i + j + 1));
  }
  const Eigen::Matrix<BigFloat, Eigen::Dynamic, Eigen::Dynamic> inverse = hilbert.partialPivLu().inverse();
  EXPECT_NEAR(static_cast<double>(inverse(0, 0)), 144, 1e-9);
  EXPECT_NEAR(static_cast<double>(inverse(1, 0)), -10296, 1e-9);
}

}  // namespace
}  // namespace mirab::numerics
