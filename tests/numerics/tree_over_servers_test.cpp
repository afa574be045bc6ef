// Filling down a tree over servers: how many programs it takes, and that none of them goes too far. What rows
// get is compared with the definition in tests/mechanisms/hdrf_test.cpp.
#include <gtest/gtest.h>

#include "many_rows.hpp"
#include "numerics/hierarchy/tree_filling.hpp"

namespace mirab::numerics {
namespace {

using Eigen::ArrayXd;
using Eigen::ArrayXXd;
using Eigen::Index;
using testing::rows_of;

constexpr Index kRows = 64;

// Rows that want 1, 2, … tasks, of one unit each, below the root.
RowTree capped_rows() {
  RowTree tree{.nodes = {{}}, .node_of = std::vector<Index>(kRows, 0), .weight = {}, .cap = {}};
  tree.cap = ArrayXd::LinSpaced(kRows, 1, kRows);
  return tree;
}

TEST(TreeOverServers, StepsThatTheTreeEndsShareProgramsWhereServersHoldAll) {
  const RowTree tree = capped_rows();
  const ServerRows rows = rows_of(ArrayXXd::Ones(kRows, 1), ArrayXXd::Constant(2, 1, 2000));
  const TreeOverServers filled = fill_tree_over_servers(tree, rows);
  EXPECT_TRUE(filled.amount.rowwise().sum().isApprox(tree.cap, 1e-12));
  EXPECT_LE(filled.programs, 7) << "1, 2, 4, … of 64 steps";
}

// Those who want 10 and 41 tasks may run on the second server alone, which has 20.5: it ends the 11th step,
// and is full before the last of those that are tried with it.
TEST(TreeOverServers, AStepThatAServerEndsAmongThoseTriedTogetherEndsThere) {
  constexpr Index kDone = 9, kStopped = 40;
  const RowTree tree = capped_rows();
  ServerRows rows = rows_of(ArrayXXd::Ones(kRows, 1), (ArrayXXd(2, 1) << 4000, 20.5).finished());
  rows.alone.col(1).setZero();
  for (const Index n : {kDone, kStopped}) rows.alone.row(n) << 0, 20.5;
  const TreeOverServers filled = fill_tree_over_servers(tree, rows);
  ArrayXd expected = tree.cap;
  expected[kStopped] = 10.5;
  EXPECT_TRUE(filled.report.converged());
  EXPECT_TRUE(filled.amount.rowwise().sum().isApprox(expected, 1e-9)) << filled.amount.rowwise().sum();
  EXPECT_LE(filled.programs, 20);
}

}  // namespace
}  // namespace mirab::numerics
