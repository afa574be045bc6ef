// The keys of `kind: demands` (docs/simulate.md). What can be wrong with them as such is for
// check(DemandSeriesScenario) to say.

#include <algorithm>
#include <array>

#include <mirab/mechanisms/mechanism.hpp>
#include <mirab/scheduling/fill.hpp>

#include "simulation/scenario/kinds.hpp"

namespace mirab::simulation {
namespace {

constexpr std::size_t kMostServers = 10'000;
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
  static constexpr std::array<std::string_view, 12> kKeys = {
      kVersionKey, kKindKey,     kSeedKey,      kSeedsKey,    kOutputsKey, "servers",
      "users",     "mechanisms", "disciplines", "iterations", "repeats",   "shown"};
  DemandSeriesScenario scenario;
  if (!fields.expect_map(root, "", kKeys)) return scenario;
  std::vector<std::string> names;
  for (const Node::Entry& entry :
       fields.entries(fields.required(root, "", "servers"), "servers", kMostServers)) {
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
      fields.choice_list(fields.required(root, "", "mechanisms"), "mechanisms", choose_mechanism);
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

}  // namespace mirab::simulation
