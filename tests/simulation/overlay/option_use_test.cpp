// What option_use.hpp says makes no difference must make none, and what it says makes one must make one
// somewhere: both are held against runs.
#include "simulation/overlay/option_use.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <string>
#include <utility>

#include <mirab/overlay/scheduler.hpp>

#include "simulation/overlay/option_table.hpp"
#include "simulation/overlay/small_overlay.hpp"

namespace mirab::simulation {
namespace {

using overlay::Scheduler;
using std::chrono::seconds;

OverlayRules rules_of(Scheduler scheduler) {
  return {.scheduler = scheduler, .options = small_scenario(scheduler).rules.front().options};
}

OverlayScenario scenario_of(const OverlayRules& rules) {
  OverlayScenario scenario = small_scenario(rules.scheduler);
  scenario.rules = {rules};
  scenario.duration = seconds(6);
  scenario.runtime = seconds(2);
  return scenario;
}

// Messages and bytes tell more than shares: a run that goes another way has others.
std::pair<std::int64_t, std::int64_t> traffic_of(const OverlayRules& rules) {
  const auto runs = run_overlay(small_cluster(12, 5), scenario_of(rules), 1, 1);
  return {runs->front().messages, runs->front().bytes};
}

void spoil(std::string_view key, overlay::OverlayOptions& options) {
  for (const WholeOption& option : whole_options())
    if (option.key == key) option.set(options, 3);
  for (const WordOption& option : word_options())
    if (option.key == key) option.set(options, option.words.size() - 1);
  if (key == kTemperatureKey) options.gossip.temperature = 0.3;
  if (key == kSlackKey) options.slack = 5;
}

// But for `peers`: so many the bootstrap server names to whoever comes, whether or not it gossips.
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

TEST(OptionUse, EveryOptionIsOfUseToSomebody) {
  for (const std::string_view key : overlay_option_keys()) {
    const auto uses = [&](const overlay::SchedulerRow& row) {
      OverlayRules rules = rules_of(row.scheduler);
      rules.options.search = overlay::Search::best_fit;
      rules.options.total = overlay::Total::push_sum;
      return !without_effect(key, rules);
    };
    EXPECT_TRUE(std::ranges::any_of(overlay::schedulers(), uses)) << key;
  }
}

TEST(OptionUse, SaysWhatWouldGiveItAnEffect) {
  EXPECT_EQ(without_effect("slack", rules_of(Scheduler::dgdrf)), "makes no difference to dgdrf");
  EXPECT_FALSE(without_effect("slack", rules_of(Scheduler::level)));
  EXPECT_EQ(without_effect("best_of", rules_of(Scheduler::level)),
            "makes no difference without `search: best-fit`");
  EXPECT_EQ(without_effect("push_sum_epoch", rules_of(Scheduler::dgdrf)),
            "makes no difference without `total: push-sum`");
  OverlayRules directed = rules_of(Scheduler::centralised_drf);
  EXPECT_FALSE(without_effect("search", directed));
  directed.options.search = overlay::Search::directed;
  EXPECT_EQ(without_effect("search", directed), "directed makes no difference to centralised-drf");
}

}  // namespace
}  // namespace mirab::simulation
