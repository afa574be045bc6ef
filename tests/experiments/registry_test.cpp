#include <gtest/gtest.h>
#include <set>

#include <mirab/experiments/experiment.hpp>

namespace mirab::experiments {
namespace {

TEST(ExperimentsTable, EveryExperimentHasANameOfItsOwn) {
  std::set<std::string_view> seen;
  for (const Experiment& experiment : experiments())
    EXPECT_TRUE(seen.insert(experiment.id).second) << experiment.id;
}

TEST(Verdict, AgreesOnlyWherePrintedNumbersHold) {
  EXPECT_EQ(verdict_of(std::vector<Finding>{{.what = "a", .printed = 1.0, .ours = 1, .holds = true}}),
            Verdict::agrees);
  EXPECT_EQ(verdict_of(std::vector<Finding>{{.what = "a", .ours = 1, .holds = true}}), Verdict::shape_agrees);
  EXPECT_EQ(verdict_of(std::vector<Finding>{{.what = "a", .printed = 1.0, .ours = 1, .holds = true},
                                            {.what = "b", .ours = 1, .holds = false}}),
            Verdict::differs);
}

}  // namespace
}  // namespace mirab::experiments
