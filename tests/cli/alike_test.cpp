// `--alike`: servers that differ a little count together, and the output tells what that costs.
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>
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
const std::string kNodes =
    "echo '{\"resources\": [\"cpu\", \"memory\"], \"servers\": ["
    "{\"name\": \"node-1\", \"capacity\": {\"cpu\": 16, \"memory\": 64}},"
    "{\"name\": \"node-2\", \"capacity\": {\"cpu\": 16, \"memory\": 63.9}},"
    "{\"name\": \"node-3\", \"capacity\": {\"cpu\": 16, \"memory\": 63.95}},"
    "{\"name\": \"big\", \"capacity\": {\"cpu\": 64, \"memory\": 256}}], \"users\": ["
    "{\"name\": \"a\", \"demand\": {\"cpu\": 1, \"memory\": 8}},"
    "{\"name\": \"b\", \"demand\": {\"cpu\": 2, \"memory\": 2}}]}' | mirab ";

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

TEST(Alike, EveryCommandThatDividesTakesIt) {
  for (const std::string command :
       {"fill - -d drf --alike 1", "explain - --alike 1", "diff - -m drfh -m tsf --alike 1",
        "plan - --user a --tasks 60 --alike 1", "audit - -m drfh --budget 50 --alike 1"}) {
    const Ran ran = shell(kNodes + command);
    EXPECT_THAT(ran.out + ran.err, HasSubstr("3 servers that are alike count as 1 entr")) << command;
  }
}

TEST(Alike, CsvHasNoPlaceForTheCostSoThatItIsANote) {
  const Ran ran = shell(kNodes + "allocate - --alike 1 --format csv");
  ASSERT_EQ(ran.status, 0) << ran.err;
  EXPECT_THAT(ran.err, HasSubstr("drfh: 3 servers that are alike count as 1 entry"));
  EXPECT_THAT(ran.out, Not(HasSubstr("alike")));
}

TEST(Alike, APlanForServersThatCountTogetherIsNotExact) {
  const std::string plan = "plan - --user a --tasks 60 -m drfh --format json";
  EXPECT_EQ(json::parse(shell(kNodes + plan).out)["exact"], true);
  const json counted = json::parse(shell(kNodes + plan + " --alike 1").out);
  EXPECT_EQ(counted["exact"], false);
  EXPECT_THAT(counted["words"].get<std::string>(), HasSubstr("as they are, less may be enough"));
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
  for (const std::string percent : {"x", "-1", "101", "1m", "2k"}) {
    const Ran ran = shell(kNodes + "allocate - --alike " + percent);
    EXPECT_EQ(ran.status, 2) << percent;
    EXPECT_THAT(ran.err, AllOf(HasSubstr("--alike"), HasSubstr("is not a number of percent from 0 to 100")))
        << percent;
  }
}

/// Half of each server is not counted.
TEST(Alike, WhereALevelMayBeFarOffTheServersAreDividedAsTheyAre) {
  const std::string nodes =
      "printf 'resources: [cpu]\\nservers: [{name: n1, capacity: {cpu: 2}}, {name: n2, "
      "capacity: {cpu: 1}}]\\nusers: [{name: u, demand: {cpu: 1}}]\\n' | mirab ";
  const Ran ran = shell(nodes + "allocate - --alike 100 --format json");
  ASSERT_EQ(ran.status, 0) << ran.err;
  EXPECT_THAT(ran.err, AllOf(HasSubstr("--alike 100"), HasSubstr("all servers are divided as they are")));
  EXPECT_EQ(json::parse(ran.out)["outcomes"][0]["status"], "exact");
  EXPECT_EQ(json::parse(ran.out)["outcomes"][0]["users"][0]["tasks"], 3);
}

}  // namespace
}  // namespace mirab
