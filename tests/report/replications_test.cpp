// Several runs of a scenario, made by hand: every run, and how far the summary is spread over them.

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "report/simulated.hpp"
#include "report/simulation/runs.hpp"

namespace mirab::report {
namespace {

using nlohmann::ordered_json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

/// Three runs with the rates 0.2, 0.3 and 0.7. Their mean is 0.4, s² = (0.04 + 0.01 + 0.09) / 2 = 0.07, and
/// Student's quantile of 95 % with two degrees of freedom 4.302653: the half width is
/// 4.302653 · √(0.07 / 3) = 0.657242.
constexpr double kRates[] = {0.2, 0.3, 0.7};
constexpr double kHalf = 0.657242;

struct Traffic {
  Traffic() {
    for (std::size_t i = 0; i < 3; ++i) {
      outcomes.push_back(test::traffic_outcome());
      outcomes[i].seed = 11 + i;
      outcomes[i].points.front().service_rate = kRates[i];
    }
    for (const simulation::TrafficOutcome& outcome : outcomes) runs.push_back({"t.yaml", scenario, outcome});
  }

  simulation::TrafficScenario scenario = test::traffic_scenario();
  std::vector<simulation::TrafficOutcome> outcomes;
  std::vector<TrafficRun> runs;
};

struct Replay {
  Replay() {
    for (const double factor : {1.0, 3.0}) {
      outcomes.push_back({test::replay_outcome("drf", 2), test::replay_outcome("fifo", 2)});
      for (simulation::ReplayOutcome& outcome : outcomes.back()) {
        outcome.waiting.mean *= factor;
        outcome.users.front().name = "a\n\"b\"";
      }
    }
    for (const auto& outcome : outcomes) {
      runs.push_back({"t.yaml", 7 + 2 * runs.size(), scenario, outcome.front().resources, outcome});
    }
  }

  simulation::TraceScenario scenario = test::trace_scenario();
  std::vector<std::vector<simulation::ReplayOutcome>> outcomes;
  std::vector<ReplayRun> runs;
};

TEST(Replications, TheSpreadHasTheValueOfEveryRun) {
  const Traffic traffic;
  EXPECT_EQ(replications_json(traffic.runs)["spread"][0]["values"], ordered_json({0.2, 0.3, 0.7}));
}

TEST(Replications, ThePageShowsTheFirstRunAndTheSpreadOfAll) {
  const Replay replay;
  const PageOrigin origin{.command = "mirab simulate t.yaml", .made = "mirab 0, today"};
  const ordered_json page = ordered_json::parse(replications_html("__MIRAB_DATA__", replay.runs, origin));
  EXPECT_EQ(page["kind"], "trace");
  EXPECT_EQ(page["seed"], 7);
  EXPECT_EQ(page["seeds"], ordered_json({7, 9}));
  EXPECT_EQ(page["made"], "mirab 0, today");
  EXPECT_EQ(page["spread"], replications_json(replay.runs)["spread"]);
  const ordered_json alone =
      ordered_json::parse(replications_html("__MIRAB_DATA__", std::vector{replay.runs.front()}, origin));
  EXPECT_FALSE(alone.contains("seeds"));
  EXPECT_FALSE(alone.contains("spread"));
}

TEST(Replications, TheIntervalIsTheOneByHand) {
  const Traffic traffic;
  const ordered_json json = replications_json(traffic.runs);
  const ordered_json& first = json["spread"][0];
  EXPECT_DOUBLE_EQ(first["mean"].get<double>(), 0.4);
  EXPECT_NEAR(first["interval"][0].get<double>(), 0.4 - kHalf, 1e-6);
  EXPECT_NEAR(first["interval"][1].get<double>(), 0.4 + kHalf, 1e-6);
  EXPECT_EQ(json["spread"][1]["interval"].dump(), "[0.25,0.25]");
}

TEST(Replications, JsonHasEveryRunAsItIsAlone) {
  const Traffic traffic;
  const ordered_json json = replications_json(traffic.runs);
  EXPECT_EQ(json["version"], 1);
  EXPECT_EQ(json["kind"], "traffic");
  EXPECT_EQ(json["seeds"].dump(), "[11,12,13]");
  ASSERT_EQ(json["runs"].size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(json["runs"][i], simulation_json(traffic.runs[i]));
}

TEST(Replications, ARateIsOfALoadAMechanismAndAClass) {
  const ordered_json json = replications_json(Traffic().runs);
  ASSERT_EQ(json["spread"].size(), 8U);
  const ordered_json& last = json["spread"][7];
  EXPECT_EQ(last["load"], 1.5);
  EXPECT_EQ(last["mechanism"], "pf");
  EXPECT_EQ(last["class"], "b");
  EXPECT_EQ(last["figure"], "service_rate");
}

TEST(Replications, OfATraceAreWhatStartedHowFairlyHowLongAndUtilization) {
  const ordered_json json = replications_json(Replay().runs);
  ASSERT_EQ(json["spread"].size(), 16U);
  const auto entry = [&](std::size_t i) { return json["spread"][i]; };
  EXPECT_EQ(entry(0)["figure"], "started");
  EXPECT_EQ(entry(1)["figure"], "starved_users");
  EXPECT_EQ(entry(2)["figure"], "mean_unfairness");
  EXPECT_EQ(entry(3)["figure"], "waiting");
  EXPECT_EQ(entry(3)["placement"], "best-fit");
  EXPECT_EQ(entry(3)["mean"], 60);
  EXPECT_EQ(entry(4)["figure"], "slowdown");
  EXPECT_EQ(entry(5)["figure"], "unfairness");
  EXPECT_EQ(entry(7)["figure"], "utilization");
  EXPECT_EQ(entry(7)["resource"], "memory");
  EXPECT_EQ(entry(7)["mean"], 0.25);
  EXPECT_EQ(entry(8)["discipline"], "fifo");
}

TEST(Replications, OfDemandsAreTheMeansOverTheIterations) {
  const simulation::DemandSeriesScenario scenario = test::demands_scenario();
  const simulation::DemandSeriesOutcome one = test::demands_outcome();
  simulation::DemandSeriesOutcome other = one;
  other.mechanisms.front().tasks = {7, 9};
  const std::vector<DemandsRun> runs = {{"d.yaml", scenario, one}, {"d.yaml", scenario, other}};
  const ordered_json json = replications_json(runs);
  EXPECT_EQ(json["kind"], "demands");
  for (const ordered_json& entry : json["spread"]) {
    const std::string figure = entry["figure"];
    const double sum = json["runs"][0]["contenders"][0]["summary"][figure].get<double>() +
                       json["runs"][1]["contenders"][0]["summary"][figure].get<double>();
    EXPECT_DOUBLE_EQ(entry["mean"].get<double>(), sum / 2) << figure;
  }
  EXPECT_THAT(replications_table(runs, 80), HasSubstr("6.0000 ± "));  // tasks: 4 and 8
}

TEST(Replications, OfAnOverlayAreTheRunsOfAllSeedsInOneListAndEveryFigure) {
  const simulation::OverlayScenario scenario = test::overlay_scenario();
  const Problem cluster = test::slides();
  const std::vector<simulation::OverlayRun> one = test::overlay_runs();
  std::vector<simulation::OverlayRun> other = one;
  other[1].ticks = 600;
  for (simulation::OverlayRun& run : other) run.seed = 8;
  const std::vector<OverlayRuns> runs = {{"o.yaml", 7, scenario, cluster, one},
                                         {"o.yaml", 8, scenario, cluster, other}};
  const ordered_json json = replications_json(runs);
  EXPECT_EQ(json["kind"], "overlay");
  EXPECT_EQ(json["seeds"].dump(), "[7,8]");
  ASSERT_EQ(json["runs"].size(), 4U);
  EXPECT_EQ(json["runs"][3], simulation_json(runs[1])["runs"][1]);
  const auto mean_of_figure = [&](const std::string& figure) {
    for (const ordered_json& entry : json["spread"]) {
      if (entry["scheduler"] == "pdgdrf:hops=9" && entry["figure"] == figure)
        return entry["mean"].get<double>();
    }
    return -1.0;
  };
  EXPECT_EQ(mean_of_figure("ticks"), 500);
  EXPECT_DOUBLE_EQ(mean_of_figure("ratio"), (0.5 + 0.75) / 2);
  EXPECT_DOUBLE_EQ(mean_of_figure("wrong"), 0.025);
  EXPECT_THAT(replications_table(runs, 80), HasSubstr("0.6250 ± 1.5883"));  // 0.125 · 12.7062
  EXPECT_THAT(replications_csv(runs), HasSubstr("\n8,pdgdrf:hops=9,0.0561,"));
}

TEST(Replications, WhatIsTrueOfAllIsNotedOnceAndABrokenPromiseWithItsSeed) {
  const simulation::OverlayScenario scenario = test::overlay_scenario();
  const Problem cluster = test::slides();
  std::vector<simulation::OverlayRun> broken = test::overlay_runs();
  std::vector<simulation::OverlayRun> kept = broken;
  for (simulation::OverlayRun& run : kept) {
    run.violation_count = 0;
    run.violations.clear();
  }
  const std::vector<OverlayRuns> runs = {{"o.yaml", 7, scenario, cluster, kept},
                                         {"o.yaml", 8, scenario, cluster, broken}};
  const auto json = replications_json(runs);
  ASSERT_EQ(json["notices"].size(), notices_of(runs[1]).size());
  EXPECT_EQ(json["notices"].back(), "seed 8: " + notices_of(runs[1]).back());
  EXPECT_THAT(replications_table(runs, 100),
              HasSubstr("note: seed 8: pdgdrf:hops=9: 2 promises were broken"));
}

TEST(Replications, TheTableHasAMeanAndHalfAnIntervalForEachContender) {
  const Traffic traffic;
  const std::string table = replications_table(traffic.runs, 80);
  EXPECT_THAT(table, StartsWith("t.yaml: seeds 11 to 13\n"));
  EXPECT_THAT(table, HasSubstr("mean of 3 runs              drf               pf\n"));
  EXPECT_THAT(table, HasSubstr("0.5 a           0.4000 ± 0.6572  0.2500 ± 0.0000\n"));
  EXPECT_THAT(replications_table(Replay().runs, 80),
              AllOf(StartsWith("t.yaml: seeds 7, 9\n"), HasSubstr("memory granted"), Not(HasSubstr("busy"))));
}

TEST(Replications, CsvHasTheSeedBeforeEveryRecordOfItsRun) {
  const Traffic traffic;
  const std::string csv = replications_csv(traffic.runs);
  EXPECT_THAT(csv, StartsWith("seed,load,mechanism,class,service_rate,low,high,jobs,stable,settled\n"
                              "11,0.5,drf,a,0.2,"));
  EXPECT_THAT(csv, HasSubstr("\n12,0.5,drf,a,0.3,"));
  EXPECT_THAT(csv, Not(HasSubstr("12,load")));
}

TEST(Replications, ALineBreakInAFieldOfTheCsvEndsNoRecord) {
  const std::string csv = replications_csv(Replay().runs);
  EXPECT_THAT(csv, HasSubstr("\n7,drf,best-fit,\"a\n\"\"b\"\"\",1,"));
  EXPECT_THAT(csv, HasSubstr("\n9,fifo,best-fit,\"a\n\"\"b\"\"\",1,"));
}

}  // namespace
}  // namespace mirab::report
