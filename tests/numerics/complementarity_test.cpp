#include <gtest/gtest.h>

#include <mirab/model/random.hpp>

#include "numerics/base/dense_programs.hpp"
#include "random_cases.hpp"

namespace mirab::numerics {
namespace {

TEST(Complementarity, HoldsAtZeroWhatWouldGoBelow) {
  const Eigen::MatrixXd a{{2, 1}, {1, 2}};
  const Eigen::VectorXd z = solve_complementarity(a, Eigen::VectorXd{{-2, 5}}).z;
  EXPECT_DOUBLE_EQ(z[0], 1);
  EXPECT_DOUBLE_EQ(z[1], 0);
}

TEST(Complementarity, ConditionsHoldOnRandomProblemsOfUpToSixteen) {
  Random random(11);
  for (int i = 0; i < random_cases(2000); ++i) {
    const auto m = static_cast<Eigen::Index>(1 + random.below(16));
    const auto draw = [&] { return 2 * random.unit() - 1; };
    const Eigen::MatrixXd factor = Eigen::MatrixXd::NullaryExpr(m + 1, m, draw);
    const Eigen::VectorXd scale = Eigen::VectorXd::NullaryExpr(m, [&] { return 0.01 + random.unit(); });
    const Eigen::MatrixXd a =
        (factor.transpose() * factor + 1e-3 * Eigen::MatrixXd::Identity(m, m)) * scale.asDiagonal();
    const Eigen::VectorXd b = Eigen::VectorXd::NullaryExpr(m, draw);
    const Eigen::VectorXd z = solve_complementarity(a, b).z;
    const Eigen::VectorXd w = a * z + b;
    ASSERT_GE(z.minCoeff(), 0) << i;
    ASSERT_GE(w.minCoeff(), -1e-9) << i;
    ASSERT_LE((z.array() * w.array()).abs().maxCoeff(), 1e-6) << i;
  }
}

}  // namespace
}  // namespace mirab::numerics
