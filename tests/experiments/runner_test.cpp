#include <gmock/gmock.h>
#include <string>
#include <vector>

#include "lab/experiments/experiment.hpp"

namespace mirab::experiments {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<std::string> chosen(const std::vector<std::string>& names) {
  const Result<std::vector<Experiment>> experiments = choose_experiments(names);
  if (!experiments) return {experiments.error().message};
  std::vector<std::string> ids;
  for (const Experiment& experiment : *experiments) ids.emplace_back(experiment.id);
  return ids;
}

TEST(ChooseExperiments, NamesPickInTheOrderOfTheTableEachOnce) {
  EXPECT_THAT(chosen({"slides-two-servers", "slides-table1", "slides-two-servers"}),
              ElementsAre("slides-table1", "slides-two-servers"));
}

TEST(ChooseExperiments, ABeginningWithAStarPicksAllThatBeginSo) {
  EXPECT_THAT(chosen({"slides-*"}),
              ElementsAre("slides-table1", "slides-comparison", "slides-properties", "slides-two-servers"));
  EXPECT_THAT(chosen({"psdsf-f*", "slides-table1"}),
              ElementsAre("psdsf-fig1", "psdsf-fig2", "slides-table1"));
  EXPECT_EQ(chosen({"*"}).size(), experiments().size());
}

TEST(ChooseExperiments, ANameThatPicksNoneIsAnErrorWithTheNearest) {
  EXPECT_THAT(chosen({"slides-table1", "slides-tabel1"}),
              ElementsAre("there is no experiment 'slides-tabel1'; did you mean slides-table1?"));
  EXPECT_THAT(chosen({"zzz-*"}),
              ElementsAre("no experiment begins with 'zzz-'; 'mirab reproduce --list' lists them"));
  EXPECT_THAT(chosen({""}), ElementsAre(HasSubstr("there is no experiment ''")));
}

Reproduction one_finding(const RunOptions& options) {
  return {.id = {},
          .data = {},
          .findings = {{.what = "the seed", .ours = static_cast<double>(options.seed), .holds = true}}};
}

TEST(Reproduce, FillsInIdDataAndVerdict) {
  const Experiment experiment{
      .id = "mine", .paper = "p", .title = "t", .data = "stand-in: mine", .run = one_finding};
  const Reproduction result = reproduce(experiment, {.seed = 7});
  EXPECT_EQ(result.id, "mine");
  EXPECT_EQ(result.data, "stand-in: mine");
  EXPECT_EQ(result.verdict, Verdict::shape_agrees);
  EXPECT_EQ(result.findings.front().ours, 7);
}

Reproduction own_data(const RunOptions& options) {
  Reproduction result = one_finding(options);
  result.data = "stand-in: 94 minutes of it";
  return result;
}

TEST(Reproduce, KeepsTheDataThatTheExperimentTells) {
  const Experiment experiment{
      .id = "mine", .paper = "p", .title = "t", .data = kAsPublished, .run = own_data};
  EXPECT_EQ(reproduce(experiment, {}).data, "stand-in: 94 minutes of it");
}

Reproduction nothing(const RunOptions&) { return {}; }

TEST(ReproduceDeath, AnExperimentWithoutFindingsIsBroken) {
  const Experiment experiment{.id = "mine", .paper = "p", .title = "t", .data = kAsPublished, .run = nothing};
  EXPECT_DEATH(reproduce(experiment, {}), "finds something");
}

Finding finding(bool holds) { return {.what = "w", .ours = 1, .holds = holds}; }
Finding printed(bool holds) { return {.what = "w", .printed = 1, .ours = 1, .holds = holds}; }
Finding corrected_finding() {
  return {.what = "w", .printed = 1, .ours = 2, .holds = true, .note = "a slip", .corrected = true};
}

TEST(Verdict, AgreesWhenAllHoldsAndNumbersArePrinted) {
  EXPECT_EQ(verdict_of(std::vector{finding(true), printed(true)}), Verdict::agrees);
}

TEST(Verdict, OnlyTheShapeAgreesWithoutPrintedNumbersOrOnOtherDataOrWithASlip) {
  EXPECT_EQ(verdict_of(std::vector{finding(true)}), Verdict::shape_agrees);
  EXPECT_EQ(verdict_of(std::vector{printed(true)}, "stand-in: another trace"), Verdict::shape_agrees);
  EXPECT_EQ(verdict_of(std::vector{printed(true), corrected_finding()}), Verdict::shape_agrees);
}

TEST(Verdict, DiffersWhenAnythingDoesNotHold) {
  EXPECT_EQ(verdict_of(std::vector{printed(true), finding(false)}), Verdict::differs);
  EXPECT_EQ(verdict_of(std::vector{printed(false), corrected_finding()}, "stand-in: another trace"),
            Verdict::differs);
}

TEST(Verdict, IsUndecidedWhenNothingFailsAndAnIntervalHasBothSides) {
  Finding open = finding(false);
  open.undecided = true;
  EXPECT_EQ(verdict_of(std::vector{printed(true), open}), Verdict::undecided);
  EXPECT_EQ(verdict_of(std::vector{printed(true), open, finding(false)}), Verdict::differs);
}

TEST(Verdict, HasAWord) {
  EXPECT_EQ(verdict_name(Verdict::undecided), "undecided");
  EXPECT_EQ(verdict_name(Verdict::agrees), "agrees");
  EXPECT_EQ(verdict_name(Verdict::shape_agrees), "shape agrees");
  EXPECT_EQ(verdict_name(Verdict::differs), "differs");
}

}  // namespace
}  // namespace mirab::experiments
