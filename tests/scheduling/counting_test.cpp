// Counting in whole units.
#include <gtest/gtest.h>

#include "model/exact.hpp"
#include "random_cases.hpp"
#include "scheduling/clusters.hpp"
#include "scheduling/fill/integer_problem.hpp"

namespace mirab::scheduling {
namespace {

constexpr std::int64_t kBillion = 1'000'000'000;

std::vector<std::int64_t> list(std::span<const std::int64_t> units) { return {units.begin(), units.end()}; }

TEST(Unit, IsTheCoarsestPowerOfTenInWhichEveryAmountIsWhole) {
  const Problem cluster = problem({server("s", {"16", "64Gi", "300"})}, {user("a", {"0.125", "1Gi", "100"})});
  EXPECT_EQ(choose_unit(cluster, 0).exponent, -3);
  EXPECT_EQ(choose_unit(cluster, 1).exponent, 0);
  EXPECT_EQ(choose_unit(cluster, 2).exponent, 2);
  for (std::size_t r = 0; r < 3; ++r) EXPECT_TRUE(choose_unit(cluster, r).exact);
}

TEST(Unit, LooksAtDemandsOnSingleServersToo) {
  User picky = user("a", {"1"});
  picky.demand_on["s"] = amounts({"0.25"});
  EXPECT_EQ(choose_unit(problem({server("s", {"16"})}, {picky}), 0).exponent, -2);
}

TEST(Unit, OfAResourceThatNobodyHasIsOne) {
  const Problem cluster = problem({server("s", {"16", "0"})}, {user("a", {"1", "0"})});
  EXPECT_EQ(choose_unit(cluster, 1).exponent, 0);
  EXPECT_TRUE(choose_unit(cluster, 1).exact);
}

TEST(Unit, CountsTheCapacityOfAllServersOfAnEntry) {
  // 10^12 with 6 decimals is 10^18 units: one server can be counted so; for a hundred not even 10^-5 will do.
  const auto unit = [](std::int64_t count) {
    return choose_unit(problem({server("s", {"1000000000000"}, count)}, {user("a", {"0.000001"})}), 0);
  };
  EXPECT_EQ(unit(1).exponent, -6);
  EXPECT_TRUE(unit(1).exact);
  EXPECT_EQ(unit(100).exponent, -4);
  EXPECT_FALSE(unit(100).exact);
}

TEST(IntegerProblem, RoundsDemandUpAndCapacityDownWhereNoUnitFits) {
  const Problem cluster = problem({server("s", {"1000000000000000000"}), server("t", {"0.19"})},
                                  {user("a", {"0.01"}), user("b", {"0.11"})});
  const IntegerProblem counted(cluster);  // 10^18 and hundredths: counted in ones
  EXPECT_EQ(list(counted.capacity(0)), (std::vector<std::int64_t>{1'000'000'000 * kBillion}));
  EXPECT_EQ(list(counted.capacity(1)), (std::vector<std::int64_t>{0}));
  EXPECT_EQ(list(counted.demand(0)), (std::vector<std::int64_t>{1}));
  EXPECT_EQ(list(counted.demand(1)), (std::vector<std::int64_t>{1}));
}

TEST(IntegerProblem, NamesTheRoundedResourceInANotice) {
  const Problem cluster = problem({server("s", {"1", "1000000000000000000"})}, {user("a", {"1", "0.01"})});
  const std::vector<std::string> notices = IntegerProblem(cluster).notices();
  ASSERT_EQ(notices.size(), 1U);
  EXPECT_EQ(notices[0].substr(0, 3), "r1:");
  EXPECT_TRUE(IntegerProblem(problem({server("s", {"1"})}, {user("a", {"0.1"})})).notices().empty());
}

TEST(IntegerProblem, ADemandBeyondTheUnitsIsMoreThanAnyServerHas) {
  const Problem cluster = problem({server("s", {"0.000000001"})}, {user("a", {"9000000000000000000"})});
  const IntegerProblem counted(cluster);
  EXPECT_GT(counted.demand(0)[0], counted.pool(0));
}

TEST(IntegerProblem, FloorsTheNumberOfTasks) {
  const Problem cluster = problem({server("s", {"9"})}, {limited(user("a", {"1"}), "2.9"), user("b", {"1"})});
  EXPECT_EQ(IntegerProblem(cluster).task_limit(0), 2);
  EXPECT_EQ(IntegerProblem(cluster).task_limit(1), INT64_MAX);
}

TEST(IntegerProblem, AmountsAreTheNearestDoubles) {
  const Problem cluster = problem({server("s", {"0.7"}, 3)}, {user("a", {"0.1"})});
  const IntegerProblem counted(cluster);
  EXPECT_EQ(counted.amount(0, 3), 0.3);  // and not 3 * 0.1
  EXPECT_EQ(counted.amount(0, 21), 2.1);

  // Powers of ten beyond 10^22 are no doubles themselves.
  for (const char* tiny : {"7e-23", "7e-30", "7e-41", "7e-60"}) {
    const Problem fine = problem({server("s", {tiny})}, {user("a", {tiny})});
    const IntegerProblem units(fine);
    EXPECT_EQ(units.amount(0, units.capacity(0)[0]), amount(tiny).value()) << tiny;
  }
}

TEST(IntegerProblem, AmountsOfManyFineUnitsAreTheNearestDoubles) {
  Random random(1);
  for (int draw = 0; draw < random_cases(1000); ++draw) {
    const std::string text =
        fmt::format("{}e-{}", 1 + random.below(999'999'999'999'999'999), 30 + random.below(30));
    const Problem fine = problem({server("s", {text})}, {user("a", {text})});
    const IntegerProblem units(fine);
    ASSERT_EQ(units.amount(0, units.capacity(0)[0]), amount(text).value()) << text;
  }
}

}  // namespace
}  // namespace mirab::scheduling
