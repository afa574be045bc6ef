#include "client/accounts.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace mirab::client {
namespace {

using testing::HasSubstr;

const Json kUsage = Json::parse(R"({"from":"2027-03-01T08:00:00.000Z","to":"2027-03-02T08:00:00.000Z",
  "until":"2027-03-02T07:30:00.000Z","by":"group","resources":["cpu","memory"],
  "items":[{"group":"","hours":{"cpu":1.5,"memory":68719476736}},{"group":"a,b","hours":{"cpu":0.25}}]})");

TEST(Accounts, UsageIsARowForEachWithTheHoursOfEachResource) {
  EXPECT_EQ(usage_table(kUsage, 100), R"(group        cpu  memory
────────────────────────
(no group)  1.5   64Gi
a,b         0.25  –

amount times hours, from 2027-03-01T08:00:00.000Z until 2027-03-02T07:30:00.000Z
)");
  EXPECT_EQ(usage_csv(kUsage), "group,cpu,memory\n,1.5,68719476736\n\"a,b\",0.25,\n");
}

TEST(Accounts, UsageOfNobodySaysSo) {
  Json usage = kUsage;
  usage["items"] = Json::array();
  EXPECT_THAT(usage_table(usage, 100), testing::StartsWith("nothing was used from 2027-03-01"));
}

TEST(Accounts, HistoryIsARowForEachStep) {
  Json history =
      Json::parse(R"({"series":"share","queue":"ml","step":60,"t":[1803888000,1803888060],"v":[0.25,null]})");
  EXPECT_THAT(history_table(history, 100),
              HasSubstr("2027-03-01T08:00:00Z  25.0%\n2027-03-01T08:01:00Z      –\n"));
  EXPECT_EQ(history_csv(history), "time,share\n2027-03-01T08:00:00Z,0.25\n2027-03-01T08:01:00Z,\n");
}

TEST(Accounts, WhatIsUsedOfAResourceIsShownAsPeopleWriteIt) {
  const Json cluster =
      Json::parse(R"({"resources":[{"name":"gpu","base_exponent":0},{"name":"cpu","base_exponent":-3}]})");
  const Json history = in_units(
      Json::parse(R"({"series":"used","resource":"cpu","step":60,"t":[0,60],"v":[1500,null]})"), cluster);
  EXPECT_EQ(history_csv(history), "time,used\n1970-01-01T00:00:00Z,1.5\n1970-01-01T00:01:00Z,\n");
}

// What a service sends that is none of ours must not end the program.
TEST(Accounts, AnswersOfAnotherFormAreShownAsFarAsTheyGo) {
  for (const char* const text : {"{}", "[]", R"({"items":3,"t":"x","v":null,"resources":{"a":1}})",
                                 R"({"items":[1,{}],"resources":[1],"t":["x"],"v":["y"],"by":7})"}) {
    const Json odd = Json::parse(text);
    EXPECT_FALSE((usage_table(odd, 80) + usage_csv(odd) + history_table(odd, 80) + history_csv(odd)).empty());
    in_units(odd, odd);
  }
}

}  // namespace
}  // namespace mirab::client
