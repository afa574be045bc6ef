// `--alike`: servers that differ a little count together, and the output tells what that costs.
#include <algorithm>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>
#include <regex>
#include <string>

#include "cli/shell.hpp"

namespace mirab {
namespace {

using nlohmann::json;
using test::Ran;
using test::shell;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

/// Three nodes that differ by 0.2 % of memory, and one that does not count with them.
const std::string kUnlikeNodes =
    "echo '{\"resources\": [\"cpu\", \"memory\"], \"servers\": ["
    "{\"name\": \"node-1\", \"capacity\": {\"cpu\": 16, \"memory\": 64}},"
    "{\"name\": \"node-2\", \"capacity\": {\"cpu\": 16, \"memory\": 63.9}},"
    "{\"name\": \"node-3\", \"capacity\": {\"cpu\": 16, \"memory\": 63.95}},"
    "{\"name\": \"big\", \"capacity\": {\"cpu\": 64, \"memory\": 256}}], \"users\": ["
    "{\"name\": \"a\", \"demand\": {\"cpu\": 1, \"memory\": 8}},"
    "{\"name\": \"b\", \"demand\": {\"cpu\": 2, \"memory\": 2}}]}'";
const std::string kNodes = kUnlikeNodes + " | mirab ";

TEST(Alike, ServersThatDifferALittleCountTogetherAndTheCostIsSaid) {
  const Ran ran = shell(kNodes + "allocate - --alike 1 --format json");
  ASSERT_EQ(ran.status, 0) << ran.err;
  const json result = json::parse(ran.out);
  EXPECT_EQ(result["outcomes"][0]["servers"].size(), 2U);
  const json& outcome = result["outcomes"][0];
  EXPECT_EQ(outcome["status"], "converged") << "never exact";
  EXPECT_EQ(outcome["certificate"]["kind"], "merged-servers");
  EXPECT_EQ(outcome["merged"]["nodes"], 3);
  EXPECT_EQ(outcome["merged"]["classes"], 1);
  const double left_out = outcome["merged"]["largest_difference"];
  EXPECT_NEAR(left_out, 0.1 / 64, 1e-12);
  EXPECT_NEAR(outcome["merged"]["levels"][0]["bound"], left_out / (1 - left_out), 1e-9);
  EXPECT_THAT(ran.out,
              HasSubstr("3 servers that are alike count as 1 entry, each with the least that one of "
                        "them has, which leaves out at most 0.16 % of one: so the lowest level may be "
                        "off by at most 0.16 %"));
}

TEST(Alike, AFileIsElseTakenAsItStands) {
  const Ran ran = shell(kNodes + "allocate - --format json");
  ASSERT_EQ(ran.status, 0) << ran.err;
  const json result = json::parse(ran.out);
  EXPECT_EQ(result["outcomes"][0]["servers"].size(), 4U);
  EXPECT_EQ(result["outcomes"][0]["status"], "exact");
  EXPECT_FALSE(result["outcomes"][0].contains("merged"));
}

/// What a command prints as JSON, with and without alike servers counted together.
struct Both {
  json as_they_are, together;
};

Both both(const std::string& command) {
  const Ran exact = shell(kNodes + command + " --format json");
  const Ran counted = shell(kNodes + command + " --alike 1 --format json");
  EXPECT_EQ(exact.status, 0) << exact.err;
  EXPECT_EQ(counted.status, 0) << counted.err;
  return {json::parse(exact.out), json::parse(counted.out)};
}

/// Without what differs from run to run.
std::string without_seconds(const std::string& text) {
  return std::regex_replace(text, std::regex("\"seconds\": [-+.0-9e]+"), "\"seconds\": 0");
}

double bound_of(const json& outcome) {
  double most = 0;
  for (const json& level : outcome["merged"]["levels"])
    most = std::max(most, level["user_bound"].get<double>());
  return most;
}

/// Within the bound, and of the counted servers, which have less.
void expect_near(const json& together, const json& as_they_are, double bound, const char* what) {
  const double here = together.get<double>(), there = as_they_are.get<double>();
  EXPECT_NEAR(here, there, bound * std::max(here, there)) << what;
  EXPECT_NE(here, there) << what << ": the servers count with less";
}

TEST(Alike, WhatAllocateDividesIsWithinTheBoundOfWhatServersAsTheyAreGive) {
  const auto [exact, counted] = both("allocate - -m drfh");
  const json &there = exact["outcomes"][0], &here = counted["outcomes"][0];
  const double bound = bound_of(here);
  EXPECT_GT(bound, 0);
  EXPECT_LT(bound, 0.02);
  for (std::size_t n = 0; n < 2; ++n)
    expect_near(here["users"][n]["tasks"], there["users"][n]["tasks"], bound, "tasks");
}

TEST(Alike, AFillingPlacesAsManyWholeTasksWhereAsManyFit) {
  const auto [exact, counted] = both("fill - -d drf");
  for (std::size_t n = 0; n < 2; ++n)
    EXPECT_NEAR(counted["outcomes"][0]["users"][n]["tasks"].get<double>(),
                exact["outcomes"][0]["users"][n]["tasks"].get<double>(), 1);
  EXPECT_EQ(counted["outcomes"][0]["merged"]["nodes"], 3);
}

TEST(Alike, WhatExplainSolvesIsWithinTheBound) {
  const auto [exact, counted] = both("explain - -m drfh");
  const double bound = bound_of(counted);
  for (std::size_t n = 0; n < 2; ++n) {
    const json& here = counted["users"][n];
    for (const json& there : exact["users"]) {  // level users come in the order of what is left of rounding
      if (there["name"] != here["name"]) continue;
      expect_near(here["tasks"], there["tasks"], bound, "tasks");
      EXPECT_EQ(here["remedy"].is_null(), there["remedy"].is_null());
    }
  }
}

TEST(Alike, BothSidesOfADifferenceAreWithinTheirBoundsAndSmallChangesMayBeNone) {
  const auto [exact, counted] = both("diff - -m drfh -m tsf");
  for (std::size_t n = 0; n < 2; ++n) {
    for (const char* const side : {"before", "after"}) {
      const json& here = counted["users"][n];
      for (const json& there : exact["users"]) {
        if (there["name"] != here["name"]) continue;
        expect_near(here[side]["tasks"], there[side]["tasks"], bound_of(counted[side]), side);
      }
    }
  }
}

TEST(Alike, AChangeWithinWhatCountingTogetherMayCostIsMarked) {
  const std::string change =
      "D=$(mktemp -d); " + kUnlikeNodes +
      " > $D/before.json; sed 's/\"name\": \"a\"/&, \"weight\": 1.001/' $D/before.json > "
      "$D/after.json; mirab diff $D/before.json $D/after.json -m drfh";
  const Ran counted = shell(change + " --alike 1");
  EXPECT_THAT(counted.out, AllOf(HasSubstr("% ≈"), HasSubstr("it may be no change"))) << counted.err;
  EXPECT_THAT(shell(change).out, Not(HasSubstr("≈")));
  const std::string tiny = "D=$(mktemp -d); " + kUnlikeNodes +
                           " > $D/before.json; sed 's/\"name\": \"a\"/&, \"weight\": 1.00001/' "
                           "$D/before.json > $D/after.json; mirab diff $D/before.json $D/after.json -m drfh";
  EXPECT_THAT(shell(tiny + " --alike 1").out, AllOf(HasSubstr("0%"), Not(HasSubstr("≈"))))
      << "what reads as no change needs no mark";
  const json result = json::parse(shell(change + " --alike 1 --format json").out);
  EXPECT_EQ(result["users"][0]["may_be_none"], true);
  EXPECT_EQ(result["teams"][0]["may_be_none"], true);
}

TEST(Alike, AnAuditSaysThatItIsOfTheEntries) {
  const Ran ran = shell(kNodes + "audit - -m drfh --budget 50 --alike 1");
  EXPECT_THAT(ran.err, HasSubstr("3 servers that are alike count as 1 entry: the audit is of these"));
}

TEST(Alike, CsvHasNoPlaceForTheCostSoThatItIsANote) {
  const Ran ran = shell(kNodes + "allocate - --alike 1 --format csv");
  ASSERT_EQ(ran.status, 0) << ran.err;
  EXPECT_THAT(ran.err, HasSubstr("drfh: 3 servers that are alike count as 1 entry"));
  EXPECT_THAT(ran.out, Not(HasSubstr("alike")));
}

/// What is bought is enough on the servers as they are: its figures are those of a division of these.
TEST(Alike, APlanIsSearchedOnTheEntriesAndCheckedOnAllServersAsTheyAre) {
  const std::string plan = "plan - --user a --tasks 60 -m drfh";
  const auto [exact, counted] = both(plan);
  EXPECT_EQ(exact["exact"], true);
  EXPECT_EQ(counted["exact"], false);
  EXPECT_EQ(counted["checked"], true);
  EXPECT_EQ(counted["price"], exact["price"]);
  EXPECT_EQ(counted["tasks_before"], exact["tasks_before"]);
  const double after = exact["tasks_after"];
  EXPECT_NEAR(counted["tasks_after"].get<double>(), after, 0.002 * after)
      << "of those that are alike another may be bought at the same price";
  EXPECT_FALSE(counted.contains("merged")) << "the figures are of the servers as they are";
  EXPECT_EQ(counted["least_price"], 0) << "nothing is proved of cheaper purchases";
  EXPECT_EQ(counted["kinds"].size(), 2U) << "one of those that count together";
  EXPECT_THAT(counted["words"].get<std::string>(),
              AllOf(HasSubstr("all servers were divided as they are: it is enough there"),
                    HasSubstr("with one server less of a kind it is not")));
}

/// On the servers as they count a has 0.2 % less.
TEST(Alike, APlanSaysThatNothingIsNeededWhereTheServersAsTheyAreHaveIt) {
  const json now = json::parse(shell(kNodes + "allocate - -m drfh --format json").out);
  const double tasks = now["outcomes"][0]["users"][0]["tasks"];
  const Ran ran = shell(kNodes + fmt::format("plan - --user a --tasks {:.12g} -m drfh --alike 1", tasks));
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("already: nothing has to change, on all servers as they are"));
}

TEST(Alike, APlanBuysRealServersByTheirNamesAndWritesTheClusterAsItWasGiven) {
  for (const char* const kind : {"node-2", "node"}) {
    const Ran ran = shell(kNodes + "plan - --user a --tasks 60 -m drfh --alike 1 --kind " + kind +
                          "=7 --changed /dev/stderr -o /dev/null");
    EXPECT_EQ(ran.status, 0) << ran.err;
    EXPECT_THAT(ran.err, AllOf(HasSubstr("node-1"), HasSubstr("node-2"), HasSubstr("node-3"),
                               HasSubstr("63.95"), Not(HasSubstr("merged:"))));
  }
}

TEST(Alike, WhereNoServersAreAlikeItSaysSo) {
  const Ran ran = shell(kNodes + "allocate - --alike 0.01");
  EXPECT_EQ(ran.status, 0);
  EXPECT_THAT(ran.err, HasSubstr("--alike 0.01: no servers are so alike; all count as they are"));
}

TEST(Alike, WhichServersAnEntryStandsForIsSaid) {
  const json result = json::parse(shell(kNodes + "allocate - --alike 1 --format json").out);
  const json expected = {{"node", {"node-1", "node-2", "node-3"}}};
  EXPECT_EQ(result["problem"]["stands_for"], expected);
  EXPECT_THAT(shell(kNodes + "validate - --alike 1").out,
              HasSubstr(", of which count together:\n  node: node-1, node-2, node-3\n"));
}

/// Of 180 CPUs 20 would be left out.
TEST(Alike, ValidateListsNoEntriesThatAllocateDividesApart) {
  const std::string nodes =
      "printf 'resources: [cpu]\\nservers: [{name: n1, capacity: {cpu: 100}}, {name: n2, capacity: {cpu: "
      "80}}]\\nusers: [{name: u, demand: {cpu: 1}}]\\n' | mirab ";
  for (const std::string command : {"allocate", "validate"}) {
    const Ran ran = shell(nodes + command + " - --alike 40");
    EXPECT_EQ(ran.status, 0);
    EXPECT_THAT(ran.err, HasSubstr("so all servers are divided as they are")) << command;
    EXPECT_THAT(ran.out, Not(HasSubstr("count together"))) << command;
  }
}

/// 199.5 CPUs are guaranteed: all that there is, and more than two servers of 99.5 have.
TEST(Alike, AGuaranteeThatNoLongerFitsIsAnError) {
  const std::string nodes =
      "printf 'resources: [cpu]\\nservers: [{name: n1, capacity: {cpu: 100}}, {name: n2, capacity: {cpu: "
      "99.5}}]\\ngroups: [{name: g, guarantee: {cpu: 199.5}}]\\nusers: [{name: u, group: g, demand: {cpu: "
      "1}}]\\n' | mirab ";
  EXPECT_EQ(shell(nodes + "allocate -").status, 0);
  const Ran ran = shell(nodes + "allocate - --alike 1");
  EXPECT_EQ(ran.status, 2);
  EXPECT_THAT(ran.err, AllOf(HasSubstr("--alike: servers cannot count together"), HasSubstr("guarantee")));
}

TEST(Alike, ANumberThatIsNoPercentIsAnError) {
  for (const std::string percent : {"x", "-1", "101", "1m", "2k", "\'\'"}) {
    const Ran ran = shell(kNodes + "allocate - --alike " + percent);
    EXPECT_EQ(ran.status, 2) << percent;
    EXPECT_THAT(ran.err, AllOf(HasSubstr("--alike"), HasSubstr("is not a number of percent from 0 to 100")))
        << percent;
  }
}

/// Half of one server is not counted.
const std::string kUnlike =
    "printf 'resources: [cpu]\\nservers: [{name: n1, capacity: {cpu: 2}}, {name: n2, "
    "capacity: {cpu: 1}}]\\nusers: [{name: u, demand: {cpu: 1}, tasks: 9}]\\n' | mirab ";

TEST(Alike, WhereALevelMayBeFarOffEveryCommandDividesTheServersAsTheyAre) {
  for (const std::string command :
       {"allocate - -m drfh", "explain - -m drfh", "explain - u -m drfh", "diff - -m drfh -m tsf",
        "plan - --user u -m drfh", "plan - --user u --tasks 2 --weights -m drfh"}) {
    const Ran exact = shell(kUnlike + command + " --format json");
    const Ran ran = shell(kUnlike + command + " --alike 100 --format json");
    EXPECT_EQ(ran.status, 0) << command << ran.err;
    EXPECT_THAT(ran.err, AllOf(HasSubstr("--alike 100: 2 servers that are alike count as 1 entry"),
                               HasSubstr("so all servers are divided as they are")))
        << command;
    EXPECT_EQ(without_seconds(ran.out), without_seconds(exact.out)) << command;
  }
}

/// Two servers of 2 and 1 CPUs hold three whole tasks, and twice the least of them two.
TEST(Alike, WhereFewerWholeTasksFitAFillingIsOnTheServersAsTheyAre) {
  const Ran ran = shell(kUnlike + "fill - --alike 100 --format json");
  ASSERT_EQ(ran.status, 0) << ran.err;
  EXPECT_THAT(ran.err,
              HasSubstr("as alike servers count, they hold 2 whole tasks of 'u' alone, and 3 as they are; "
                        "so all servers are divided as they are"));
  EXPECT_EQ(json::parse(ran.out)["outcomes"][0]["users"][0]["tasks"], 3);
}

/// What was put together at the import cannot be taken apart again.
TEST(Alike, AnImportedClusterWhoseLevelsMayBeFarOffSaysHowToHaveTheServersAsTheyAre) {
  const Ran ran = shell(
      "printf 'resources: [cpu]\\nservers: [{name: n, capacity: {cpu: 1}, count: 2}]\\n"
      "merged: {nodes: 2, classes: 1, largest_difference: 0.5}\\nusers: [{name: u, demand: {cpu: 1}}]\\n' | "
      "mirab allocate - -m drfh");
  EXPECT_EQ(ran.status, 0);
  EXPECT_THAT(ran.err, HasSubstr("an import with --exact-nodes keeps them as they are"));
}

}  // namespace
}  // namespace mirab
