#include <gtest/gtest.h>
#include <limits>
#include <vector>

#include "report/text/format.hpp"

namespace mirab::report {
namespace {

int decimals(std::vector<double> values) { return decimals_for(values); }

TEST(Figures, WholeNumbersNeedNoDecimalsEvenAfterRounding) {
  EXPECT_EQ(decimals({3, 2.9999999999999996}), 0);
  EXPECT_EQ(decimals({}), 0);
}

TEST(Figures, TheLargestValueIsShownWithFourDigits) {
  EXPECT_EQ(decimals({2.52, 2.16}), 3);
  EXPECT_EQ(decimals({66.6, 1.5}), 2);
  EXPECT_EQ(decimals({6666.6, 0.5}), 1);
  EXPECT_EQ(decimals({0.0123}), 5);
}

TEST(Figures, InfinityIsASignAndWhatRoundsToZeroHasNone) {
  EXPECT_EQ(fixed(std::numeric_limits<double>::infinity(), 3), "∞");
  EXPECT_EQ(fixed(-1e-17, 2), "0.00");
  EXPECT_EQ(fixed(-0.005001, 2), "-0.01");
  EXPECT_EQ(percent(0.5, 2), "50.00%");
}

TEST(Figures, TasksAboveZeroNeverShowAsZero) {
  EXPECT_EQ(tasks_fixed(12.346, 2), "12.35");
  EXPECT_EQ(tasks_fixed(0, 2), "0");
  EXPECT_EQ(tasks_fixed(40, 2), "40") << "whole tasks are bare";
  EXPECT_EQ(tasks_fixed(40 - 1e-10, 2), "40") << "to what solvers leave";
  EXPECT_EQ(tasks_fixed(40.001, 2), "40.00");
  EXPECT_EQ(tasks_fixed(0.0061, 2), "0.01");
  EXPECT_EQ(tasks_fixed(0.0042, 1), "0.0042");
  EXPECT_EQ(tasks_fixed(2.57e-12, 0), "2.6e-12");
}

TEST(Figures, AmountsGetASuffixFromAMillionOn) {
  EXPECT_EQ(amount(18), "18");
  EXPECT_EQ(amount(0.2493), "0.2493");
  EXPECT_EQ(amount(999999), "999999");
  EXPECT_EQ(amount(68720000000.0), "68.72G");
}

TEST(Figures, AmountsThatAreWholeInMebibytesHaveTheSuffixOfAClusterFile) {
  constexpr double kMi = 1 << 20;
  EXPECT_EQ(amount(kMi), "1Mi");
  EXPECT_EQ(amount(768 * kMi), "768Mi");
  EXPECT_EQ(amount(1536 * kMi), "1.5Gi");
  EXPECT_EQ(amount(1024 * kMi * (1 - 1e-12)), "1Gi") << "what sums leave";
  EXPECT_EQ(amount(3 * 65536 * kMi), "192Gi");
  EXPECT_EQ(amount(12'583 * 65536 * kMi), "786.44Ti");
  EXPECT_EQ(amount(kMi + 1), "1.05M");
  EXPECT_EQ(amount(60'325'580 * 1024.0), "57.53Gi") << "as kubectl prints the memory of a node";
  EXPECT_EQ(amount(24 * 60'325'580 * 1024.0), "1.35Ti");
  EXPECT_EQ(amount(64e9), "64G") << "is whole in Ki too";
  EXPECT_EQ(amount(256 * 1024 * kMi / 2.25, 256 * 1024 * kMi), "113.78Gi") << "a part of 256Gi";
  EXPECT_EQ(amount(3.5, 256 * 1024 * kMi), "3.5");
}

TEST(Figures, DurationsAreRoundedBeforeTheirUnitIsChosen) {
  EXPECT_EQ(duration(0.9996), "1 s");
  EXPECT_EQ(duration(119.97), "2 min");
  EXPECT_EQ(duration(119.4), "119 s");
  EXPECT_EQ(duration(1234), "20.6 min");
  EXPECT_EQ(duration(4740), "79 min");
  EXPECT_EQ(duration(10'000), "2.78 h");
  EXPECT_EQ(duration(200'000), "2.31 d");
}

TEST(Figures, DurationsHaveTheUnitThatFits) {
  EXPECT_EQ(duration(0), "0 s");
  EXPECT_EQ(duration(1e-9), "< 1 µs");
  EXPECT_EQ(duration(12e-6), "12 µs");
  EXPECT_EQ(duration(3.4e-3), "3.4 ms");
  EXPECT_EQ(duration(1.25), "1.25 s");
}

TEST(Figures, OneIsSingular) {
  EXPECT_EQ(counted(1, "server"), "1 server");
  EXPECT_EQ(counted(0, "server"), "0 servers");
}

}  // namespace
}  // namespace mirab::report
