// Rows on the central path for given levels, against the equations that define it.
#include <gtest/gtest.h>

#include "numerics/many_rows.hpp"
#include "numerics/psdsf/tied_rows.hpp"

namespace mirab::numerics {
namespace {

using Eigen::ArrayXXd;

TEST(TieCentre, GivesEveryPairItsProductAndEveryCapItsOwn) {
  constexpr std::uint64_t seed = 8;
  Random random(seed);
  for (const double mu : {1e-1, 1e-3, 1e-8}) {
    const ServerRows rows = testing::many_rows(random, 200, 4, testing::Caps::half);
    const ArrayXXd levels = ArrayXXd::NullaryExpr(4, 3, [&] { return (1 + random.unit()) / 200; });
    TiedSystem system = tied_system(rows, rows.alone, levels);
    centre(system, mu);
    const TiedRows& tied = system.rows;
    for (std::size_t n = 0; n < tied.row.size(); ++n) {
      SCOPED_TRACE(n);
      const auto first = static_cast<std::size_t>(tied.first[n]),
                 end = static_cast<std::size_t>(tied.first[n + 1]);
      const double v = tied.total[n] + tied.k[n];
      for (std::size_t p = first; p < end; ++p) {
        ASSERT_GT(tied.z[p], 0);
        ASSERT_NEAR(tied.x[p] * tied.z[p], mu * tied.part[p], 1e-9 * mu);
        ASSERT_NEAR(v - tied.a[p] * system.level_of(p), tied.z[p], 1e-9 * v);
      }
      if (tied.cap[n] < std::numeric_limits<double>::infinity()) {
        ASSERT_NEAR(tied.k[n] * (tied.cap[n] - tied.total[n]), mu, 1e-5 * mu + 1e-13);
      }
    }
  }
}

}  // namespace
}  // namespace mirab::numerics
