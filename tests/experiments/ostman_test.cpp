// Östman's thesis: what chapter 3 works out by hand is found.
#include <gmock/gmock.h>

#include "experiments/expect.hpp"
#include "experiments/ostman/four_servers.hpp"

namespace mirab::experiments {
namespace {

TEST(Ostman, ProbesGiveOneUserTenTimesTheShareOfAnother) {  // table 3.1
  const Reproduction result = quick("ostman-table-3.1");
  EXPECT_EQ(result.verdict, Verdict::agrees);
  expect_all_hold(result);
  std::string served;
  for (const std::size_t step : {2, 4, 6, 7}) served += result.tables.front().rows[step][1].back();
  EXPECT_EQ(served, "2121");
}

TEST(Ostman, DdrfInARingIsUnfairToThePoorest) {  // figure 3.1
  const Reproduction result = quick("ostman-fig-3.1");
  EXPECT_EQ(result.verdict, Verdict::shape_agrees) << "the links are stand-ins";
  expect_all_hold(result);
}

TEST(Ostman, DdrfInIncreasingOrderIsFair) {  // figure 3.2
  const Reproduction result = quick("ostman-fig-3.2");
  EXPECT_EQ(result.verdict, Verdict::shape_agrees) << "the links are stand-ins";
  expect_all_hold(result);
  EXPECT_EQ(result.figures.front().curves.size(), 4u);
}

// What the comment of figure 3.1 claims of the other rings.
TEST(Ostman, OneRingOnlyLeavesThePoorestWithThreeTenths) {
  std::vector<overlay::NodeId> order{1, 2, 3};
  int rings = 0;
  do {
    Links links;
    links[0] = {order[0]};
    links[order[0]] = {order[1]};
    links[order[1]] = {order[2]};
    links[order[2]] = {0};
    const auto last = steps_of_ddrf(links).back();
    rings += last == std::array<std::int64_t, 4>{3, 80, 60, 40} ? 1 : 0;
  } while (std::next_permutation(order.begin(), order.end()));
  EXPECT_EQ(rings, 1);
}

}  // namespace
}  // namespace mirab::experiments
