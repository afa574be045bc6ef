#include "lab/simulation/overlay/options.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <vector>

#include <mirab/overlay/scheduler.hpp>

namespace mirab::simulation {
namespace {

using overlay::GossipOptions;
using overlay::OverlayOptions;
using overlay::Patience;

// Of a view; the papers have 8 to 30. Derived: a message with a thousand descriptors is some 10 KB.
constexpr std::int64_t kMostEntries = 1000;
constexpr std::int64_t kMost = 1'000'000;  // hops, rounds, shuffles: as many as there may be servers

template <auto member>
constexpr WholeOption whole(std::string_view key, std::int64_t least, std::int64_t most) {
  return {key, least, most, [](const OverlayOptions& o) { return static_cast<std::int64_t>(o.*member); },
          [](OverlayOptions& o, std::int64_t value) { o.*member = static_cast<std::uint32_t>(value); }};
}

template <auto member>
constexpr WholeOption of_gossip(std::string_view key, std::int64_t least, std::int64_t most,
                                std::string_view zero = {}) {
  return {key,
          least,
          most,
          [](const OverlayOptions& o) { return static_cast<std::int64_t>(o.gossip.*member); },
          [](OverlayOptions& o, std::int64_t value) { o.gossip.*member = static_cast<std::uint32_t>(value); },
          zero};
}

constexpr std::array<WholeOption, 9> kWholes = {{
    of_gossip<&GossipOptions::view>("neighbours", 1, kMostEntries),
    of_gossip<&GossipOptions::shuffle>("shuffle", 0, kMostEntries, "all"),
    of_gossip<&GossipOptions::peers>("peers", 1, kMostEntries),
    of_gossip<&GossipOptions::peer_shuffle>("peer_shuffle", 1, kMostEntries),
    of_gossip<&GossipOptions::oldest>("oldest", 1, kMost),
    of_gossip<&GossipOptions::remember>("remember", 0, kMostEntries),
    whole<&OverlayOptions::hops>("hops", 0, kMost),
    whole<&OverlayOptions::best_of>("best_of", 1, kMost),
    whole<&OverlayOptions::push_sum_epoch>("push_sum_epoch", 1, kMost),
}};

template <auto member, class Choice>
constexpr WordOption word(std::string_view key, std::span<const std::string_view> words) {
  return {key, words, [](const OverlayOptions& o) { return static_cast<std::size_t>(o.*member); },
          [](OverlayOptions& o, std::size_t chosen) { o.*member = static_cast<Choice>(chosen); }};
}

constexpr std::array<std::string_view, 2> kConfirms = {"lowest", "all"};
constexpr std::array<std::string_view, 3> kSearches = {"walk", "best-fit", "directed"};
constexpr std::array<std::string_view, 2> kIdles = {"block", "skip"};
constexpr std::array<std::string_view, 2> kStucks = {"block", "leave"};
constexpr std::array<std::string_view, 2> kRises = {"gossip", "climb"};
constexpr std::array<std::string_view, 2> kTotals = {"known", "push-sum"};
constexpr std::array<std::string_view, 2> kIntroduced = {"nobody", "last-asker"};

constexpr std::array<WordOption, 7> kWords = {{
    {"introduce", kIntroduced,
     [](const OverlayOptions& o) { return static_cast<std::size_t>(o.gossip.introduce); },
     [](OverlayOptions& o, std::size_t chosen) {
       o.gossip.introduce = static_cast<overlay::Introduce>(chosen);
     }},
    word<&OverlayOptions::confirm, overlay::Confirm>("confirm", kConfirms),
    word<&OverlayOptions::search, overlay::Search>("search", kSearches),
    word<&OverlayOptions::idle, overlay::Idle>("idle", kIdles),
    word<&OverlayOptions::stuck, overlay::Stuck>("stuck", kStucks),
    word<&OverlayOptions::rise, overlay::Rise>("rise", kRises),
    word<&OverlayOptions::total, overlay::Total>("total", kTotals),
}};

constexpr std::array<WaitOption, 6> kWaits = {{{"again", 1, &Patience::again},
                                               {"held", 1, &Patience::held},
                                               {"walk", 1, &Patience::walk},
                                               {"home", 1, &Patience::home},
                                               {"user", 1, &Patience::user},
                                               {"lease", 0, &Patience::lease}}};

}  // namespace

std::span<const WholeOption> whole_options() { return kWholes; }

std::span<const WordOption> word_options() { return kWords; }

std::span<const WaitOption> wait_options() { return kWaits; }

std::span<const std::string_view> overlay_option_keys() {
  static const std::vector<std::string_view> keys = [] {
    std::vector<std::string_view> all;
    for (const WholeOption& option : kWholes) all.push_back(option.key);
    for (const WordOption& option : kWords) all.push_back(option.key);
    all.insert(all.end(), {kTemperatureKey, kSlackKey, kPatienceKey});
    return all;
  }();
  return keys;
}

// Which options make a difference to whom, as the code of the schedulers has it: the centralised ones and
// probes do without gossip, the centralised ones without neighbours and walks too, and probes without turns;
// who looks at no gradient of users has one only where walks are directed by a gradient of room.

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
  if (is_ignored(key, rules.scheduler)) return fmt::format("has no effect on {}", row.name);
  if (key == "search" && row.is_central && options.search == Search::directed)
    return fmt::format("directed has no effect on {}", row.name);
  if (key == "best_of" && options.search != Search::best_fit)
    return "has no effect without `search: best-fit`";
  if (key == "push_sum_epoch" && options.total != overlay::Total::push_sum)
    return "has no effect without `total: push-sum`";
  if (among(key, kOfGradients) && rules.scheduler == Scheduler::ddrf_random &&
      options.search != Search::directed)
    return fmt::format("has no effect on {} without `search: directed`", row.name);
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
