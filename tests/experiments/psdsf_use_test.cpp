// Paper 001 (Ravi Kiran and Srinuvas), "Adjusting the resource utilization": the experiments on how much is
// used, and on how long it takes to decide.
#include <algorithm>
#include <gtest/gtest.h>

#include "lab/experiments/registry.hpp"

namespace mirab::experiments {
namespace {

Reproduction quick_run(const Experiment& experiment, int threads = 1) {
  return reproduce(experiment, {.seed = 1, .threads = threads, .effort = Effort::quick, .progress = {}});
}

const Finding& psdsf_use_finding(const Reproduction& result, std::string_view what) {
  const auto found = std::find_if(result.findings.begin(), result.findings.end(), [&](const Finding& one) {
    return one.what.find(what) != std::string::npos;
  });
  EXPECT_NE(found, result.findings.end()) << what;
  return found == result.findings.end() ? result.findings.front() : *found;
}

void expect_same(const Reproduction& one, const Reproduction& other) {
  ASSERT_EQ(one.findings.size(), other.findings.size());
  for (std::size_t f = 0; f < one.findings.size(); ++f) {
    EXPECT_EQ(one.findings[f].what, other.findings[f].what);
    EXPECT_EQ(one.findings[f].ours, other.findings[f].ours);
  }
  for (std::size_t f = 0; f < one.figures.size(); ++f) {
    for (std::size_t c = 0; c < one.figures[f].curves.size(); ++c)
      EXPECT_EQ(one.figures[f].curves[c].y, other.figures[f].curves[c].y);
  }
}

TEST(PsdsfBitbrains, UseOfAllServersFallsAsAlphaGrowsAndPsDsfUsesNoLessThanDrfhAndTsf) {
  const Reproduction result = quick_run(psdsf_bitbrains_row());
  for (const Finding& one : result.findings) {
    if (one.what.find("all servers together") == std::string::npos) continue;
    EXPECT_TRUE(one.holds || one.undecided) << one.what << ": " << one.ours;
  }
  EXPECT_GT(
      psdsf_use_finding(result, "cpu, all servers together: use under ps-dsf not less than under drfh").ours,
      0.05);
}

// The paper's measure; that memory is full under all mechanisms is no finding.
TEST(PsdsfBitbrains, ByMeansOverServersPsDsfUsesLessThanDrfhAndTheReasonIsTold) {
  const Reproduction result = quick_run(psdsf_bitbrains_row());
  const Finding& less =
      psdsf_use_finding(result, "cpu, mean over servers: use under ps-dsf not less than under drfh");
  EXPECT_FALSE(less.holds);
  EXPECT_NE(less.note.find("leave open"), std::string::npos);
  EXPECT_EQ(result.verdict, Verdict::differs);
  for (const Finding& one : result.findings) EXPECT_FALSE(one.what.starts_with("memory"));
}

TEST(PsdsfBitbrains, TheNumberOfThreadsChangesNothing) {
  expect_same(quick_run(psdsf_bitbrains_row(), 1), quick_run(psdsf_bitbrains_row(), 3));
}

TEST(PsdsfGoogle, EveryDivisionHasItsCertificate) {
  const Reproduction result = quick_run(psdsf_google_row());
  EXPECT_TRUE(psdsf_use_finding(result, "divisions without their certificate").holds);
  EXPECT_NE(psdsf_use_finding(result, "jobs anywhere, cpu: use under ps-dsf not less than under drfh").ours,
            0)
      << "a cluster that is loaded";
  for (const Figure& figure : result.figures) {
    ASSERT_EQ(figure.curves.size(), 5U);
    for (const Curve& curve : figure.curves) {
      EXPECT_EQ(curve.x.size(), 6U);
      for (const double use : curve.y) {
        EXPECT_GE(use, 0);
        EXPECT_LE(use, 1 + 1e-9);
      }
    }
  }
}

TEST(PsdsfGoogle, TheNumberOfThreadsChangesNothing) {
  expect_same(quick_run(psdsf_google_row(), 1), quick_run(psdsf_google_row(), 3));
}

TEST(PsdsfTime, TellsSecondsOfEveryMechanismAtBothSizes) {
  const Reproduction result = quick_run(psdsf_time_row());
  EXPECT_TRUE(psdsf_use_finding(result, "without their certificate").holds);
  for (const std::string_view what : {"ps-dsf, 120 servers", "alpha-pf-vds:alpha=1, 120 servers",
                                      "ps-dsf, 240 servers", "alpha-pf-vds:alpha=3, 240 servers"})
    EXPECT_GT(psdsf_use_finding(result, std::string("seconds of ").append(what)).ours, 0);
  ASSERT_EQ(result.tables.size(), 2U);
  EXPECT_EQ(result.tables[1].rows.size(), 2U) << "growth with α is reported, and decides nothing";
}

}  // namespace
}  // namespace mirab::experiments
