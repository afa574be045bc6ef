#include <cmath>
#include <gtest/gtest.h>
#include <numbers>

#include "lab/simulation/base/statistics.hpp"

namespace mirab::simulation {
namespace {

// Abramowitz and Stegun, Table 26.10: P(|T| ≤ t) = 0.90, 0.95, 0.99, three digits.
TEST(StudentT, QuantilesAreThoseOfThePrintedTable) {
  struct Row {
    int freedom;
    double at90, at95, at99;
  };
  constexpr Row kRows[] = {{1, 6.314, 12.706, 63.657}, {2, 2.920, 4.303, 9.925},  {3, 2.353, 3.182, 5.841},
                           {4, 2.132, 2.776, 4.604},   {5, 2.015, 2.571, 4.032},  {9, 1.833, 2.262, 3.250},
                           {10, 1.812, 2.228, 3.169},  {19, 1.729, 2.093, 2.861}, {29, 1.699, 2.045, 2.756},
                           {60, 1.671, 2.000, 2.660},  {120, 1.658, 1.980, 2.617}};
  for (const auto& [freedom, at90, at95, at99] : kRows) {
    EXPECT_NEAR(student_t_quantile(0.90, freedom), at90, 5.1e-4) << freedom;
    EXPECT_NEAR(student_t_quantile(0.95, freedom), at95, 5.1e-4) << freedom;
    EXPECT_NEAR(student_t_quantile(0.99, freedom), at99, 5.1e-4) << freedom;
  }
}

TEST(StudentT, WithManyDegreesOfFreedomIsTheNormalLaw) {
  EXPECT_NEAR(student_t_quantile(0.95, 1'000'000), 1.959964, 1e-5);
  EXPECT_NEAR(student_t_within(1, 1'000'001), std::erf(1 / std::numbers::sqrt2), 1e-6);
}

// P(|T| ≤ t) = (2/π) arctan t for one degree of freedom (Cauchy), t/√(2 + t²) for two.
TEST(StudentT, OfOneAndTwoDegreesOfFreedomHasItsClosedForm) {
  for (const double t : {0.0, 0.1, 1.0, 3.7, 100.0}) {
    EXPECT_NEAR(student_t_within(t, 1), 2 / std::numbers::pi * std::atan(t), 1e-14);
    EXPECT_NEAR(student_t_within(t, 2), t / std::sqrt(2 + t * t), 1e-14);
  }
}

TEST(StudentT, TheQuantileTakesTheProbabilityBack) {
  for (int freedom = 1; freedom <= 40; ++freedom) {
    for (const double confidence : {0.01, 0.5, 0.95, 0.999}) {
      EXPECT_NEAR(student_t_within(student_t_quantile(confidence, freedom), freedom), confidence, 1e-12);
    }
  }
}

}  // namespace
}  // namespace mirab::simulation
