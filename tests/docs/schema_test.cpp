// The schemas of docs/schema describe what Mirab reads and prints: every example and every output holds
// against its schema, and what the reader refuses for its form, the schema refuses too.

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validation_results.hpp>
#include <valijson/validator.hpp>
#include <yaml-cpp/yaml.h>

#include <mirab/model/cluster_file.hpp>
#include <mirab/model/workload_file.hpp>
#include <mirab/overlay/scheduler.hpp>
#include <mirab/scheduling/event_log.hpp>

#include "cli/shell.hpp"
#include "lab/simulation/scenario.hpp"
#include "scheduling/random_events.hpp"

namespace mirab {
namespace {

using Json = nlohmann::json;

// What the schema finds wrong, empty when the document holds.
std::string faults(const std::string& schema_name, const Json& document) {
  using valijson::adapters::NlohmannJsonAdapter;
  const Json text = Json::parse(read_text(MIRAB_SOURCE_DIR "/docs/schema/" + schema_name));
  valijson::Schema schema;
  valijson::SchemaParser(valijson::SchemaParser::kDraft7).populateSchema(NlohmannJsonAdapter(text), schema);
  valijson::Validator validator;
  valijson::ValidationResults results;
  if (validator.validate(schema, NlohmannJsonAdapter(document), &results)) return {};
  std::string all;
  for (valijson::ValidationResults::Error error; results.popError(error);) {
    for (const std::string& step : error.context) all += step;
    all += ": " + error.description + "\n";
  }
  return all;
}

std::string faults_of_json(const std::string& schema, const std::string& text) {
  return faults(schema, Json::parse(text));
}

// YAML's plain scalars become numbers where they read as such.
Json json_of(const YAML::Node& node) {
  Json json;
  if (node.IsSequence()) {
    json = Json::array();
    for (const YAML::Node& item : node) json.push_back(json_of(item));
  } else if (node.IsMap()) {
    json = Json::object();
    for (const auto& entry : node) json[entry.first.as<std::string>()] = json_of(entry.second);
  } else {
    const auto text = node.as<std::string>();
    const Json number = node.Tag() == "!" ? Json() : Json::parse(text, nullptr, false);
    json = number.is_number() ? number : Json(text);
  }
  return json;
}

TEST(Schema, EveryExampleHolds) {
  int examples = 0;
  for (const std::string folder : {"/examples", "/examples/teams"}) {
    for (const auto& entry : std::filesystem::directory_iterator(MIRAB_SOURCE_DIR + folder)) {
      if (entry.path().extension() != ".yaml") continue;
      ++examples;
      const Json example = json_of(YAML::LoadFile(entry.path().string()));
      const std::string schema = example.contains("kind")      ? "scenario.schema.json"
                                 : example.contains("servers") ? "cluster.schema.json"
                                                               : "teams.schema.json";
      EXPECT_EQ(faults(schema, example), "") << entry.path();
    }
  }
  EXPECT_GE(examples, 20);
}

TEST(Schema, TheLogOfAnEngineHoldsAndIsReplayed) {
  const std::string page = read_text(MIRAB_SOURCE_DIR "/docs/reference/engine.md");
  const std::size_t begin = page.find("```json\n") + 8;
  const std::string log = page.substr(begin, page.find("```\n", begin) - begin);
  std::istringstream lines(log);
  int count = 0;
  for (std::string line; std::getline(lines, line); ++count)
    EXPECT_EQ(faults_of_json("event-log.schema.json", line), "") << line;
  EXPECT_EQ(count, 6);
  std::istringstream again(log);
  const Result<scheduling::Engine> engine = scheduling::replay(again, "docs/reference/engine.md");
  EXPECT_TRUE(engine) << describe(engine.error());
}

TEST(Schema, EveryRandomLogOfAnEngineHolds) {
  Random random(1);
  scheduling::EngineOptions options = scheduling::random_options(random);
  options.discipline = *choose_discipline("drf");  // which has groups
  options.half_life.reset();
  options.preemption.reset();
  EXPECT_EQ(faults_of_json("event-log.schema.json", *scheduling::log_header(options)), "");
  scheduling::Engine engine = *scheduling::Engine::from(options);
  scheduling::RandomEvents events(random, options.resources.size(), scheduling::Others::some);
  events.draw_trees();
  std::set<std::size_t> kinds;
  for (int i = 0; i < 2000; ++i) {
    scheduling::LogEntry entry = events.next();
    const Result<scheduling::Outcome> outcome = scheduling::tell(engine, entry, random);
    if (!outcome) continue;
    events.learn(*outcome);
    entry.outcome = *outcome;
    if (const auto* const event = std::get_if<scheduling::Event>(&entry.what)) kinds.insert(event->index());
    const std::string line = *scheduling::log_line(entry);
    ASSERT_EQ(faults_of_json("event-log.schema.json", line), "") << line;
  }
  EXPECT_EQ(kinds.size(), std::variant_size_v<scheduling::Event>);
}

TEST(Schema, WhatTheReaderOfLogsRefusesTheSchemaRefuses) {
  for (const std::string line :
       {R"({"now": 0, "event": "server-exploded"})", R"({"now": 0.5, "event": "step", "seed": 1})",
        R"({"now": 0, "event": "server-added", "name": "a", "capacity": [-1]})",
        R"({"now": 0, "event": "task-failed", "task": 0, "colour": 1})"}) {
    EXPECT_FALSE(scheduling::read_log_line(line)) << line;
    EXPECT_NE(faults_of_json("event-log.schema.json", line), "") << line;
  }
}

TEST(Schema, EveryLineOfAWorkloadHoldsAndIsRead) {
  const std::string page = read_text(MIRAB_SOURCE_DIR "/docs/reference/workload-file.md");
  const std::size_t begin = page.find("```json\n") + 8;
  const std::string shown = page.substr(begin, page.find("```\n", begin) - begin);
  const std::string example = read_text(MIRAB_SOURCE_DIR "/examples/google2011-hour.workload");
  for (const std::string& text : {shown, example.substr(0, example.find("{\"job\": ") + 20'000)}) {
    std::istringstream lines(text.substr(0, text.rfind('\n') + 1));
    int count = 0;
    for (std::string line; std::getline(lines, line); ++count)
      ASSERT_EQ(faults_of_json("workload.schema.json", line), "") << line;
    EXPECT_GE(count, 8);
  }
  const Result<Workload> workload = read_workload_text(shown, "docs/reference/workload-file.md");
  EXPECT_TRUE(workload) << describe(workload.error());
}

TEST(Schema, WhatTheReaderOfWorkloadsRefusesTheSchemaRefuses) {
  const std::string above = R"({"mirab": "workload", "version": 1, "resources": ["cpu"], "span": 10})"
                            "\n"
                            R"({"user": "u"})"
                            "\n"
                            R"({"request": 0, "demand": {"cpu": 1}})"
                            "\n";
  for (const std::string line :
       {R"({"job": "j", "at": -1, "user": "u", "request": 0, "runtime": 1})",
        R"({"job": "j", "at": 1, "user": "u", "request": 0, "runtime": 0})",
        R"({"job": "j", "at": 1, "user": "u", "request": 0})",
        R"({"job": "", "at": 1, "user": "u", "request": 0, "runtime": 1})",
        R"({"job": "j", "at": 1, "user": "u", "request": 0, "runtime": 1, "tasks": 0})",
        R"({"job": "j", "at": 1, "user": "u", "request": 0, "runtime": 1, "colour": 1})",
        R"({"user": "v", "weight": -1})", R"({"request": 1, "demand": {"cpu": "1 GB"}})",
        R"({"request": 1, "demand": {}})", R"({"usage": 0, "step": 1, "of": []})",
        R"({"usage": 0, "step": 0, "of": [[1]]})", R"({"usage": 0, "step": 1, "of": [[-1]]})",
        R"({"server": "s", "instance": 0, "at": 1, "change": "up"})",
        R"({"server": "s", "instance": 0, "at": 1, "change": "down", "capacity": {"cpu": 1}})",
        R"({"server": "s", "instance": -1, "at": 1, "change": "down"})", R"({"colour": 1})", "[1]"}) {
    EXPECT_FALSE(read_workload_text(above + line, "w")) << line;
    EXPECT_NE(faults_of_json("workload.schema.json", line), "") << line;
  }
  EXPECT_TRUE(read_workload_text(above, "w"));
}

TEST(Schema, WhatIsAllocatedAndFilledHolds) {
  for (const std::string command :
       {"allocate examples/google2011-100x20.yaml --mechanism max-min --mechanism alpha-fair:alpha=2 --fill "
        "fifo",
        "allocate examples/textbook.yaml --mechanism ceei --mechanism drf --mechanism asset",
        "fill examples/team-cluster.yaml --discipline drf --placement best-fit --tie random --seed 7 --trace",
        "fill examples/textbook.yaml --discipline asset:blocking=freeze --discipline round-robin",
        "allocate examples/openb.yaml --fill drf",
        "allocate examples/textbook.yaml --allocation examples/textbook-running.csv"}) {
    const test::Ran ran = test::shell("mirab " + command + " --format json");
    ASSERT_EQ(ran.status, 0) << ran.err;
    EXPECT_EQ(faults_of_json("outcomes.schema.json", ran.out), "") << command;
  }
}

TEST(Schema, WhatIsExplainedHolds) {
  for (const std::string command :
       {"explain examples/textbook.yaml A -m drf", "explain examples/textbook.yaml B -m pf",
        "explain examples/google2011-park.yaml u-tQTMcVT7 -m alpha-fair:alpha=2 --what-ifs 3"}) {
    const test::Ran ran = test::shell("mirab " + command + " --format json");
    ASSERT_EQ(ran.status, 0) << ran.err;
    EXPECT_EQ(faults_of_json("explanation.schema.json", ran.out), "") << command;
  }
}

TEST(Schema, WhatIsExplainedOfAllHolds) {
  for (const std::string command :
       {"explain examples/textbook.yaml", "explain examples/teams/organisation.yaml --what-ifs 2",
        "explain examples/kubernetes/cluster.yaml", "explain examples/openb.yaml -m drf",
        "explain examples/textbook.yaml --allocation examples/textbook-running.csv"}) {
    const test::Ran ran = test::shell("mirab " + command + " --format json");
    ASSERT_EQ(ran.status, 0) << ran.err;
    EXPECT_EQ(faults_of_json("survey.schema.json", ran.out), "") << command;
  }
}

TEST(Schema, WhatIsPlannedHolds) {
  for (const std::string command :
       {"plan examples/textbook.yaml --user A --tasks 9", "plan examples/textbook.yaml --user A --tasks 3",
        "plan examples/textbook.yaml --user B --tasks 2.5 --weights",
        "plan examples/team-cluster.yaml --user training --tasks 30 --kinds examples/prices/servers.yaml -m "
        "ps-dsf --solves 5"}) {
    const test::Ran ran = test::shell("mirab " + command + " --format json");
    ASSERT_EQ(ran.status, 0) << ran.err;
    EXPECT_EQ(faults_of_json("plan.schema.json", ran.out), "") << command;
    const Json plan = Json::parse(ran.out);
    EXPECT_EQ(faults("difference.schema.json", plan["difference"]), "") << command;
  }
  const Json kinds = json_of(YAML::LoadFile(MIRAB_SOURCE_DIR "/examples/prices/servers.yaml"));
  EXPECT_EQ(faults("kinds.schema.json", kinds), "");
  Json free = kinds;  // the reader refuses this too
  free["kinds"][0]["price"] = 0;
  EXPECT_NE(faults("kinds.schema.json", free), "");
}

TEST(Schema, WhatDiffersHolds) {
  for (const std::string command :
       {"diff examples/textbook.yaml -m drf -m pf",
        "diff examples/google2011-100x20.yaml examples/google2011-200x40.yaml -m asset",
        "diff examples/textbook.yaml --allocation examples/textbook-running.csv"}) {
    const test::Ran ran = test::shell("mirab " + command + " --format json");
    ASSERT_EQ(ran.status, 0) << ran.err;
    EXPECT_EQ(faults_of_json("difference.schema.json", ran.out), "") << command;
  }
}

TEST(Schema, LimitsHold) {
  for (const std::string command :
       {"limits examples/pods/two-pods.yaml --capacity cpu=900m,memory=1800Mi",
        "limits examples/pods/two-pods.yaml --capacity cpu=2,memory=2Gi --only-when-exceeded",
        "limits examples/pods/shop.yaml --node examples/pods/node.yaml -m pf --weight statefulset/db=2"}) {
    const test::Ran ran = test::shell("mirab " + command + " --format json");
    ASSERT_EQ(ran.status, 0) << ran.err;
    EXPECT_EQ(faults_of_json("limits.schema.json", ran.out), "") << command;
  }
}

TEST(Schema, WhatIsAuditedHolds) {
  for (const std::string command :
       {"audit examples/textbook.yaml", "audit examples/team-cluster.yaml -m baa -m drf --budget 100",
        "audit --random 50 -m asset -m tsf --budget 1000",
        "audit --random 100 -m hdrf --budget 1000 --assume one-resource --properties guarantee,own-part",
        "audit --random 100 -m hdrfh --budget 1000",
        "audit examples/teams/kueue-story-3.yaml -m drf --budget 100",
        "audit examples/textbook.yaml --allocation examples/textbook-running.csv"}) {
    const test::Ran ran = test::shell("mirab " + command + " --format json");
    ASSERT_EQ(ran.status, 0) << ran.err;
    EXPECT_EQ(faults_of_json("audit.schema.json", ran.out), "") << command;
    const Json result = Json::parse(ran.out);
    for (const Json& outcome : result["outcomes"]) {
      for (const Json& verdict : outcome["properties"]) {
        if (verdict["holds"] != false) continue;
        // An allocation that was given is shown as it is, and not on a smaller cluster.
        if (outcome["mechanism"] == "given") {
          EXPECT_FALSE(verdict.contains("smallest")) << command;
          continue;
        }
        EXPECT_EQ(faults("cluster.schema.json", verdict["smallest"]["cluster"]), "") << command;
      }
    }
  }
  const test::Ran claims = test::shell("mirab audit --claims --random 20 --budget 2000 --format json");
  ASSERT_EQ(claims.status, 0) << claims.err;
  EXPECT_EQ(faults_of_json("claims.schema.json", claims.out), "");
}

TEST(Schema, TheSearchForFaultsHolds) {
  const test::Ran ran =
      test::shell("mirab simulate --search --seeds 2 --nodes 6 --users 2 --ticks 40 --format json");
  ASSERT_EQ(ran.status, 0) << ran.err;
  EXPECT_EQ(faults_of_json("search.schema.json", ran.out), "");
}

TEST(Schema, TheListOfMechanismsHolds) {
  const test::Ran ran = test::shell("mirab mechanisms --format json");
  ASSERT_EQ(ran.status, 0) << ran.err;
  EXPECT_EQ(faults_of_json("mechanisms.schema.json", ran.out), "");
}

TEST(Schema, TheRecommendedMechanismHolds) {
  for (const std::string cluster : {"textbook", "team-cluster", "openb", "teams/organisation"}) {
    const test::Ran ran = test::shell("mirab mechanisms --format json --for examples/" + cluster + ".yaml");
    ASSERT_EQ(ran.status, 0) << ran.err;
    EXPECT_EQ(faults_of_json("recommendation.schema.json", ran.out), "") << cluster;
  }
}

// What runs now, by its own keys: a name that the schema lacks is refused by both.
TEST(Schema, WhatRunsNowHoldsAsItIsRead) {
  const std::string above =
      R"({"resources": ["cpu"], "servers": [{"name": "s", "capacity": {"cpu": 9}}],
          "users": [{"name": "a", "demand": {"cpu": 1}}], "running": [)";
  for (const std::string entry : {R"({"user": "a", "server": "s", "tasks": 1})",
                                  R"({"user": "a", "shape": null, "server": "s", "tasks": "1500m"})"}) {
    EXPECT_TRUE(read_cluster_text(above + entry + "]}", Syntax::json, "c")) << entry;
    EXPECT_EQ(faults_of_json("cluster.schema.json", above + entry + "]}"), "") << entry;
  }
  for (const std::string entry :
       {R"({"user": "a", "server": "s"})", R"({"user": "a", "server": "s", "tasks": -1})",
        R"({"user": "a", "server": "s", "tasks": 1, "pods": 1})", R"({"server": "s", "tasks": 1})", "[1]"}) {
    EXPECT_FALSE(read_cluster_text(above + entry + "]}", Syntax::json, "c")) << entry;
    EXPECT_NE(faults_of_json("cluster.schema.json", above + entry + "]}"), "") << entry;
  }
}

TEST(Schema, TheListOfExperimentsHolds) {
  const test::Ran ran = test::shell("mirab reproduce --list --format json");
  ASSERT_EQ(ran.status, 0) << ran.err;
  EXPECT_EQ(faults_of_json("experiments.schema.json", ran.out), "");
}

// What this program printed for all experiments when the recordings were held against it
// (recordings.reproduce), or else what it prints now.
std::string reproduced() {
  namespace files = std::filesystem;
  const files::path kept = MIRAB_REPRODUCED;
  if (files::exists(kept) && files::last_write_time(kept) > files::last_write_time(MIRAB_PROGRAM))
    return read_text(kept.string());
  const test::Ran ran = test::shell("mirab reproduce --all --quick --threads 2 --times --format json");
  EXPECT_EQ(ran.status, 0) << ran.err;
  return ran.out;
}

TEST(Schema, WhatIsReproducedHolds) {
  const Json result = Json::parse(reproduced());
  EXPECT_EQ(faults("reproduction.schema.json", result), "");
  const Json list = Json::parse(test::shell("mirab reproduce --list --format json").out);
  EXPECT_EQ(result["results"].size(), list["experiments"].size());
  for (const Json& each : result["results"]) {
    for (const Json& table : each["tables"]) {
      for (const Json& row : table["rows"]) EXPECT_LE(row.size(), table["head"].size()) << each["id"];
    }
    for (const Json& figure : each["figures"]) {
      for (const Json& curve : figure["curves"]) {
        EXPECT_EQ(curve["x"].size(), curve["y"].size()) << each["id"] << ": " << curve["name"];
        for (const char* bound : {"low", "high"})
          EXPECT_TRUE(curve[bound].empty() || curve[bound].size() == curve["x"].size()) << each["id"];
      }
    }
  }
}

TEST(Schema, WhatIsSimulatedHolds) {
  int scenarios = 0;
  for (const auto& entry : std::filesystem::directory_iterator(MIRAB_SOURCE_DIR "/examples")) {
    if (entry.path().extension() != ".yaml" || !YAML::LoadFile(entry.path().string())["kind"]) continue;
    ++scenarios;
    const test::Ran ran = test::shell("mirab simulate " + entry.path().string() + " --format json");
    ASSERT_EQ(ran.status, 0) << ran.err;
    EXPECT_EQ(faults_of_json("simulation.schema.json", ran.out), "") << entry.path();
  }
  EXPECT_GE(scenarios, 9);
}

TEST(Schema, SeveralRunsOfAScenarioHold) {
  for (const std::string name :
       {"traffic-liars", "trace-google2011-hour", "demands-thesis", "overlay-faults"}) {
    const std::string scenario = "(cat examples/" + name + ".yaml; echo 'seeds: [2, 9]')";
    const std::string from_here = " | sed 's#: google2011-#: examples/google2011-#'";
    const test::Ran ran = test::shell(scenario + from_here + " | mirab simulate - --format json");
    ASSERT_EQ(ran.status, 0) << ran.err;
    EXPECT_EQ(faults_of_json("simulation.schema.json", ran.out), "") << name;
    Json without = Json::parse(ran.out);
    without.erase("spread");
    EXPECT_NE(faults_of_json("simulation.schema.json", without.dump()), "") << name;
  }
}

// Each differs from a good file in one thing.
TEST(Schema, RefusesTheFormsThatTheReaderOfScenariosRefuses) {
  const std::string good = R"({"kind": "traffic", "capacity": {"cpu": 1}, "mechanisms": ["drf"],
                               "classes": [{"name": "c", "demand": {"cpu": 1}, "arrivals": 1}],
                               "load": {"resource": "cpu", "at": [0.5]}})";
  const auto reads = [](const std::string& text) {
    return static_cast<bool>(simulation::read_scenario_text(text, Syntax::json, "s.json"));
  };
  ASSERT_TRUE(reads(good));
  EXPECT_EQ(faults_of_json("scenario.schema.json", good), "");
  for (const char* patch : {R"([{"op": "replace", "path": "/kind", "value": "weather"}])",
                            R"([{"op": "remove", "path": "/kind"}])",
                            R"([{"op": "add", "path": "/version", "value": 2}])",
                            R"([{"op": "add", "path": "/seed", "value": -1}])",
                            R"([{"op": "add", "path": "/seeds", "value": 0}])",
                            R"([{"op": "add", "path": "/seeds", "value": 1001}])",
                            R"([{"op": "add", "path": "/seeds", "value": []}])",
                            R"([{"op": "add", "path": "/seeds", "value": [1, 1]}])",
                            R"([{"op": "add", "path": "/seeds", "value": [-1]}])",
                            R"([{"op": "add", "path": "/seed", "value": 1},
                                {"op": "add", "path": "/seeds", "value": 2}])",
                            R"([{"op": "add", "path": "/outputs", "value": {"jsno": "a"}}])",
                            R"([{"op": "replace", "path": "/capacity", "value": {}}])",
                            R"([{"op": "replace", "path": "/capacity/cpu", "value": -1}])",
                            R"([{"op": "replace", "path": "/classes", "value": []}])",
                            R"([{"op": "remove", "path": "/classes/0/name"}])",
                            R"([{"op": "remove", "path": "/classes/0/demand"}])",
                            R"([{"op": "add", "path": "/classes/0/claim", "value": {"cpu": 2}}])",
                            R"([{"op": "replace", "path": "/classes/0/arrivals", "value": 1.5}])",
                            R"([{"op": "add", "path": "/classes/0/permanent", "value": 0.5}])",
                            R"([{"op": "add", "path": "/sizes", "value": "pareto"}])",
                            R"([{"op": "add", "path": "/model", "value": "task"}])",
                            R"([{"op": "replace", "path": "/mechanisms", "value": []}])",
                            R"([{"op": "replace", "path": "/load/at", "value": [0]}])",
                            R"([{"op": "remove", "path": "/load/at"}])",
                            R"([{"op": "add", "path": "/jobs", "value": 0}])",
                            R"([{"op": "add", "path": "/cluster", "value": "c"}])"}) {
    const std::string bad = Json::parse(good).patch(Json::parse(patch)).dump();
    EXPECT_FALSE(reads(bad)) << bad;
    EXPECT_NE(faults_of_json("scenario.schema.json", bad), "") << bad;
  }
}

// Each differs from a good file in one thing.
TEST(Schema, RefusesTheFormsThatTheReaderOfOverlaysRefuses) {
  const std::string good =
      R"({"kind": "overlay", "cluster": "c.yaml", "patience": {"lease": 0}, "shuffle": "all",
                               "schedulers": ["dgdrf", {"scheduler": "pdgdrf", "neighbours": 2, "name": "p"}],
                               "latency_ms": {"min": 1, "max": 2}, "tolerances": [0, 0.1],
                               "faults": {"loss": 0.1, "crashes": [{"at_s": 1, "node": 0, "memory": "lost"}],
                                          "partitions": [{"from_s": 1, "to_s": 2, "nodes": 0.5}],
                                          "restarts": [{"at_s": 1}],
                                          "slow": [{"from_s": 1, "to_s": 2, "node": 0, "factor": 2}],
                                          "leaves": [{"at_s": 1, "node": 1}]},
                               "pauses": [{"user": "u", "from_s": 0, "to_s": 1}]})";
  const auto reads = [](const std::string& text) {
    return static_cast<bool>(simulation::read_scenario_text(text, Syntax::json, "s.json"));
  };
  ASSERT_TRUE(reads(good));
  EXPECT_EQ(faults_of_json("scenario.schema.json", good), "");
  for (const char* patch : {R"([{"op": "remove", "path": "/cluster"}])",
                            R"([{"op": "remove", "path": "/schedulers"}])",
                            R"([{"op": "replace", "path": "/schedulers", "value": []}])",
                            R"([{"op": "replace", "path": "/schedulers/0", "value": "dgdfr"}])",
                            R"([{"op": "remove", "path": "/schedulers/1/scheduler"}])",
                            R"([{"op": "add", "path": "/schedulers/1/quiet", "value": 5}])",
                            R"([{"op": "replace", "path": "/schedulers/1/neighbours", "value": 0}])",
                            R"([{"op": "replace", "path": "/schedulers/1/name", "value": ""}])",
                            R"([{"op": "replace", "path": "/shuffle", "value": 0}])",
                            R"([{"op": "add", "path": "/search", "value": "best"}])",
                            R"([{"op": "add", "path": "/temperature", "value": 0}])",
                            R"([{"op": "add", "path": "/ticks", "value": "in_step"}])",
                            R"([{"op": "add", "path": "/tick_ms", "value": 0}])",
                            R"([{"op": "add", "path": "/workload", "value": "w"}])",
                            R"([{"op": "replace", "path": "/patience/lease", "value": -1}])",
                            R"([{"op": "add", "path": "/patience/again", "value": 0}])",
                            R"([{"op": "remove", "path": "/latency_ms/max"}])",
                            R"([{"op": "replace", "path": "/tolerances/0", "value": -1}])",
                            R"([{"op": "replace", "path": "/faults/loss", "value": 1}])",
                            R"([{"op": "add", "path": "/faults/noise", "value": 0.1}])",
                            R"([{"op": "remove", "path": "/faults/crashes/0/node"}])",
                            R"([{"op": "replace", "path": "/faults/crashes/0/memory", "value": "some"}])",
                            R"([{"op": "replace", "path": "/faults/partitions/0/nodes", "value": 1}])",
                            R"([{"op": "remove", "path": "/faults/partitions/0/nodes"}])",
                            R"([{"op": "add", "path": "/faults/partitions/0/users", "value": 1.5}])",
                            R"([{"op": "add", "path": "/faults/partitions/0/gateway", "value": "in"}])",
                            R"([{"op": "remove", "path": "/faults/restarts/0/at_s"}])",
                            R"([{"op": "replace", "path": "/faults/slow/0/factor", "value": 0.5}])",
                            R"([{"op": "replace", "path": "/faults/leaves/0/at_s", "value": -1}])",
                            R"([{"op": "remove", "path": "/pauses/0/user"}])"}) {
    const std::string bad = Json::parse(good).patch(Json::parse(patch)).dump();
    EXPECT_FALSE(reads(bad)) << bad;
    EXPECT_NE(faults_of_json("scenario.schema.json", bad), "") << bad;
  }
}

// The schema lists what the table has.
TEST(Schema, EverySchedulerOfAnOverlayIsInTheSchema) {
  for (const overlay::SchedulerRow& row : overlay::schedulers()) {
    const Json scenario = {{"kind", "overlay"}, {"cluster", "c"}, {"schedulers", {row.name}}};
    EXPECT_EQ(faults("scenario.schema.json", scenario), "") << row.name;
  }
}

// Each differs from a good file in one thing.
TEST(Schema, RefusesTheFormsThatTheReaderRefuses) {
  const std::string good = R"({"resources": ["cpu"], "servers": [{"name": "s", "capacity": {"cpu": 4}}],
                               "users": [{"name": "u", "demand": {"cpu": "500m"}}]})";
  const auto reads = [](const std::string& text) {
    return static_cast<bool>(read_cluster_text(text, Syntax::json, "c.json"));
  };
  ASSERT_TRUE(reads(good));
  EXPECT_EQ(faults_of_json("cluster.schema.json", good), "");
  for (
      const char* patch :
      {R"([{"op": "add", "path": "/server", "value": []}])",
       R"([{"op": "remove", "path": "/users"}])",
       R"([{"op": "replace", "path": "/servers", "value": []}])",
       R"([{"op": "replace", "path": "/resources", "value": []}])",
       R"([{"op": "replace", "path": "/resources", "value": ["cpu", "cpu"]}])",
       R"([{"op": "add", "path": "/version", "value": 2}])",
       R"([{"op": "replace", "path": "/servers/0/capacity/cpu", "value": -1}])",
       R"([{"op": "replace", "path": "/servers/0/capacity/cpu", "value": "4 GB"}])",
       R"([{"op": "replace", "path": "/users/0/demand/cpu", "value": [1]}])",
       R"([{"op": "remove", "path": "/users/0/demand"}])",
       R"([{"op": "remove", "path": "/users/0/demand/cpu"}])",
       R"([{"op": "add", "path": "/users/0/wieght", "value": 2}])",
       R"([{"op": "add", "path": "/servers/0/count", "value": 0}])",
       R"([{"op": "add", "path": "/servers/0/count", "value": 1.5}])",
       R"([{"op": "add", "path": "/servers/0/overfull", "value": 1}])",
       R"([{"op": "replace", "path": "/users/0/name", "value": ""}])",
       R"([{"op": "add", "path": "/users/0/tasks", "value": -3}])",
       R"([{"op": "add", "path": "/users/0/select", "value": {"zone": {"nor": "a"}}}])",
       R"([{"op": "add", "path": "/users/0/select", "value": {"zone": {}}}])",
       R"([{"op": "add", "path": "/users/0/select", "value": {"size": {"above": "x"}}}])",
       R"([{"op": "add", "path": "/users/0/servers", "value": {"but": ["s"]}}])",
       R"([{"op": "add", "path": "/users/0/tolerates", "value": [{"key": "a", "operator": "Maybe"}]}])",
       R"([{"op": "add", "path": "/servers/0/taints", "value": {"a": "b"}}])",
       R"([{"op": "add", "path": "/running", "value": [{"user": "u", "server": "s", "tasks": {"s": 1}}]}])"}) {
    const std::string bad = Json::parse(good).patch(Json::parse(patch)).dump();
    EXPECT_FALSE(reads(bad)) << bad;
    EXPECT_NE(faults_of_json("cluster.schema.json", bad), "") << bad;
  }
  for (
      const char* patch :
      {R"([{"op": "add", "path": "/users/0/select", "value": {"zone": {"not": "a"}}}])",
       R"([{"op": "add", "path": "/users/0/tolerates", "value": "*"}, {"op": "add", "path":
             "/servers/0/taints", "value": ["a=b:NoExecute", {"key": "c", "effect": "NoSchedule"}]}])",
       R"([{"op": "add", "path": "/users/0/tolerates", "value": [{"key": "a", "operator": "Exists"}]}])",
       R"([{"op": "add", "path": "/users/0/tolerates", "value": [{"key": "a", "value": null, "effect": null}]},
            {"op": "add", "path": "/servers/0/taints", "value": [{"key": "a", "value": null}]}])",
       R"([{"op": "add", "path": "/servers/0/overfull", "value": true}])",
       R"([{"op": "add", "path": "/running", "value": [{"user": "u", "tasks": {"s": 1}}]}])"}) {
    const std::string also_good = Json::parse(good).patch(Json::parse(patch)).dump();
    EXPECT_EQ(faults_of_json("cluster.schema.json", also_good), "") << also_good;
    EXPECT_TRUE(reads(also_good)) << also_good;
  }
}

}  // namespace
}  // namespace mirab
