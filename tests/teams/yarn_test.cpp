// The queues of YARN's CapacityScheduler as teams.
#include "teams/yarn.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <string>
#include <utility>
#include <vector>

#include "teams/read_back.hpp"

namespace mirab {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

Result<teams::ImportedTeams> yarn(const std::string& text) {
  return teams::import_yarn({.file = "capacity-scheduler.xml", .text = text});
}

/// A property on each line, from the second on.
std::string configuration(const std::vector<std::pair<std::string, std::string>>& all) {
  std::string text = "<configuration>\n";
  for (const auto& [name, value] : all)
    text += fmt::format("<property><name>yarn.scheduler.capacity.{}</name><value>{}</value></property>\n",
                        name, value);
  return text + "</configuration>\n";
}

std::string yarn_refusal(const std::string& text) {
  const auto teams = yarn(text);
  return teams ? "taken" : describe(teams.error());
}

// 37.5 % in parts of 2 and 1; 50 % of all that science may have, which is all.
TEST(Yarn, CapacitiesMultiplyDownTheTree) {
  const auto teams = yarn(read_text(MIRAB_SOURCE_DIR "/examples/queues/capacity-scheduler.xml"));
  EXPECT_EQ(test::read_back(teams), R"(groups:
  - name: etl
    weight: 60
    guarantee: 60%
    limit: 80%
    users: [nightly]
  - name: science
    weight: 37.5
    guarantee: 37.5%
    groups:
      - name: bio
        weight: 2
        guarantee: 25%
        users: [ada, carl]
      - name: vision
        guarantee: 12.5%
        limit: 50%
        users: []
  - name: old
    weight: 2.5
    limit: 0%
    users: []
)");
  EXPECT_THAT(teams->notices, ElementsAre("not kept, a part of queue-mappings: 1 mapping: g:graphics:vision",
                                          HasSubstr("write its users in: 2 queues: old, vision"),
                                          "not kept, minimum-user-limit-percent: 1 queue: etl"));
}

// A maximum of 80 % of the parent's 50 %; a third is cut after a millionth of a percent.
TEST(Yarn, MaximaMultiplyAndThirdsAreCut) {
  EXPECT_EQ(test::read_back(yarn(configuration({{"root.queues", "a"},
                                                {"root.a.capacity", "50"},
                                                {"root.a.maximum-capacity", "50"},
                                                {"root.a.queues", "b,c"},
                                                {"root.a.b.capacity", "1w"},
                                                {"root.a.b.maximum-capacity", "80"},
                                                {"root.a.c.capacity", "2w"},
                                                {"root.a.c.maximum-capacity", "-1"}}))),
            R"(groups:
  - name: a
    weight: 50
    guarantee: 50%
    limit: 50%
    groups:
      - name: b
        guarantee: 16.666666%
        limit: 40%
        users: []
      - name: c
        weight: 2
        guarantee: 33.333333%
        users: []
)");
}

// Megabytes are of 2^20 bytes. A quarter of 10 GiB and 10 cores.
TEST(Yarn, AbsoluteCapacitiesAreAmounts) {
  const auto teams = yarn(configuration({{"root.queues", "a"},
                                         {"root.a.capacity", "[memory=10240, vcores=10,yarn.io/gpu=2]"},
                                         {"root.a.maximum-capacity", "[memory=20Gi,vcores=12]"},
                                         {"root.a.queues", "b"},
                                         {"root.a.b.capacity", "25"}}));
  EXPECT_EQ(test::read_back(teams), R"(groups:
  - name: a
    guarantee: {cpu: 10, gpu: 2, memory: 10Gi}
    limit: {cpu: 12, memory: 20Gi}
    groups:
      - name: b
        weight: 25
        guarantee: {cpu: 2.5, gpu: 0.5, memory: 2560Mi}
        users: []
)");
  EXPECT_THAT(
      teams->notices,
      Contains("weight 1: an absolute capacity gives no order among queues beside each other: 1 queue: a"));
}

TEST(Yarn, ACapacityOf0IsAWeightOf0) {
  EXPECT_THAT(test::read_back(yarn(configuration(
                  {{"root.queues", "a,b"}, {"root.a.capacity", "0"}, {"root.b.capacity", "100"}}))),
              HasSubstr("name: a\n    weight: 0\n    users: []"));
}

TEST(Yarn, BelowAStoppedQueueNothingIsGuaranteed) {
  EXPECT_EQ(test::read_back(yarn(configuration({{"root.queues", "a"},
                                                {"root.a.capacity", "100"},
                                                {"root.a.state", "STOPPED"},
                                                {"root.a.queues", "b"},
                                                {"root.a.b.capacity", "100"}}))),
            R"(groups:
  - name: a
    weight: 100
    limit: 0%
    groups:
      - name: b
        weight: 100
        users: []
)");
}

TEST(Yarn, NamesWhatIsNotKept) {
  const auto teams = yarn(configuration({{"root.queues", "a"},
                                         {"root.a.capacity", "100"},
                                         {"root.a.user-limit-factor", "2"},
                                         {"root.a.accessible-node-labels.gpu.capacity", "50"},
                                         {"root.acl_submit_applications", "*"},
                                         {"root.gone.capacity", "5"},
                                         {"maximum-applications", "10000"}}));
  ASSERT_TRUE(teams);
  EXPECT_THAT(teams->notices, Contains("not kept, user-limit-factor: 1 queue: a"));
  EXPECT_THAT(teams->notices, Contains("not kept, accessible-node-labels: 1 queue: a"));
  EXPECT_THAT(
      teams->notices,
      Contains(
          "not kept: 3 settings: maximum-applications, root.acl_submit_applications, root.gone.capacity"));
}

TEST(Yarn, BadInputIsRefusedWithFileLineAndProperty) {
  EXPECT_EQ(yarn_refusal("groups:\n"), "capacity-scheduler.xml:1: is no XML: syntax error");
  EXPECT_THAT(yarn_refusal("<configuration>\n<property>\n"),
              HasSubstr("capacity-scheduler.xml:3: is no XML: no element found"));
  EXPECT_THAT(yarn_refusal("<allocations></allocations>"),
              HasSubstr("is of the FairScheduler; capacity-scheduler.xml, of"));
  EXPECT_THAT(yarn_refusal("<html></html>"), HasSubstr("begins with <html>"));
  EXPECT_EQ(yarn_refusal("<!DOCTYPE a [<!ENTITY b 'c'>]>\n<configuration/>"),
            "capacity-scheduler.xml:1: has a <!DOCTYPE>, which is not read");
  EXPECT_THAT(
      yarn_refusal("<configuration/>"),
      HasSubstr("yarn.scheduler.capacity.root.queues: has no property yarn.scheduler.capacity.root.queues"));
  const auto of_a = [](const std::string& capacity) {
    return yarn_refusal(configuration({{"root.queues", "a"}, {"root.a.capacity", capacity}}));
  };
  EXPECT_EQ(of_a("much"),
            "capacity-scheduler.xml:3: yarn.scheduler.capacity.root.a.capacity: must be like 12.5, 2w or "
            "[memory=1024,vcores=1], not 'much'");
  EXPECT_THAT(of_a("101"), HasSubstr("must be a part from 0 to 100 %"));
  EXPECT_THAT(of_a("[memory]"), HasSubstr("'memory' is no amount of a resource"));
  EXPECT_THAT(of_a("[memory=1"), HasSubstr("must end with a bracket"));
  EXPECT_EQ(yarn_refusal(configuration({{"root.queues", "a"}})),
            "capacity-scheduler.xml: yarn.scheduler.capacity.root.a.capacity: missing");
  EXPECT_EQ(
      yarn_refusal(
          configuration({{"root.queues", "a,b"}, {"root.a.capacity", "60"}, {"root.b.capacity", "50"}})),
      "capacity-scheduler.xml:2: yarn.scheduler.capacity.root.queues: the capacities of these queues are "
      "together "
      "more than 100 %: 110");
  EXPECT_THAT(yarn_refusal(configuration({{"root.queues", "a,a"}, {"root.a.capacity", "50"}})),
              HasSubstr("a second queue 'a'"));
  EXPECT_THAT(yarn_refusal(configuration(
                  {{"root.queues", "a"}, {"root.a.capacity", "60"}, {"root.a.maximum-capacity", "50"}})),
              HasSubstr("maximum-capacity: is less than the capacity of the queue"));
  EXPECT_THAT(
      yarn_refusal(configuration({{"root.queues", "a"}, {"root.a.capacity", "60"}, {"root.a.state", "ON"}})),
      HasSubstr("must be RUNNING or STOPPED"));
}

TEST(Yarn, CapacitiesThatAreTogetherLessThanAllAreNoted) {
  const auto notices = [](const std::string& b) {
    return yarn(configuration({{"root.queues", "a,b"}, {"root.a.capacity", "50"}, {"root.b.capacity", b}}))
        ->notices;
  };
  EXPECT_THAT(
      notices("30.5"),
      Contains("the capacities of the queues of root are together 80.5 %, where YARN asks for 100 %: the "
               "rest is guaranteed to none of them"));
  EXPECT_THAT(notices("50"), ::testing::Not(Contains(HasSubstr("are together"))));
}

}  // namespace
}  // namespace mirab
