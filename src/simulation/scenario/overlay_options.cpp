// The options of the schedulers of `kind: overlay` (docs/simulate.md), by the table of their keys.
#include <fmt/format.h>
#include <limits>
#include <vector>

#include "simulation/overlay/option_table.hpp"
#include "simulation/scenario/overlay_parts.hpp"

namespace mirab::simulation {
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
        *ticks, fmt::format("{}.{}", key, wait.key), wait.least, kMostPatience, "it is counted in ticks"));
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

}  // namespace mirab::simulation
