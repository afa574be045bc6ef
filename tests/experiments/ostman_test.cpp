// Östman's thesis: what chapter 3 works out by hand is found.
#include <gmock/gmock.h>

#include "experiments/expect.hpp"

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

}  // namespace
}  // namespace mirab::experiments
