// A run under watch: a world and its promises, until one is broken.
#include <fmt/format.h>
#include <iterator>
#include <variant>

#include <mirab/model/assert.hpp>

#include "lab/simulation/overlay/options.hpp"
#include "lab/simulation/overlay/promises.hpp"
#include "lab/simulation/overlay/roster.hpp"
#include "lab/simulation/overlay/search.hpp"
#include "model/seconds.hpp"

namespace mirab::simulation {
namespace {

void count(const overlay::Fact& fact, TrialOutcome& outcome) {
  if (std::holds_alternative<overlay::Known>(fact)) ++outcome.placements;
  if (std::holds_alternative<overlay::Over>(fact)) ++outcome.ends;
  if (std::holds_alternative<overlay::Lost>(fact)) ++outcome.restarts;
}

}  // namespace

TrialOutcome run_trial(const Trial& trial) {
  const Result<Problem> cluster = Problem::from(trial.cluster);
  MIRAB_ASSERT(cluster, "a trial has a valid cluster");
  const Roster roster = roster_of(*cluster);
  const OverlayRules& rules = trial.scenario.rules.front();
  TrialOutcome outcome;
  World world(roster, rules, trial.scenario, trial.seed);
  world.watch({.fact = [&](Time, overlay::NodeId, const overlay::Fact& fact) { count(fact, outcome); }});
  Promises promises(roster, rules, trial.scenario, world.first_tick(), inspector_of(world));
  world.watch(observer_of(promises));
  const Time end = world.first_tick() + *trial.scenario.duration;
  while (promises.findings().count == 0 && world.next() < end) world.step();

  outcome.messages = world.network().sent().all_messages();
  outcome.lost = world.network().losses().lost;
  outcome.duplicated = world.network().losses().duplicated;
  outcome.crashes = std::ssize(trial.scenario.faults.crashes);
  outcome.partitions = std::ssize(trial.scenario.faults.partitions);
  outcome.live = promises.watches_liveness(end);
  if (promises.findings().count > 0) outcome.violation = promises.findings().first.front();
  return outcome;
}

// The writer to the reader of simulation/scenario/overlay.cpp: the same keys, in the same order.

namespace {

std::string milliseconds(Duration duration) {
  return fmt::format("{}", static_cast<double>(duration.count()) / 1e6);
}

template <class Item, class Describe>
void list(std::string& text, const char* indent, const char* key, const std::vector<Item>& items,
          const Describe& describe) {
  if (items.empty()) return;
  fmt::format_to(std::back_inserter(text), "{}{}:\n", indent, key);
  for (const Item& item : items)
    fmt::format_to(std::back_inserter(text), "{}  - {{{}}}\n", indent, describe(item));
}

std::string options_yaml(const overlay::OverlayOptions& options) {
  std::string text;
  const auto line = [&](std::string_view key, const auto& value) {
    if (!is_default(key, options)) fmt::format_to(std::back_inserter(text), "{}: {}\n", key, value);
  };
  for (const WholeOption& option : whole_options()) line(option.key, option.of(options));
  for (const WordOption& option : word_options()) line(option.key, option.words[option.of(options)]);
  std::string waits;
  for (const WaitOption& wait : wait_options())
    fmt::format_to(std::back_inserter(waits), "{}{}: {}", waits.empty() ? "" : ", ", wait.key,
                   options.patience.*wait.ticks);
  return text + fmt::format("{}: {{{}}} # ticks\n", kPatienceKey, waits);
}

std::string faults_yaml(const Faults& faults) {
  std::string text = "faults:\n";
  const auto part = [&](const char* key, double value) {
    if (value > 0) fmt::format_to(std::back_inserter(text), "  {}: {}\n", key, value);
  };
  part("loss", faults.loss);
  part("duplicate", faults.duplicate);
  part("reorder", faults.reorder);
  part("corrupt", faults.corrupt);
  fmt::format_to(std::back_inserter(text), "  until_s: {}\n", seconds_text(faults.until));
  list(text, "  ", "partitions", faults.partitions, [](const Partition& each) {
    std::string line = fmt::format("from_s: {}, to_s: {}", seconds_text(each.from), seconds_text(each.to));
    if (each.nodes > 0) line += fmt::format(", nodes: {}", each.nodes);
    if (each.users > 0) line += fmt::format(", users: {}", each.users);
    if (each.gateway == Partition::Side::inside)
      line += fmt::format(", gateway: {}", kSideWords[static_cast<std::size_t>(each.gateway)]);
    return line;
  });
  list(text, "  ", "crashes", faults.crashes, [](const Crash& each) {
    const std::string back = each.back ? fmt::format(", back_s: {}", seconds_text(*each.back)) : "";
    return fmt::format("at_s: {}, node: {}{}, memory: {}", seconds_text(each.at), each.node, back,
                       kMemoryWords[static_cast<std::size_t>(each.memory)]);
  });
  list(text, "  ", "slow", faults.slow, [](const Slow& each) {
    return fmt::format("from_s: {}, to_s: {}, node: {}, factor: {}", seconds_text(each.from),
                       seconds_text(each.to), each.node, each.factor);
  });
  const auto change = [](const auto& each) {
    return fmt::format("at_s: {}, node: {}", seconds_text(each.at), each.node);
  };
  list(text, "  ", "joins", faults.joins, change);
  list(text, "  ", "leaves", faults.leaves, change);
  list(text, "  ", "restarts", faults.restarts,
       [](const Restart& each) { return fmt::format("at_s: {}", seconds_text(each.at)); });
  return text;
}

}  // namespace

std::string write_overlay_yaml(const Trial& trial, const std::string& cluster,
                               const std::vector<std::string>& comment) {
  const OverlayScenario& scenario = trial.scenario;
  std::string text;
  for (const std::string& line : comment) text += "# " + line + "\n";
  fmt::format_to(
      std::back_inserter(text),
      "kind: overlay\ncluster: {}\nseed: {}\nschedulers: [{}]\ntick_ms: {}\nwarm_up: {} # shuffles\n"
      "latency_ms: {{min: {}, max: {}}}\nlifetime_ms: {}\nskew_ms: {}\nduration_s: {}\n",
      cluster, trial.seed, scenario.names.front(), milliseconds(scenario.tick), scenario.warm_up,
      milliseconds(scenario.latency.min), milliseconds(scenario.latency.max),
      milliseconds(scenario.wire.lifetime), milliseconds(scenario.wire.skew),
      seconds_text(*scenario.duration));
  if (scenario.runtime)
    fmt::format_to(std::back_inserter(text), "runtime_s: {} # mean\n", seconds_text(*scenario.runtime));
  text += options_yaml(scenario.rules.front().options);
  text += faults_yaml(scenario.faults);
  list(text, "", "pauses", scenario.pauses, [](const UserPause& each) {
    return fmt::format("user: {}, from_s: {}, to_s: {}", each.user, seconds_text(each.from),
                       seconds_text(each.to));
  });
  return text;
}

}  // namespace mirab::simulation
