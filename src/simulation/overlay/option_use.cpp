// Which options make a difference to whom, as the code of the schedulers has it: the centralised ones and
// probes do without gossip, the centralised ones without neighbours and walks too, and probes without turns;
// who looks at no gradient of users has one only where walks are directed by a gradient of room.
#include "simulation/overlay/option_use.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>

#include <mirab/overlay/scheduler.hpp>

#include "simulation/overlay/option_table.hpp"

namespace mirab::simulation {
namespace {

using overlay::OverlayOptions;
using overlay::Patience;
using overlay::Scheduler;
using overlay::Search;

template <std::size_t count>
bool among(std::string_view key, const std::array<std::string_view, count>& keys) {
  return std::ranges::find(keys, key) != keys.end();
}

bool is_ignored(std::string_view key, Scheduler scheduler) {
  static constexpr std::array<std::string_view, 13> kByCentralised = {
      "neighbours", "shuffle", "peers",   "peer_shuffle", "temperature", "oldest",        "introduce",
      "remember",   "hops",    "best_of", "rise",         "total",       "push_sum_epoch"};
  static constexpr std::array<std::string_view, 15> kByProbes = {
      "shuffle", "peers",  "peer_shuffle", "temperature", "oldest", "introduce", "remember",      "hops",
      "best_of", "search", "idle",         "stuck",       "rise",   "total",     "push_sum_epoch"};
  if (key == kSlackKey) return scheduler != Scheduler::level;
  if (key == "confirm") return scheduler != Scheduler::dgdrf;
  if (overlay::row_of(scheduler).is_central)
    return among(key, kByCentralised) || (key == "idle" && scheduler == Scheduler::centralised_fifo);
  if (scheduler == Scheduler::probes) return among(key, kByProbes);
  return key == "rise" && scheduler == Scheduler::ddrf_random;
}

bool equal(const Patience& one, const Patience& other) {
  return std::ranges::all_of(wait_options(),
                             [&](const WaitOption& wait) { return one.*wait.ticks == other.*wait.ticks; });
}

}  // namespace

std::optional<std::string> without_effect(std::string_view key, const OverlayRules& rules) {
  static constexpr std::array<std::string_view, 4> kOfGradients = {"shuffle", "temperature", "introduce",
                                                                   "remember"};
  const overlay::SchedulerRow& row = overlay::row_of(rules.scheduler);
  const OverlayOptions& options = rules.options;
  if (is_ignored(key, rules.scheduler)) return fmt::format("makes no difference to {}", row.name);
  if (key == "search" && row.is_central && options.search == Search::directed)
    return fmt::format("directed makes no difference to {}", row.name);
  if (key == "best_of" && options.search != Search::best_fit)
    return "makes no difference without `search: best-fit`";
  if (key == "push_sum_epoch" && options.total != overlay::Total::push_sum)
    return "makes no difference without `total: push-sum`";
  if (among(key, kOfGradients) && rules.scheduler == Scheduler::ddrf_random &&
      options.search != Search::directed)
    return fmt::format("makes no difference to {} without `search: directed`", row.name);
  return {};
}

bool is_default(std::string_view key, const OverlayOptions& options) {
  static const OverlayOptions kDefaults;
  for (const WholeOption& whole : whole_options())
    if (whole.key == key) return whole.of(options) == whole.of(kDefaults);
  for (const WordOption& word : word_options())
    if (word.key == key) return word.of(options) == word.of(kDefaults);
  if (key == kTemperatureKey) return options.gossip.temperature == kDefaults.gossip.temperature;
  if (key == kSlackKey) return options.slack == kDefaults.slack;
  return equal(options.patience, kDefaults.patience);
}

}  // namespace mirab::simulation
