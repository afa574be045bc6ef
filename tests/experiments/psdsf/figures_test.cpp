// Paper 001, figures 1 and 2.
#include <gtest/gtest.h>

#include "experiments/expect.hpp"
#include "lab/experiments/psdsf/clusters.hpp"

namespace mirab::experiments {
namespace {

// With 0 to 3 CPUs of user 1 and 0 to 1 of user 2 the printed tasks stay. Figure 1, on 20 CPUs: DRFH runs 3
// and 3 of them where PS-DSF runs 2 and 6, so it uses from 3/20 less to 3/20 more.
void expect_all_but_cpus(const Reproduction& result) {
  EXPECT_EQ(result.verdict, Verdict::undecided) << "the demands were chosen";
  for (const Finding& finding : result.findings) {
    const bool of_cpus = finding.what.starts_with("use of cpu");
    EXPECT_EQ(finding.undecided, of_cpus) << finding.what;
    EXPECT_EQ(finding.holds, !of_cpus) << finding.what;
    if (finding.what.ends_with("under drfh") && of_cpus) {
      EXPECT_TRUE(finding.note.starts_with("-0.15 to 0.15")) << finding.note;
    }
  }
}

TEST(PsDsfFigures, FigureOneHasThePrintedTasksUnderThreeMechanisms) {
  const Reproduction result = quick("psdsf-fig1");
  expect_all_but_cpus(result);
  EXPECT_NEAR(finding_of(result, "tasks of user 2 under ps-dsf").ours, 6, 1e-6);
  EXPECT_NEAR(finding_of(result, "tasks of user 2 under drfh").ours, 3, 1e-6);
  EXPECT_NEAR(finding_of(result, "tasks of user 2 under tsf").ours, 5, 1e-6);
}

TEST(PsDsfFigures, FigureTwoHasThePrintedVirtualDominantShares) {
  const Reproduction result = quick("psdsf-fig2");
  expect_all_but_cpus(result);
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
