// The options of the schedulers of `kind: overlay`, one row a key (docs/simulate.md).
#include <array>
#include <limits>

#include "simulation/scenario/overlay_parts.hpp"

namespace mirab::simulation {
namespace {

using overlay::OverlayOptions;
using overlay::Patience;

constexpr std::int64_t kMostEntries = 1000;   // of a view
constexpr std::int64_t kMost = 1'000'000;     // hops, rounds, shuffles
constexpr std::int64_t kMostTicks = 1 << 30;  // of patience

struct Whole {
  std::string_view key;
  std::int64_t least, most;
  void (*set)(OverlayOptions& options, std::uint32_t value);
};

constexpr std::array<Whole, 8> kWholes = {{
    {"neighbours", 1, kMostEntries, [](OverlayOptions& o, std::uint32_t value) { o.gossip.view = value; }},
    {"peers", 1, kMostEntries, [](OverlayOptions& o, std::uint32_t value) { o.gossip.peers = value; }},
    {"peer_shuffle", 1, kMostEntries,
     [](OverlayOptions& o, std::uint32_t value) { o.gossip.peer_shuffle = value; }},
    {"oldest", 1, kMost, [](OverlayOptions& o, std::uint32_t value) { o.gossip.oldest = value; }},
    {"remember", 0, kMostEntries, [](OverlayOptions& o, std::uint32_t value) { o.gossip.remember = value; }},
    {"hops", 0, kMost, [](OverlayOptions& o, std::uint32_t value) { o.hops = value; }},
    {"best_of", 1, kMost, [](OverlayOptions& o, std::uint32_t value) { o.best_of = value; }},
    {"push_sum_epoch", 1, kMost, [](OverlayOptions& o, std::uint32_t value) { o.push_sum_epoch = value; }},
}};

// The words stand in the order of the enumeration that they name.
struct Word {
  std::string_view key;
  std::span<const std::string_view> words;
  void (*set)(OverlayOptions& options, std::size_t word);
};

constexpr std::array<std::string_view, 3> kSearches = {"walk", "best-fit", "directed"};
constexpr std::array<std::string_view, 2> kIdles = {"block", "skip"};
constexpr std::array<std::string_view, 2> kStucks = {"block", "leave"};
constexpr std::array<std::string_view, 2> kRises = {"gossip", "climb"};
constexpr std::array<std::string_view, 2> kIntroduced = {"nobody", "last-asker"};
constexpr std::array<std::string_view, 2> kTotals = {"known", "push-sum"};

constexpr std::array<Word, 6> kWords = {{
    {"introduce", kIntroduced,
     [](OverlayOptions& o, std::size_t word) { o.gossip.introduce = static_cast<overlay::Introduce>(word); }},
    {"search", kSearches,
     [](OverlayOptions& o, std::size_t word) { o.search = static_cast<overlay::Search>(word); }},
    {"idle", kIdles, [](OverlayOptions& o, std::size_t word) { o.idle = static_cast<overlay::Idle>(word); }},
    {"stuck", kStucks,
     [](OverlayOptions& o, std::size_t word) { o.stuck = static_cast<overlay::Stuck>(word); }},
    {"rise", kRises, [](OverlayOptions& o, std::size_t word) { o.rise = static_cast<overlay::Rise>(word); }},
    {"total", kTotals,
     [](OverlayOptions& o, std::size_t word) { o.total = static_cast<overlay::Total>(word); }},
}};

struct Wait {
  std::string_view key;
  std::int64_t least;
  std::uint32_t Patience::*ticks;
};

constexpr std::array<Wait, 6> kWaits = {{{"again", 1, &Patience::again},
                                         {"held", 1, &Patience::held},
                                         {"walk", 1, &Patience::walk},
                                         {"home", 1, &Patience::home},
                                         {"user", 1, &Patience::user},
                                         {"lease", 0, &Patience::lease}}};

constexpr std::string_view kAll = "all";
constexpr std::string_view kInfinite = "infinite";

Patience read_patience(const Node& node, const std::string& key, Patience patience, ScenarioFields& fields) {
  std::array<std::string_view, kWaits.size()> keys;
  for (std::size_t i = 0; i < kWaits.size(); ++i) keys[i] = kWaits[i].key;
  if (!fields.expect_map(node, key, keys)) return patience;
  for (const Wait& wait : kWaits) {
    const Node* ticks = node.find(wait.key);
    if (ticks == nullptr) continue;
    const std::string wait_key = key + "." + std::string(wait.key);
    patience.*wait.ticks =
        static_cast<std::uint32_t>(fields.whole_between(*ticks, wait_key, wait.least, kMostTicks));
  }
  return patience;
}

// A number of entries, or the word.
std::size_t read_shuffle(const Node& node, const std::string& key, ScenarioFields& fields) {
  if (node.text == kAll) return 0;
  return static_cast<std::size_t>(fields.whole_between(node, key, 1, kMostEntries));
}

double read_temperature(const Node& node, const std::string& key, ScenarioFields& fields) {
  if (node.text == kInfinite) return std::numeric_limits<double>::infinity();
  return fields.positive(node, key);
}

}  // namespace

std::span<const std::string_view> overlay_option_keys() {
  static constexpr std::array<std::string_view, 18> kKeys = {
      "neighbours", "shuffle",  "peers", "peer_shuffle",   "temperature", "oldest",
      "introduce",  "remember", "hops",  "best_of",        "search",      "idle",
      "stuck",      "rise",     "total", "push_sum_epoch", "slack",       "patience"};
  return kKeys;
}

// Both do without gossip; the centralised ones without neighbours too, and probes without walks.
std::span<const std::string_view> ignored_option_keys(overlay::Scheduler scheduler) {
  static constexpr std::array<std::string_view, 13> kCentralised = {
      "neighbours", "shuffle", "peers",   "peer_shuffle", "temperature", "oldest",        "introduce",
      "remember",   "hops",    "best_of", "rise",         "total",       "push_sum_epoch"};
  static constexpr std::array<std::string_view, 13> kProbes = {
      "shuffle", "peers",   "peer_shuffle", "temperature", "oldest", "introduce",     "remember",
      "hops",    "best_of", "search",       "rise",        "total",  "push_sum_epoch"};
  switch (scheduler) {
    case overlay::Scheduler::centralised_drf:
    case overlay::Scheduler::centralised_fifo:
      return kCentralised;
    case overlay::Scheduler::probes:
      return kProbes;
    default:
      return {};
  }
}

OverlayOptions read_overlay_options(const Node& map, const std::string& prefix, OverlayOptions options,
                                    ScenarioFields& fields) {
  const auto key_of = [&](std::string_view key) { return prefix + std::string(key); };
  for (const Whole& whole : kWholes) {
    const Node* node = map.find(whole.key);
    if (node == nullptr) continue;
    const std::int64_t value = fields.whole_between(*node, key_of(whole.key), whole.least, whole.most);
    whole.set(options, static_cast<std::uint32_t>(value));
  }
  for (const Word& word : kWords) {
    if (const Node* node = map.find(word.key))
      word.set(options, fields.word(*node, key_of(word.key), word.words));
  }
  if (const Node* shuffle = map.find("shuffle"))
    options.gossip.shuffle = read_shuffle(*shuffle, key_of("shuffle"), fields);
  if (const Node* temperature = map.find("temperature"))
    options.gossip.temperature = read_temperature(*temperature, key_of("temperature"), fields);
  if (const Node* slack = map.find("slack")) options.slack = fields.not_negative(*slack, key_of("slack"));
  if (const Node* patience = map.find("patience"))
    options.patience = read_patience(*patience, key_of("patience"), options.patience, fields);
  return options;
}

}  // namespace mirab::simulation
