// Table, JSON, CSV and page of simulations, for outcomes made by hand.

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "report/simulated.hpp"
#include "report/simulation/runs.hpp"

namespace mirab::report {
namespace {

using nlohmann::ordered_json;
using ::testing::ContainsRegex;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

struct SimulationTraffic {
  simulation::TrafficScenario scenario = test::traffic_scenario();
  simulation::TrafficOutcome outcome = test::traffic_outcome();
  TrafficRun run{"t.yaml", scenario, outcome};
};

struct SimulationReplay {
  explicit SimulationReplay(std::size_t samples = 2)
      : outcomes{test::replay_outcome("drf", samples), test::replay_outcome("fifo", samples)} {}

  simulation::TraceScenario scenario = test::trace_scenario();
  std::vector<simulation::ReplayOutcome> outcomes;
  ReplayRun run{"t.yaml", 7, scenario, outcomes.front().resources, outcomes};
};

struct Reallocation {
  simulation::ReallocationScenario scenario = test::reallocation_scenario();
  Problem cluster = test::slides();
  Workload workload = test::two_jobs();
  std::vector<simulation::ReallocationOutcome> outcomes = {test::reallocation_outcome("tsf")};
  ReallocationRun run{"r.yaml", scenario, cluster, workload, outcomes};
};

struct Demands {
  simulation::DemandSeriesScenario scenario = test::demands_scenario();
  simulation::DemandSeriesOutcome outcome = test::demands_outcome();
  DemandsRun run{"d.yaml", scenario, outcome};
};

TEST(TrafficReport, JsonHasAPointForEachLoadMechanismAndClass) {
  const SimulationTraffic traffic;
  const ordered_json json = simulation_json(traffic.run);
  EXPECT_EQ(json["kind"], "traffic");
  EXPECT_EQ(json["seed"], 7);
  ASSERT_EQ(json["points"].size(), 8U);
  EXPECT_EQ(json["points"][7].dump(),
            R"({"load":1.5,"mechanism":"pf","class":"b","service_rate":0.25,"interval":[0.24,0.26],)"
            R"("jobs":2.0,"stable":false,"settled":true})");
  EXPECT_EQ(json["points"][2]["settled"], false);
}

TEST(TrafficReport, JsonSaysWhatAnHonestClassClaims) {
  const SimulationTraffic traffic;
  const ordered_json classes = simulation_json(traffic.run)["classes"];
  EXPECT_EQ(classes[0]["claims"]["memory"], 0.5);
  EXPECT_EQ(classes[1]["claims"], classes[1]["demand"]);
}

TEST(TrafficReport, TableMarksTheLoadsThatCannotBeServed) {
  const std::string table = simulation_table(SimulationTraffic().run, 100);
  EXPECT_THAT(table, HasSubstr("\n0.5   a "));
  EXPECT_THAT(table, HasSubstr("\n1.5*  a "));
  EXPECT_THAT(table, HasSubstr("* more than the pool can serve"));
  EXPECT_THAT(table, HasSubstr("nothing is simulated there"));
}

TEST(TrafficReport, TableMarksTheIntervalsThatAreNotSettled) {
  SimulationTraffic traffic;
  const std::string table = simulation_table(traffic.run, 100);
  EXPECT_THAT(table, HasSubstr("0.0100  2.000   0.2500 0.0100†"));
  EXPECT_THAT(table, HasSubstr("\n† not settled"));
  for (auto& point : traffic.outcome.points) point.settled = true;
  EXPECT_THAT(simulation_table(traffic.run, 100), Not(HasSubstr("†")));
}

TEST(TrafficReport, SaysHowManyDivisionsDidNotConverge) {
  SimulationTraffic traffic;
  const std::string notice = "pf: 12 divisions did not converge";
  EXPECT_THAT(simulation_table(traffic.run, 100), HasSubstr("\nnote: " + notice));
  EXPECT_EQ(simulation_json(traffic.run)["notices"].size(), 1U);
  traffic.outcome.not_converged = {0, 0};
  EXPECT_THAT(simulation_table(traffic.run, 100), Not(HasSubstr("note: ")));
}

TEST(TrafficReport, TableSaysWhatItTellsOfPermanentJobs) {
  SimulationTraffic traffic;
  EXPECT_THAT(simulation_table(traffic.run, SIZE_MAX), HasSubstr("the permanent ones too"));
  traffic.scenario.classes[1].permanent = 0;
  EXPECT_THAT(simulation_table(traffic.run, SIZE_MAX), Not(HasSubstr("permanent")));
}

TEST(TrafficReport, TableBreaksIntoBlocksWhereItIsNarrow) {
  const SimulationTraffic traffic;
  EXPECT_THAT(simulation_table(traffic.run, 100), HasSubstr("drf"));
  const std::string narrow = simulation_table(traffic.run, 40);
  EXPECT_LT(narrow.find(" drf"), narrow.find(" pf"));
  EXPECT_NE(narrow.find("load"), narrow.rfind("load  class"));
}

TEST(TrafficReport, CsvHasARecordForEachPoint) {
  EXPECT_THAT(simulation_csv(SimulationTraffic().run),
              StartsWith("load,mechanism,class,service_rate,low,high,jobs,stable,settled\n"
                         "0.5,drf,a,0.25,0.24,0.26,2,true,true\n"));
  EXPECT_THAT(simulation_csv(SimulationTraffic().run), HasSubstr("0.5,pf,b,0.25,0.24,0.26,2,true,false\n"));
}

TEST(ReplayReport, JsonHasContendersWithUsersSummaryAndSeries) {
  const ordered_json json = simulation_json(SimulationReplay().run);
  EXPECT_EQ(json["kind"], "trace");
  EXPECT_EQ(json["scale"]["machines"], 0.5);
  ASSERT_EQ(json["contenders"].size(), 2U);
  const ordered_json& drf = json["contenders"][0];
  EXPECT_EQ(drf["discipline"], "drf");
  EXPECT_EQ(drf["summary"]["finished"], 8);
  EXPECT_EQ(drf["summary"]["waiting"]["p50"], 12.5);
  EXPECT_EQ(drf["summary"]["utilization"]["memory"], 0.25);
  EXPECT_TRUE(drf["summary"]["used"].is_null());
  EXPECT_EQ(drf["users"][0]["starved"], true);
  EXPECT_EQ(drf["series"][0]["name"], "waiting");
}

TEST(ReplayReport, OfJobsOfSeveralTasksTheTableSaysThatItCountsTasks) {
  SimulationReplay of_tasks;
  EXPECT_THAT(simulation_table(of_tasks.run, 100), Not(HasSubstr("a job of 4")));
  for (simulation::ReplayOutcome& outcome : of_tasks.outcomes)
    outcome.of_jobs = {
        .submitted = 3, .started = 2, .finished = 1, .waiting = {.count = 2, .mean = 90}, .completion = {}};
  const std::string text = simulation_table(of_tasks.run, 100);
  EXPECT_THAT(text, HasSubstr("tasks of 3 jobs"));
  EXPECT_THAT(text, HasSubstr("counts and times are of tasks, so that a job of 4 counts 4 times"));
  EXPECT_THAT(text, ContainsRegex("jobs started +2"));
  EXPECT_THAT(text, ContainsRegex("waiting of jobs, mean +90 s"));
}

TEST(ReplayReport, OfLongSeriesThePageKeepsEverySoManySamplesAndTheLast) {
  const SimulationReplay replay(100'001);
  const auto json =
      ordered_json::parse(simulation_html("__MIRAB_DATA__", replay.run, {"mirab simulate t.yaml"}));
  EXPECT_EQ(json["title"], "t.yaml");
  EXPECT_EQ(json["command"], "mirab simulate t.yaml");
  const ordered_json& times = json["contenders"][0]["times"];
  EXPECT_LE(times.size(), 2001U);
  EXPECT_EQ(times.front(), 0.0);
  EXPECT_EQ(times.back(), 100'000.0);
  EXPECT_EQ(json["contenders"][0]["series"][0]["values"], times);
}

TEST(ReplayReport, RowsThatSayNothingAreOneRow) {
  SimulationReplay replay;
  for (simulation::ReplayOutcome& outcome : replay.outcomes) {
    outcome.slowdown = simulation::quantiles_of({1, 1});
    outcome.waiting = simulation::quantiles_of({0, 0, 0, 30});
  }
  const std::string table = simulation_table(replay.run, 100);
  EXPECT_THAT(table, ContainsRegex("\nslowdown +1.00"));
  EXPECT_THAT(table, Not(HasSubstr("slowdown, mean")));
  EXPECT_THAT(table, HasSubstr("waiting of started, mean"));
  EXPECT_THAT(table, Not(HasSubstr("waiting of started, median")));
}

TEST(ReplayReport, TableShowsTimesThatPeopleRead) {
  const std::string table = simulation_table(SimulationReplay().run, 100);
  EXPECT_THAT(table, HasSubstr("12.5 s"));
  EXPECT_THAT(table, HasSubstr("2 h"));
  EXPECT_THAT(table, HasSubstr("starved"));
  EXPECT_THAT(table, HasSubstr("0.7500"));  // Jain's index, mean of 0.5 and 1
  EXPECT_THAT(table, HasSubstr("note: one machine was cut\n"));
  EXPECT_THAT(table, Not(HasSubstr("lost with a server")));
  EXPECT_LT(table.find("busy"), table.find("hungry"));  // most tasks first
}

TEST(ReplayReport, TableShowsWhatIsReallyUsedWhereTheWorkloadTellsIt) {
  SimulationReplay replay;
  EXPECT_THAT(simulation_table(replay.run, 100), Not(HasSubstr("cpu used")));
  for (simulation::ReplayOutcome& outcome : replay.outcomes) outcome.used = {0.0774, 0.0125};
  const std::string table = simulation_table(replay.run, 100);
  EXPECT_THAT(table, ContainsRegex("cpu granted +50.00% +50.00%\ncpu used +7.74% +7.74%\n"));
  EXPECT_THAT(table, ContainsRegex("memory used +1.25%"));
}

TEST(ReplayReport, TableSaysHowManyTasksTheWaitingIsOf) {
  SimulationReplay replay;
  EXPECT_THAT(simulation_table(replay.run, 100), Not(HasSubstr(" ran, ")));
  simulation::ReplayUser& busy = replay.outcomes.front().users[1];
  busy.started = 3;
  busy.waiting = {.count = 3};
  const std::string table = simulation_table(replay.run, 100);
  EXPECT_THAT(table, HasSubstr("3 ran, 0 s"));
  EXPECT_THAT(table, ContainsRegex("started +9 +9\n"));
  EXPECT_THAT(table, ContainsRegex("waiting of started, mean +30 s"));
}

TEST(ReplayReport, TableSaysWhichRuntimesTheTraceCut) {
  SimulationReplay replay;
  replay.outcomes.front().cut = 4;
  EXPECT_THAT(simulation_table(replay.run, 100), ContainsRegex("runtime cut by the trace +4 +0\n"));
}

TEST(ReplayReport, TableHasTheUnfairnessAsAPartOfTheClusterAndInShareSeconds) {
  SimulationReplay replay;
  replay.outcomes.front().unfairness = 36;  // of 3600 s
  const std::string table = simulation_table(replay.run, 100);
  EXPECT_THAT(table, ContainsRegex("unfairness, mean +1.00% +0.00%\n"));
  EXPECT_THAT(table, ContainsRegex("unfairness, share·s +36.0000 +0.0000\n"));
}

TEST(ReplayReport, CsvHasARecordForEachContenderAndUser) {
  const std::string csv = simulation_csv(SimulationReplay().run);
  EXPECT_THAT(csv, HasSubstr("\nfifo,best-fit,busy,9,9,0,0.25,false,30,0,12.5,90,7200,7200,"));
}

TEST(ReallocationReport, JsonSumsJobsAndServers) {
  const ordered_json json = simulation_json(Reallocation().run);
  EXPECT_EQ(json["kind"], "reallocation");
  EXPECT_EQ(json["interval"], 300.0);
  const ordered_json& tsf = json["contenders"][0];
  EXPECT_EQ(tsf["status"], "converged");
  EXPECT_EQ(tsf["summary"]["completed"], 1);
  EXPECT_EQ(tsf["summary"]["work"], 100.0);
  EXPECT_EQ(tsf["summary"]["done"], 75.0);
  EXPECT_EQ(tsf["summary"]["completion"]["p50"], 30.0);
  EXPECT_EQ(tsf["summary"]["utilization"]["cpu"], 0.5);
  EXPECT_EQ(tsf["servers"][0]["series"][1].dump(), R"({"name":"memory","values":[0.25,0.5]})");
}

TEST(ReallocationReport, TableSaysWhatDidNotConverge) {
  Reallocation reallocation;
  EXPECT_THAT(simulation_table(reallocation.run, 100), Not(HasSubstr("NOT CONVERGED")));
  reallocation.outcomes.front().not_converged = 1;
  EXPECT_THAT(simulation_table(reallocation.run, 100), HasSubstr("NOT CONVERGED"));
}

TEST(ReallocationReport, CsvHasARecordForEachServerResourceAndTime) {
  EXPECT_EQ(simulation_csv(Reallocation().run),
            "mechanism,server,count,resource,time,used\n"
            "tsf,pool,1,cpu,300,0.5\n"
            "tsf,pool,1,cpu,600,0.75\n"
            "tsf,pool,1,memory,300,0.25\n"
            "tsf,pool,1,memory,600,0.5\n");
}

TEST(DemandsReport, JsonHasSeriesAndTheirMeans) {
  const ordered_json json = simulation_json(Demands().run);
  EXPECT_EQ(json["kind"], "demands");
  EXPECT_EQ(json["times"].dump(), "[0.0,1.0]");
  const ordered_json& drf = json["contenders"][0];
  EXPECT_EQ(drf["summary"]["granted cpu"], 0.75);
  EXPECT_EQ(drf["summary"]["tasks"], 4.0);
  EXPECT_EQ(drf["users"][0]["bundle"][1].dump(), R"({"name":"ram","values":[3.0,4.0]})");
}

TEST(DemandsReport, TableShowsMeansAndLeavesOutWhatIsNotMeasured) {
  const std::string table = simulation_table(Demands().run, 100);
  EXPECT_THAT(table, HasSubstr("5 users on 2 servers"));
  EXPECT_THAT(table, HasSubstr("0.7500"));
  EXPECT_THAT(table, Not(HasSubstr("jain")));
}

TEST(DemandsReport, CsvHasARecordForEachSeriesAndIteration) {
  EXPECT_THAT(simulation_csv(Demands().run), HasSubstr("\ndrf,granted ram,1,0.75\n"));
}

}  // namespace
}  // namespace mirab::report
