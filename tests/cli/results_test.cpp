// What the program says about the papers' examples, through the formats that other programs read.

#include <fstream>
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>
#include <regex>
#include <string>
#include <vector>

#include <mirab/model/workload_file.hpp>

#include "cli/shell.hpp"

namespace mirab {
namespace {

using nlohmann::json;
using test::Ran;
using test::shell;
using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

std::vector<double> tasks_of(const json& outcome) {
  std::vector<double> tasks;
  for (const json& user : outcome["users"]) tasks.push_back(user["tasks"]);
  return tasks;
}

/// The text without what a clock says.
std::string without_times(const std::string& text) {
  return std::regex_replace(text, std::regex("\"seconds\": *[^,}]+|time +[^\n]+"), "…");
}

TEST(Results, TheSlidesExampleHasThePrintedTasks) {  // the slides on DRF, asset fairness and CEEI
  const Ran ran = shell("mirab allocate examples/textbook.yaml -m drf -m asset -m ceei --format json");
  ASSERT_EQ(ran.status, 0) << ran.err;
  const json result = json::parse(ran.out);
  EXPECT_EQ(result["version"], 1);
  EXPECT_THAT(tasks_of(result["outcomes"][0]), ElementsAre(DoubleNear(3, 1e-9), DoubleNear(2, 1e-9)));
  EXPECT_THAT(tasks_of(result["outcomes"][1]), ElementsAre(DoubleNear(2.52, 1e-9), DoubleNear(2.16, 1e-9)));
  EXPECT_THAT(tasks_of(result["outcomes"][2]),
              ElementsAre(DoubleNear(45.0 / 11, 1e-6), DoubleNear(18.0 / 11, 1e-6)));
}

TEST(Results, ProgressiveFillingServesBAABAWhenTheLastDeclaredWinsTies) {  // the slides, table 1
  const Ran ran = shell("mirab fill examples/textbook.yaml -d drf --tie last --trace --format json");
  ASSERT_EQ(ran.status, 0) << ran.err;
  const json result = json::parse(ran.out);
  std::string order;
  for (const json& step : result["outcomes"][0]["steps"]) order += step["user"].get<std::string>();
  EXPECT_EQ(order, "BAABA");
}

// mathematics.md, section 12, by the slides' own cluster of asset fairness.
TEST(Results, TheAuditNamesWhoLosesAndByHowMuch) {
  const TemporaryFolder folder;
  const std::string cluster = folder.write(
      "asset.yaml",
      "resources: [cpu, memory]\n"
      "servers: [{name: pool, capacity: {cpu: 30, memory: 30}}]\n"
      "users: [{name: A, demand: {cpu: 1, memory: 3}}, {name: B, demand: {cpu: 1, memory: 1}}]\n");
  const Ran ran =
      shell("mirab audit " + cluster + " -m asset -m drf --properties sharing-incentive --format json");
  ASSERT_EQ(ran.status, 0) << ran.err;
  const json result = json::parse(ran.out);
  const json asset = result["outcomes"][0]["properties"][0];
  EXPECT_FALSE(asset["holds"].get<bool>());
  EXPECT_EQ(asset["scope"], "instance");
  EXPECT_EQ(asset["witness"]["user"], "B");
  EXPECT_NEAR(asset["witness"]["tasks"].get<double>(), 12, 1e-9);
  EXPECT_NEAR(asset["witness"]["alone"].get<double>(), 15, 1e-9);
  EXPECT_TRUE(result["outcomes"][1]["properties"][0]["holds"].get<bool>());
}

TEST(Results, AWitnessIsAClusterFileThatShowsTheViolationAgain) {
  const TemporaryFolder folder;
  const std::string out = folder.path("witnesses");
  ASSERT_EQ(shell("mirab audit --random 200 -m asset --properties sharing-incentive,resource-monotonicity "
                  "--witness-dir " +
                  out)
                .status,
            0);
  const Ran again = shell("mirab audit " + out + "/asset-sharing-incentive.yaml -m asset --format csv");
  ASSERT_EQ(again.status, 0) << again.err;
  EXPECT_THAT(again.out, HasSubstr("asset,sharing-incentive,fails"));
  EXPECT_THAT(shell("cat " + out + "/*.yaml").out, Not(HasSubstr(out))) << "does not depend on the folder";
  EXPECT_EQ(shell("mirab diff " + out + "/asset-resource-monotonicity.yaml " + out +
                  "/asset-resource-monotonicity-changed.yaml -m asset")
                .status,
            0);
}

TEST(Results, TheAuditIsTheSameWithAnyNumberOfThreads) {
  const std::string command = "mirab audit examples/team-cluster.yaml --budget 500 --seed 4 --threads ";
  EXPECT_EQ(shell(command + "1").out, shell(command + "3").out);
}

TEST(Results, EveryDisciplineIsCombinedWithEveryPlacement) {
  const Ran ran =
      shell("mirab fill examples/textbook.yaml -d drf -d fifo -p first-fit -p worst-fit --format json");
  std::vector<std::string> labels;
  const json result = json::parse(ran.out);
  for (const json& outcome : result["outcomes"]) labels.push_back(outcome["label"]);
  EXPECT_THAT(labels, ElementsAre("drf/first-fit", "drf/worst-fit", "fifo/first-fit", "fifo/worst-fit"));
}

TEST(Results, ADisciplineThatChoosesServersItselfIsRunOnceAndSaysSo) {
  const auto outcomes = [](const std::string& line) {
    std::vector<std::string> labels;
    const json result = json::parse(shell("mirab " + line + " --format json").out);
    for (const json& outcome : result["outcomes"])
      labels.push_back(outcome["label"].get<std::string>() + ": " + outcome["notices"].dump());
    return labels;
  };
  EXPECT_THAT(
      outcomes("fill examples/psdsf-fig1.yaml -d mrfs -d fifo -p worst-fit -p random"),
      ElementsAre("mrfs/mrfs: [\"servers are chosen by the discipline itself, not by worst-fit or random\"]",
                  "fifo/worst-fit: []", "fifo/random: []"));
  EXPECT_THAT(outcomes("fill examples/psdsf-fig1.yaml -d mrfs"), ElementsAre("mrfs/mrfs: []"));
  EXPECT_THAT(outcomes("allocate examples/psdsf-fig1.yaml --fill mrfs/best-fit"),
              ElementsAre("mrfs/mrfs: [\"servers are chosen by the discipline itself, not by best-fit\"]"));
}

TEST(Results, TheMechanismIsNamedAsItWasAskedFor) {
  const json result =
      json::parse(shell("mirab allocate examples/textbook.yaml -m alpha-fair:alpha=2 --format json").out);
  EXPECT_EQ(result["outcomes"][0]["mechanism"], "alpha-fair:alpha=2");
}

TEST(Results, ServersAreCountedAndClassesMerged) {
  const json result =
      json::parse(shell("mirab allocate examples/google2011-park.yaml -m drf --format json").out);
  EXPECT_EQ(result["problem"]["servers"], 12477);
  EXPECT_EQ(result["problem"]["server_classes"], 10);
  EXPECT_EQ(result["problem"]["users"], 519);
}

TEST(Results, TheSameSeedGivesTheSameBytesButForTimes) {
  for (const std::string format : {"table", "json", "csv"}) {
    const std::string line =
        "mirab allocate examples/google2011-100x20.yaml -m drf -m pf --fill drf/random --tie random"
        " --seed 7 --format " +
        format;
    EXPECT_EQ(without_times(shell(line).out), without_times(shell(line).out)) << format;
  }
}

TEST(Results, AnotherSeedDrawsOtherServers) {
  const std::string line =
      "mirab fill examples/google2011-100x20.yaml -d drf -p random --trace --format json --seed ";
  EXPECT_NE(json::parse(shell(line + "1").out)["outcomes"][0]["steps"],
            json::parse(shell(line + "2").out)["outcomes"][0]["steps"]);
}

TEST(Results, TheResultIsTheSameWithAnyNumberOfThreads) {
  const json registry = json::parse(shell("mirab mechanisms --format json").out);
  for (const json& row : registry["mechanisms"]) {
    if (!row["rule"]) continue;
    std::string mechanism = row["name"];
    for (const json& option : row["options"]) {
      if (option["default"].is_null()) mechanism += ":" + option["name"].get<std::string>() + "=2";
    }
    const bool one_server = !row["accepts"]["several_servers"];
    const std::string cluster = one_server ? "examples/textbook.yaml" : "examples/google2011-100x20.yaml";
    for (const std::string command : {"allocate", "explain", "diff"}) {
      const std::string user = command != "explain" ? "" : one_server ? " A" : " u-hkINq4LO";
      const std::string line = "mirab " + command + " " + cluster + user + " -m " + mechanism +
                               (command == "diff" ? " -m drf" : "") + " --format json --threads ";
      const Ran one = shell(line + "1"), three = shell(line + "3");
      EXPECT_NE(one.out, "") << one.err;
      EXPECT_EQ(without_times(one.out), without_times(three.out)) << line;
    }
  }
}

TEST(Results, ExplainTellsWhatEachChangeBrings) {
  const Ran ran = shell("mirab explain examples/textbook.yaml A -m drf --format json");
  ASSERT_EQ(ran.status, 0) << ran.err;
  const json result = json::parse(ran.out);
  EXPECT_NEAR(result["user"]["tasks"], 3, 1e-9);
  EXPECT_EQ(result["bindings"][0]["resource"], "cpu");
  EXPECT_EQ(result["bindings"][0]["others"][0]["user"], "B");
  EXPECT_EQ(result["what_ifs"][0]["change"], "server");
  EXPECT_NEAR(result["what_ifs"][0]["gain"], 3, 1e-9);
  EXPECT_THAT(shell("mirab explain examples/textbook.yaml A -m drf --what-ifs 1").out,
              HasSubstr("and 2 more, not tried: --what-ifs 3 tries all"));
}

TEST(Results, DiffShowsTheGreatestChangesAndCountsTheOthers) {
  const Ran ran = shell("mirab diff examples/google2011-park.yaml -m drf -m pf --top 2");
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("173 gain, 346 lose, 0 unchanged"));
  EXPECT_THAT(ran.out, HasSubstr("171 who gain less, 344 who lose less not shown"));
  const json result =
      json::parse(shell("mirab diff examples/google2011-park.yaml -m drf -m pf --format json").out);
  EXPECT_EQ(result["users"].size(), 519u);
}

TEST(Results, DiffOfTwoClustersListsNewcomersApart) {
  const Ran ran = shell(
      "mirab diff examples/google2011-100x20.yaml examples/google2011-200x40.yaml -m drf --format json");
  ASSERT_EQ(ran.status, 0) << ran.err;
  const json result = json::parse(ran.out);
  EXPECT_EQ(result["users"].size() + result["only_before"].size(), 20u);
  EXPECT_EQ(result["users"].size() + result["only_after"].size(), 40u);
}

TEST(Results, ExplainAndDiffOfWhatDidNotConvergeEndWithStatusThree) {
  for (const std::string command :
       {"explain examples/textbook.yaml A", "diff examples/textbook.yaml -m drf"}) {
    const Ran ran = shell("mirab " + command + " -m alpha-fair:alpha=0.0001");
    EXPECT_EQ(ran.status, 3) << command;
    EXPECT_THAT(ran.out, HasSubstr("NOT CONVERGED")) << command;
  }
}

TEST(Results, ValidateSaysWhatTheFileHolds) {
  EXPECT_EQ(shell("mirab validate examples/textbook.yaml").out,
            "examples/textbook.yaml: ok, 2 users, 1 server, 2 resources\n");
}

TEST(Results, AnImportedTraceIsAClusterFileThatSaysHowItWasMade) {
  const TemporaryFolder folder;
  const std::string file = folder.path("cluster.yaml");
  const std::string line =
      "mirab import google2011 tests/traces/data/machine_events-excerpt.csv "
      "tests/traces/data/task_events-excerpt.csv --sample-users 2 --seed 3 -o " +
      file;
  const Ran ran = shell(line);
  ASSERT_EQ(ran.status, 0) << ran.err;
  EXPECT_THAT(ran.out, ::testing::IsEmpty());
  const std::string imported = read_text(file);
  EXPECT_THAT(imported, HasSubstr("CC-BY 4.0"));
  EXPECT_THAT(imported, HasSubstr("# Made by: " + line + "\n"));
  EXPECT_THAT(shell("mirab validate " + file).out, HasSubstr(": ok, 2 users, "));
  ASSERT_EQ(shell(line).status, 0);
  EXPECT_EQ(read_text(file), imported);
}

TEST(Results, AnImportedGpuClusterIsAClusterFileThatSaysHowItWasMade) {
  const TemporaryFolder folder;
  const std::string file = folder.path("cluster.yaml");
  const std::string line =
      "mirab import openb tests/traces/data/openb/nodes-excerpt.csv tests/traces/data/openb/pods-excerpt.csv"
      " -o " +
      file;
  const Ran ran = shell(line);
  ASSERT_EQ(ran.status, 0) << ran.err;
  EXPECT_THAT(ran.err, HasSubstr("note: left out, pods that request nothing: 1\n"));
  EXPECT_THAT(read_text(file), HasSubstr("# Made by: " + line + "\n"));
  EXPECT_EQ(shell("mirab validate " + file).out, file + ": ok, 6 users, 6 servers, 3 resources\n");
}

TEST(Results, AnImportedWorkloadIsTwoFilesThatSayHowTheyWereMade) {
  const TemporaryFolder folder;
  const std::string cluster = folder.path("cluster.yaml");
  const std::string workload = folder.path("jobs.workload");
  const std::string line =
      "mirab import wagap2013 tests/traces/data/wagap2013/excerpt.swf tests/traces/data/wagap2013/machines "
      "-o " +
      cluster + " --workload ";
  const Ran ran = shell(line + workload);
  ASSERT_EQ(ran.status, 0) << ran.err;
  EXPECT_THAT(ran.out, ::testing::IsEmpty());
  EXPECT_THAT(ran.err, HasSubstr("note: not kept, wishes to have nodes alone (#excl): 1\n"));
  EXPECT_THAT(read_text(cluster), HasSubstr("# Made by: " + line + workload + "\n"));
  EXPECT_THAT(read_text(workload), HasSubstr("Made by: " + line + workload));
  const Result<Workload> plain = read_workload_file(workload);
  ASSERT_TRUE(plain) << describe(plain.error());

  const std::string compressed = folder.path("jobs.workload.gz");
  ASSERT_EQ(shell(line + compressed).status, 0);
  const std::string bytes = read_text(compressed);
  EXPECT_LT(bytes.size(), read_text(workload).size() / 2);
  const Result<Workload> gzip = read_workload_file(compressed);
  ASSERT_TRUE(gzip) << describe(gzip.error());
  EXPECT_EQ(gzip->jobs, plain->jobs);
  ASSERT_EQ(shell(line + compressed).status, 0);
  EXPECT_EQ(read_text(compressed), bytes) << "the same bytes again";
}

TEST(Results, EveryFormatBecomesAWorkloadThatCanBeRead) {
  const TemporaryFolder folder;
  const std::string log = folder.path("log.swf");
  std::ofstream(log) << "; MaxProcs: 8\n1 0 1 60 4 -1 -1 4 90 -1 1 7 1 1 1 1 -1 -1\n";
  const std::string data = "tests/traces/data/";
  for (const std::string& input :
       {"bitbrains " + data + "bitbrains/excerpt.csv", "swf " + log,
        std::string("jobs examples/jobs/jobs.csv --servers examples/jobs/servers.csv"),
        "google2011 " + data + "machine_events-excerpt.csv " + folder.path("task_events.csv"),
        "openb " + data + "openb/nodes-excerpt.csv " + folder.path("pods.csv")}) {
    std::ofstream(folder.path("task_events.csv")) << "700000000,,1,0,1,0,u,2,1,0.1,0.1,0,0\n"
                                                     "710000000,,1,0,1,1,u,2,1,0.1,0.1,0,0\n"
                                                     "720000000,,1,0,1,4,u,2,1,0.1,0.1,0,0\n";
    std::ofstream(folder.path("pods.csv"))
        << "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,creation_time,deletion_time,"
           "scheduled_time\np,100,100,0,0,,LS,Running,0,9,0\nq,100,100,0,0,,LS,Running,1,12,1\n";
    const std::string workload = folder.path("w");
    const Ran ran =
        shell("mirab import " + input + " -o " + folder.path("c.yaml") + " --workload " + workload);
    ASSERT_EQ(ran.status, 0) << input << ran.err;
    const Result<Workload> read = read_workload_file(workload);
    EXPECT_TRUE(read) << input << describe(read.error());
    EXPECT_THAT(shell("mirab validate " + folder.path("c.yaml")).out, HasSubstr(": ok")) << input;
  }
}

TEST(Results, ABadTraceIsExplainedAndWritesNothing) {
  const Ran ran = shell(
      "mirab import openb tests/traces/data/openb/pods-excerpt.csv "
      "tests/traces/data/openb/nodes-excerpt.csv");
  EXPECT_EQ(ran.status, 2);
  EXPECT_THAT(ran.out, ::testing::IsEmpty());
  EXPECT_EQ(ran.err,
            "mirab: tests/traces/data/openb/pods-excerpt.csv:1: 11 columns instead of the 5 of a list of "
            "nodes (sn,cpu_milli,memory_mib,gpu,model)\n");
}

TEST(Results, ConfinedUsersAreDrawnOnlyWhenAskedFor) {
  const std::string line = "mirab import google2011 tests/traces/data/*.csv --seed 4";
  EXPECT_THAT(shell(line + " --confine-users").out, HasSubstr("select: {platform: ["));
  EXPECT_THAT(shell(line).out, ::testing::Not(HasSubstr("select:")));
}

TEST(Results, ProgressIsNotShownToAFile) {
  const Ran ran = shell("mirab import google2011 tests/traces/data/*.csv");
  EXPECT_EQ(ran.status, 0);
  EXPECT_THAT(ran.err, ::testing::Not(HasSubstr("\r")));
}

TEST(Results, TheRegistryNamesEveryMechanismWithItsClaims) {
  const json registry = json::parse(shell("mirab mechanisms --format json").out);
  std::vector<std::string> names;
  for (const json& row : registry["mechanisms"]) names.push_back(row["name"]);
  EXPECT_THAT(names, ::testing::IsSupersetOf({"max-min", "drf", "asset", "pf", "alpha-fair"}));
  EXPECT_THAT(shell("mirab mechanisms ceei").out, HasSubstr("mechanism pf, ceei: "));
  EXPECT_THAT(shell("mirab mechanisms drf").out, HasSubstr("discipline drf\n"));
  EXPECT_THAT(shell("mirab mechanisms fcfs").out,
              HasSubstr("discipline of replays (contenders of mirab simulate) fcfs"));
  const std::string easy = shell("mirab mechanisms easy").out;
  EXPECT_THAT(easy, HasSubstr("discipline of replays (contenders of mirab simulate) easy"));
  EXPECT_THAT(easy, HasSubstr("Lifka 1995"));
  EXPECT_THAT(shell("mirab mechanisms alpha-pf-vds").out, HasSubstr("pareto-efficiency for alpha=1"));
}

TEST(Results, WhatDidNotConvergeIsPrintedAndEndsWithStatusThree) {
  const Ran table = shell("mirab allocate examples/textbook.yaml -m alpha-fair:alpha=0.0001");
  EXPECT_EQ(table.status, 3);
  EXPECT_THAT(table.out, HasSubstr("NOT CONVERGED"));
  const Ran ran = shell("mirab allocate examples/textbook.yaml -m alpha-fair:alpha=0.0001 --format json");
  EXPECT_EQ(ran.status, 3);
  const json outcome = json::parse(ran.out)["outcomes"][0];
  EXPECT_EQ(outcome["status"], "not_converged");
  EXPECT_TRUE(outcome["certificate"]["value"].is_null()) << "no bound is known";
  EXPECT_EQ(outcome["users"].size(), 2u);
}

// examples/openb.yaml: no figure may say that it is unfair to give all users all that they ask for.
TEST(Results, WhoHasAllIsNotShownAsPoor) {
  const Ran table = shell("mirab allocate examples/openb.yaml");
  EXPECT_THAT(table.out, HasSubstr("162 of 162 get all they ask for under drfh\n"));
  for (const char* figure : {"lowest share", "Gini", "Jain", "bottom 20%", "deviation"})
    EXPECT_THAT(table.out, Not(HasSubstr(figure)));
  const json outcome =
      json::parse(shell("mirab allocate examples/openb.yaml --format json").out)["outcomes"][0];
  EXPECT_EQ(outcome["satisfied_users"], 162);
  EXPECT_TRUE(outcome["metrics_short"].is_null());
  EXPECT_GT(outcome["metrics"]["gini"], 0.8) << "metrics keeps its meaning";
}

// A queue of weight 0 with a number of tasks has no tasks per weight.
TEST(Results, AUserOfWeightZeroWithTasksIsShownExplainedAndAudited) {
  const std::string cluster = " examples/teams/kueue-4961.yaml ";
  const Ran allocated = shell("mirab allocate" + cluster + "--format json");
  ASSERT_EQ(allocated.status, 0) << allocated.err;
  EXPECT_THAT(tasks_of(json::parse(allocated.out)["outcomes"][0]), ElementsAre(1, 0));
  EXPECT_THAT(shell("mirab explain" + cluster + "best-effort").out, HasSubstr("best-effort has"));
  const Ran audited = shell("mirab audit" + cluster + "--budget 100");
  EXPECT_EQ(audited.status, 0) << audited.err;
  EXPECT_THAT(audited.out, HasSubstr("hdrf"));
}

// a holds all 10 CPUs and has all it asks for, since b and c have none.
TEST(Results, WhoHasAllBecauseOthersHaveNoneIsCompared) {
  const TemporaryFolder folder;
  const std::string cluster = folder.write("unfair.yaml",
                                           "resources: [cpu]\nservers:\n  - {name: s, capacity: {cpu: 10}}\n"
                                           "users:\n  - {name: a, demand: {cpu: 1}, tasks: 10}\n"
                                           "  - {name: b, demand: {cpu: 1}, tasks: 10}\n"
                                           "  - {name: c, demand: {cpu: 1}, tasks: 10}\n"
                                           "running:\n  - {user: a, server: s, tasks: 10}\n");
  const json outcome =
      json::parse(shell("mirab allocate " + cluster + " -m given --format json").out)["outcomes"][0];
  EXPECT_EQ(outcome["satisfied_users"], 1);
  EXPECT_EQ(outcome["satisfied_of"], 3);
  EXPECT_NEAR(outcome["metrics_short"]["gini"].get<double>(), 2.0 / 3, 1e-12);
  EXPECT_NEAR(outcome["metrics_short"]["jain"].get<double>(), 1.0 / 3, 1e-12);
  EXPECT_EQ(outcome["metrics_short"]["min_dominant_share"], 0.0);
}

// The shop holds a half of the cluster with its two task shapes, as b does, who is not short.
TEST(Results, TheLowestShareIsThatOfTheOneUserWhoIsShortWithAllItsTaskShapes) {
  const TemporaryFolder folder;
  const std::string cluster =
      folder.write("shop.yaml",
                   "resources: [cpu]\nservers:\n  - {name: s, capacity: {cpu: 20}}\n"
                   "users:\n  - name: shop\n    shapes:\n      - {name: web, demand: {cpu: 1}, tasks: 6}\n"
                   "      - {name: cache, demand: {cpu: 1}, tasks: 9}\n"
                   "  - {name: b, demand: {cpu: 1}, tasks: 10}\n"
                   "running:\n  - {user: shop, shape: web, server: s, tasks: 6}\n"
                   "  - {user: shop, shape: cache, server: s, tasks: 4}\n"
                   "  - {user: b, server: s, tasks: 10}\n");
  const std::string table = shell("mirab allocate " + cluster + " -m given").out;
  EXPECT_THAT(table, ::testing::ContainsRegex("lowest share +50.00%\nGini +–\n"));
  EXPECT_THAT(table, HasSubstr("lowest share: of teams that are short of tasks"));
  EXPECT_THAT(shell("mirab allocate " + cluster + " -m given --shapes").out,
              HasSubstr("in these figures a user with task shapes is one, with all that these hold"));
  const json outcome =
      json::parse(shell("mirab allocate " + cluster + " -m given --format json").out)["outcomes"][0];
  EXPECT_EQ(outcome["lowest_share_short"], 0.5);
  EXPECT_TRUE(outcome["metrics_short"].is_null());
  EXPECT_EQ(outcome["metrics"]["gini"], 0.0);
  const json both = json::parse(shell("mirab diff " + cluster + " -m given -m given --format json").out);
  EXPECT_EQ(both["after"]["lowest_short"]["share_of_before"], 0.5);
  EXPECT_EQ(both["after"]["lowest_short"]["tasks"], 4.0);
}

TEST(Results, ADifferenceCallsNobodyPoorWhoHasAll) {
  const Ran openb = shell("mirab diff examples/openb.yaml -m drfh -m tsf");
  EXPECT_THAT(openb.out, ::testing::ContainsRegex("lowest share +– +–"));
  const json both = json::parse(shell("mirab diff examples/openb.yaml -m drfh -m tsf --format json").out);
  EXPECT_TRUE(both["before"]["lowest_short"].is_null());
  EXPECT_EQ(both["after"]["satisfied_of"], 162);
}

TEST(Results, AnAllocationThatNothingUsesIsAnError) {
  const std::string csv = " --allocation examples/textbook-running.csv ";
  for (const char* line :
       {"diff examples/textbook.yaml -m drf -m asset", "explain examples/textbook.yaml A -m drf"}) {
    const Ran ran = shell("mirab " + (line + csv));
    EXPECT_EQ(ran.status, 2) << line;
    EXPECT_THAT(ran.err, HasSubstr("--allocation")) << line;
  }
  EXPECT_EQ(shell("mirab diff examples/textbook.yaml -m drf -m given" + csv).status, 0);
  EXPECT_EQ(shell("mirab explain examples/textbook.yaml A -m given" + csv).status, 0);
}

TEST(Results, ARecommendationAppliesOrSaysThatNoneDoes) {
  const TemporaryFolder folder;
  const std::string start =
      "resources: [cpu]\nservers:\n  - {name: s1, capacity: {cpu: 4}}\n  - {name: s2, capacity: {cpu: 4}}\n";
  const std::string none =
      folder.write("none.yaml", start +
                                    "users:\n  - {name: a, weight: 0, demand: {cpu: 1}, tasks: 1}\n"
                                    "  - {name: b, demand: {cpu: 1}, demand_on: {s2: {cpu: 2}}}\n");
  EXPECT_THAT(shell("mirab mechanisms --for " + none).out, HasSubstr("recommended: none: "));
  const json chosen = json::parse(shell("mirab mechanisms --format json --for " + none).out);
  EXPECT_TRUE(chosen["recommended"]["mechanism"].is_null());
  EXPECT_THAT(chosen["recommended"]["reason"], HasSubstr("mirab fill"));
  for (const json& row : chosen["mechanisms"]) EXPECT_EQ(row["recommended"], false);
  for (const std::string& line :
       {"allocate " + none, "explain " + none + " a", "diff " + none + " " + none}) {
    const Ran ran = shell("mirab " + line);
    EXPECT_EQ(ran.status, 2) << line;
    EXPECT_THAT(ran.err, HasSubstr("no mechanism applies")) << line;
  }
  const std::string grouped =
      folder.write("grouped.yaml", start +
                                       "groups:\n  - {name: g}\n"
                                       "users:\n  - {name: a, group: g, demand: {cpu: 1}}\n"
                                       "  - {name: b, demand: {cpu: 1}, demand_on: {s2: {cpu: 2}}}\n");
  const json some = json::parse(shell("mirab mechanisms --format json --for " + grouped).out);
  EXPECT_EQ(some["recommended"]["mechanism"], "ps-dsf");
  EXPECT_THAT(some["recommended"]["reason"], HasSubstr("; it ignores groups"));
}

TEST(Results, TasksBeyondALimitAreNamedWhereTheyRun) {
  const TemporaryFolder folder;
  const std::string cluster =
      folder.write("limit.yaml",
                   "resources: [cpu]\nservers:\n  - {name: s, capacity: {cpu: 10}}\n"
                   "groups:\n  - {name: g, limit: {cpu: 2}}\n"
                   "users:\n  - {name: a, group: g, demand: {cpu: 1}}\n  - {name: b, demand: {cpu: 1}}\n"
                   "running:\n  - {user: a, server: s, tasks: 5}\n  - {user: b, server: s, tasks: 5}\n");
  const json outcome =
      json::parse(shell("mirab allocate " + cluster + " -m given --format json").out)["outcomes"][0];
  EXPECT_THAT(outcome["notices"], ElementsAre("group 'g' uses 5 cpu, 3 more than its limit of 2"));
}

TEST(Results, CsvNamesUserAndShapeInColumnsOfTheirOwn) {
  const TemporaryFolder folder;
  const std::string cluster = folder.write(
      "shapes.yaml",
      "resources: [cpu]\nservers:\n  - {name: s, capacity: {cpu: 10}}\n"
      "users:\n  - {name: a, shapes: [{name: x, demand: {cpu: 1}}, {name: y, demand: {cpu: 2}}]}\n"
      "  - {name: b, demand: {cpu: 1}}\n");
  const std::string csv = shell("mirab allocate " + cluster + " -m hdrf --format csv").out;
  EXPECT_THAT(csv, HasSubstr("outcome,user,shape,tasks,"));
  EXPECT_THAT(csv, HasSubstr("\nhdrf,a,x,"));
  EXPECT_THAT(csv, HasSubstr("\nhdrf,b,,"));
}

TEST(Results, WithoutAMechanismTheRecommendedOneIsTakenAndSaysWhy) {
  const auto taken = [](const std::string& cluster) {
    const json outcome =
        json::parse(shell("mirab allocate " + cluster + " --format json").out)["outcomes"][0];
    EXPECT_THAT(outcome["notices"].back(), HasSubstr("taken since no mechanism was named: ")) << cluster;
    const json chosen = json::parse(shell("mirab mechanisms --format json --for " + cluster).out);
    EXPECT_EQ(chosen["recommended"]["mechanism"], outcome["mechanism"]) << cluster;
    EXPECT_EQ(chosen["mechanisms"][0]["name"], outcome["mechanism"]) << cluster;
    return outcome["mechanism"].get<std::string>();
  };
  EXPECT_EQ(taken("examples/textbook.yaml"), "drf");
  EXPECT_EQ(taken("examples/openb.yaml"), "drfh");
  EXPECT_EQ(taken("examples/teams/blocked.yaml"), "hdrf");
  EXPECT_EQ(taken("examples/teams/organisation.yaml"), "hdrfh");
  EXPECT_EQ(taken("examples/team-cluster.yaml"), "ps-dsf") << "drfh refuses demand_on";
  EXPECT_THAT(shell("mirab allocate examples/textbook.yaml -m drf").out, Not(HasSubstr("taken since")));
  EXPECT_THAT(shell("mirab explain examples/textbook.yaml A").out, HasSubstr("under drf\n"));
}

TEST(Results, APoolMechanismOnSeveralServersIsWarnedOf) {
  EXPECT_THAT(shell("mirab allocate examples/openb.yaml -m drf").out,
              HasSubstr("warning: drf: the servers are treated as one"));
  EXPECT_THAT(shell("mirab allocate examples/textbook.yaml -m drf").out, Not(HasSubstr("warning")));
  EXPECT_THAT(shell("mirab allocate examples/openb.yaml -m drfh").out, Not(HasSubstr("warning")));
}

// What runs now, from the cluster file and from a file of its own, next to mechanisms and before them.
TEST(Results, WhatRunsNowIsAColumnAndComesBefore) {
  const TemporaryFolder folder;
  const std::string csv = " --allocation examples/textbook-running.csv";
  const json given =
      json::parse(shell("mirab allocate examples/textbook.yaml -m drf --format json" + csv).out);
  ASSERT_EQ(given["outcomes"].size(), 2u);
  EXPECT_EQ(given["outcomes"][1]["mechanism"], "given");
  EXPECT_THAT(tasks_of(given["outcomes"][1]), ElementsAre(0.5, 2.5));
  const std::string cluster = folder.write("running.yaml",
                                           "resources: [cpu, memory]\n"
                                           "servers: [{name: pool, capacity: {cpu: 9, memory: 18}}]\n"
                                           "users:\n"
                                           "  - {name: A, demand: {cpu: 1, memory: 4}}\n"
                                           "  - {name: B, demand: {cpu: 3, memory: 1}}\n"
                                           "running:\n"
                                           "  - {user: A, server: pool, tasks: 1}\n");
  const json filled = json::parse(shell("mirab fill " + cluster + " -d drf --format json").out);
  EXPECT_THAT(tasks_of(filled["outcomes"][1]), ElementsAre(1, 0));
  const json diff = json::parse(shell("mirab diff " + cluster + " --format json").out);
  EXPECT_EQ(diff["before"]["mechanism"], "given");
  EXPECT_EQ(diff["after"]["mechanism"], "drf");
  const json both = json::parse(shell("mirab diff " + cluster + " --format json" + csv).out);
  EXPECT_EQ(both["before"]["tasks"], 3.0) << "the allocation file goes before what the cluster file says";
  const json audit = json::parse(
      shell(
          "mirab audit examples/textbook.yaml --properties sharing-incentive,scale-invariance --format json" +
          csv)
          .out);
  ASSERT_EQ(audit["outcomes"].size(), 1u) << "of an allocation file only what it says";
  EXPECT_EQ(audit["outcomes"][0]["properties"][0]["holds"], false);
  EXPECT_TRUE(audit["outcomes"][0]["properties"][1]["holds"].is_null());
  EXPECT_THAT(shell("mirab explain examples/textbook.yaml A" + csv).out,
              HasSubstr("A has 0.5000 tasks under given"));
}

TEST(Results, AnAllocationFileThatIsWrongIsNamedWithItsLine) {
  const TemporaryFolder folder;
  const std::string csv = folder.write("now.csv", "user,server,tasks\nA,pool,5\n");
  const Ran ran = shell("mirab allocate examples/textbook.yaml --allocation " + csv);
  EXPECT_EQ(ran.status, 2);
  EXPECT_EQ(ran.err,
            "mirab: " + csv +
                ":2: tasks: more than fits: 'pool' has 18 of memory, and with these tasks 20 would be "
                "in use\n");
  EXPECT_EQ(ran.out, "");
}

TEST(Results, ATitleStandsAboveTheTableAndInThePage) {
  const TemporaryFolder folder;
  const std::string page = folder.path("page.html");
  const Ran ran = shell(
      "mirab allocate examples/textbook.yaml --title 'Our two teams' --date 2026-11-23 --report " + page);
  EXPECT_THAT(ran.out, StartsWith("Our two teams: 2 users"));
  const std::string html = shell("cat " + page).out;
  EXPECT_THAT(html, HasSubstr("\"title\":\"Our two teams\""));
  EXPECT_THAT(html, HasSubstr(", 2026-11-23\"}"));
}

}  // namespace
}  // namespace mirab
