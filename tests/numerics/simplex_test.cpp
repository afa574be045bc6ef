// The simplex method against what linear programs promise: a feasible point, and prices that prove it best.
#include <gtest/gtest.h>

#include <mirab/model/random.hpp>

#include "numerics/base/dense_programs.hpp"
#include "random_cases.hpp"

namespace mirab::numerics {
namespace {

constexpr std::uint64_t simplex_seed = 1947;

TEST(Simplex, FindsTheVertexAndItsPrices) {
  // max 3a + 2b, a + b ≤ 4, a + 3b ≤ 6, a ≤ 3
  LinearProgram program{Eigen::VectorXd(2), Eigen::MatrixXd(3, 2), Eigen::VectorXd(3)};
  program.value << 3, 2;
  program.rows << 1, 1, 1, 3, 1, 0;
  program.limit << 4, 6, 3;
  const LinearOptimum best = maximise(program);
  EXPECT_NEAR(best.amount[0], 3, 1e-12);
  EXPECT_NEAR(best.amount[1], 1, 1e-12);
  EXPECT_NEAR(best.price[0], 2, 1e-12);
  EXPECT_NEAR(best.price[1], 0, 1e-12);
  EXPECT_NEAR(best.price[2], 1, 1e-12);
}

// Beale's example (1955), on which the steepest rule alone cycles without end: the best is 1/20.
TEST(Simplex, DoesNotCycle) {
  LinearProgram program{Eigen::VectorXd(4), Eigen::MatrixXd(3, 4), Eigen::VectorXd(3)};
  program.value << 0.75, -150, 0.02, -6;
  program.rows << 0.25, -60, -0.04, 9, 0.5, -90, -0.02, 3, 0, 0, 1, 0;
  program.limit << 0, 0, 1;
  EXPECT_NEAR(program.value.dot(maximise(program).amount), 0.05, 1e-12);
}

// Bounded, since the first rows limit every variable; some limits are 0, and some rows equal, for the sake of
// ties.
TEST(Simplex, ItsPricesProveRandomProgramsBest) {
  Random random(simplex_seed);
  for (int i = 0; i < random_cases(2000); ++i) {
    const auto n = static_cast<Eigen::Index>(1 + random.below(6));
    const auto more = static_cast<Eigen::Index>(random.below(8));
    LinearProgram program{Eigen::VectorXd(n), Eigen::MatrixXd(n + more, n), Eigen::VectorXd(n + more)};
    for (double& value : program.value) value = static_cast<double>(random.below(9)) - 2;
    for (double& entry : program.rows.reshaped()) entry = static_cast<double>(random.below(7)) - 2;
    for (double& limit : program.limit) limit = static_cast<double>(random.below(4));
    program.rows.topRows(n).setIdentity();
    const LinearOptimum best = maximise(program);
    const auto replay = [i] {
      return "program " + std::to_string(i) + " of seed " + std::to_string(simplex_seed);
    };
    ASSERT_TRUE((best.amount.array() >= 0).all()) << replay();
    ASSERT_TRUE((program.rows * best.amount - program.limit).maxCoeff() < 1e-9) << replay();
    ASSERT_TRUE((best.price.array() >= 0).all()) << replay();
    ASSERT_TRUE((program.value - program.rows.transpose() * best.price).maxCoeff() < 1e-9) << replay();
    ASSERT_NEAR(program.value.dot(best.amount), program.limit.dot(best.price), 1e-9) << replay();
  }
}

}  // namespace
}  // namespace mirab::numerics
