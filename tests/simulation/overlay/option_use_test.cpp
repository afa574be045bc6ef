// What options.hpp says makes no difference must make none, and what it does not must make one somewhere:
// both are held against runs, and the document (docs/reference/simulate.md) against it.
#include <algorithm>
#include <array>
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <regex>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <mirab/overlay/scheduler.hpp>

#include "lab/simulation/overlay/options.hpp"
#include "simulation/overlay/small_overlay.hpp"

namespace mirab::simulation {
namespace {

using overlay::Scheduler;
using std::chrono::seconds;

constexpr std::array kSearches = {overlay::Search::walk, overlay::Search::best_fit,
                                  overlay::Search::directed};

OverlayRules rules_of(Scheduler scheduler) {
  return {.scheduler = scheduler, .options = small_scenario(scheduler).rules.front().options};
}

OverlayRules rules_of(Scheduler scheduler, overlay::Search search, overlay::Total total) {
  OverlayRules rules = rules_of(scheduler);
  rules.options.search = search;
  rules.options.total = total;
  return rules;
}

OverlayScenario scenario_of(const OverlayRules& rules) {
  OverlayScenario scenario = small_scenario(rules.scheduler);
  scenario.rules = {rules};
  scenario.duration = seconds(6);
  scenario.runtime = seconds(2);
  return scenario;
}

// Messages and bytes tell more than shares: a run that goes another way has others.
using MessagesAndBytes = std::pair<std::int64_t, std::int64_t>;

MessagesAndBytes traffic_of(const Problem& cluster, const OverlayScenario& scenario) {
  const auto runs = run_overlay(cluster, scenario, 1, 1);
  return {runs->front().messages, runs->front().bytes};
}

MessagesAndBytes traffic_of(const OverlayRules& rules) {
  return traffic_of(small_cluster(12, 5), scenario_of(rules));
}

/// A cluster with a user whose task fits nowhere.
Problem with_a_giant() {
  const Problem small = small_cluster(12, 5);
  Cluster cluster{small.resources(), small.servers(), small.users()};
  cluster.users.push_back({.name = "giant", .demand = {Quantity(11), Quantity(1)}});
  return *Problem::from(std::move(cluster));
}

/// Where an option may make its difference.
struct Occasion {
  Problem cluster;
  void (*change)(OverlayScenario& scenario);
};

const std::vector<Occasion>& occasions() {
  static const std::vector<Occasion> all = {
      {small_cluster(12, 5), [](OverlayScenario&) {}},
      {small_cluster(12, 5),
       [](OverlayScenario& paused) {
         paused.pauses = {{.from = seconds(0), .to = seconds(3), .user = "u0"}};
       }},
      {small_cluster(12, 5),
       [](OverlayScenario& full) {
         full.runtime.reset();
         full.duration = seconds(30);
       }},
      {small_cluster(40, 20), [](OverlayScenario& hardly_warm) { hardly_warm.warm_up = 6; }},
      {with_a_giant(), [](OverlayScenario&) {}}};
  return all;
}

void spoil(std::string_view key, overlay::OverlayOptions& options) {
  for (const WholeOption& option : whole_options())
    if (option.key == key) option.set(options, 3);
  for (const WordOption& option : word_options())
    if (option.key == key) option.set(options, option.of(options) == 0 ? option.words.size() - 1 : 0);
  if (key == kTemperatureKey) options.gossip.temperature = 0.3;
  if (key == kSlackKey) options.slack = 5;
  if (key == kPatienceKey) options.patience.again = 1;
}

/// The schedulers on which an option has an effect under one of the searches, when the others allow it.
std::set<Scheduler> affected(std::string_view key, std::span<const overlay::Search> searches) {
  std::set<Scheduler> affected;
  for (const overlay::SchedulerRow& row : overlay::schedulers())
    for (const overlay::Search search : searches)
      if (!without_effect(key, rules_of(row.scheduler, search, overlay::Total::push_sum)))
        affected.insert(row.scheduler);
  return affected;
}

/// As the column of the document says it.
std::string documented_effect(std::string_view key) {
  using enum Scheduler;
  static const std::map<std::set<Scheduler>, std::string> kWords = {
      {{dgdrf}, "`dgdrf`"},
      {{level}, "`level`"},
      {{ddrf_gradient, dgdrf, pdgdrf, level}, "gossip but `ddrf-random`"},
      {{ddrf_random, ddrf_gradient, dgdrf, pdgdrf, level}, "gossip"},
      {{probes, ddrf_random, ddrf_gradient, dgdrf, pdgdrf, level}, "decentralised"},
      {{centralised_drf, ddrf_random, ddrf_gradient, dgdrf, pdgdrf, level},
       "all but `centralised-fifo`, `probes`"},
      {{centralised_drf, centralised_fifo, ddrf_random, ddrf_gradient, dgdrf, pdgdrf, level},
       "all but `probes`"},
      {{centralised_drf, centralised_fifo, probes, ddrf_random, ddrf_gradient, dgdrf, pdgdrf, level}, "all"}};
  const std::set<Scheduler> all = affected(key, kSearches);
  const auto words = kWords.find(all);
  if (words == kWords.end()) return "others than the document has words for";
  const bool directed_alone =
      all.contains(ddrf_random) && !affected(key, std::span(kSearches).first(2)).contains(ddrf_random);
  return words->second + (directed_alone ? "¹" : "");
}

/// Which options have an effect on which schedulers, by the document.
std::map<std::string, std::string> documented() {
  std::ifstream document(MIRAB_SOURCE_DIR "/docs/reference/simulate.md");
  std::map<std::string, std::string> documented;
  const std::regex row(R"(^\| (`[^|]*) \|[^|]*\| ([^|]*) \|.*)"), name("`([a-z_]+)`");
  bool in_table = false;
  for (std::string line; std::getline(document, line);) {
    std::smatch cells;
    if (line.starts_with("| key | default | affects |")) in_table = true;
    if (line.empty()) in_table = false;
    if (!in_table || !std::regex_match(line, cells, row)) continue;
    const std::string keys = cells[1];
    for (std::sregex_iterator key(keys.begin(), keys.end(), name), end; key != end; ++key)
      documented[(*key)[1]] = cells[2];
  }
  return documented;
}

// Except `peers`: the bootstrap server names this many to every server, whether or not it gossips.
TEST(OptionUse, WhatMakesNoDifferenceMakesNone) {
  for (const overlay::SchedulerRow& row : overlay::schedulers()) {
    const auto plain = traffic_of(rules_of(row.scheduler));
    for (const std::string_view key : overlay_option_keys()) {
      OverlayRules rules = rules_of(row.scheduler);
      spoil(key, rules.options);
      if (!without_effect(key, rules) || key == "peers" || check(scenario_of(rules))) continue;
      EXPECT_EQ(traffic_of(rules), plain) << row.name << ", " << key;
    }
  }
}

bool makes_a_difference(std::string_view key, const OverlayRules& rules) {
  OverlayRules spoilt = rules;
  spoil(key, spoilt.options);
  return !without_effect(key, spoilt) && std::ranges::any_of(occasions(), [&](const Occasion& occasion) {
    OverlayScenario plain = scenario_of(rules), other = scenario_of(spoilt);
    occasion.change(plain);
    occasion.change(other);
    return traffic_of(occasion.cluster, plain) != traffic_of(occasion.cluster, other);
  });
}

TEST(OptionUse, WhatIsNotSaidToMakeNoDifferenceMakesOneSomewhere) {
  for (const overlay::SchedulerRow& row : overlay::schedulers()) {
    for (const std::string_view key : overlay_option_keys()) {
      std::vector<OverlayRules> users;
      for (const overlay::Search search : kSearches)
        for (const overlay::Total total : {overlay::Total::known, overlay::Total::push_sum}) {
          const OverlayRules rules = rules_of(row.scheduler, search, total);
          if (!without_effect(key, rules) && !check(scenario_of(rules))) users.push_back(rules);
        }
      const auto differs = [&](const OverlayRules& rules) { return makes_a_difference(key, rules); };
      EXPECT_TRUE(users.empty() || std::ranges::any_of(users, differs)) << row.name << ", " << key;
    }
  }
}

TEST(OptionUse, TheDocumentSaysWhatAffectsWhom) {
  const std::map<std::string, std::string> document = documented();
  std::map<std::string, std::string> expected;
  for (const std::string_view key : overlay_option_keys())
    expected[std::string(key)] = documented_effect(key);
  EXPECT_EQ(document, expected);
}

TEST(OptionUse, SaysWhatWouldGiveItAnEffect) {
  EXPECT_EQ(without_effect("slack", rules_of(Scheduler::dgdrf)), "has no effect on dgdrf");
  EXPECT_FALSE(without_effect("slack", rules_of(Scheduler::level)));
  EXPECT_EQ(without_effect("best_of", rules_of(Scheduler::level)),
            "has no effect without `search: best-fit`");
  EXPECT_EQ(without_effect("push_sum_epoch", rules_of(Scheduler::dgdrf)),
            "has no effect without `total: push-sum`");
  OverlayRules directed = rules_of(Scheduler::centralised_drf);
  EXPECT_FALSE(without_effect("search", directed));
  directed.options.search = overlay::Search::directed;
  EXPECT_EQ(without_effect("search", directed), "directed has no effect on centralised-drf");
}

}  // namespace
}  // namespace mirab::simulation
