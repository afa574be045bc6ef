#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "report/simulation/runs.hpp"

namespace mirab::report {
namespace {

using simulation::Partition;
using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

FaultSearch nothing_found() {
  return {.options = {.first_seed = 7, .nodes = 30, .users = 4, .ticks = 200},
          .outcome = {.tried = 12,
                      .messages = 3456,
                      .crashes = 5,
                      .partitions = 2,
                      .lost = 300,
                      .duplicated = 9,
                      .live = 11,
                      .find = {}}};
}

FaultSearch found() {
  FaultSearch searched = nothing_found();
  simulation::SearchFind find;
  find.seed = 18;
  find.violation = {
      .promise = "one place", .what = "task 1 of user 32 starts twice", .at = milliseconds(1250)};
  find.shrunk.loss = 0.1;
  find.shrunk.until = seconds(10);
  find.shrunk.crashes = {
      {.at = seconds(1), .node = 3, .back = seconds(2), .memory = simulation::Memory::lost}};
  find.shrunk.partitions = {{.from = seconds(1), .to = seconds(2), .nodes = 0.5, .users = 0.25},
                            {.from = seconds(3), .to = seconds(4), .gateway = Partition::Side::inside}};
  find.shrunk.restarts = {{.at = seconds(5)}};
  find.wire = {.lifetime = milliseconds(700), .skew = milliseconds(500)};
  find.latency.max = milliseconds(20);
  find.nodes = 4;
  find.users = 1;
  find.ticks = 13;
  searched.outcome.find = find;
  return searched;
}

TEST(OverlaySearch, SaysWhatWasTriedWhenNothingWasFound) {
  EXPECT_EQ(search_table(nothing_found(), 100),
            "Faults against pdgdrf: 30 servers, 4 users, 200 ticks a run, from seed 7 on\n"
            "\n"
            "runs                    12\n"
            "messages              3456\n"
            "of which lost          300\n"
            "of which came twice      9\n"
            "crashes                  5\n"
            "partitions               2\n"
            "checked for liveness    11\n"
            "\n"
            "No promise was broken.\n");
}

TEST(OverlaySearch, SaysWhatBrokeUnderWhichPlanAndHowToSeeItAgain) {
  EXPECT_THAT(
      search_table(found(), 100),
      AllOf(HasSubstr("Seed 18 breaks a promise: one place.\n  At 1.25 s task 1 of user 32 starts twice.\n"),
            HasSubstr("The smallest plan that shows it, with 4 servers, 1 user and 13 ticks:\n"
                      "  clocks differ by up to 0.5 s\n"
                      "  messages take up to 0.02 s\n"
                      "  messages that are older than 0.7 s are dropped\n"
                      "  10 % of the messages are lost until 10 s\n"
                      "  50 % of the servers and 25 % of the users are cut off from 1 s to 2 s\n"
                      "  the gateway is cut off from 3 s to 4 s\n"
                      "  server 3 crashes at 1 s, loses its memory, and is back at 2 s\n"
                      "  the gateway and the bootstrap server forget all at 5 s\n"),
            HasSubstr("Again: mirab simulate --search --seed 18 --seeds 1 --nodes 30 --users 4 --ticks 200 "
                      "--scheduler pdgdrf\n"),
            Not(HasSubstr("No promise"))));
}

TEST(OverlaySearch, SaysWhenLivenessWasNotWatched) {
  FaultSearch searched = nothing_found();
  EXPECT_THAT(search_table(searched, 100), Not(HasSubstr("Liveness")));
  EXPECT_EQ(search_json(searched)["live"], 11);
  searched.outcome.live = 0;
  EXPECT_THAT(search_table(searched, 100), HasSubstr("\nLiveness was not checked: "));
  EXPECT_EQ(search_json(searched)["live"], 0);
}

TEST(OverlaySearch, JsonHasTheSame) {
  EXPECT_TRUE(search_json(nothing_found())["find"].is_null());
  const auto json = search_json(found());
  EXPECT_EQ(json["runs"], 12);
  EXPECT_EQ(json["find"]["promise"], "one place");
  EXPECT_EQ(json["find"]["at_s"], 1.25);
  EXPECT_EQ(json["find"]["plan"].size(), 8U);
}

}  // namespace
}  // namespace mirab::report
