// The keys of `kind: trace` (docs/simulate.md). The files that it names are opened by whoever runs it.

#include <algorithm>
#include <array>
#include <fmt/format.h>

#include <mirab/scheduling/fill.hpp>

#include "simulation/scenario/kinds.hpp"

namespace mirab::simulation {
namespace {

constexpr std::size_t kMostContenders = 100;

ReplayContender read_contender(const Node& node, const std::string& key, ScenarioFields& fields) {
  static constexpr std::array<std::string_view, 2> kKeys = {"discipline", "placement"};
  ReplayContender contender{.discipline = {}, .placement = *choose_placement("first-fit")};
  if (!fields.expect_map(node, key, kKeys)) return contender;
  contender.discipline =
      fields.choice(fields.required(node, key, "discipline"), key + ".discipline", choose_discipline);
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
      return same_choice(other.discipline, contender.discipline) &&
             same_choice(other.placement, contender.placement);
    });
    if (twice) {
      fields.fail(
          key, fmt::format("{} with {} is listed twice", contender.discipline.text, contender.placement.text),
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
  static constexpr std::array<std::string_view, 12> kKeys = {
      kVersionKey, kKindKey,     kSeedKey, kSeedsKey,  kOutputsKey, "cluster",
      "workload",  "contenders", "scale",  "duration", "until",     "samples"};
  static constexpr std::array<std::string_view, 2> kEnds = {"span", "drained"};
  constexpr std::int64_t kMostSamples = 100'000;
  TraceScenario scenario;
  if (!fields.expect_map(root, "", kKeys)) return scenario;
  scenario.cluster = fields.path(fields.required(root, "", "cluster"), "cluster");
  scenario.workload = fields.path(fields.required(root, "", "workload"), "workload");
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

}  // namespace mirab::simulation
