// Table, JSON, CSV and page of overlay runs, made by hand.

#include <fstream>
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>
#include <regex>
#include <string>
#include <vector>

#include "report/simulated.hpp"
#include "report/simulation/runs.hpp"

namespace mirab::report {
namespace {

using nlohmann::ordered_json;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

struct Overlay {
  simulation::OverlayScenario scenario = test::overlay_scenario();
  Problem cluster = test::slides();
  std::vector<simulation::OverlayRun> runs = test::overlay_runs();
  OverlayRuns all{"o.yaml", 7, scenario, cluster, runs};
};

TEST(OverlayReport, JsonHasARunForEachScheduler) {
  const Overlay overlay;
  const ordered_json json = simulation_json(overlay.all);
  EXPECT_EQ(json["kind"], "overlay");
  EXPECT_EQ(json["seed"], 7);
  EXPECT_EQ(json["servers"].dump(), R"(["pool"])");
  EXPECT_EQ(json["users"], 2);
  ASSERT_EQ(json["runs"].size(), 2U);
  const ordered_json& run = json["runs"][1];
  EXPECT_EQ(run["scheduler"], "pdgdrf:hops=9");
  EXPECT_EQ(run["rule"], "pdgdrf");
  EXPECT_EQ(run["seed"], 7);
  EXPECT_EQ(run["min_share"], 0.0561);
  EXPECT_EQ(run["wrong"], 10);
  EXPECT_EQ(run["wrong_within"].dump(), "[10,4]");
  EXPECT_EQ(run["placements"], 400);
  EXPECT_EQ(run["ratio"], 0.5);
  EXPECT_EQ(run["kinds"][1].dump(), R"({"kind":"submit","messages":2000,"bytes":30000})");
  EXPECT_EQ(run["dropped"].dump(),
            R"({"malformed":3,"other-version":0,"wrong-node":0,"from-the-future":0,"too-old":1})");
  EXPECT_EQ(run["shares"].dump(), R"({"A":0.0561,"B":0.0584})");
  EXPECT_EQ(run["used"].dump(), R"({"cpu":0.75,"memory":0.5})");
  EXPECT_EQ(run["violations"], 2);
  EXPECT_EQ(run["violated"].dump(),
            R"([{"promise":"capacity","what":"server 0 runs more than it has","at":5.2}])");
}

TEST(OverlayReport, ThePageHasThePicturesAndTheJsonOnlyWhereTheyAreAskedFor) {
  Overlay overlay;
  EXPECT_FALSE(simulation_json(overlay.all)["runs"][0].contains("frames"));
  const std::string page = simulation_html("<p>__MIRAB_DATA__</p>", overlay.all, {"mirab simulate o.yaml"});
  EXPECT_THAT(page, AllOf(HasSubstr(R"("frames":{"ticks":[1.0],)"), HasSubstr(R"("title":"o.yaml")")));
  overlay.scenario.frames = 1;
  EXPECT_EQ(simulation_json(overlay.all)["runs"][0]["frames"]["placements"].dump(), "[3]");
}

TEST(OverlayReport, TheRatioIsToTheCentralisedSchedulerWhereThereIsOne) {
  Overlay overlay;
  EXPECT_EQ(ratio_to_centralised(overlay.all, 0), 1);
  EXPECT_EQ(ratio_to_centralised(overlay.all, 1), 0.5);
  overlay.scenario.rules[0].scheduler = overlay::Scheduler::dgdrf;
  EXPECT_FALSE(ratio_to_centralised(overlay.all, 1));
  EXPECT_TRUE(simulation_json(overlay.all)["runs"][1]["ratio"].is_null());
  EXPECT_THAT(simulation_table(overlay.all, 100), Not(HasSubstr("ratio")));
}

TEST(OverlayReport, TheCopiesOfAServerAreCountedFromZero) {
  Cluster cluster;
  cluster.resources = {"cpu"};
  cluster.servers = {{.name = "one", .capacity = {Quantity(1)}, .count = 1, .labels = {}},
                     {.name = "two", .capacity = {Quantity(1)}, .count = 2, .labels = {}}};
  cluster.users = {{.name = "u", .demand = {Quantity(1)}}};
  EXPECT_THAT(server_names(*Problem::from(cluster)), ElementsAre("one", "two/0", "two/1"));
}

TEST(OverlayReport, TheTableHasARowForEachScheduler) {
  const Overlay overlay;
  EXPECT_THAT(simulation_table(overlay.all, 100),
              StartsWith(R"(o.yaml: 2 users on 1 server of park.yaml, a tick every 0.1 s, seed 7

                  lowest             devi-  out of                 ticks  messages   bytes
scheduler          share    gini     ation    turn  placed  ticks  ratio    a tick  a tick  broken
──────────────────────────────────────────────────────────────────────────────────────────────────
centralised-drf  0.05610  0.0123  0.002340   2.50%     400    800   1.00      2.50      45       0
pdgdrf:hops=9    0.05610  0.0123  0.002340   2.50%     400    400   0.50      2.50      45       2

                 messages  messages  users      tasks
scheduler            lost   dropped  moved  restarted
─────────────────────────────────────────────────────
centralised-drf         0         0      0          0
pdgdrf:hops=9          17         4      5          0
)"));
}

TEST(OverlayReport, WhereItIsNarrowCostsStandBelowFairness) {
  const Overlay overlay;
  const std::string wide = simulation_table(overlay.all, 100);
  const std::string narrow = simulation_table(overlay.all, 70);
  const auto rows = [](const std::string& text) {
    std::size_t count = 0;
    for (std::size_t at = text.find("\npdgdrf"); at != std::string::npos; at = text.find("\npdgdrf", at + 1))
      ++count;
    return count;
  };
  EXPECT_EQ(rows(wide), 2U);  // figures, and what was lost
  EXPECT_EQ(rows(narrow), 3U);
}

TEST(OverlayReport, WhatWentWrongIsShownWhereSomethingDid) {
  Overlay overlay;
  EXPECT_THAT(simulation_table(overlay.all, 100), HasSubstr("restarted"));
  overlay.runs = {test::overlay_run("centralised-drf", 800), test::overlay_run("pdgdrf", 400)};
  EXPECT_THAT(simulation_table(overlay.all, 100),
              AllOf(Not(HasSubstr("restarted")), Not(HasSubstr("note: "))));
  EXPECT_THAT(notices_of(overlay.all), IsEmpty());
}

TEST(OverlayReport, ABrokenPromiseIsNamed) {
  const Overlay overlay;
  EXPECT_THAT(notices_of(overlay.all),
              ElementsAre("pdgdrf:hops=9: 2 promises were broken; the first: capacity: server 0 runs more "
                          "than it has, at 5.2 s"));
}

TEST(OverlayReport, WhatIsWithoutEffectAndRoomThatIsLeftAreNoted) {
  Overlay overlay;
  overlay.scenario.quiet = 3;
  overlay.scenario.duration = std::chrono::seconds(1);
  overlay.runs[1] = test::overlay_run("pdgdrf", 400);
  overlay.runs[1].left_over = {.user = "B", .tasks = 27};
  EXPECT_THAT(
      notices_of(overlay.all),
      ElementsAre("quiet: has no effect: duration_s says when the run is over",
                  "under pdgdrf:hops=9 27 more tasks would fit: user B has the lowest share and no waiting "
                  "task, so no other user is served (`idle: skip` serves them)"));
  EXPECT_THAT(simulation_table(overlay.all, 100), HasSubstr("note: under pdgdrf:hops=9 27 more"));
}

TEST(OverlayReport, TheMeanOfTheLeastShareIsShownWhereTasksEnd) {
  Overlay overlay;
  EXPECT_THAT(simulation_table(overlay.all, 100), Not(HasSubstr("0.0400")));
  overlay.scenario.runtime = std::chrono::seconds(30);
  EXPECT_THAT(simulation_table(overlay.all, 100), HasSubstr("0.0400"));
}

TEST(OverlayReport, CsvHasARecordForEachScheduler) {
  const Overlay overlay;
  const std::string csv = simulation_csv(overlay.all);
  EXPECT_THAT(
      csv, StartsWith("scheduler,min_share,gini,deviation,wrong,wrong_within_0.05,placements,ticks,ratio,"));
  EXPECT_THAT(csv, HasSubstr("\npdgdrf:hops=9,0.0561,0.0123,0.00234,10,4,400,400,0.5,5000,90000,2.5,45,2,"
                             "0.04,17,4,5,0\n"));
}

/// The columns of the CSV that the document names, as a header of its own.
std::string documented_columns() {
  std::ifstream document(MIRAB_SOURCE_DIR "/docs/reference/simulate.md");
  const std::regex name("`([a-z_0-9.]+)`");
  std::string columns;
  bool in_table = false;
  for (std::string line; std::getline(document, line);) {
    if (line.empty()) in_table = false;
    const std::string cell = line.substr(0, line.find('|', 1));
    for (std::sregex_iterator at(cell.begin(), cell.end(), name), end; in_table && at != end; ++at)
      columns += (columns.empty() ? "" : ",") + (*at)[1].str();
    if (line.starts_with("| column | meaning |")) in_table = true;
  }
  return columns;
}

TEST(OverlayReport, TheDocumentNamesTheColumnsOfTheCsv) {
  Overlay overlay;
  overlay.scenario.tolerances = {0, 0.01};
  const std::string one = simulation_csv(overlay.all);
  const std::string several = replications_csv(std::vector{overlay.all, overlay.all});
  EXPECT_EQ(documented_columns(), several.substr(0, several.find('\n')));
  EXPECT_EQ(documented_columns(), "seed," + one.substr(0, one.find('\n')));
}

}  // namespace
}  // namespace mirab::report
