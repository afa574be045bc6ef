// The keys of `kind: traffic` (docs/simulate.md). What can be wrong with the traffic as such, e.g. arrivals
// that do not add up to 1, is for check(TrafficScenario) to say.

#include <array>
#include <fmt/format.h>

#include <mirab/mechanisms/mechanism.hpp>
#include <mirab/model/problem.hpp>
#include <mirab/scheduling/fill.hpp>

#include "simulation/scenario/kinds.hpp"
#include "simulation/traffic/sizes_text.hpp"

namespace mirab::simulation {
namespace {

constexpr std::size_t kMostClasses = 1'000;
constexpr std::size_t kMostLoads = 1'000;
constexpr std::int64_t kMost = 1'000'000'000'000;  // of anything that is counted

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
    job_class.permanent = fields.whole_between(*permanent, key + ".permanent", 0, kMost);
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

// A mechanism for divisible jobs. That a discipline is none, and where it belongs, is said.
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
    scenario.tasks_per_job = fields.whole_between(*tasks, "tasks_per_job", 1, kMost);
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
  static constexpr std::array<std::string_view, 14> kKeys = {
      kVersionKey, kKindKey, kSeedKey,        kSeedsKey,  kOutputsKey,  "capacity", "classes",
      "sizes",     "model",  "tasks_per_job", "blocking", "mechanisms", "load",     "jobs"};
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
  if (const Node* jobs = root.find("jobs")) scenario.jobs = fields.whole_between(*jobs, "jobs", 1, kMost);
  return scenario;
}

}  // namespace mirab::simulation
