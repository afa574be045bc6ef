// The keys of `kind: overlay` (docs/reference/simulate.md): options of the schedulers, faults, and the file
// itself.
#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <limits>
#include <vector>

#include <mirab/overlay/scheduler.hpp>

#include "lab/simulation/overlay/check.hpp"
#include "lab/simulation/overlay/options.hpp"
#include "lab/simulation/scenario/fields.hpp"

// The parts of `kind: overlay`: what a scheduler may say for itself, and what goes wrong.

#include <string>

#include "lab/simulation/overlay.hpp"
#include "model/names.hpp"

namespace mirab::simulation {

/// The options that the map has (a scenario for all of its schedulers, a scheduler for itself), over
/// `options`. `prefix` stands before the keys in errors: empty, or ends with a dot.
overlay::OverlayOptions read_overlay_options(const Node& map, const std::string& prefix,
                                             overlay::OverlayOptions options, ScenarioFields& fields);

Faults read_faults(const Node& node, ScenarioFields& fields);

/// `[{user, from_s, to_s}]`
std::vector<UserPause> read_pauses(const Node& node, ScenarioFields& fields);

// The options of the schedulers of `kind: overlay` (docs/reference/simulate.md), by the table of their keys.

namespace {

using overlay::OverlayOptions;
using overlay::Patience;

Patience read_patience(const Node& node, const std::string& key, Patience patience, ScenarioFields& fields) {
  std::vector<std::string_view> keys;
  for (const WaitOption& wait : wait_options()) keys.push_back(wait.key);
  if (!fields.expect_map(node, key, keys)) return patience;
  for (const WaitOption& wait : wait_options()) {
    const Node* ticks = node.find(wait.key);
    if (ticks == nullptr) continue;
    patience.*wait.ticks = static_cast<std::uint32_t>(fields.whole_between(
        *ticks, fmt::format("{}.{}", key, wait.key), wait.least, kMaxPatience, "it is counted in ticks"));
  }
  return patience;
}

std::int64_t read_whole(const Node& node, const std::string& key, const WholeOption& option,
                        ScenarioFields& fields) {
  if (option.zero.empty()) return fields.whole_between(node, key, option.least, option.most);
  return fields.whole_or(option.zero, node, key, 1, option.most).value_or(0);
}

// The word for what no number says, or a number above 0.
double read_temperature(const Node& node, const std::string& key, ScenarioFields& fields) {
  const std::optional<double> temperature = fields.positive_or(kInfinite, node, key);
  return temperature.value_or(std::numeric_limits<double>::infinity());
}

}  // namespace

OverlayOptions read_overlay_options(const Node& map, const std::string& prefix, OverlayOptions options,
                                    ScenarioFields& fields) {
  const auto key_of = [&](std::string_view key) { return prefix + std::string(key); };
  for (const WholeOption& option : whole_options()) {
    if (const Node* node = map.find(option.key))
      option.set(options, read_whole(*node, key_of(option.key), option, fields));
  }
  for (const WordOption& option : word_options()) {
    if (const Node* node = map.find(option.key))
      option.set(options, fields.word(*node, key_of(option.key), option.words));
  }
  if (const Node* temperature = map.find(kTemperatureKey))
    options.gossip.temperature = read_temperature(*temperature, key_of(kTemperatureKey), fields);
  if (const Node* slack = map.find(kSlackKey)) options.slack = fields.not_negative(*slack, key_of(kSlackKey));
  if (const Node* patience = map.find(kPatienceKey))
    options.patience = read_patience(*patience, key_of(kPatienceKey), options.patience, fields);
  return options;
}

// What goes wrong in `kind: overlay`, and when (docs/reference/simulate.md). Times are in seconds.

namespace {

constexpr std::size_t kMostOfAKind = 100'000;  // faults in a list, written one by one

std::uint32_t read_node(const Node& map, const std::string& key, ScenarioFields& fields) {
  return static_cast<std::uint32_t>(
      fields.whole_between(fields.required(map, key, "node"), key + ".node", 0, kMaxOverlayServers - 1,
                           "servers are numbered from 0 to one less than there are"));
}

Duration read_at(const Node& map, const std::string& key, ScenarioFields& fields) {
  return fields.seconds(fields.required(map, key, "at_s"), key + ".at_s");
}

struct Span {
  Duration from{}, to{};
};

Span read_span(const Node& map, const std::string& key, ScenarioFields& fields) {
  return {fields.seconds(fields.required(map, key, "from_s"), key + ".from_s"),
          fields.seconds(fields.required(map, key, "to_s"), key + ".to_s")};
}

Partition read_partition(const Node& node, const std::string& key, ScenarioFields& fields) {
  static constexpr std::array<std::string_view, 5> kKeys = {"from_s", "to_s", "nodes", "users", "gateway"};
  if (!fields.expect_map(node, key, kKeys)) return {};
  const Span span = read_span(node, key, fields);
  Partition partition{.from = span.from, .to = span.to};
  if (const Node* nodes = node.find("nodes"))
    partition.nodes = fields.part(*nodes, key + ".nodes", "a part of the servers, which are drawn");
  if (const Node* users = node.find("users"))
    partition.users = fields.part(*users, key + ".users", "a part of the users, who are drawn");
  if (const Node* gateway = node.find("gateway"))
    partition.gateway = static_cast<Partition::Side>(fields.word(*gateway, key + ".gateway", kSideWords));
  return partition;
}

Crash read_crash(const Node& node, const std::string& key, ScenarioFields& fields) {
  static constexpr std::array<std::string_view, 4> kKeys = {"at_s", "node", "back_s", "memory"};
  if (!fields.expect_map(node, key, kKeys)) return {};
  Crash crash{.at = read_at(node, key, fields), .node = read_node(node, key, fields)};
  if (const Node* back = node.find("back_s")) crash.back = fields.seconds(*back, key + ".back_s");
  if (const Node* memory = node.find("memory"))
    crash.memory = static_cast<Memory>(fields.word(*memory, key + ".memory", kMemoryWords));
  return crash;
}

Slow read_slow(const Node& node, const std::string& key, ScenarioFields& fields) {
  static constexpr std::array<std::string_view, 4> kKeys = {"from_s", "to_s", "node", "factor"};
  if (!fields.expect_map(node, key, kKeys)) return {};
  const Span span = read_span(node, key, fields);
  return {.from = span.from,
          .to = span.to,
          .node = read_node(node, key, fields),
          .factor = fields.not_negative(fields.required(node, key, "factor"), key + ".factor")};
}

template <class Change>
Change read_change(const Node& node, const std::string& key, ScenarioFields& fields) {
  static constexpr std::array<std::string_view, 2> kKeys = {"at_s", "node"};
  if (!fields.expect_map(node, key, kKeys)) return {};
  return {.at = read_at(node, key, fields), .node = read_node(node, key, fields)};
}

Restart read_restart(const Node& node, const std::string& key, ScenarioFields& fields) {
  static constexpr std::array<std::string_view, 1> kKeys = {"at_s"};
  if (!fields.expect_map(node, key, kKeys)) return {};
  return {.at = read_at(node, key, fields)};
}

UserPause read_pause(const Node& node, const std::string& key, ScenarioFields& fields) {
  static constexpr std::array<std::string_view, 3> kKeys = {"user", "from_s", "to_s"};
  if (!fields.expect_map(node, key, kKeys)) return {};
  const Span span = read_span(node, key, fields);
  return {.from = span.from,
          .to = span.to,
          .user = fields.name(fields.required(node, key, "user"), key + ".user")};
}

// `read` for each entry of the list; none when it is not there.
template <class Each>
std::vector<Each> read_list(const Node* node, const std::string& key, ScenarioFields& fields,
                            Each (*read)(const Node&, const std::string&, ScenarioFields&)) {
  std::vector<Each> all;
  if (node == nullptr) return all;
  for (const Node::Entry& entry : fields.entries(*node, key, kMostOfAKind)) {
    all.push_back(read(entry.value, item_key(key, all.size()), fields));
    if (fields.failed()) break;
  }
  return all;
}

}  // namespace

Faults read_faults(const Node& node, ScenarioFields& fields) {
  static constexpr std::array<std::string_view, 11> kKeys = {"loss",    "duplicate",  "reorder", "corrupt",
                                                             "until_s", "partitions", "crashes", "slow",
                                                             "joins",   "leaves",     "restarts"};
  Faults faults;
  if (!fields.expect_map(node, "faults", kKeys)) return faults;
  const auto probability = [&](const char* name, double& value) {
    if (const Node* at = node.find(name))
      value = fields.part(*at, std::string("faults.") + name, "a probability below 1");
  };
  probability("loss", faults.loss);
  probability("duplicate", faults.duplicate);
  probability("reorder", faults.reorder);
  probability("corrupt", faults.corrupt);
  if (const Node* until = node.find("until_s")) faults.until = fields.seconds(*until, "faults.until_s");
  faults.partitions = read_list(node.find("partitions"), "faults.partitions", fields, read_partition);
  faults.crashes = read_list(node.find("crashes"), "faults.crashes", fields, read_crash);
  faults.slow = read_list(node.find("slow"), "faults.slow", fields, read_slow);
  faults.joins = read_list(node.find("joins"), "faults.joins", fields, read_change<Join>);
  faults.leaves = read_list(node.find("leaves"), "faults.leaves", fields, read_change<Leave>);
  faults.restarts = read_list(node.find("restarts"), "faults.restarts", fields, read_restart);
  return faults;
}

std::vector<UserPause> read_pauses(const Node& node, ScenarioFields& fields) {
  return read_list(&node, "pauses", fields, read_pause);
}

// The keys of `kind: overlay` (docs/reference/simulate.md). The caller opens the cluster that it names.

namespace {

constexpr std::size_t kMostSchedulers = 100;          // a limit on time: each is a run of its own
constexpr std::size_t kMostTolerances = 100;          // columns of a table
constexpr std::int64_t kOverlayMost = 1'000'000'000;  // of anything that is counted: it fits into 32 bits
constexpr std::int64_t kMostWarmUp = 1'000'000;       // ticks: a day and more at 100 ms
constexpr std::int64_t kMostFrames = 1000;            // a limit on memory: each is a picture of all servers

// Of the whole file.
constexpr std::array<std::string_view, 22> kFileKeys = {
    kVersionKey, kTitleKey,    kKindKey,     kSeedKey,     kSeedsKey,           kOutputsKey,
    "cluster",   "schedulers", "tick_ms",    "ticks",      "warm_up",           "latency_ms",
    "skew_ms",   "faults",     "pauses",     "runtime_s",  "shuffles_per_tick", "duration_s",
    "quiet",     "frames",     "tolerances", "lifetime_ms"};

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

// What one scheduler says for itself must make a difference; what all share need not (notices() of
// overlay/check.hpp).
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
  if (has_control(name)) fields.fail(key, "must be one line, without control characters", node.line);
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
      fields.fail(key + "." + shared->key, "is the same for all schedulers: write it next to `schedulers`",
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
    const double tolerance = fields.part(entry.value, key, "a part of the lowest share");
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
  count("quiet", 0, kOverlayMost, scenario.quiet);
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
