// Three distances, all called best fit, that prefer different servers.
#include "fairness/fit_distance.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <vector>

namespace mirab::fairness {
namespace {

using Parts = std::vector<double>;

double between(FitDistance which, const Parts& d, const Parts& f) {
  return fit_distance(
      which, [&](std::size_t r) { return d[r]; }, [&](std::size_t r) { return f[r]; }, d.size(),
      reference_resource(which, d, d.size()));
}

TEST(FitDistance, OfProportionsDependsOnNoOrderOfTheResources) {
  EXPECT_DOUBLE_EQ(between(FitDistance::of_proportions, {1, 3}, {1, 1}), 0.5);
  EXPECT_DOUBLE_EQ(between(FitDistance::of_proportions, {3, 1}, {1, 1}), 0.5);
}

TEST(FitDistance, ToTheFirstResourceIsAsPublished) {
  EXPECT_DOUBLE_EQ(between(FitDistance::to_first_resource, {1, 3}, {1, 1}), 2);
  EXPECT_DOUBLE_EQ(between(FitDistance::to_first_resource, {3, 1}, {1, 1}), 2.0 / 3);
  EXPECT_FALSE(std::isfinite(between(FitDistance::to_first_resource, {0, 1}, {1, 1})));
}

TEST(FitDistance, ToTheFirstThatIsDemandedIsFinite) {
  EXPECT_DOUBLE_EQ(between(FitDistance::to_first_demanded, {0, 1, 3}, {5, 1, 1}), 7);
  EXPECT_DOUBLE_EQ(between(FitDistance::to_first_demanded, {1, 3}, {1, 1}),
                   between(FitDistance::to_first_resource, {1, 3}, {1, 1}));
}

}  // namespace
}  // namespace mirab::fairness
