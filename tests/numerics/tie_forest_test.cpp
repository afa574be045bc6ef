// Levels tied by rows that are on two servers.
#include <gtest/gtest.h>

#include "numerics/psdsf/tied_levels.hpp"

namespace mirab::numerics {
namespace {

using Eigen::ArrayXXd;

// Two pairs for each row, on `servers` of one resource.
TiedRows rows_on(const std::vector<std::pair<int, int>>& servers, const std::vector<double>& lesser) {
  TiedRows rows;
  rows.first = {0};
  for (std::size_t n = 0; n < servers.size(); ++n) {
    for (const int i : {servers[n].first, servers[n].second}) {
      rows.server.push_back(i);
      rows.stop.push_back(i);
      rows.z.push_back(0);
    }
    rows.x.insert(rows.x.end(), {1 - lesser[n], lesser[n]});
    rows.row.push_back(static_cast<Eigen::Index>(n));
    rows.total.push_back(1);
    rows.first.push_back(rows.pairs());
  }
  return rows;
}

TEST(TieForest, MakesTheLevelsOfTiedServersProportionalAndLeavesTheOthers) {
  const TiedRows rows = rows_on({{0, 1}, {1, 2}}, {0.3, 0.4});
  const ArrayXXd rate{{1, 2, 0, 0}, {0, 3, 1, 0}};
  ArrayXXd levels{{6.01}, {3.02}, {9.03}, {5}};
  const std::vector<Eigen::Index> tree = join_ties(rows, rate, levels);
  EXPECT_DOUBLE_EQ(levels(0) * 1, levels(1) * 2);
  EXPECT_DOUBLE_EQ(levels(1) * 3, levels(2) * 1);
  EXPECT_DOUBLE_EQ(levels(3), 5);
  EXPECT_EQ(tree[0], tree[1]);
  EXPECT_EQ(tree[1], tree[2]);
  EXPECT_NE(tree[0], tree[3]);
}

// Three ties in a circle that does not close: the weakest of them has to give way.
TEST(TieForest, FollowsTheStrongestTies) {
  const TiedRows rows = rows_on({{0, 1}, {1, 2}, {0, 2}}, {0.3, 0.4, 0.1});
  const ArrayXXd rate{{1, 2, 0}, {0, 3, 1}, {1, 0, 7}};
  ArrayXXd levels{{6}, {3}, {9}};
  join_ties(rows, rate, levels);
  EXPECT_DOUBLE_EQ(levels(0) * 1, levels(1) * 2);
  EXPECT_DOUBLE_EQ(levels(1) * 3, levels(2) * 1);
}

}  // namespace
}  // namespace mirab::numerics
