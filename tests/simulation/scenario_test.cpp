// Scenario files: every key is read, and what is wrong is named with file, line and key
// (docs/reference/simulate.md).

#include "lab/simulation/scenario.hpp"

#include <chrono>
#include <filesystem>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <string>

#include "lab/simulation/traffic/arrivals.hpp"

namespace mirab::simulation {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

Result<Scenario> scenario_read(const std::string& text) {
  return read_scenario_text(text, Syntax::yaml, "folder/s.yaml");
}

template <class What>
What read_as(const std::string& text) {
  const Result<Scenario> scenario = scenario_read(text);
  EXPECT_TRUE(scenario) << describe(scenario.error());
  return scenario ? std::get<What>(scenario->what) : What{};
}

std::string scenario_refusal(const std::string& text) {
  const Result<Scenario> scenario = scenario_read(text);
  return scenario ? "accepted" : describe(scenario.error());
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

const std::string kTraffic = R"(version: 1
kind: traffic
seed: 7
outputs: {json: out.json, report: /tmp/page.html}
capacity: {cpu: 4, memory: 8}
classes:
  - {name: a, demand: {cpu: 1, memory: 500m}, claims: {cpu: 2, memory: 0.5}, arrivals: 0.75}
  - {name: b, demand: {memory: 1}, arrivals: 0.25, permanent: 2}
sizes: erlang:20
model: tasks
tasks_per_job: 50
blocking: skip
mechanisms: [drf, pf]
load: {resource: memory, at: [0.3, 0.6]}
jobs: 2e4
)";

const std::string kTrace = R"(kind: trace
cluster: park.yaml
workload: /data/jobs.workload
contenders:
  - {discipline: drf, placement: best-fit}
  - {discipline: fifo}
scale: {machines: 0.5, users: 2, load: 1.5}
duration: 90min
until: drained
samples: 100
)";

const std::string kReallocation = R"(kind: reallocation
cluster: park.yaml
workload: jobs.workload
mechanisms: [tsf, "alpha-pf-vds:alpha=2"]
interval: 10min
window: 2h
claimant: user
new_jobs: reallocate
duration: 1d
)";

const std::string kDemands = R"(kind: demands
servers:
  - {name: pool, capacity: {cpu: 2000, ram: 4098}, count: 3}
users:
  - count: 5
    cpu_median: [80, 400]
    cpu_deviation: 30
    radius: 900
    start: [0, 1000]
    stretch: [1, 2.5]
    disk_median: 100
    disk_deviation: 40
    scale: 2
    least: 5
mechanisms: [mlf-drs, drf]
disciplines: [drf]
iterations: 20
repeats: 2
shown: 3
)";

TEST(ScenarioFile, ReadsEveryKeyOfTraffic) {
  const Result<Scenario> scenario = scenario_read(kTraffic);
  ASSERT_TRUE(scenario) << describe(scenario.error());
  EXPECT_EQ(scenario->name, "folder/s.yaml");
  EXPECT_THAT(scenario->seeds, ElementsAre(7));
  EXPECT_EQ(scenario->outputs.json, "folder/out.json");
  EXPECT_EQ(scenario->outputs.report, "/tmp/page.html");
  EXPECT_THAT(scenario->outputs.csv, IsEmpty());
  const auto& traffic = std::get<TrafficScenario>(scenario->what);
  EXPECT_THAT(traffic.resources, ElementsAre("cpu", "memory"));
  EXPECT_THAT(traffic.capacity, ElementsAre(4, 8));
  ASSERT_EQ(traffic.classes.size(), 2U);
  EXPECT_EQ(traffic.classes[0].name, "a");
  EXPECT_THAT(traffic.classes[0].demand, ElementsAre(1, 0.5));
  EXPECT_THAT(traffic.classes[0].claims, ElementsAre(2, 0.5));
  EXPECT_EQ(traffic.classes[0].arrivals, 0.75);
  EXPECT_THAT(traffic.classes[1].demand, ElementsAre(0, 1));
  EXPECT_THAT(traffic.classes[1].claims, IsEmpty());
  EXPECT_EQ(traffic.classes[1].permanent, 2);
  EXPECT_EQ(traffic.sizes.law, Sizes::Law::erlang);
  EXPECT_EQ(traffic.sizes.stages, 20);
  EXPECT_EQ(traffic.model, TrafficModel::tasks);
  EXPECT_EQ(traffic.tasks_per_job, 50);
  EXPECT_FALSE(traffic.freeze);
  ASSERT_EQ(traffic.mechanisms.size(), 2U);
  EXPECT_EQ(traffic.mechanisms[1].name, "pf");
  EXPECT_EQ(traffic.load_resource, 1U);
  EXPECT_THAT(traffic.loads, ElementsAre(0.3, 0.6));
  EXPECT_EQ(traffic.jobs, 20'000);
}

TEST(ScenarioFile, EveryKindMayHaveATitle) {
  for (const std::string& text : {kTraffic, kTrace}) {
    const Result<Scenario> scenario = scenario_read("title: A week\n" + text);
    ASSERT_TRUE(scenario) << describe(scenario.error());
    EXPECT_EQ(scenario->title, "A week");
  }
  EXPECT_EQ(scenario_read(kTraffic)->title, "");
  EXPECT_FALSE(scenario_read("title: ''\n" + kTraffic));
}

TEST(ScenarioFile, SeedsAreCountedFromOneOrNamed) {
  for (const auto& [written, seeds] :
       std::vector<std::pair<std::string, std::vector<std::uint64_t>>>{{"seeds: 3", {1, 2, 3}},
                                                                       {"seeds: 1", {1}},
                                                                       {"seeds: [7, 1, 0]", {7, 1, 0}},
                                                                       {"seeds: [7]", {7}},
                                                                       {"blocking: freeze", {}}}) {
    const std::string text = replaced(replaced(kTraffic, "blocking: skip\n", ""), "seed: 7", written);
    const Result<Scenario> scenario = scenario_read(text);
    ASSERT_TRUE(scenario) << describe(scenario.error());
    EXPECT_EQ(scenario->seeds, seeds) << written;
  }
  for (const std::string& text : {kTrace, kDemands}) {
    const Result<Scenario> scenario = scenario_read(text + "seeds: 2\n");
    ASSERT_TRUE(scenario) << describe(scenario.error());
    EXPECT_THAT(scenario->seeds, ElementsAre(1, 2));
  }
}

TEST(ScenarioFile, ReadsEveryKeyOfATraceAndPathsRelativeToItself) {
  const auto trace = read_as<TraceScenario>(kTrace);
  EXPECT_EQ(trace.cluster, "folder/park.yaml");
  EXPECT_EQ(trace.workload, "/data/jobs.workload");
  ASSERT_EQ(trace.options.contenders.size(), 2U);
  EXPECT_EQ(trace.options.contenders[0].discipline.name, "drf");
  EXPECT_EQ(trace.options.contenders[0].placement.name, "best-fit");
  EXPECT_EQ(trace.options.contenders[1].placement.name, "first-fit");
  EXPECT_EQ(trace.options.scale.machines, 0.5);
  EXPECT_EQ(trace.options.scale.users, 2);
  EXPECT_EQ(trace.options.scale.load, 1.5);
  EXPECT_EQ(trace.duration, Duration(90min));
  EXPECT_EQ(trace.options.until, ReplayUntil::drained);
  EXPECT_EQ(trace.options.samples, 100U);
}

TEST(ScenarioFile, ReadsEveryKeyOfAReallocation) {
  const auto reallocation = read_as<ReallocationScenario>(kReallocation);
  EXPECT_EQ(reallocation.cluster, "folder/park.yaml");
  EXPECT_EQ(reallocation.workload, "folder/jobs.workload");
  ASSERT_EQ(reallocation.options.mechanisms.size(), 2U);
  EXPECT_EQ(reallocation.options.mechanisms[1].text, "alpha-pf-vds:alpha=2");
  EXPECT_EQ(reallocation.options.interval, Duration(10min));
  EXPECT_EQ(reallocation.options.window, Duration(2h));
  EXPECT_EQ(reallocation.options.claimant, Claimant::user);
  EXPECT_EQ(reallocation.options.new_jobs, NewJobs::reallocate);
  EXPECT_EQ(reallocation.duration, Duration(24h));
}

TEST(ScenarioFile, ReadsEveryKeyOfDemands) {
  const auto demands = read_as<DemandSeriesScenario>(kDemands);
  EXPECT_THAT(demands.resources, ElementsAre("cpu", "ram"));
  ASSERT_EQ(demands.servers.size(), 1U);
  EXPECT_EQ(demands.servers[0].count, 3);
  EXPECT_EQ(demands.servers[0].capacity.size(), 2U);
  ASSERT_EQ(demands.users.size(), 1U);
  const DemandGroup& group = demands.users[0];
  EXPECT_EQ(group.count, 5);
  EXPECT_EQ(group.cpu_median.low, 80);
  EXPECT_EQ(group.cpu_median.high, 400);
  EXPECT_EQ(group.radius.low, 900);
  EXPECT_EQ(group.radius.high, 900);
  EXPECT_EQ(group.start.high, 1000);
  EXPECT_EQ(group.stretch.high, 2.5);
  ASSERT_TRUE(group.disk_median.has_value());
  EXPECT_EQ(group.disk_median->low, 100);
  EXPECT_EQ(group.disk_deviation, 40);
  EXPECT_EQ(group.scale, 2);
  EXPECT_EQ(group.least, 5);
  ASSERT_EQ(demands.disciplines.size(), 1U);
  EXPECT_EQ(demands.disciplines[0].name, "drf");
  EXPECT_EQ(demands.iterations, 20);
  EXPECT_EQ(demands.repeats, 2);
  EXPECT_EQ(demands.shown, 3U);
}

TEST(ScenarioFile, ADiskOfAServerIsAThirdResource) {
  const auto demands = read_as<DemandSeriesScenario>(replaced(kDemands, "ram: 4098", "ram: 4098, disk: 9"));
  EXPECT_THAT(demands.resources, ElementsAre("cpu", "ram", "disk"));
}

TEST(ScenarioFile, JsonHasTheSameKeys) {
  const Result<Scenario> scenario = read_scenario_text(
      R"({"kind": "trace", "cluster": "c", "workload": "w", "contenders": [{"discipline": "drf"}]})",
      Syntax::json, "s.json");
  ASSERT_TRUE(scenario) << describe(scenario.error());
  EXPECT_EQ(std::get<TraceScenario>(scenario->what).cluster, "c");
}

TEST(ScenarioFile, EveryExampleIsReadAndAClusterIsNone) {
  int scenarios = 0;
  for (const auto& entry : std::filesystem::directory_iterator(MIRAB_SOURCE_DIR "/examples")) {
    const std::string name = entry.path().filename().string();
    if (entry.path().extension() != ".yaml") continue;
    const bool named_so = name.starts_with("traffic-") || name.starts_with("trace-") ||
                          name.starts_with("reallocation-") || name.starts_with("demands-") ||
                          name.starts_with("overlay-");
    const Result<Scenario> scenario = read_scenario_file(entry.path().string());
    EXPECT_EQ(static_cast<bool>(scenario), named_so) << name;
    scenarios += named_so ? 1 : 0;
  }
  EXPECT_GE(scenarios, 7);
}

TEST(ScenarioFile, IsKnownByItsKind) {
  EXPECT_TRUE(is_scenario("kind: weather", Syntax::yaml));
  EXPECT_FALSE(is_scenario("resources: [cpu]", Syntax::yaml));
  EXPECT_FALSE(is_scenario("kind: [", Syntax::yaml));
}

struct Wrong {
  std::string text;
  std::string scenario_refusal;  ///< how the message begins, after the file
};

TEST(ScenarioFile, NamesTheLineAndTheKeyOfWhatIsWrong) {
  const std::string same = "  - {name: b, demand: {memory: 1}, arrivals: 0.25, permanent: 2}\n";
  for (const auto& [text, expected] : std::vector<Wrong>{
           {"", "1: kind: missing"},
           {"version: 1\n", "1: kind: missing"},
           {"- kind", "1: must be a map"},
           {"kind: weather\n",
            "1: kind: must be one of traffic, trace, reallocation, demands, overlay, not 'weather'"},
           {"kind: trafic\n",
            "1: kind: must be one of traffic, trace, reallocation, demands, overlay, not 'trafic'; did "
            "you mean traffic"},
           {"kind: [trace]\n", "1: kind: must be one of"},
           {replaced(kTraffic, "version: 1", "version: 2"), "1: version: must be 1"},
           {replaced(kTraffic, "seed: 7", "seed: -7"), "3: seed: must be a whole number"},
           {replaced(kTraffic, "seed: 7", "seeds: 0"), "3: seeds: must be a whole number from 1 to 1000"},
           {replaced(kTraffic, "seed: 7", "seeds: 1001"), "3: seeds: must be a whole number from 1"},
           {replaced(kTraffic, "seed: 7", "seeds: {a: 1}"), "3: seeds: must be a whole number from 1"},
           {replaced(kTraffic, "seed: 7", "seeds: []"), "3: seeds: must have from 1 to 1000 entries"},
           {replaced(kTraffic, "seed: 7", "seeds: [1, -2]"), "3: seeds[1]: must be a whole number from 0"},
           {replaced(kTraffic, "seed: 7", "seeds: [1, 2, 1]"), "3: seeds[2]: 1 is listed twice"},
           {replaced(kTraffic, "seed: 7", "seed: 7\nseeds: 2"), "4: seeds: either this or seed, not both"},
           {replaced(kTraffic, "seed: 7", "sed: 7"), "3: sed: unknown key; did you mean seed"},
           {replaced(kTraffic, "json:", "jso:"), "4: outputs.jso: unknown key; did you mean json"},
           {replaced(kTraffic, "out.json", "[a]"), "4: outputs.json: must be a name or text"},
           {replaced(kTraffic, "capacity: {cpu: 4, memory: 8}", "capacity: {}"), "5: capacity: must name"},
           {replaced(kTraffic, "cpu: 4", "cpu: four"), "5: capacity.cpu: "},
           {replaced(kTraffic, "cpu: 4", "cpu: -4"), "5: capacity.cpu: '-4' is negative"},
           {replaced(kTraffic, "cpu: 4", "cpu: 0"), "5: capacity"},
           {replaced(kTraffic, "cpu: 4", "cpu: .inf"), "5: capacity.cpu: "},
           {replaced(kReallocation, "[tsf,", "[given,"), "4: mechanisms[0]: 'given' divides nothing"},
           {replaced(kDemands, "[mlf-drs, drf]", "[drf, given]"),
            "15: mechanisms[1]: 'given' divides nothing"},
           {replaced(kTraffic, "name: a, ", ""), "7: classes[0].name: missing"},
           {replaced(kTraffic, "name: b", "name: a"), "8: classes[1].name: duplicate name"},
           {replaced(kTraffic, "demand: {cpu: 1, memory: 500m}, ", ""), "7: classes[0].demand: missing"},
           {replaced(kTraffic, "demand: {cpu: 1, memory: 500m}", "demand: {cpu: 0}"), "7: classes[0].demand"},
           {replaced(kTraffic, "cpu: 1, memory: 500m", "cpus: 1"),
            "7: classes[0].demand.cpus: unknown resource; did you mean cpu"},
           {replaced(kTraffic, "claims: {cpu: 2", "claims: {cpu: 0.5"), "7: classes[0].claims"},
           {replaced(kTraffic, "arrivals: 0.75", "arrivals: 0.5"), "6: classes"},
           {replaced(kTraffic, "arrivals: 0.75", "arival: 0.75"),
            "7: classes[0].arival: unknown key; did you mean arrivals"},
           {replaced(kTraffic, "permanent: 2", "permanent: 0.5"),
            "8: classes[1].permanent: must be a whole number"},
           {replaced(kTraffic, "erlang:20", "erlang:0"), "9: sizes: erlang takes a whole number of stages"},
           {replaced(kTraffic, "erlang:20", "pareto"),
            "9: sizes: there is no law of sizes 'pareto'; there are exponential, deterministic, erlang and "
            "hyperexponential"},
           {replaced(kTraffic, "erlang:20", "hyperexponential:cv2=0.5"), "9: sizes: cv2"},
           {replaced(kTraffic, "erlang:20", "hyperexponential:cv2=1e300"), "9: sizes: cv2"},
           {replaced(kTraffic, "model: tasks", "model: task"), "10: model: must be one of fluid, tasks"},
           {replaced(kTraffic, "model: tasks", "model: fluid"), "11: tasks_per_job: only `model: tasks`"},
           {replaced(replaced(kTraffic, "model: tasks\ntasks_per_job: 50\nblocking: skip\n", ""), "[drf, pf]",
                     "[fifo, pf]"),
            "10: mechanisms[0]: 'fifo' is a discipline, which starts whole tasks: it needs `model: tasks`"},
           {replaced(kTraffic, "blocking: skip", "blocking: wait"),
            "12: blocking: must be one of freeze, skip"},
           {replaced(kTraffic, "[drf, pf]", "[drf, drff]"),
            "13: mechanisms[1]: there is no discipline 'drff'; did you mean drf"},
           {replaced(kTraffic, "[drf, pf]", "[drf, drf]"), "13: mechanisms[1]: 'drf' is listed twice"},
           {replaced(kTraffic, "[drf, pf]", "[]"), "13: mechanisms: must have from 1 to"},
           {replaced(kTraffic, "resource: memory", "resource: disk"),
            "14: load.resource: must be one of cpu, memory, not 'disk'"},
           {replaced(kTraffic, "[0.3, 0.6]", "[0.3, 0]"), "14: load.at[1]: must be above 0"},
           {replaced(kTraffic, "[0.3, 0.6]", "0.3"), "14: load.at: must be a list"},
           {replaced(kTraffic, "jobs: 2e4", "jobs: 0"), "15: jobs: must be a whole number from 1"},
           {replaced(kTraffic, same, same + "  - 5\n"), "9: classes[2]: must be a map"},
           {replaced(kTrace, "cluster: park.yaml\n", ""), "1: cluster: missing"},
           {replaced(kTrace, "workload:", "wrokload:"), "3: wrokload: unknown key; did you mean workload"},
           {replaced(kTrace, "best-fit", "bestfit"),
            "5: contenders[0].placement: there is no placement 'bestfit'; did you mean best-fit"},
           {replaced(kTrace, "discipline: fifo", "discipline: filo"), "6: contenders[1].discipline: "},
           {replaced(kTrace, "fifo", "drf, placement: best-fit"), "6: contenders[1]: drf with best-fit is"},
           {replaced(kTrace, "machines: 0.5", "machines: 0"), "7: scale.machines: must be above 0"},
           {replaced(kTrace, "load: 1.5", "lod: 1"), "7: scale.lod: unknown key; did you mean load"},
           {replaced(kTrace, "90min", "90 minutes"), "8: duration: must be a time above 0"},
           {replaced(kTrace, "90min", "0"), "8: duration: must be a time above 0"},
           {replaced(kTrace, "drained", "later"), "9: until: must be one of span, drained"},
           {replaced(kTrace, "samples: 100", "samples: 0"), "10: samples: must be a whole number from 1"},
           {replaced(kReallocation, "[tsf", "[fifo"), "4: mechanisms[0]: there is no mechanism 'fifo'"},
           {replaced(kReallocation, "interval: 10min", "interval: -1"),
            "5: interval: must be a time above 0"},
           {replaced(kReallocation, "claimant: user", "claimant: task"),
            "7: claimant: must be one of job, user"},
           {replaced(kReallocation, "new_jobs: reallocate", "seed: 1"), "8: seed: unknown key"},
           {replaced(kReallocation, "new_jobs: reallocate", "seeds: 2"), "8: seeds: unknown key"},
           {replaced(kDemands, "ram: 4098", "memory: 4098"),
            "3: servers[0].capacity.memory: unknown resource"},
           {replaced(kDemands, "users:", "  - {name: pool, capacity: {cpu: 1, ram: 1}}\nusers:"),
            "4: servers[1].name: duplicate name"},
           {replaced(kDemands, "[80, 400]", "[400, 80]"),
            "6: users[0].cpu_median: must begin with the lower"},
           {replaced(kDemands, "[80, 400]", "[80]"), "6: users[0].cpu_median: must be a number, or a range"},
           {replaced(kDemands, "radius: 900", "radius: 0"), "8: users[0].radius"},
           {replaced(kDemands, "iterations: 20", "iterations: 0"),
            "17: iterations: must be a whole number"}}) {
    EXPECT_THAT(scenario_refusal(text), StartsWith("folder/s.yaml:" + expected)) << text;
  }
}

TEST(ScenarioFile, AMissingFileIsNamed) {
  const Result<Scenario> scenario = read_scenario_file("no-such.yaml");
  ASSERT_FALSE(scenario);
  EXPECT_EQ(describe(scenario.error()), "no-such.yaml: cannot be read: No such file or directory");
}

TEST(ScenarioFile, TimesHaveUnits) {
  for (const auto& [text, length] : std::vector<std::pair<std::string, Duration>>{{"90", 90s},
                                                                                  {"1.5h", 90min},
                                                                                  {"45m", 45min},
                                                                                  {"250ms", 250ms},
                                                                                  {"0.5s", 500ms},
                                                                                  {"2d", 48h},
                                                                                  {"1e3", 1000s}}) {
    const auto trace = read_as<TraceScenario>(replaced(kTrace, "90min", text));
    EXPECT_EQ(trace.duration, length) << text;
  }
}

TEST(Sizes, AreTheSameAfterTheyWereWritten) {
  for (const std::string text : {"exponential", "deterministic", "erlang:20", "hyperexponential:cv2=4.5"}) {
    const Result<Sizes> sizes = parse_sizes(text);
    ASSERT_TRUE(sizes) << describe(sizes.error());
    EXPECT_EQ(sizes_text(*sizes), text);
  }
}

TEST(CutOff, LeavesOutWhatComesLater) {
  Workload workload;
  for (const Duration at : {0s, 9s, 10s, 11s}) {
    workload.jobs.push_back({.name = "j", .submitted = at, .user = 0, .request = 0, .runtime = 1s});
    workload.changes.push_back({.kind = ServerChange::Kind::up, .at = at, .server = "s", .instance = 0});
  }
  workload.span = 20s;
  const Workload cut = cut_off(workload, 10s);
  EXPECT_EQ(cut.jobs.size(), 2U);
  EXPECT_EQ(cut.changes.size(), 2U);
  EXPECT_EQ(cut.span, Duration(10s));
  EXPECT_EQ(cut_off(workload, 30s).span, Duration(20s));
}

}  // namespace
}  // namespace mirab::simulation
