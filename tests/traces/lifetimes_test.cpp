#include "lab/traces/lifetimes.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <map>

#include "model/seconds.hpp"

namespace mirab::traces {
namespace {

using std::chrono::seconds;

// The example of Kaplan and Meier 1958, section 2: deaths at 0.8, 3.1, 5.4, 9.2, losses
// at 1.0, 2.7, 7.0, 12.1; S is 7/8, 7/10, 21/40, 21/80 after the deaths. Here in tenths.
Lifetimes kaplan_and_meier() {
  Lifetimes lifetimes;
  for (const int age : {8, 31, 54, 92}) lifetimes.ended(seconds(age));
  for (const int age : {10, 27, 70, 121}) lifetimes.outlived(seconds(age));
  lifetimes.learn();
  return lifetimes;
}

std::map<Duration, double> frequencies(const Lifetimes& lifetimes, Duration age, int draws) {
  Random random(1);
  std::map<Duration, double> part;
  for (int i = 0; i < draws; ++i) part[lifetimes.draw(age, random)] += 1.0 / draws;
  return part;
}

// Kaplan and Meier 1958, section 2.
TEST(Lifetimes, NewLivesAreDrawnAsKaplanAndMeierEstimate) {
  constexpr int kDraws = 40'000;
  const auto part = frequencies(kaplan_and_meier(), Duration::zero(), kDraws);
  EXPECT_NEAR(part.at(seconds(8)), 1 - 7.0 / 8, 0.01);
  EXPECT_NEAR(part.at(seconds(31)), 7.0 / 8 - 7.0 / 10, 0.01);
  EXPECT_NEAR(part.at(seconds(54)), 7.0 / 10 - 21.0 / 40, 0.01);
  EXPECT_NEAR(part.at(seconds(92)), 21.0 / 40 - 21.0 / 80, 0.01);
  double beyond = 0;
  for (const auto& [age, frequency] : part) {
    if (age > seconds(92)) beyond += frequency;
  }
  EXPECT_NEAR(beyond, 21.0 / 80, 0.01);
}

TEST(Lifetimes, ALifeExceedsTheAgeThatWasSeen) {
  const Lifetimes lifetimes = kaplan_and_meier();
  const auto part = frequencies(lifetimes, seconds(31), 40'000);
  EXPECT_GT(part.begin()->first, seconds(31));
  EXPECT_NEAR(part.at(seconds(54)), 1 - (21.0 / 40) / (7.0 / 10), 0.01);
  Random random(2);
  for (const int age : {0, 8, 91, 92, 93, 500}) {
    for (int i = 0; i < 200; ++i) EXPECT_GT(lifetimes.draw(seconds(age), random), seconds(age)) << age;
  }
}

TEST(Lifetimes, BeyondAllThatWasMeasuredTheRateIsThatOfOldTasks) {
  Lifetimes lifetimes;
  lifetimes.ended(seconds(10));
  lifetimes.outlived(seconds(20));
  lifetimes.old_ended(seconds(100));
  for (int i = 0; i < 9; ++i) lifetimes.old_outlived(seconds(100));
  lifetimes.learn();
  Random random(3);
  double rest = 0;
  double beyond = 0;
  constexpr int kDraws = 20'000;
  for (int i = 0; i < kDraws; ++i) {
    rest += in_seconds(lifetimes.draw_rest_of_old(random)) / kDraws;
    beyond += in_seconds(lifetimes.draw(seconds(50), random) - seconds(50)) / kDraws;
  }
  const double mean = 10 * 100;  // one end in a thousand seconds
  EXPECT_NEAR(rest, mean, 5 * mean / std::sqrt(kDraws));
  EXPECT_NEAR(beyond, mean, 5 * mean / std::sqrt(kDraws));
}

TEST(Lifetimes, WithoutOldTasksItIsThatOfTheOthers) {
  Lifetimes lifetimes;
  lifetimes.ended(seconds(30));
  lifetimes.outlived(seconds(70));
  lifetimes.learn();
  Random random(4);
  double rest = 0;
  constexpr int kDraws = 20'000;
  for (int i = 0; i < kDraws; ++i) rest += in_seconds(lifetimes.draw_rest_of_old(random)) / kDraws;
  EXPECT_NEAR(rest, 100, 5 * 100 / std::sqrt(kDraws));
}

TEST(Lifetimes, NothingIsKnownBeforeSomethingEnds) {
  Lifetimes lifetimes;
  lifetimes.outlived(seconds(70));
  lifetimes.old_outlived(seconds(70));
  lifetimes.learn();
  EXPECT_FALSE(lifetimes.known());
  EXPECT_TRUE(kaplan_and_meier().known());
}

}  // namespace
}  // namespace mirab::traces
