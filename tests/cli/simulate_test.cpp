// mirab simulate, from the scenario file to what is written where.

#include <filesystem>
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
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

const std::string kTraffic =
    "kind: traffic\n"
    "capacity: {cpu: 1}\n"
    "classes: [{name: c, demand: {cpu: 1}, arrivals: 1}]\n"
    "mechanisms: [drf, max-min]\n"
    "load: {resource: cpu, at: [0.5]}\n"
    "jobs: 5000\n";

/// The text without what a clock says.
std::string simulate_without_times(const std::string& text) {
  return std::regex_replace(text, std::regex("\"seconds\": *[^,}]+"), "…");
}

TEST(Simulate, OneResourceIsServedAtOneMinusTheLoad) {  // mathematics.md, section 11
  const TemporaryFolder folder;
  const Ran ran = shell("mirab simulate --format json " + folder.write("s.yaml", kTraffic));
  ASSERT_EQ(ran.status, 0) << ran.err;
  EXPECT_THAT(ran.err, IsEmpty());  // no progress where nobody is there to see it
  const json result = json::parse(ran.out);
  EXPECT_EQ(result["version"], 1);
  EXPECT_EQ(result["seed"], 1);
  ASSERT_EQ(result["points"].size(), 2U);
  EXPECT_NEAR(result["points"][0]["service_rate"].get<double>(), 0.5, 0.05);
  EXPECT_EQ(result["points"][1]["mechanism"], "max-min");
}

TEST(Simulate, AScenarioWithoutItsClusterNamesWhatIsMissing) {
  const TemporaryFolder folder;
  const auto refused = [&](const std::string& scenario) {
    return shell("mirab simulate " + folder.write("s.yaml", scenario)).err;
  };
  EXPECT_THAT(refused("kind: trace\nworkload: w\ncontenders: [{discipline: drf}]\n"),
              HasSubstr("s.yaml:1: cluster: missing"));
  EXPECT_THAT(refused("kind: reallocation\n"), HasSubstr("s.yaml:1: cluster: missing"));
  EXPECT_THAT(refused("kind: traffic\n"), HasSubstr("s.yaml:1: capacity: missing"));
}

// At α = 10⁻⁶ prices are beyond Newton's method.
TEST(Simulate, WhatDidNotConvergeIsPrintedWithANoticeAndStatusThree) {
  const TemporaryFolder folder;
  const std::string two_classes =
      "kind: traffic\n"
      "capacity: {cpu: 1, memory: 1}\n"
      "classes:\n"
      "  - {name: a, demand: {cpu: 1, memory: 0.1}, arrivals: 0.75}\n"
      "  - {name: b, demand: {cpu: 0.1, memory: 1}, arrivals: 0.25}\n"
      "mechanisms: [\"alpha-fair:alpha=1e-6\"]\n"
      "load: {resource: cpu, at: [0.5]}\n"
      "jobs: 2000\n";
  const Ran ran = shell("mirab simulate " + folder.write("s.yaml", two_classes));
  EXPECT_EQ(ran.status, 3);
  EXPECT_THAT(ran.out, HasSubstr("note: alpha-fair:alpha=1e-6: "));
}

TEST(Simulate, TheSameSeedGivesTheSameBytesWithAnyNumberOfThreads) {
  for (const std::string name : {"traffic-two-classes", "traffic-tasks", "trace-google2011-hour",
                                 "reallocation-google2011", "demands-thesis", "overlay-faults"}) {
    const std::string command = "mirab simulate examples/" + name + ".yaml --format json --seed 3";
    EXPECT_EQ(simulate_without_times(shell(command + " --threads 1").out),
              simulate_without_times(shell(command + " --threads 2").out))
        << name;
  }
}

TEST(Simulate, TheSeedOfTheCommandLineGoesBeforeThatOfTheScenario) {
  const TemporaryFolder folder;
  const std::string without = "mirab simulate --format csv " + folder.write("without.yaml", kTraffic);
  const std::string with = "mirab simulate --format csv " + folder.write("with.yaml", kTraffic + "seed: 5\n");
  EXPECT_EQ(shell(without + " --seed 5").out, shell(with).out);
  EXPECT_EQ(shell(without).out, shell(with + " --seed 1").out);
  EXPECT_NE(shell(without).out, shell(with).out);
}

TEST(Simulate, SeveralSeedsGiveTheSameBytesWithAnyNumberOfThreads) {
  const TemporaryFolder folder;
  const std::string scenario = folder.write("s.yaml", kTraffic + "seeds: 5\n");
  for (const std::string format : {"table", "json", "csv"}) {
    const std::string command = "mirab simulate " + scenario + " --format " + format;
    const Ran one = shell(command + " --threads 1");
    ASSERT_EQ(one.status, 0) << one.err;
    for (const std::string threads : {"2", "7"}) {
      EXPECT_EQ(one.out, shell(command + " --threads " + threads).out) << format << ", " << threads;
    }
  }
}

TEST(Simulate, EveryRunIsThatOfItsSeedAloneAndTheSpreadHasTheirMean) {
  const TemporaryFolder folder;
  const std::string alone = "mirab simulate --format json " + folder.write("alone.yaml", kTraffic);
  const std::string several = folder.write("several.yaml", kTraffic + "seeds: [4, 1, 9]\n");
  const json all = json::parse(shell("mirab simulate --format json " + several).out);
  EXPECT_EQ(all["seeds"], (json{4, 1, 9}));
  ASSERT_EQ(all["runs"].size(), 3U);
  double sum = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    const json run = json::parse(shell(alone + " --seed " + all["seeds"][i].dump()).out);
    EXPECT_EQ(all["runs"][i], run);
    sum += run["points"][1]["service_rate"].get<double>();
  }
  EXPECT_EQ(all["spread"][1]["mechanism"], "max-min");
  EXPECT_DOUBLE_EQ(all["spread"][1]["mean"].get<double>(), sum / 3);
}

TEST(Simulate, TheSeedOfTheCommandLineIsTheFirstOfSeveral) {
  const TemporaryFolder folder;
  for (const std::string seeds : {"3", "[7, 1, 8]"}) {
    const std::string scenario = folder.write("s.yaml", kTraffic + "seeds: " + seeds + "\n");
    const Ran ran = shell("mirab simulate --format json --seed 5 " + scenario);
    ASSERT_EQ(ran.status, 0) << ran.err;
    EXPECT_EQ(json::parse(ran.out)["seeds"], (json{5, 6, 7}));
  }
}

TEST(Simulate, OneSeedAmongSeedsIsAnOrdinaryRun) {
  const TemporaryFolder folder;
  const std::string one = folder.write("one.yaml", kTraffic + "seed: 4\n");
  const std::string list = folder.write("list.yaml", kTraffic + "seeds: [4]\n");
  for (const std::string format : {"json", "csv"}) {
    EXPECT_EQ(shell("mirab simulate " + one + " --format " + format).out,
              shell("mirab simulate " + list + " --format " + format).out);
  }
}

TEST(Simulate, ThePageOfSeveralRunsShowsTheFirst) {
  const TemporaryFolder folder;
  const std::string scenario =
      folder.write("s.yaml", kTraffic + "seeds: [4, 1]\noutputs: {report: r.html}\n");
  ASSERT_EQ(shell("mirab simulate " + scenario).status, 0);
  EXPECT_THAT(read_text(folder.path("r.html")),
              AllOf(HasSubstr("\"kind\":\"traffic\",\"seed\":4"), Not(HasSubstr("\"runs\":"))));
}

TEST(Simulate, WritesTheOutputsOfTheScenarioBesideIt) {
  const TemporaryFolder folder;
  const std::string scenario = folder.write(
      "s.yaml", kTraffic + "outputs: {table: t.txt, json: j.json, csv: c.csv, report: r.html}\n");
  const Ran ran = shell("mirab simulate " + scenario);
  ASSERT_EQ(ran.status, 0) << ran.err;
  EXPECT_EQ(read_text(folder.path("t.txt")), ran.out);
  EXPECT_EQ(json::parse(read_text(folder.path("j.json")))["kind"], "traffic");
  EXPECT_THAT(read_text(folder.path("c.csv")), StartsWith("load,mechanism,class,"));
  EXPECT_THAT(read_text(folder.path("r.html")),
              AllOf(HasSubstr("\"kind\":\"traffic\""), HasSubstr("\"command\":\"mirab simulate ")));
}

TEST(Simulate, ReadsStandardInputWithPathsRelativeToTheFolder) {
  const Ran ran = shell(
      "sed 's#: google2011-hour#: examples/google2011-hour#' "
      "examples/trace-google2011-hour.yaml | mirab simulate - --format json");
  ASSERT_EQ(ran.status, 0) << ran.err;
  EXPECT_EQ(json::parse(ran.out)["contenders"].size(), 3U);
}

TEST(Simulate, NeverReplacesWhatItReadsOrWritesTwice) {
  const TemporaryFolder folder;
  const std::string scenario = folder.write("s.yaml", kTraffic + "outputs: {json: j.json, csv: ./j.json}\n");
  Ran ran = shell("mirab simulate " + scenario);
  EXPECT_EQ(ran.status, 2);
  EXPECT_THAT(ran.err, HasSubstr("outputs.csv: "));
  const std::string plain = folder.write("plain.yaml", kTraffic);
  ran = shell("mirab simulate " + plain + " -o " + plain);
  EXPECT_EQ(ran.status, 2);
  EXPECT_THAT(ran.err, HasSubstr("mirab: -o: "));
  EXPECT_EQ(read_text(plain), kTraffic);
}

TEST(Simulate, WritesNothingUnlessEverythingCanBeWritten) {
  const TemporaryFolder folder;
  const std::string scenario =
      folder.write("s.yaml", kTraffic + "outputs: {json: j.json, report: nowhere/r.html}\n");
  const Ran ran = shell("mirab simulate " + scenario);
  EXPECT_EQ(ran.status, 2);
  EXPECT_THAT(ran.out, IsEmpty());
  EXPECT_EQ(ran.err, "mirab: " + scenario + ":7: outputs.report: '" + folder.path("nowhere/r.html") +
                         "' cannot be written: No such file or directory\n");
  EXPECT_FALSE(std::filesystem::exists(folder.path("j.json")));
}

TEST(Simulate, AGoodFileOfAnotherKindIsCalledByItsName) {
  const TemporaryFolder folder;
  const std::string examples = MIRAB_SOURCE_DIR "/examples/";
  const std::string cluster = examples + "textbook.yaml";
  const std::string workload = examples + "google2011-hour.workload";
  const auto error_of = [](const std::string& command) {
    const Ran ran = shell("mirab " + command);
    EXPECT_EQ(ran.status, 2);
    return ran.err;
  };
  const auto trace = [&](const std::string& as_cluster, const std::string& as_workload) {
    return folder.write("t.yaml", "kind: trace\ncluster: " + as_cluster + "\nworkload: " + as_workload +
                                      "\ncontenders: [{discipline: drf}]\n");
  };
  for (const std::string command : {"simulate ", "validate "}) {
    EXPECT_THAT(
        error_of(command + trace(workload, workload)),
        StartsWith("mirab: " + workload + ": this is a workload file, where a cluster file belongs; "));
    EXPECT_THAT(
        error_of(command + trace(cluster, cluster)),
        StartsWith("mirab: " + cluster + ": this is a cluster file, where a workload file belongs; "));
  }
  EXPECT_THAT(error_of("simulate " + cluster),
              HasSubstr("this is a cluster file, where a scenario belongs; "));
  EXPECT_THAT(error_of("simulate " + workload),
              HasSubstr("this is a workload file, where a scenario belongs"));
  EXPECT_THAT(error_of("allocate --mechanism drf " + trace(cluster, workload)),
              HasSubstr("this is a scenario, where a cluster file belongs; `mirab simulate` takes it"));
}

TEST(Simulate, SaysWhenMostTasksFitNowhere) {
  const TemporaryFolder folder;
  const std::string cluster = folder.write("c.yaml",
                                           "resources: [cpu]\nservers: [{name: s, capacity: {cpu: 1}}]\n"
                                           "users: [{name: u, demand: {cpu: 1}}]\n");
  const auto played = [&](const std::string& tasks) {
    const std::string workload = folder.write(
        "w.workload",
        "{\"mirab\": \"workload\", \"version\": 1, \"resources\": [\"cpu\"], \"span\": 100}\n{\"user\": "
        "\"u\"}\n"
        "{\"request\": 0, \"demand\": {\"cpu\": 8}}\n{\"request\": 1, \"demand\": {\"cpu\": 1}}\n"
        "{\"job\": \"a\", \"user\": \"u\", \"at\": 0, \"request\": 0, \"tasks\": " +
            tasks +
            ", \"runtime\": 1}\n{\"job\": \"b\", \"user\": \"u\", \"at\": 0, \"request\": 1, \"tasks\": 2, "
            "\"runtime\": 1}\n");
    const Ran ran =
        shell("mirab simulate " +
              folder.write("s.yaml", "kind: trace\ncluster: " + cluster + "\nworkload: " + workload +
                                         "\ncontenders: [{discipline: drf}]\n"));
    EXPECT_EQ(ran.status, 0) << ran.err;
    return ran.err;
  };
  EXPECT_THAT(played("2"), IsEmpty());
  EXPECT_THAT(played("3"),
              AllOf(StartsWith("mirab: note: 3 of 5 tasks of "), HasSubstr(" fit on no server of ")));
}

TEST(Simulate, BadInputIsNamedWithFileLineAndKey) {
  const TemporaryFolder folder;
  const std::string unknown = folder.write("unknown.yaml", kTraffic + "job: 3\n");
  for (const std::string command : {"simulate", "validate"}) {
    const Ran ran = shell("mirab " + command + " " + unknown);
    EXPECT_EQ(ran.status, 2);
    EXPECT_THAT(ran.out, IsEmpty());
    EXPECT_EQ(ran.err.substr(0, ran.err.find(';')), "mirab: " + unknown + ":7: job: unknown key");
  }
  const std::string no_cluster = folder.write(
      "trace.yaml", "kind: trace\ncluster: no.yaml\nworkload: w\ncontenders: [{discipline: drf}]\n");
  for (const std::string command : {"simulate", "validate"}) {
    const Ran ran = shell("mirab " + command + " " + no_cluster);
    EXPECT_EQ(ran.status, 2);
    EXPECT_EQ(ran.err, "mirab: " + folder.path("trace.yaml") + ":2: cluster: '" + folder.path("no.yaml") +
                           "' cannot be read: No such file or directory\n");
  }
}

const std::string kSimulateServers =
    "resources: [cpu]\nservers: [{name: s, capacity: {cpu: 4}, count: 5}]\n"
    "users: [{name: a, demand: {cpu: 1}}, {name: b, demand: {cpu: 1}}]\n";

TEST(Simulate, AnOverlayPlacesEverythingAndSharesAlike) {
  const TemporaryFolder folder;
  folder.write("c.yaml", kSimulateServers);
  const std::string scenario = folder.write(
      "s.yaml", "kind: overlay\ncluster: c.yaml\nschedulers: [centralised-drf, dgdrf]\nneighbours: 2\n");
  const Ran ran = shell("mirab simulate --format json " + scenario);
  ASSERT_EQ(ran.status, 0) << ran.err;
  const json result = json::parse(ran.out);
  EXPECT_EQ(result["servers"], (json{"s/0", "s/1", "s/2", "s/3", "s/4"}));
  for (const json& run : result["runs"]) {
    EXPECT_EQ(run["placements"], 20);
    EXPECT_EQ(run["min_share"], 0.5);
    EXPECT_EQ(run["wrong"], 0);
    EXPECT_EQ(run["violations"], 0);
    EXPECT_FALSE(run.contains("frames"));
  }
  EXPECT_EQ(result["runs"][0]["ratio"], 1);
}

TEST(Simulate, ThePageOfAnOverlayHasPictures) {
  const TemporaryFolder folder;
  folder.write("c.yaml", kSimulateServers);
  const std::string scenario =
      folder.write("s.yaml", "kind: overlay\ncluster: c.yaml\nschedulers: [dgdrf]\n");
  ASSERT_EQ(shell("mirab simulate " + scenario + " --report " + folder.path("r.html")).status, 0);
  EXPECT_THAT(read_text(folder.path("r.html")), HasSubstr("\"frames\":{\"ticks\":["));
}

TEST(Simulate, AnOverlayThatDoesNotGoWithItsClusterIsNamed) {
  const TemporaryFolder folder;
  const std::string cluster = folder.write("c.yaml", kSimulateServers);
  const std::string weighted = folder.write("w.yaml",
                                            "resources: [cpu]\nservers: [{name: s, capacity: {cpu: 4}}]\n"
                                            "users: [{name: a, demand: {cpu: 1}, weight: 2}]\n");
  const auto error_of = [&](const std::string& command, const std::string& of, const std::string& more) {
    const std::string scenario =
        folder.write("s.yaml", "kind: overlay\ncluster: " + of + "\nschedulers: [dgdrf]\n" + more);
    const Ran ran = shell("mirab " + command + " " + scenario);
    EXPECT_EQ(ran.status, 2);
    EXPECT_THAT(ran.out, IsEmpty());
    return ran.err;
  };
  const std::string scenario = folder.path("s.yaml");
  for (const std::string command : {"simulate", "validate"}) {
    EXPECT_THAT(error_of(command, weighted, ""), StartsWith("mirab: " + weighted + ":3: users[0].weight: "));
    EXPECT_THAT(error_of(command, cluster, "faults: {crashes: [{at_s: 1, node: 5}]}\n"),
                StartsWith("mirab: " + scenario + ":4: faults.crashes[0].node: "));
    EXPECT_THAT(error_of(command, cluster, "pauses: [{user: c, from_s: 1, to_s: 2}]\n"),
                StartsWith("mirab: " + scenario + ":4: pauses[0].user: "));
    EXPECT_THAT(error_of(command, "none.yaml", ""), HasSubstr("none.yaml' cannot be read"));
  }
}

TEST(Simulate, WhatAnOverlaySaysInVainIsNotedWithItsLine) {
  const TemporaryFolder folder;
  folder.write("c.yaml", kSimulateServers);
  const std::string scenario = folder.write(
      "s.yaml", "kind: overlay\ncluster: c.yaml\nschedulers: [dgdrf]\nneighbours: 2\nslack: 3\n");
  const std::string note = "mirab: note: " + scenario + ":5: slack: has no effect on dgdrf\n";
  for (const std::string command : {"simulate --format json ", "validate "}) {
    const Ran ran = shell("mirab " + command + scenario);
    EXPECT_EQ(ran.status, 0);
    EXPECT_EQ(ran.err, note);
  }
  EXPECT_EQ(json::parse(shell("mirab simulate --format json " + scenario).out)["notices"],
            (json{"slack: has no effect on dgdrf"}));
}

TEST(Simulate, ASearchThatCannotWriteWhatItFindsDoesNotBegin) {
  const TemporaryFolder folder;
  folder.write("file", "");
  std::filesystem::create_symlink("loop", folder.path("loop"));
  std::filesystem::create_symlink("nowhere", folder.path("dangling"));
  const std::string long_name(300, 'a');
  for (const std::string& name :
       {std::string("file/deeper"), std::string("loop"), std::string("loop/deeper"), std::string("dangling"),
        std::string("dangling/deeper"), long_name, "deep/" + long_name}) {
    const std::string at = folder.path(name);
    const Ran ran = shell("mirab simulate --search --seeds 10000000 --witness-dir " + at);
    EXPECT_EQ(ran.status, 2) << name;
    EXPECT_THAT(ran.err, StartsWith("mirab: --witness-dir: '" + at + "' cannot be made: "));
  }
}

TEST(Simulate, ASearchDoesNotWriteAFileWhereItsFindsHaveTheirFolder) {
  const TemporaryFolder folder;
  const std::string out = folder.path("out");
  for (const std::string below : {"", "/", "/deep/deeper"}) {
    const Ran ran =
        shell("mirab simulate --search --seeds 10000000 -o " + out + " --witness-dir " + out + below);
    EXPECT_EQ(ran.status, 2);
    EXPECT_EQ(ran.err, "mirab: -o: '" + out + "' is the folder of --witness-dir, or one above it\n");
  }
}

TEST(Simulate, ASearchThatFindsNothingLeavesNoFolder) {
  const TemporaryFolder folder;
  const Ran ran = shell("mirab simulate --search --nodes 4 --users 2 --seeds 1 --ticks 20 --witness-dir " +
                        folder.path("deep"));
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_FALSE(std::filesystem::exists(folder.path("deep")));
}

TEST(Simulate, AShortSearchSaysThatItWatchedNoLiveness) {
  const std::string command = "mirab simulate --search --nodes 4 --users 2 --seeds 2 --ticks 20";
  EXPECT_THAT(shell(command).out, HasSubstr("Liveness was not checked"));
  EXPECT_EQ(json::parse(shell(command + " --format json").out)["live"], 0);
}

TEST(Simulate, AWorkloadThatDoesNotGoWithTheClusterIsNamed) {
  const TemporaryFolder folder;
  const std::string examples = MIRAB_SOURCE_DIR "/examples/";
  const std::string files =
      "cluster: " + examples + "openb.yaml\nworkload: " + examples + "google2011-hour.workload\n";
  for (const std::string kind :
       {"trace\ncontenders: [{discipline: drf}]\n", "reallocation\nmechanisms: [tsf]\n"}) {
    const std::string scenario = folder.write("s.yaml", "kind: " + kind + files);
    for (const std::string command : {"simulate ", "validate "}) {
      const Ran ran = shell("mirab " + command + scenario);
      EXPECT_EQ(ran.status, 2);
      EXPECT_THAT(ran.out, IsEmpty());
      EXPECT_THAT(ran.err, StartsWith("mirab: " + examples + "google2011-hour.workload: resources: "));
    }
  }
}

TEST(Validate, SaysWhatAFileIs) {
  const Ran ran = shell(
      "mirab validate examples/traffic-two-classes.yaml examples/google2011-hour.workload "
      "examples/trace-google2011-hour.yaml examples/reallocation-google2011.yaml "
      "examples/demands-thesis.yaml examples/overlay-google2011.yaml examples/textbook.yaml");
  ASSERT_EQ(ran.status, 0) << ran.err;
  for (const std::string line :
       {"traffic-two-classes.yaml: ok, traffic, 2 classes, 2 mechanisms, 3 loads\n",
        "google2011-hour.workload: ok, workload, ", "trace-google2011-hour.yaml: ok, trace, 3 contenders\n",
        "reallocation-google2011.yaml: ok, reallocation, 3 mechanisms\n",
        "demands-thesis.yaml: ok, demands, 3 mechanisms, 200 iterations\n",
        "overlay-google2011.yaml: ok, overlay, 7 schedulers\n", "textbook.yaml: ok, 2 users, "}) {
    EXPECT_THAT(ran.out, HasSubstr(line));
  }
}

TEST(Validate, ReadsWorkloadsPackedOrFromStandardInput) {
  const TemporaryFolder folder;
  const std::string packed = folder.path("w.gz");
  EXPECT_THAT(
      shell("gzip -c examples/google2011-hour.workload > " + packed + " && mirab validate " + packed).out,
      HasSubstr(": ok, workload, "));
  EXPECT_THAT(shell("mirab validate - < examples/google2011-hour.workload").out,
              StartsWith("-: ok, workload, "));
  const Ran broken = shell("head -c 2000 " + packed + " > " + packed + "2; mirab validate " + packed + "2");
  EXPECT_EQ(broken.status, 2);
  EXPECT_THAT(broken.err, AllOf(HasSubstr("w.gz2:"), Not(HasSubstr("ok"))));
}

TEST(Simulate, ASearchDrawsItsOwnScenarios) {
  const std::string search = "mirab simulate --search --seeds 2 --nodes 6 --users 2 --ticks 40";
  const Ran ran = shell(search);
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("No promise was broken."));
  EXPECT_EQ(shell(search + " --threads 2").out, ran.out);
  const Ran both = shell(search + " scenario.yaml");
  EXPECT_EQ(both.status, 2);
  EXPECT_THAT(both.err, HasSubstr("SCENARIO"));
}

TEST(Simulate, WithoutAScenarioOrASearchThereIsNothingToDo) {
  const Ran ran = shell("mirab simulate");
  EXPECT_EQ(ran.status, 2);
  EXPECT_THAT(ran.err, AllOf(HasSubstr("SCENARIO"), HasSubstr("--search")));
  EXPECT_EQ(shell("mirab simulate --seeds 3").status, 2) << "--seeds goes with --search";
}

}  // namespace
}  // namespace mirab
