#include <gtest/gtest.h>

#include "lab/experiments/psdsf/clusters.hpp"

namespace mirab::experiments {
namespace {

const Use falling = {{{0.9, 1.0}, {0.8, 0.9}, {0.7, 0.9}, {0.6, 0.8}, {0.8, 1.001}}};

TEST(MechanismUse, EachIsHeldAgainstTheNextAsThePaperHasThem) {
  Reproduction result;
  check_use("cpu", falling, result);
  ASSERT_EQ(result.findings.size(), 4U);
  const std::vector<double> ours = {0.1, 0.05, 0.1, -0.1005};
  for (std::size_t f = 0; f < ours.size(); ++f) EXPECT_NEAR(result.findings[f].ours, ours[f], 1e-12);
  EXPECT_TRUE(result.findings[2].holds);
  EXPECT_FALSE(result.findings[3].holds) << "tsf uses more than ps-dsf";
}

TEST(MechanismUse, ATableHasARowForEachContender) {
  const Table table = use_table("t", {"cpu"}, {falling});
  EXPECT_EQ(table.rows.size(), kContenders.size());
  EXPECT_EQ(table.rows[1][0], "alpha-pf-vds:alpha=3");
  EXPECT_EQ(table.rows[1][1].substr(0, 6), "0.8500");
}

}  // namespace
}  // namespace mirab::experiments
