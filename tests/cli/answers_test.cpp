// Answers for people who decide: all users explained, plans, and the pages of each.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "cli/shell.hpp"

namespace mirab {
namespace {

using nlohmann::json;
using test::Ran;
using test::shell;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

const std::string kTraining = "plan examples/team-cluster.yaml --user training -m ps-dsf ";

TEST(Answers, OpenbSaysThatEveryUserHasAllItAsksFor) {
  const Ran ran = shell("mirab explain examples/openb.yaml");
  ASSERT_EQ(ran.status, 0) << ran.err;
  EXPECT_THAT(ran.out, StartsWith("examples/openb.yaml: 162 of 162 users get all they ask for under drfh\n"));
  const json result = json::parse(shell("mirab explain examples/openb.yaml --format json").out);
  EXPECT_EQ(result["users"].size(), 162U);
  EXPECT_EQ(result["solved"], 0);
}

TEST(Answers, WhatRunsStandsBesideTheMechanismThatIsExplained) {
  const Ran ran = shell(
      "printf 'user,shape,server,tasks\\nA,,pool,2\\n' | "
      "mirab explain examples/textbook.yaml --allocation - -m drf --format json");
  ASSERT_EQ(ran.status, 0) << ran.err;
  const json result = json::parse(ran.out);
  EXPECT_EQ(result["mechanism"], "drf");
  for (const json& team : result["teams"]) {
    EXPECT_EQ(team["fair"].get<double>() > 0.6, true);
    EXPECT_NEAR(team["now"].get<double>(), team["name"] == "A" ? 8.0 / 18 : 0, 1e-12);
  }
}

// With 100 of the 549 largest nodes GPUs are short.
TEST(Answers, WhereGpusAreShortTheLinesSayWhichAndWhatHelps) {
  const std::string fewer = "sed 's/count: 549/count: 100/' examples/openb.yaml | mirab explain - ";
  const Ran ran = shell(fewer + "--format json");
  ASSERT_EQ(ran.status, 0) << ran.err;
  const json result = json::parse(ran.out);
  const json& first = result["users"][0];
  EXPECT_FALSE(first["satisfied"]);
  EXPECT_EQ(first["held_back"]["by"], "capacity");
  EXPECT_THAT(first["held_back"]["words"].get<std::string>(), HasSubstr("gpu on "));
  EXPECT_GT(first["remedy"]["gain"], 0);
  double part = 0;
  for (const json& user : result["users"]) {
    if (user["satisfied"]) break;
    const double has = user["tasks"].get<double>() / user["asked"].get<double>();
    EXPECT_GE(has, part - 1e-12) << "those who are shortest stand first";
    part = has;
  }
  EXPECT_EQ(shell(fewer + "--threads 3 | grep -v seconds").out, shell(fewer + "| grep -v seconds").out);
  const std::string csv = shell(fewer + "--format csv").out;
  EXPECT_THAT(csv,
              StartsWith("user,group,asked,tasks,satisfied,dominant_share,held_back_by,held_back,remedy,"));
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 163);
}

TEST(Answers, OfGroupsThePathIsShown) {
  const Ran ran = shell("mirab explain examples/teams/organisation.yaml --format json");
  ASSERT_EQ(ran.status, 0) << ran.err;
  bool found = false;
  const json result = json::parse(ran.out);
  for (const json& user : result["users"]) {
    if (user["name"] != "alice") continue;
    found = true;
    EXPECT_EQ(user["groups"], json::array({"research", "vision"}));
  }
  EXPECT_TRUE(found);
  EXPECT_THAT(shell("mirab explain examples/teams/organisation.yaml").out, HasSubstr("research / vision"));
}

TEST(Answers, APlanIsDividedAsItSays) {
  const TemporaryFolder folder;
  const std::string changed = folder.path("changed.yaml");
  const Ran ran = shell("mirab " + kTraining +
                        "--tasks 30 --kinds examples/prices/servers.yaml --format json "
                        "--changed " +
                        changed);
  ASSERT_EQ(ran.status, 0) << ran.err;
  const json plan = json::parse(ran.out);
  EXPECT_TRUE(plan["exact"]);
  EXPECT_GE(plan["tasks_after"], 30 * (1 - 1e-6));
  double price = 0;
  for (const json& kind : plan["kinds"]) price += kind["price"].get<double>();
  EXPECT_EQ(plan["price"], price);
  const json after = json::parse(shell("mirab allocate " + changed + " -m ps-dsf --format json").out);
  for (const json& user : after["outcomes"][0]["users"]) {
    if (user["name"] == "training") {
      EXPECT_NEAR(user["tasks"], plan["tasks_after"], 1e-6);
    }
  }
}

TEST(Answers, TheClusterAfterAPlanStillSaysWhatRuns) {
  const TemporaryFolder folder;
  const std::string changed = folder.path("changed.yaml");
  const std::string cluster = folder.write(
      "c.yaml",
      "resources: [cpu]\nservers:\n  - {name: n, capacity: {cpu: 4}}\nusers:\n"
      "  - {name: a, demand: {cpu: 1}, tasks: 6}\nrunning:\n  - {user: a, server: n, tasks: 3}\n");
  for (const char* what : {"--kind n", "--weights --tasks 4"}) {
    const Ran ran = shell(fmt::format("mirab plan {} --user a {} --changed {}", cluster, what, changed));
    ASSERT_EQ(ran.status, 0) << ran.err;
    EXPECT_THAT(shell("cat " + changed).out, HasSubstr("running:\n  - {user: a, server: n, tasks: 3}\n"))
        << what;
    EXPECT_EQ(shell("mirab validate " + changed).status, 0);
  }
}

TEST(Answers, APlanOfAWeightSaysWhichIsTooLittle) {
  const Ran ran = shell("mirab plan examples/textbook.yaml --user A --tasks 3.5 --weights");
  ASSERT_EQ(ran.status, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("Give A the weight "));
  EXPECT_THAT(ran.out, HasSubstr(" is not enough."));
  EXPECT_THAT(shell("mirab plan examples/textbook.yaml --user A --tasks 3").out,
              HasSubstr("A has 3 tasks under drf already: nothing has to change."));
}

TEST(Answers, AFillingWithoutADisciplineSaysAboveTheTableWhichItTook) {
  const std::string taken = "drf/first-fit is taken since no discipline was named: ";
  const Ran ran = shell("mirab fill examples/textbook.yaml");
  ASSERT_EQ(ran.status, 0) << ran.err;
  EXPECT_LT(ran.out.find(taken), ran.out.find("user "));
  EXPECT_EQ(json::parse(shell("mirab fill examples/textbook.yaml --format json").out)["outcomes"][0]["users"],
            json::parse(
                shell("mirab fill examples/textbook.yaml -d drf --format json").out)["outcomes"][0]["users"]);
  EXPECT_THAT(shell("mirab fill examples/textbook.yaml -d drf").out, Not(HasSubstr("is taken since")));
}

struct BadKinds {
  std::string text;
  std::string message;
};

TEST(Answers, AFileOfKindsThatIsWrongIsNamedWithItsLine) {
  const TemporaryFolder folder;
  for (const BadKinds& bad : std::vector<BadKinds>{
           {"kinds: []\n", ":1: kinds: at least one kind"},
           {"servers: []\n", ":1: servers: unknown key; known are version, kinds"},
           {"kinds:\n  - {name: gpu-large, price: 0}\n", ":2: kinds[0].price: must be more than 0"},
           {"kinds:\n  - {name: gpu-large, price: -1}\n", ":2: kinds[0].price: "},
           {"kinds:\n  - {name: gpu-larg}\n",
            ":2: kinds[0]: 'gpu-larg' is no server entry of the cluster; did you mean gpu-large?"},
           {"kinds:\n  - {name: gpu-large, capacity: {cpu: 1}}\n",
            ":2: kinds[0]: 'gpu-large' is a server entry of the cluster"},
           {"kinds:\n  - {name: new, capacity: {gpus: 1}}\n", ":2: kinds[0].capacity.gpus: "},
           {"kinds:\n  - {name: gpu-large}\n  - {name: gpu-large}\n",
            ":3: kinds[1].name: 'gpu-large' is given twice"},
           {"kinds:\n  - {price: 3}\n", ":2: kinds[0].name: missing"},
           {"kinds: [\n", ":2: "}}) {
    const std::string file = folder.write("kinds.yaml", bad.text);
    const Ran ran = shell("mirab " + kTraining + "--tasks 30 --kinds " + file);
    EXPECT_EQ(ran.status, 2) << bad.text;
    EXPECT_THAT(ran.out, IsEmpty());
    EXPECT_THAT(ran.err, StartsWith("mirab: " + file + bad.message)) << bad.text;
  }
  EXPECT_THAT(shell("mirab " + kTraining + "--tasks 30 --kinds no-such.yaml").err,
              StartsWith("mirab: no-such.yaml: cannot be read"));
}

// Four CPUs hold no task of eight, and half a task runs nowhere.
TEST(Answers, APlanSellsNoServersOnWhichNoTaskRuns) {
  const TemporaryFolder folder;
  const std::string cluster =
      folder.write("c.yaml",
                   "resources: [cpu]\nservers:\n  - {name: n, capacity: {cpu: 4}, count: 3}\nusers:\n"
                   "  - {name: ml/big, demand: {cpu: 8}}\n  - {name: web, demand: {cpu: 1}}\n");
  const std::string kinds = folder.write("kinds.yaml",
                                         "kinds:\n  - {name: n, price: 1}\n"
                                         "  - {name: big, price: 90, capacity: {cpu: 16}}\n");
  const std::string ask = "mirab plan " + cluster + " --user ml/big --tasks 1 ";
  const std::string large = " holds one whole task of 'ml/big': it asks for 8 cpu, and the largest has 4";
  for (const auto& [options, words] : std::vector<std::pair<std::string, std::string>>{
           {"--kind n=100", "no server that is there or on offer" + large + "\n"},
           {"--weights", "no server" + large + "\n"},
           {"--kinds " + kinds, "no server that is there or that the plan buys" + large +
                                    "; offer only kinds that hold one, with --kind\n"}}) {
    const Ran ran = shell(ask + options);
    EXPECT_EQ(ran.status, 2) << options;
    EXPECT_THAT(ran.out, IsEmpty()) << options;
    EXPECT_EQ(ran.err, "mirab: " + cluster + ":5: users[0].demand.cpu: " + words);
  }
  const Ran sold = shell(ask + "--kind big=90 --kinds " + kinds);
  EXPECT_EQ(sold.status, 0) << sold.err;
  EXPECT_THAT(sold.out, HasSubstr("big"));
  EXPECT_THAT(sold.out, HasSubstr(": 1 task for ml/big under"));
}

// No server has a GPU yet, for which `train` waits.
TEST(Answers, AUserWhoWaitsForAResourceGetsNothingUntilItIsBought) {
  const TemporaryFolder folder;
  const std::string cluster =
      folder.write("c.yaml",
                   "resources: [cpu, gpu]\nservers:\n  - {name: plain, capacity: {cpu: 8}}\nusers:\n"
                   "  - {name: web, demand: {cpu: 1}, tasks: 4}\n"
                   "  - {name: train, demand: {cpu: 1, gpu: 2}, tasks: 2, may_fit_nowhere: true}\n");
  const std::string missing = "no server on which 'train' may run has all that it asks for; missing: gpu\n";
  const std::string note = "mirab: note: " + cluster + ":6: users[1].demand.gpu: " + missing;
  for (const char* command : {"validate ", "allocate -m hdrfh ", "fill -d drf ", "explain "}) {
    const Ran ran = shell("mirab " + (command + cluster));
    EXPECT_EQ(ran.status, 0) << command;
    EXPECT_EQ(ran.err, note) << command;
  }
  EXPECT_THAT(shell("mirab audit -m drfh --budget 50 " + cluster).out, Not(HasSubstr("train ")));
  const std::string notice =
      "note: drfh: no server on which they may run has all that they ask for, so they get nothing: train";
  EXPECT_THAT(shell("mirab allocate -m drfh " + cluster).out, HasSubstr(notice));
  EXPECT_THAT(shell("mirab explain " + cluster).out, HasSubstr("lack of gpu"));
  EXPECT_THAT(shell("mirab explain " + cluster + " train").out,
              HasSubstr("No server on which it may run has all that it asks for; missing: gpu.\n"));
  const std::string plan = "mirab plan " + cluster + " --user train ";
  EXPECT_EQ(shell(plan + "--kind plain").err,
            "mirab: " + cluster +
                ":6: users[1].demand.gpu: no server that is there or on offer on which 'train' may run has "
                "all that it asks for; missing: gpu\n");
  const Ran sold =
      shell(plan + "--kinds " +
            folder.write("kinds.yaml", "kinds:\n  - {name: fast, capacity: {cpu: 8, gpu: 4}}\n"));
  EXPECT_THAT(sold.out, HasSubstr("train then gets 2 tasks instead of 0.")) << sold.err;
}

TEST(Answers, APlanOffersNoOverfullServer) {
  const TemporaryFolder folder;
  const auto plan = [&](const std::string& other) {
    return shell("mirab plan --user a -m drfh " +
                 folder.write("c.yaml",
                              "resources: [cpu]\nservers:\n"
                              "  - {name: lost, capacity: {cpu: 6}, overfull: true}\n"
                              "  - {name: whole, capacity: {cpu: 4}" +
                                  other + "}\nusers:\n  - {name: a, demand: {cpu: 1}, tasks: 12}\n"));
  };
  const Ran ran = plan("");
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("\nwhole "));
  EXPECT_THAT(ran.out, Not(HasSubstr("lost")));
  const Ran none = plan(", overfull: true");
  EXPECT_EQ(none.status, 2);
  EXPECT_THAT(none.err, StartsWith("mirab: --kinds: every server is overfull: its capacity is what runs"));
}

// Two limits, of sibling groups: each with the amount to which it has to rise, and the line of the first.
TEST(Answers, APlanSaysToHowMuchWhichLimitsHaveToRise) {
  const TemporaryFolder folder;
  const std::string cluster =
      folder.write("c.yaml",
                   "resources: [gpu]\nservers: [{name: s, capacity: {gpu: 40}}]\ngroups:\n  - name: lab\n"
                   "    groups: [{name: v, limit: {gpu: 4}}, {name: l, limit: {gpu: 6}}]\nusers:\n"
                   "  - {name: a, group: v, demand: {gpu: 1}, tasks: 10}\n"
                   "  - {name: b, group: l, demand: {gpu: 1}, tasks: 10}\n");
  const Ran ran = shell("mirab plan --user lab " + cluster);
  EXPECT_EQ(ran.status, 2);
  EXPECT_THAT(ran.err, StartsWith("mirab: " + cluster + ":5: groups[0].groups[1].limit.gpu: "));
  EXPECT_THAT(ran.err, HasSubstr("the limit of 'l' to at least 10 gpu"));
  EXPECT_THAT(ran.err, HasSubstr("the limit of 'v' to at least 10 gpu"));
}

TEST(Answers, KindsWithAndWithoutAPriceAreRefused) {
  const TemporaryFolder folder;
  const std::string file =
      folder.write("kinds.yaml", "kinds:\n  - {name: gpu-small, price: 25000}\n  - {name: gpu-large}\n");
  const std::string ask = "mirab " + kTraining + "--tasks 30 --kinds " + file;
  for (const auto& [kinds, message] : std::vector<std::pair<std::string, std::string>>{
           {"", "--kinds: 'gpu-large' has no price and 'gpu-small' has one"},
           {" --kind gpu-small --kind gpu-large",
            "--kind: 'gpu-large' has no price and 'gpu-small' has one"}}) {
    const Ran ran = shell(ask + kinds);
    EXPECT_EQ(ran.status, 2) << kinds;
    EXPECT_THAT(ran.err, HasSubstr(message)) << kinds;
  }
  EXPECT_EQ(shell(ask + " --kind gpu-small").status, 0);
  EXPECT_EQ(shell(ask + " --kind gpu-small --kind gpu-large=60000").status, 0);
  EXPECT_EQ(shell("mirab " + kTraining + "--tasks 30 --solves 0").status, 2);
}

// Without -m the recommended mechanism is a notice, also where nothing has to change.
TEST(Answers, APlanSaysWhichMechanismWasChosen) {
  for (const std::string tasks : {"3", "9"}) {
    const std::string ask = "mirab plan examples/textbook.yaml --user A --tasks " + tasks;
    EXPECT_THAT(shell(ask).out, HasSubstr("taken since")) << tasks;
    EXPECT_THAT(json::parse(shell(ask + " --format json").out)["notices"].dump(), HasSubstr("taken since"))
        << tasks;
  }
  const json weight = json::parse(
      shell("mirab plan examples/textbook.yaml --user A --tasks 3.5 --weights --format json").out);
  EXPECT_FALSE(weight["exact"]);
  EXPECT_TRUE(weight["weight"]["steady"]);
}

TEST(Answers, ADifferenceMarksWhoHasAll) {
  const std::string text = shell("mirab diff examples/team-cluster.yaml -m ps-dsf -m ps-dsf-tdm").out;
  EXPECT_THAT(text, HasSubstr("200 ✓"));
  EXPECT_THAT(text, HasSubstr("✓ all it asks for"));
  const json result =
      json::parse(shell("mirab diff examples/team-cluster.yaml -m ps-dsf -m ps-dsf-tdm --format json").out);
  EXPECT_TRUE(result["users"][0]["before"].contains("satisfied"));
}

TEST(Answers, AnAuditOfAnAllocationThatIsNotFeasibleSaysSo) {
  const TemporaryFolder folder;
  const std::string cluster =
      "resources: [cpu]\nservers:\n  - {name: s, capacity: {cpu: 10}}\n"
      "groups:\n  - {name: g, limit: {cpu: 2}}\n"
      "users:\n  - {name: a, group: g, demand: {cpu: 1}}\n  - {name: b, demand: {cpu: 1}}\n";
  const std::string file = folder.write("c.yaml", cluster);
  const std::string beyond = folder.write("beyond.csv", "user,server,tasks\na,s,5\nb,s,5\n");
  const Ran limit = shell("mirab audit " + file + " --allocation " + beyond);
  EXPECT_EQ(limit.status, 0);
  EXPECT_THAT(limit.out, HasSubstr("not feasible: g has a limit of 2.0 of cpu, and given gives it 5.0"));
  const std::string more = folder.write("more.csv", "user,server,tasks\na,s,2\nb,s,11\n");
  EXPECT_THAT(shell("mirab audit " + file + " --allocation " + more).err,
              HasSubstr("infeasible: more than fits: 's' has 10 of cpu"));
}

// Every page holds the command, the title and the date, and what is printed stays the same.
TEST(Answers, EachHasAPage) {
  for (const std::string command :
       {"explain examples/textbook.yaml -m drf", "explain examples/textbook.yaml A -m drf",
        "diff examples/textbook.yaml -m drf -m pf", "audit examples/textbook.yaml -m drf --budget 50",
        "limits examples/pods/two-pods.yaml --capacity cpu=900m,memory=1800Mi",
        "plan examples/textbook.yaml --user A --tasks 5 -m drf"}) {
    const TemporaryFolder folder;
    const std::string page = folder.path("page.html");
    const Ran ran =
        shell("mirab " + command + " --report " + page + " --title 'Our cluster' --date 2026-11-23");
    ASSERT_EQ(ran.status, 0) << command << ran.err;
    EXPECT_THAT(ran.out, HasSubstr("Our cluster")) << command;
    const std::string html = read_text(page);
    EXPECT_THAT(html, HasSubstr("\"title\":\"Our cluster")) << command;
    EXPECT_THAT(html, HasSubstr("mirab 0.1.0, 2026-11-23")) << command;
    EXPECT_THAT(html, HasSubstr("\"command\":\"mirab " + command)) << command;
    EXPECT_THAT(html, Not(HasSubstr("__MIRAB_DATA__"))) << command;
    EXPECT_EQ(shell("mirab " + command + " --report /nonexistent/x").status, 2) << command;
  }
}

TEST(Answers, ATitleOfTheClusterFileIsUsedByAll) {
  const TemporaryFolder folder;
  const std::string cluster =
      folder.write("c.yaml",
                   "title: Our cluster\nresources: [cpu]\nservers:\n  - {name: s, capacity: {cpu: 10}}\n"
                   "users:\n  - {name: a, demand: {cpu: 1}}\n  - {name: b, demand: {cpu: 1}}\n");
  for (const std::string& command :
       {"explain " + cluster, "explain " + cluster + " a", "diff " + cluster + " -m drf -m pf",
        "audit " + cluster + " -m drf --budget 20", "plan " + cluster + " --user a --tasks 7"}) {
    const Ran ran = shell("mirab " + command);
    EXPECT_EQ(ran.status, 0) << ran.err;
    EXPECT_THAT(ran.out, HasSubstr("Our cluster")) << command;
  }
}

TEST(Answers, ExplainOfATeamAnswersForItsShapesThatWait) {
  const std::string cluster = "examples/kubernetes/cluster.yaml";
  const Ran of_team = shell("mirab explain " + cluster + " ml-inference -m given");
  EXPECT_EQ(of_team.status, 0) << of_team.err;
  EXPECT_THAT(of_team.out, HasSubstr(cluster + ": ml-inference under given\n"));
  EXPECT_THAT(of_team.out, HasSubstr("ml-inference/serve"));
  EXPECT_THAT(of_team.out, Not(HasSubstr("ml-inference/gateway"))) << "it has all its tasks";
}

TEST(Answers, WholeTasksStandBesidePartsWhereNoMechanismIsNamed) {
  const std::string cluster = "examples/kubernetes/cluster.yaml";
  const Ran table = shell("mirab allocate " + cluster);
  EXPECT_THAT(table.out, HasSubstr("whole: whole tasks, placed one by one (drf/first-fit)\n"));
  EXPECT_THAT(table.out, HasSubstr(" is taken since no mechanism was named: "));
  EXPECT_THAT(shell("mirab allocate " + cluster + " -m hdrfh").out, Not(HasSubstr("whole tasks")));
}

}  // namespace
}  // namespace mirab
