// The scenario files of experiments: the writer to the readers of simulation/scenario/, of the keys that
// experiments set. What is as it is without being said is left out.
#include "lab/experiments/own_files.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <utility>
#include <vector>

#include <mirab/model/assert.hpp>
#include <mirab/model/cluster_file.hpp>

#include "lab/simulation/overlay/options.hpp"
#include "model/seconds.hpp"

namespace mirab::experiments {
namespace {

using simulation::OverlayRules;

std::string opening(std::string_view id, std::string_view kind, std::uint64_t seed) {
  return fmt::format("# Of the experiment {}: mirab reproduce {} --scenario\nkind: {}\nseed: {}\n", id, id,
                     kind, seed);
}

// `{cpu: 1, ram: 0.1}`
std::string amounts(const std::vector<std::string>& resources, const std::vector<double>& values) {
  std::vector<std::string> parts;
  for (std::size_t r = 0; r < resources.size(); ++r)
    parts.push_back(fmt::format("{}: {}", resources[r], values[r]));
  return fmt::format("{{{}}}", fmt::join(parts, ", "));
}

std::string names_of(const std::vector<Choice>& choices) {
  std::vector<std::string> names;
  for (const Choice& choice : choices) names.push_back(fmt::format("\"{}\"", choice.text));
  return fmt::format("[{}]", fmt::join(names, ", "));
}

// `{scheduler: dgdrf, neighbours: 2, oldest: 12, name: "dgdrf, 2 neighbours"}`, or with a name of its own.
std::string scheduler_line(const OverlayRules& rules, const std::string& own_name) {
  const overlay::SchedulerRow& row = overlay::row_of(rules.scheduler);
  std::string line = fmt::format("{{scheduler: {}", row.name);
  std::string name(row.name);
  const auto add = [&](std::string_view key, const auto& value) {
    if (simulation::without_effect(key, rules)) return;
    if (key == "neighbours") name += fmt::format(", {} neighbours", value);
    if (key == "neighbours" || !simulation::is_default(key, rules.options))
      line += fmt::format(", {}: {}", key, value);
  };
  for (const simulation::WholeOption& option : simulation::whole_options())
    add(option.key, option.of(rules.options));
  for (const simulation::WordOption& option : simulation::word_options())
    add(option.key, option.words[option.of(rules.options)]);
  add(simulation::kSlackKey, rules.options.slack);
  return line + fmt::format(", name: \"{}\"}}", own_name.empty() ? name : own_name);
}

}  // namespace

std::string cluster_file_of(std::string_view id) { return fmt::format("{}-cluster.yaml", id); }

OwnFiles cluster_files(std::string_view id, const Problem& cluster, std::string note) {
  return {.cluster = write_cluster_yaml(cluster.cluster(), {fmt::format("Of the experiment {}.", id)}),
          .note = std::move(note)};
}

OwnFiles overlay_files(std::string_view id, const Problem& cluster,
                       const simulation::OverlayScenario& scenario, std::uint64_t seed, std::string note) {
  MIRAB_ASSERT(scenario.pauses.empty() && scenario.faults.crashes.empty() && scenario.faults.joins.empty(),
               "what experiments write has no faults and pauses");
  OwnFiles own = cluster_files(id, cluster, std::move(note));
  own.scenario = opening(id, "overlay", seed) + fmt::format("cluster: {}\n", cluster_file_of(id));
  if (scenario.shuffles_per_tick != 1)
    own.scenario += fmt::format("shuffles_per_tick: {}\n", scenario.shuffles_per_tick);
  if (scenario.runtime) own.scenario += fmt::format("runtime_s: {}\n", seconds_text(*scenario.runtime));
  if (scenario.duration) own.scenario += fmt::format("duration_s: {}\n", seconds_text(*scenario.duration));
  own.scenario += "schedulers:\n";
  for (std::size_t k = 0; k < scenario.rules.size(); ++k)
    own.scenario += fmt::format(
        "  - {}\n", scheduler_line(scenario.rules[k], k < scenario.names.size() ? scenario.names[k] : ""));
  return own;
}

namespace {

std::string sizes_word(const simulation::Sizes& sizes) {
  switch (sizes.law) {
    case simulation::Sizes::Law::exponential:
      return "exponential";
    case simulation::Sizes::Law::erlang:
      return fmt::format("erlang:{}", sizes.stages);
    case simulation::Sizes::Law::deterministic:
      return "deterministic";
    case simulation::Sizes::Law::hyperexponential:
      return fmt::format("hyperexponential:cv2={}", sizes.cv2);
  }
  return {};
}

}  // namespace

OwnFiles traffic_files(std::string_view id, const simulation::TrafficScenario& scenario, std::uint64_t seed,
                       std::string note) {
  OwnFiles own{.note = std::move(note)};
  std::string& text = own.scenario;
  text = opening(id, "traffic", seed) +
         fmt::format("capacity: {}\nclasses:\n", amounts(scenario.resources, scenario.capacity));
  for (const simulation::TrafficClass& each : scenario.classes) {
    text += fmt::format("  - {{name: {}, demand: {}", each.name, amounts(scenario.resources, each.demand));
    if (!each.claims.empty()) text += fmt::format(", claims: {}", amounts(scenario.resources, each.claims));
    if (each.arrivals > 0) text += fmt::format(", arrivals: {}", each.arrivals);
    if (each.permanent > 0) text += fmt::format(", permanent: {}", each.permanent);
    text += "}\n";
  }
  text += fmt::format("sizes: {}\n", sizes_word(scenario.sizes));
  if (scenario.model == simulation::TrafficModel::tasks)
    text += fmt::format("model: tasks\ntasks_per_job: {}\nblocking: {}\n", scenario.tasks_per_job,
                        scenario.freeze ? "freeze" : "skip");
  text += fmt::format("mechanisms: {}\nload: {{resource: {}, at: [{}]}}\njobs: {}\n",
                      names_of(scenario.mechanisms), scenario.resources[scenario.load_resource],
                      fmt::join(scenario.loads, ", "), scenario.jobs);
  return own;
}

OwnFiles demands_files(std::string_view id, const simulation::DemandSeriesScenario& scenario,
                       std::uint64_t seed, std::string note) {
  OwnFiles own{.note = std::move(note)};
  std::string& text = own.scenario;
  text = opening(id, "demands", seed) + "servers:\n";
  for (const Server& server : scenario.servers) {
    std::vector<double> capacity;
    for (const Quantity& amount : server.capacity) capacity.push_back(amount.value());
    text += fmt::format("  - {{name: {}, capacity: {}, count: {}}}\n", server.name,
                        amounts(scenario.resources, capacity), server.count);
  }
  text += "users:\n";
  const auto range = [](const simulation::Range& ends) {
    return fmt::format("[{}, {}]", ends.low, ends.high);
  };
  for (const simulation::DemandGroup& each : scenario.users) {
    text +=
        fmt::format("  - {{count: {}, cpu_median: {}, cpu_deviation: {}, radius: {}, start: {}, stretch: {}",
                    each.count, range(each.cpu_median), each.cpu_deviation, range(each.radius),
                    range(each.start), range(each.stretch));
    if (each.disk_median)
      text +=
          fmt::format(", disk_median: {}, disk_deviation: {}", range(*each.disk_median), each.disk_deviation);
    text += fmt::format(", scale: {}, least: {}}}\n", each.scale, each.least);
  }
  text += fmt::format("mechanisms: {}\n", names_of(scenario.mechanisms));
  if (!scenario.disciplines.empty()) text += fmt::format("disciplines: {}\n", names_of(scenario.disciplines));
  text += fmt::format("iterations: {}\nrepeats: {}\nshown: {}\n", scenario.iterations, scenario.repeats,
                      scenario.shown);
  return own;
}

}  // namespace mirab::experiments
