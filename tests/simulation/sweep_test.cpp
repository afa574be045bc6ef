#include <atomic>
#include <gtest/gtest.h>
#include <vector>

#include "lab/simulation/base/replications.hpp"

namespace mirab::simulation {
namespace {

std::vector<double> drawn(int threads) {
  std::vector<double> values(100);
  sweep(values.size(), threads, [&](std::size_t task) {
    Random random = stream(1, "sweep", {task});
    for (int draw = 0; draw < 1000; ++draw) values[task] += random.unit();
  });
  return values;
}

TEST(Sweep, GivesTheSameBytesOnAnyNumberOfThreads) {
  const std::vector<double> alone = drawn(1);
  for (const int threads : {2, 3, 8}) EXPECT_EQ(drawn(threads), alone);
}

TEST(Sweep, RunsEveryTaskOnce) {
  std::vector<std::atomic<int>> runs(1000);
  sweep(runs.size(), 4, [&](std::size_t task) { ++runs[task]; });
  for (const std::atomic<int>& run : runs) EXPECT_EQ(run, 1);
}

TEST(Sweep, TellsItsProgressOneCallAtATimeAndToTheEnd) {
  std::atomic<int> telling = 0;
  std::vector<double> parts;
  sweep(
      50, 4, [](std::size_t) {},
      [&](double part) {
        EXPECT_EQ(++telling, 1);
        parts.push_back(part);
        --telling;
      });
  EXPECT_EQ(parts.size(), 50U);
  EXPECT_TRUE(std::is_sorted(parts.begin(), parts.end()));
  EXPECT_EQ(parts.back(), 1);
}

TEST(Sweep, ReportsHowFarItsTasksAre) {
  std::vector<double> parts;
  sweep(
      2, 1,
      [](std::size_t task, const Progress& of_task) {
        of_task(0.5);
        if (task == 0) of_task(0.25);  // never falls
      },
      [&](double part) { parts.push_back(part); });
  EXPECT_EQ(parts, (std::vector{0.25, 0.5, 0.75, 1.0}));
}

TEST(Sweep, OfNothingIsDoneAtOnce) {
  sweep(0, 4, [](std::size_t) { FAIL() << "a task of none"; });
}

}  // namespace
}  // namespace mirab::simulation
