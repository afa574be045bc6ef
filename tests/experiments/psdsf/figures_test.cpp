// Paper 001, figures 1 and 2.
#include <gtest/gtest.h>

#include "experiments/expect.hpp"
#include "lab/experiments/psdsf/clusters.hpp"

namespace mirab::experiments {
namespace {

TEST(PsDsfFigures, FigureOneHasThePrintedTasksUnderThreeMechanisms) {
  const Reproduction result = quick("psdsf-fig1");
  EXPECT_EQ(result.verdict, Verdict::shape_agrees) << "the demands were chosen";
  expect_all_hold(result);
  EXPECT_NEAR(finding_of(result, "tasks of user 2 under ps-dsf").ours, 6, 1e-6);
  EXPECT_NEAR(finding_of(result, "tasks of user 2 under drfh").ours, 3, 1e-6);
  EXPECT_NEAR(finding_of(result, "tasks of user 2 under tsf").ours, 5, 1e-6);
}

TEST(PsDsfFigures, FigureTwoHasThePrintedVirtualDominantShares) {
  const Reproduction result = quick("psdsf-fig2");
  EXPECT_EQ(result.verdict, Verdict::shape_agrees) << "the demands were chosen";
  expect_all_hold(result);
  EXPECT_NEAR(finding_of(result, "virtual dominant share of user 3 on server 1").ours, 8.0 / 3, 1e-6);
}

TEST(PsDsfFigures, WhatAUserRunsAloneIsNothingWhereItMayNotRun) {
  const Problem problem = psdsf_figure({1, 0.5, 0});
  EXPECT_EQ(tasks_alone(problem, 0, 1), 0) << "server 2 has no network";
  EXPECT_EQ(tasks_alone(problem, 3, 0), 8);
}

TEST(PsDsfFigures, ANumberThatIsNotFoundDoesNotHold) {
  const PrintedTasks wrong[] = {{"ps-dsf", {3, 6, 8, 8}, 1e-6}};
  Reproduction result;
  check_psdsf_figure(psdsf_figure({0.5, 1, 0}), wrong, {}, result);
  EXPECT_FALSE(finding_of(result, "tasks of user 1 under ps-dsf").holds);
  EXPECT_TRUE(finding_of(result, "tasks of user 2 under ps-dsf").holds);
}

}  // namespace
}  // namespace mirab::experiments
