// The keys of `kind: overlay` (docs/simulate.md). The cluster that it names is opened by whoever runs it.

#include <algorithm>
#include <array>
#include <cctype>
#include <fmt/format.h>

#include <mirab/overlay/scheduler.hpp>

#include "simulation/overlay/option_table.hpp"
#include "simulation/overlay/option_use.hpp"
#include "simulation/scenario/kinds.hpp"
#include "simulation/scenario/overlay_parts.hpp"

namespace mirab::simulation {
namespace {

constexpr std::size_t kMostSchedulers = 100;
constexpr std::size_t kMostTolerances = 100;
constexpr std::int64_t kMost = 1'000'000'000;  // of anything that is counted
constexpr std::int64_t kMostWarmUp = 1'000'000;
constexpr std::int64_t kMostFrames = 1000;

// Of the whole file.
constexpr std::array<std::string_view, 21> kFileKeys = {
    kVersionKey,  kKindKey,     kSeedKey,     kSeedsKey,           kOutputsKey,  "cluster",
    "schedulers", "tick_ms",    "ticks",      "warm_up",           "latency_ms", "skew_ms",
    "faults",     "pauses",     "runtime_s",  "shuffles_per_tick", "duration_s", "quiet",
    "frames",     "tolerances", "lifetime_ms"};

// Those of its own, then those of the options.
std::vector<std::string_view> with_options(std::span<const std::string_view> own) {
  std::vector<std::string_view> keys(own.begin(), own.end());
  keys.insert(keys.end(), overlay_option_keys().begin(), overlay_option_keys().end());
  return keys;
}

// The first that is one of these; null: none.
const Node::Entry* find_any(const Node& map, std::span<const std::string_view> keys) {
  const auto found = std::ranges::find_if(map.entries, [&](const Node::Entry& entry) {
    return std::ranges::find(keys, entry.key) != keys.end();
  });
  return found == map.entries.end() ? nullptr : &*found;
}

// What stands beside `patience` instead of in it.
void refuse_bare_wait(const Node& map, const std::string& prefix, ScenarioFields& fields) {
  std::vector<std::string_view> keys;
  for (const WaitOption& wait : wait_options()) keys.push_back(wait.key);
  if (const Node::Entry* bare = find_any(map, keys))
    fields.fail(prefix + bare->key, fmt::format("unknown key; did you mean {}.{}", kPatienceKey, bare->key),
                bare->line);
}

std::vector<std::string_view> scheduler_names() {
  std::vector<std::string_view> names;
  for (const overlay::SchedulerRow& row : overlay::schedulers()) names.push_back(row.name);
  return names;
}

overlay::Scheduler read_scheduler(const Node& node, const std::string& key, ScenarioFields& fields) {
  return overlay::schedulers()[fields.word(node, key, scheduler_names())].scheduler;
}

// `pdgdrf:neighbours=2,patience.lease=40`: what it says for itself, as it was written.
std::string described(const Node& node, std::string_view scheduler) {
  std::string options;
  const auto add = [&](const std::string& key, const std::string& value) {
    options += fmt::format("{}{}={}", options.empty() ? ":" : ",", key, value);
  };
  for (const Node::Entry& entry : node.entries) {
    if (entry.key == "scheduler") continue;
    if (entry.value.kind == Node::Kind::scalar) add(entry.key, entry.value.text);
    for (const Node::Entry& inner : entry.value.entries) add(entry.key + "." + inner.key, inner.value.text);
  }
  return std::string(scheduler) + options;
}

// What one scheduler says for itself must make a difference; what all share need not (notices.hpp).
void refuse_ignored(const Node& node, const std::string& key, const OverlayRules& rules,
                    ScenarioFields& fields) {
  for (const Node::Entry& entry : node.entries) {
    const auto keys = overlay_option_keys();
    if (std::find(keys.begin(), keys.end(), entry.key) == keys.end()) continue;
    if (const auto why = without_effect(entry.key, rules))
      return fields.fail(fmt::format("{}.{}", key, entry.key), *why, entry.line);
  }
}

// It stands in tables and titles: no line breaks, nothing that steers a terminal.
std::string read_own_name(const Node& node, const std::string& key, ScenarioFields& fields) {
  std::string name = fields.name(node, key);
  const auto steers = [](char byte) { return std::iscntrl(static_cast<unsigned char>(byte)) != 0; };
  if (std::ranges::any_of(name, steers))
    fields.fail(key, "must be one line, without control characters", node.line);
  return name;
}

// A name, or a map that also has what is different for this one.
void read_rules(const Node& node, const std::string& key, const overlay::OverlayOptions& options,
                OverlayScenario& scenario, ScenarioFields& fields) {
  static constexpr std::array<std::string_view, 2> kOwn = {"scheduler", "name"};
  OverlayRules rules{.options = options};
  std::string name = node.text;
  if (node.kind == Node::Kind::scalar) {
    rules.scheduler = read_scheduler(node, key, fields);
  } else {
    refuse_bare_wait(node, key + ".", fields);
    if (const Node::Entry* shared = find_any(node, kFileKeys))
      fields.fail(key + "." + shared->key, "is the same for all schedulers: it stands beside `schedulers`",
                  shared->line);
    if (!fields.expect_map(node, key, with_options(kOwn))) return;
    rules.scheduler = read_scheduler(fields.required(node, key, "scheduler"), key + ".scheduler", fields);
    rules.options = read_overlay_options(node, key + ".", options, fields);
    refuse_ignored(node, key, rules, fields);
    const Node* own = node.find("name");
    name = own != nullptr ? read_own_name(*own, key + ".name", fields)
                          : described(node, overlay::row_of(rules.scheduler).name);
  }
  const auto same = std::find(scenario.names.begin(), scenario.names.end(), name);
  if (same != scenario.names.end()) {
    fields.fail(key,
                fmt::format("schedulers[{}] is already called '{}'; `name` tells them apart",
                            same - scenario.names.begin(), name),
                node.line);
  }
  scenario.rules.push_back(rules);
  scenario.names.push_back(name);
}

// One number for both, or `{min: …, max: …}`.
Latency read_latency(const Node& node, ScenarioFields& fields) {
  static constexpr std::array<std::string_view, 2> kKeys = {"min", "max"};
  if (node.kind == Node::Kind::scalar) {
    const Duration both = fields.milliseconds(node, "latency_ms");
    return {both, both};
  }
  const std::string wanted = "must be {min: 1, max: 10}, or one number for both";
  if (node.kind != Node::Kind::map) fields.fail("latency_ms", wanted, node.line);
  if (!fields.expect_map(node, "latency_ms", kKeys)) return {};
  const auto bound = [&](std::string_view name) {
    const std::string key = fmt::format("latency_ms.{}", name);
    if (const Node* at = node.find(name)) return fields.milliseconds(*at, key);
    fields.fail(key, "missing: " + wanted, node.line);
    return Duration::zero();
  };
  return {bound("min"), bound("max")};
}

// Ascending, and 0 is always the first.
std::vector<double> read_tolerances(const Node& node, ScenarioFields& fields) {
  std::vector<double> tolerances = {0};
  std::size_t index = 0;
  for (const Node::Entry& entry : fields.entries(node, "tolerances", kMostTolerances)) {
    const std::string key = item_key("tolerances", index++);
    const double tolerance = fields.part(entry.value, key, "a part of the least share");
    if (index == 1 && tolerance == 0) continue;
    if (tolerance <= tolerances.back()) fields.fail(key, "must be above the one before it", entry.line);
    tolerances.push_back(tolerance);
  }
  return tolerances;
}

// How time passes and messages travel.
void read_network(const Node& root, OverlayScenario& scenario, ScenarioFields& fields) {
  const auto time = [&](const char* key, Duration& value) {
    if (const Node* node = root.find(key)) value = fields.milliseconds(*node, key);
  };
  time("tick_ms", scenario.tick);
  if (const Node* ticks = root.find("ticks"))
    scenario.ticks = static_cast<Ticks>(fields.word(*ticks, "ticks", kTicksWords));
  if (const Node* shuffles = root.find("shuffles_per_tick"))
    scenario.shuffles_per_tick = fields.not_negative(*shuffles, "shuffles_per_tick");
  if (const Node* latency = root.find("latency_ms")) scenario.latency = read_latency(*latency, fields);
  time("lifetime_ms", scenario.wire.lifetime);
  time("skew_ms", scenario.wire.skew);
}

// How long it runs, and what is kept of it.
void read_course(const Node& root, OverlayScenario& scenario, ScenarioFields& fields) {
  const auto count = [&](const char* key, std::int64_t least, std::int64_t most, std::uint32_t& value) {
    if (const Node* node = root.find(key))
      value = static_cast<std::uint32_t>(fields.whole_between(*node, key, least, most));
  };
  const auto time = [&](const char* key, std::optional<Duration>& value) {
    if (const Node* node = root.find(key)) value = fields.seconds(*node, key);
  };
  count("warm_up", 0, kMostWarmUp, scenario.warm_up);
  count("quiet", 0, kMost, scenario.quiet);
  count("frames", 0, kMostFrames, scenario.frames);
  time("runtime_s", scenario.runtime);
  time("duration_s", scenario.duration);
  if (const Node* tolerances = root.find("tolerances"))
    scenario.tolerances = read_tolerances(*tolerances, fields);
}

}  // namespace

OverlayScenario read_overlay(const Node& root, ScenarioFields& fields) {
  constexpr std::string_view kSchedulers = "schedulers";
  OverlayScenario scenario;
  refuse_bare_wait(root, "", fields);
  if (!fields.expect_map(root, "", with_options(kFileKeys))) return scenario;
  scenario.cluster = fields.path(fields.required(root, "", "cluster"), "cluster");
  const overlay::OverlayOptions options = read_overlay_options(root, "", {}, fields);
  for (const Node::Entry& entry : fields.entries(fields.required(root, "", std::string(kSchedulers)),
                                                 std::string(kSchedulers), kMostSchedulers)) {
    if (fields.failed()) return scenario;
    const std::string key = item_key(kSchedulers, scenario.rules.size());
    read_rules(entry.value, key, options, scenario, fields);
  }
  read_network(root, scenario, fields);
  read_course(root, scenario, fields);
  if (const Node* faults = root.find("faults")) scenario.faults = read_faults(*faults, fields);
  if (const Node* pauses = root.find("pauses")) scenario.pauses = read_pauses(*pauses, fields);
  return scenario;
}

}  // namespace mirab::simulation
