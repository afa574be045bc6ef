#pragma once

#include <gtest/gtest.h>

#include "numerics/base/rows.hpp"

namespace mirab::testing {

/// Amounts are numbers ≥ 0 where rows may be, within capacities and caps but for rounding.
inline void expect_feasible(const numerics::ServerRows& rows, const Eigen::ArrayXXd& amount) {
  using Eigen::Index;
  ASSERT_TRUE(amount.isFinite().all());
  ASSERT_TRUE((amount >= 0).all());
  ASSERT_TRUE((rows.alone > 0 || amount == 0).all());
  for (Index i = 0; i < rows.servers(); ++i) {
    for (Index r = 0; r < rows.resources(); ++r) {
      ASSERT_LE((amount.col(i) * rows.demand_on(i).col(r)).sum(), rows.capacity(i, r) * (1 + 1e-12));
    }
  }
  const bool within = rows.cap.size() == 0 || (amount.rowwise().sum() <= rows.cap * (1 + 1e-12)).all();
  ASSERT_TRUE(within);
}

}  // namespace mirab::testing
