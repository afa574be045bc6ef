// The keys of the scenario kinds trace, reallocation, demands and traffic (docs/reference/simulate.md).
#include <algorithm>
#include <array>
#include <fmt/format.h>

#include <mirab/mechanisms/mechanism.hpp>
#include <mirab/model/problem.hpp>
#include <mirab/scheduling/fill.hpp>

#include "lab/simulation/scenario/fields.hpp"
#include "lab/simulation/traffic/arrivals.hpp"

namespace mirab::simulation {

// The keys of `kind: trace` (docs/reference/simulate.md). The caller opens the files that it names.

namespace {

constexpr std::size_t kMostContenders = 100;  // a limit on time: each replays the whole workload

scheduling::Reserving read_reservations(const Node& node, const std::string& key, ScenarioFields& fields) {
  static constexpr std::array<std::string_view, 3> kKeys = {"after", "servers", "at_most"};
  constexpr std::int64_t kMostServers = 1'000'000;
  scheduling::Reserving reserving{.after = Duration(1)};
  if (!fields.expect_map(node, key, kKeys)) return reserving;
  reserving.after = fields.duration(fields.required(node, key, "after"), key + ".after");
  if (const Node* servers = node.find("servers"))
    reserving.servers =
        static_cast<std::size_t>(fields.whole_between(*servers, key + ".servers", 1, kMostServers));
  if (const Node* at_most = node.find("at_most"))
    reserving.at_most = fields.duration(*at_most, key + ".at_most");
  return reserving;
}

scheduling::Preempting read_preemption(const Node& node, const std::string& key, ScenarioFields& fields) {
  static constexpr std::array<std::string_view, 2> kKeys = {"tasks", "per"};
  constexpr std::int64_t kMostTasks = 1'000'000'000;
  scheduling::Preempting preempting{.tasks = 1, .per = Duration(1)};
  if (!fields.expect_map(node, key, kKeys)) return preempting;
  preempting.tasks = fields.whole_between(fields.required(node, key, "tasks"), key + ".tasks", 1, kMostTasks);
  preempting.per = fields.duration(fields.required(node, key, "per"), key + ".per");
  return preempting;
}

ReplayContender read_contender(const Node& node, const std::string& key, ScenarioFields& fields) {
  static constexpr std::array<std::string_view, 5> kKeys = {"discipline", "placement", "half_life",
                                                            "reservations", "preemption"};
  ReplayContender contender{.discipline = {}, .placement = *choose_placement("first-fit")};
  if (!fields.expect_map(node, key, kKeys)) return contender;
  const Node& discipline = fields.required(node, key, "discipline");
  if (Result<ReplayContender> chosen = choose_contender(fields.name(discipline, key + ".discipline"))) {
    contender = *std::move(chosen);
  } else {
    fields.fail(key + ".discipline", chosen.error().message, discipline.line);
  }
  if (const Node* half_life = node.find("half_life"))
    contender.half_life = fields.duration(*half_life, key + ".half_life");
  if (const Node* reservations = node.find("reservations"))
    contender.reservations = read_reservations(*reservations, key + ".reservations", fields);
  if (const Node* preemption = node.find("preemption"))
    contender.preemption = read_preemption(*preemption, key + ".preemption", fields);
  if (const Node* placement = node.find("placement")) {
    contender.placement = fields.choice(*placement, key + ".placement", choose_placement);
  }
  return contender;
}

std::vector<ReplayContender> read_contenders(const Node& node, ScenarioFields& fields) {
  std::vector<ReplayContender> contenders;
  for (const Node::Entry& entry : fields.entries(node, "contenders", kMostContenders)) {
    const std::string key = item_key("contenders", contenders.size());
    ReplayContender contender = read_contender(entry.value, key, fields);
    if (fields.failed()) return contenders;
    const bool twice = std::any_of(contenders.begin(), contenders.end(), [&](const ReplayContender& other) {
      return other.queue == contender.queue && same_choice(other.discipline, contender.discipline) &&
             same_choice(other.placement, contender.placement) &&
             options_text(other) == options_text(contender);
    });
    if (twice) {
      fields.fail(
          key, fmt::format("{} with {} is listed twice", contender_text(contender), contender.placement.text),
          entry.line);
    }
    contenders.push_back(std::move(contender));
  }
  return contenders;
}

ReplayScale read_scale(const Node& node, ScenarioFields& fields) {
  static constexpr std::array<std::string_view, 3> kKeys = {"machines", "users", "load"};
  ReplayScale scale;
  if (!fields.expect_map(node, "scale", kKeys)) return scale;
  if (const Node* machines = node.find("machines")) {
    scale.machines = fields.positive(*machines, "scale.machines");
  }
  if (const Node* users = node.find("users")) scale.users = fields.positive(*users, "scale.users");
  if (const Node* load = node.find("load")) scale.load = fields.positive(*load, "scale.load");
  return scale;
}

}  // namespace

TraceScenario read_trace(const Node& root, ScenarioFields& fields) {
  static constexpr std::array<std::string_view, 14> kKeys = {
      kVersionKey, kTitleKey, kKindKey,     kSeedKey, kSeedsKey,  kOutputsKey, "cluster",
      "workload",  "teams",   "contenders", "scale",  "duration", "until",     "samples"};
  static constexpr std::array<std::string_view, 2> kEnds = {"span", "drained"};
  constexpr std::int64_t kMostSamples = 100'000;  // of every course: a megabyte of text each
  TraceScenario scenario;
  if (!fields.expect_map(root, "", kKeys)) return scenario;
  scenario.cluster = fields.path(fields.required(root, "", "cluster"), "cluster");
  scenario.workload = fields.path(fields.required(root, "", "workload"), "workload");
  if (const Node* teams = root.find("teams")) scenario.teams = fields.path(*teams, "teams");
  scenario.options.contenders = read_contenders(fields.required(root, "", "contenders"), fields);
  if (const Node* scale = root.find("scale")) scenario.options.scale = read_scale(*scale, fields);
  if (const Node* duration = root.find("duration")) {
    scenario.duration = fields.duration(*duration, "duration");
  }
  if (const Node* until = root.find("until")) {
    scenario.options.until =
        fields.word(*until, "until", kEnds) == 0 ? ReplayUntil::span : ReplayUntil::drained;
  }
  if (const Node* samples = root.find("samples")) {
    scenario.options.samples =
        static_cast<std::size_t>(fields.whole_between(*samples, "samples", 1, kMostSamples));
  }
  return scenario;
}

namespace {

/// Of the mechanisms one that divides: what runs does not come from a cluster file here.
Result<Choice> choose_dividing(std::string_view text) {
  Result<Choice> mechanism = choose_mechanism(text);
  if (mechanism && mechanism->name == "given")
    return Error{.message = "'given' divides nothing: it is what a cluster file says that runs"};
  return mechanism;
}

}  // namespace

// The keys of `kind: reallocation` (docs/reference/simulate.md). The caller opens the files that it names.

ReallocationScenario read_reallocation(const Node& root, ScenarioFields& fields) {
  static constexpr std::array<std::string_view, 12> kKeys = {
      kVersionKey,  kTitleKey,  kKindKey, kOutputsKey, "cluster",  "workload",
      "mechanisms", "interval", "window", "claimant",  "new_jobs", "duration"};
  static constexpr std::array<std::string_view, 2> kClaimants = {"job", "user"};
  static constexpr std::array<std::string_view, 2> kNewJobs = {"wait", "reallocate"};
  ReallocationScenario scenario;
  if (!fields.expect_map(root, "", kKeys)) return scenario;
  ReallocationOptions& options = scenario.options;
  scenario.cluster = fields.path(fields.required(root, "", "cluster"), "cluster");
  scenario.workload = fields.path(fields.required(root, "", "workload"), "workload");
  options.mechanisms =
      fields.choice_list(fields.required(root, "", "mechanisms"), "mechanisms", choose_dividing);
  if (const Node* duration = root.find("duration")) {
    scenario.duration = fields.duration(*duration, "duration");
  }
  if (const Node* interval = root.find("interval")) {
    options.interval = fields.duration(*interval, "interval");
  }
  if (const Node* window = root.find("window")) options.window = fields.duration(*window, "window");
  if (const Node* claimant = root.find("claimant")) {
    options.claimant = fields.word(*claimant, "claimant", kClaimants) == 0 ? Claimant::job : Claimant::user;
  }
  if (const Node* new_jobs = root.find("new_jobs")) {
    options.new_jobs =
        fields.word(*new_jobs, "new_jobs", kNewJobs) == 0 ? NewJobs::wait : NewJobs::reallocate;
  }
  return scenario;
}

// The keys of `kind: demands` (docs/reference/simulate.md). What can be wrong with them as such is for
// check(DemandSeriesScenario) to say.

namespace {

// Limits on time: every iteration divides all servers among all users again. The thesis has 100 servers at
// most.
constexpr std::size_t kMaxServers = 10'000;
constexpr std::size_t kMostGroups = 1'000;
constexpr std::int64_t kMost = 1'000'000;  // of anything that is counted

const std::vector<std::string> kResources = {"cpu", "ram", "disk"};

Server read_server(const Node& node, const std::string& key, ScenarioFields& fields) {
  static constexpr std::array<std::string_view, 3> kKeys = {"name", "capacity", "count"};
  Server server;
  if (!fields.expect_map(node, key, kKeys)) return server;
  server.capacity = fields.amounts(fields.required(node, key, "capacity"), key + ".capacity", kResources);
  if (const Node* count = node.find("count")) server.count = fields.whole(*count, key + ".count");
  return server;
}

// One number, or the two ends of a range.
Range read_range(const Node& node, const std::string& key, ScenarioFields& fields) {
  if (node.kind == Node::Kind::scalar) {
    const double both = fields.not_negative(node, key);
    return {both, both};
  }
  if (node.kind != Node::Kind::list || node.entries.size() != 2) {
    fields.fail(key, "must be a number, or a range of two like [80, 400]", node.line);
    return {};
  }
  const Range range{fields.not_negative(node.entries[0].value, key + "[0]"),
                    fields.not_negative(node.entries[1].value, key + "[1]")};
  if (range.low > range.high) fields.fail(key, "must begin with the lower number", node.line);
  return range;
}

DemandGroup read_group(const Node& node, const std::string& key, ScenarioFields& fields) {
  static constexpr std::array<std::string_view, 10> kKeys = {
      "count",   "cpu_median",  "cpu_deviation",  "radius", "start",
      "stretch", "disk_median", "disk_deviation", "scale",  "least"};
  DemandGroup group;
  if (!fields.expect_map(node, key, kKeys)) return group;
  const auto number = [&](const char* name, double& value) {
    if (const Node* at = node.find(name)) value = fields.not_negative(*at, key + "." + name);
  };
  const auto range = [&](const char* name, Range& value) {
    if (const Node* at = node.find(name)) value = read_range(*at, key + "." + name, fields);
  };
  if (const Node* count = node.find("count")) {
    group.count = fields.whole_between(*count, key + ".count", 1, kMost);
  }
  group.cpu_median = read_range(fields.required(node, key, "cpu_median"), key + ".cpu_median", fields);
  number("cpu_deviation", group.cpu_deviation);
  range("radius", group.radius);
  range("start", group.start);
  range("stretch", group.stretch);
  if (const Node* median = node.find("disk_median")) {
    group.disk_median = read_range(*median, key + ".disk_median", fields);
  }
  number("disk_deviation", group.disk_deviation);
  number("scale", group.scale);
  number("least", group.least);
  return group;
}

// CPU and RAM; disk too when a server has some.
void choose_resources(DemandSeriesScenario& scenario) {
  const bool with_disk = std::any_of(scenario.servers.begin(), scenario.servers.end(),
                                     [](const Server& server) { return !server.capacity.back().is_zero(); });
  scenario.resources.assign(kResources.begin(), kResources.end() - (with_disk ? 0 : 1));
  for (Server& server : scenario.servers) server.capacity.resize(scenario.resources.size());
}

}  // namespace

DemandSeriesScenario read_demands(const Node& root, ScenarioFields& fields) {
  static constexpr std::array<std::string_view, 13> kKeys = {
      kVersionKey, kTitleKey,    kKindKey,      kSeedKey,     kSeedsKey, kOutputsKey, "servers",
      "users",     "mechanisms", "disciplines", "iterations", "repeats", "shown"};
  DemandSeriesScenario scenario;
  if (!fields.expect_map(root, "", kKeys)) return scenario;
  std::vector<std::string> names;
  for (const Node::Entry& entry :
       fields.entries(fields.required(root, "", "servers"), "servers", kMaxServers)) {
    const std::string key = item_key("servers", scenario.servers.size());
    scenario.servers.push_back(read_server(entry.value, key, fields));
    scenario.servers.back().name = fields.unique_name(entry.value, key, names);
    names.push_back(scenario.servers.back().name);
    if (fields.failed()) return scenario;
  }
  for (const Node::Entry& entry : fields.entries(fields.required(root, "", "users"), "users", kMostGroups)) {
    scenario.users.push_back(read_group(entry.value, item_key("users", scenario.users.size()), fields));
    if (fields.failed()) return scenario;
  }
  choose_resources(scenario);
  scenario.mechanisms =
      fields.choice_list(fields.required(root, "", "mechanisms"), "mechanisms", choose_dividing);
  if (const Node* disciplines = root.find("disciplines"))
    scenario.disciplines = fields.choice_list(*disciplines, "disciplines", choose_discipline);
  if (const Node* iterations = root.find("iterations")) {
    scenario.iterations = fields.whole_between(*iterations, "iterations", 1, kMost);
  }
  if (const Node* repeats = root.find("repeats")) {
    scenario.repeats = fields.whole_between(*repeats, "repeats", 1, kMost);
  }
  if (const Node* shown = root.find("shown")) {
    scenario.shown = static_cast<std::size_t>(fields.whole_between(*shown, "shown", 0, kMost));
  }
  return scenario;
}

// The keys of `kind: traffic` (docs/reference/simulate.md). What can be wrong with the traffic as such, e.g.
// arrivals that do not add up to 1, is for check(TrafficScenario) to say.

namespace {

constexpr std::size_t kMostClasses = 1'000;  // a limit on time: a division costs at least O(classes)
constexpr std::size_t kMostLoads = 1'000;    // a limit on time: every load is a run of its own
// Of anything that is counted; what a model can do with it is checked there (check_task_bounds()).
constexpr std::int64_t kMaxCount = 1'000'000'000'000;

// The order of its keys is that of the resources.
void read_capacity(const Node& node, TrafficScenario& scenario, ScenarioFields& fields) {
  if (!fields.expect_map(node, "capacity")) return;
  if (node.entries.empty() || node.entries.size() > kMostResources) {
    fields.fail("capacity", fmt::format("must name from 1 to {} resources", kMostResources), node.line);
    return;
  }
  for (const Node::Entry& entry : node.entries) {
    scenario.resources.push_back(entry.key);
    scenario.capacity.push_back(fields.not_negative(entry.value, "capacity." + entry.key));
  }
}

TrafficClass read_class(const Node& node, const std::string& key, const std::vector<std::string>& resources,
                        ScenarioFields& fields) {
  static constexpr std::array<std::string_view, 5> kKeys = {"name", "demand", "claims", "arrivals",
                                                            "permanent"};
  TrafficClass job_class;
  if (!fields.expect_map(node, key, kKeys)) return job_class;
  job_class.demand = fields.numbers(fields.required(node, key, "demand"), key + ".demand", resources);
  if (const Node* claims = node.find("claims")) {
    job_class.claims = fields.numbers(*claims, key + ".claims", resources);
  }
  if (const Node* arrivals = node.find("arrivals")) {
    job_class.arrivals = fields.not_negative(*arrivals, key + ".arrivals");
  }
  if (const Node* permanent = node.find("permanent")) {
    job_class.permanent = fields.whole_between(*permanent, key + ".permanent", 0, kMaxCount);
  }
  return job_class;
}

Sizes read_sizes(const Node& node, ScenarioFields& fields) {
  const std::string text = fields.name(node, "sizes");
  if (fields.failed()) return {};
  const Result<Sizes> sizes = parse_sizes(text);
  if (sizes) return *sizes;
  fields.fail("sizes", sizes.error().message, node.line);
  return {};
}

// A mechanism for divisible jobs. The error for a discipline says where it belongs.
Result<Choice> choose_divisible(std::string_view text) {
  Result<Choice> mechanism = choose_mechanism(text);
  if (mechanism) return mechanism;
  const Result<Choice> discipline = choose_discipline(text);
  if (!discipline) return mechanism;
  return Error{.message =
                   fmt::format("'{}' is a discipline, which starts whole tasks: it needs `model: tasks`",
                               discipline->text)};
}

// `model` and the keys that only the model of tasks has.
void read_model(const Node& root, TrafficScenario& scenario, ScenarioFields& fields) {
  static constexpr std::array<std::string_view, 2> kModels = {"fluid", "tasks"};
  static constexpr std::array<std::string_view, 2> kBlocking = {"freeze", "skip"};
  if (const Node* model = root.find("model")) {
    scenario.model = fields.word(*model, "model", kModels) == 0 ? TrafficModel::fluid : TrafficModel::tasks;
  }
  for (const std::string_view key : {"tasks_per_job", "blocking"}) {
    const Node* node = root.find(key);
    if (node == nullptr || scenario.model == TrafficModel::tasks) continue;
    fields.fail(std::string(key), "only `model: tasks` has it; jobs of the fluid model are divisible",
                node->line);
  }
  if (const Node* tasks = root.find("tasks_per_job")) {
    scenario.tasks_per_job = fields.whole_between(*tasks, "tasks_per_job", 1, kMaxCount);
  }
  if (const Node* blocking = root.find("blocking")) {
    scenario.freeze = fields.word(*blocking, "blocking", kBlocking) == 0;
  }
}

void read_load(const Node& node, TrafficScenario& scenario, ScenarioFields& fields) {
  static constexpr std::array<std::string_view, 2> kKeys = {"resource", "at"};
  if (!fields.expect_map(node, "load", kKeys)) return;
  const std::vector<std::string_view> names(scenario.resources.begin(), scenario.resources.end());
  scenario.load_resource = fields.word(fields.required(node, "load", "resource"), "load.resource", names);
  for (const Node::Entry& load : fields.entries(fields.required(node, "load", "at"), "load.at", kMostLoads)) {
    scenario.loads.push_back(fields.positive(load.value, item_key("load.at", scenario.loads.size())));
  }
}

}  // namespace

TrafficScenario read_traffic(const Node& root, ScenarioFields& fields) {
  static constexpr std::array<std::string_view, 15> kKeys = {
      kVersionKey, kTitleKey, kKindKey,        kSeedKey,   kSeedsKey,    kOutputsKey, "capacity", "classes",
      "sizes",     "model",   "tasks_per_job", "blocking", "mechanisms", "load",      "jobs"};
  TrafficScenario scenario;
  if (!fields.expect_map(root, "", kKeys)) return scenario;

  read_capacity(fields.required(root, "", "capacity"), scenario, fields);
  if (fields.failed()) return scenario;
  std::vector<std::string> names;
  const Node& classes = fields.required(root, "", "classes");
  for (const Node::Entry& entry : fields.entries(classes, "classes", kMostClasses)) {
    const std::string key = item_key("classes", scenario.classes.size());
    scenario.classes.push_back(read_class(entry.value, key, scenario.resources, fields));
    scenario.classes.back().name = fields.unique_name(entry.value, key, names);
    names.push_back(scenario.classes.back().name);
    if (fields.failed()) return scenario;
  }
  if (const Node* sizes = root.find("sizes")) scenario.sizes = read_sizes(*sizes, fields);
  read_model(root, scenario, fields);
  const auto choose = scenario.model == TrafficModel::fluid ? choose_divisible : choose_discipline;
  scenario.mechanisms = fields.choice_list(fields.required(root, "", "mechanisms"), "mechanisms", choose);
  read_load(fields.required(root, "", "load"), scenario, fields);
  if (const Node* jobs = root.find("jobs")) scenario.jobs = fields.whole_between(*jobs, "jobs", 1, kMaxCount);
  return scenario;
}

}  // namespace mirab::simulation
