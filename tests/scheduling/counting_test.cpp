// Counting in whole units, the ledger, and shares as exact rationals.
#include <gtest/gtest.h>

#include "model/rational.hpp"
#include "scheduling/clusters.hpp"
#include "scheduling/counted_problem.hpp"
#include "scheduling/plain/ledger.hpp"
#include "scheduling/plain/race.hpp"
#include "scheduling/plain/share.hpp"

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

TEST(CountedProblem, RoundsDemandUpAndCapacityDownWhereNoUnitFits) {
  const Problem cluster = problem({server("s", {"1000000000000000000"}), server("t", {"0.19"})},
                                  {user("a", {"0.01"}), user("b", {"0.11"})});
  const CountedProblem counted(cluster);  // 10^18 and hundredths: counted in ones
  EXPECT_EQ(list(counted.capacity(0)), (std::vector<std::int64_t>{1'000'000'000 * kBillion}));
  EXPECT_EQ(list(counted.capacity(1)), (std::vector<std::int64_t>{0}));
  EXPECT_EQ(list(counted.demand(0)), (std::vector<std::int64_t>{1}));
  EXPECT_EQ(list(counted.demand(1)), (std::vector<std::int64_t>{1}));
}

TEST(CountedProblem, NamesTheRoundedResourceInANotice) {
  const Problem cluster = problem({server("s", {"1", "1000000000000000000"})}, {user("a", {"1", "0.01"})});
  const std::vector<std::string> notices = CountedProblem(cluster).notices();
  ASSERT_EQ(notices.size(), 1U);
  EXPECT_EQ(notices[0].substr(0, 3), "r1:");
  EXPECT_TRUE(CountedProblem(problem({server("s", {"1"})}, {user("a", {"0.1"})})).notices().empty());
}

TEST(CountedProblem, ADemandBeyondTheUnitsIsMoreThanAnyServerHas) {
  const Problem cluster = problem({server("s", {"0.000000001"})}, {user("a", {"9000000000000000000"})});
  const CountedProblem counted(cluster);
  EXPECT_GT(counted.demand(0)[0], counted.pool(0));
  EXPECT_EQ(Ledger(counted).first_fit(0, 0), std::nullopt);
}

TEST(CountedProblem, FloorsTheNumberOfTasks) {
  const Problem cluster = problem({server("s", {"9"})}, {limited(user("a", {"1"}), "2.9"), user("b", {"1"})});
  EXPECT_EQ(CountedProblem(cluster).task_limit(0), 2);
  EXPECT_EQ(CountedProblem(cluster).task_limit(1), INT64_MAX);
}

TEST(CountedProblem, AmountsAreTheNearestDoubles) {
  const Problem cluster = problem({server("s", {"0.7"}, 3)}, {user("a", {"0.1"})});
  const CountedProblem counted(cluster);
  EXPECT_EQ(counted.amount(0, 3), 0.3);  // and not 3 * 0.1
  EXPECT_EQ(counted.amount(0, 21), 2.1);

  // Powers of ten beyond 10^22 are no doubles themselves.
  for (const char* tiny : {"7e-23", "7e-30", "7e-41", "7e-60"}) {
    const Problem fine = problem({server("s", {tiny})}, {user("a", {tiny})});
    const CountedProblem units(fine);
    EXPECT_EQ(units.amount(0, units.capacity(0)[0]), amount(tiny).value()) << tiny;
  }
}

TEST(CountedProblem, AmountsOfManyFineUnitsAreTheNearestDoubles) {
  Random random(1);
  for (int draw = 0; draw < 1000; ++draw) {
    const std::string text =
        fmt::format("{}e-{}", 1 + random.below(999'999'999'999'999'999), 30 + random.below(30));
    const Problem fine = problem({server("s", {text})}, {user("a", {text})});
    const CountedProblem units(fine);
    ASSERT_EQ(units.amount(0, units.capacity(0)[0]), amount(text).value()) << text;
  }
}

TEST(Ledger, SpellsOutTheServersOfAnEntry) {
  const Problem cluster = problem({server("s", {"1"}, 2), server("t", {"2"}, 1)}, {user("a", {"1"})});
  const CountedProblem counted(cluster);
  const Ledger ledger(counted);
  ASSERT_EQ(ledger.server_count(), 3U);
  EXPECT_EQ(ledger.entry(1), 0U);
  EXPECT_EQ(ledger.instance(1), 1);
  EXPECT_EQ(ledger.entry(2), 1U);
  EXPECT_EQ(ledger.instance(2), 0);
  EXPECT_EQ(list(ledger.free(2)), (std::vector<std::int64_t>{2}));
}

// Östman, Table 3.1, step 7: an exact fit fits.
TEST(Ledger, AnExactFitFitsAndLeavesNothing) {
  const Problem cluster = problem({server("s", {"0.3"})}, {user("a", {"0.1"})});
  const CountedProblem counted(cluster);
  Ledger ledger(counted);
  for (int task = 0; task < 3; ++task) {
    ASSERT_TRUE(ledger.fits(0, 0));
    ledger.take(0, 0);
    EXPECT_TRUE(ledger.balances());
  }
  EXPECT_EQ(list(ledger.free(0)), (std::vector<std::int64_t>{0}));
  EXPECT_FALSE(ledger.fits(0, 0));
  EXPECT_EQ(ledger.placed(0).at(0), 3);
}

TEST(LedgerDeathTest, NeverGoesBelowZero) {
  const Problem cluster = problem({server("s", {"1"})}, {user("a", {"0.6"})});
  const CountedProblem counted(cluster);
  Ledger ledger(counted);
  ledger.take(0, 0);
  EXPECT_DEATH(ledger.take(0, 0), "does not fit");
}

TEST(Share, TheDominantShareOfATaskIsItsLargestPartOfThePool) {
  const Problem cluster = problem({server("s", {"9", "18"})}, {user("a", {"1", "4"}), user("b", {"3", "1"})});
  const CountedProblem counted(cluster);
  EXPECT_EQ(dominant_share(counted, 0), mpq_class(2, 9));
  EXPECT_EQ(dominant_share(counted, 1), mpq_class(1, 3));
}

TEST(Share, ADecimalIsExact) {
  EXPECT_EQ(rational(amount("0.1")), mpq_class(1, 10));
  EXPECT_EQ(rational(amount("1.25")), mpq_class(5, 4));
  EXPECT_EQ(rational(amount("3e4")), mpq_class(30000));
}

TEST(Share, IsPrintedAsTheNearestDouble) {
  Random random(1);
  for (int draw = 0; draw < 100'000; ++draw) {
    const long numerator = static_cast<long>(random.below(1UL << 53));
    const long denominator = static_cast<long>(1 + random.below(1UL << 53));
    mpq_class value(numerator, denominator);
    value.canonicalize();
    // Both are exact doubles, so the processor's division is rounded once, to the nearest.
    ASSERT_EQ(nearest(value), static_cast<double>(numerator) / static_cast<double>(denominator));
  }
  EXPECT_EQ(nearest(0), 0);
}

TEST(Race, KeysThatAreEqualButNotAsSumsOfDoublesTie) {
  Random random(1);
  Race race({mpq_class(3, 10), 0}, Tie::last);
  for (int task = 0; task < 3; ++task) race.raise(1, mpq_class(1, 10));
  EXPECT_NE(0.1 + 0.1 + 0.1, 0.3);
  EXPECT_FALSE(race.is_below(0, 1));
  EXPECT_FALSE(race.is_below(1, 0));
  EXPECT_EQ(race.next(random), 1U);
}

TEST(Race, KeysThatDifferBeyondADoubleAreDistinguished) {
  Random random(1);
  const mpq_class third(1, 3);
  const mpq_class hair = third / mpq_class("1000000000000000000000000000000");
  EXPECT_EQ(mpq_class(third + hair).get_d(), third.get_d());
  Race race({third + hair, third, third - hair}, Tie::first);
  EXPECT_EQ(race.next(random), 2U);
  race.raise(2, 3 * hair);
  EXPECT_EQ(race.next(random), 1U);
}

TEST(Race, KeysThatNoDoubleHoldsAreStillOrdered) {
  Random random(1);
  mpz_class huge;
  mpz_ui_pow_ui(huge.get_mpz_t(), 10, 400);
  Race race({mpq_class(huge), mpq_class(huge - 1), mpq_class(1, huge), mpq_class(1, huge + 1)}, Tie::first);
  for (const std::size_t expected : {3U, 2U, 1U, 0U}) {
    EXPECT_EQ(race.next(random), expected);
    race.leave(expected);
  }
  EXPECT_TRUE(race.empty());
}

TEST(Race, ARandomTieIsUniformAmongTheLowestOnly) {
  Random random(7);
  const Race race({1, 2, 1, 1}, Tie::random);
  std::vector<int> drawn(4, 0);
  for (int draw = 0; draw < 30'000; ++draw) ++drawn[race.next(random)];
  EXPECT_EQ(drawn[1], 0);
  for (const std::size_t user : {0U, 2U, 3U}) EXPECT_NEAR(drawn[user], 10'000, 400);  // 5 standard deviations
}

}  // namespace
}  // namespace mirab::scheduling
