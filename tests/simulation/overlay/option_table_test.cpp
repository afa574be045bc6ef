#include <algorithm>
#include <gtest/gtest.h>
#include <set>

#include "lab/simulation/overlay/options.hpp"

namespace mirab::simulation {
namespace {

using overlay::OverlayOptions;

TEST(OptionTable, WhatIsSetIsReadBackAndNoOtherOptionChanges) {
  for (const WholeOption& option : whole_options()) {
    OverlayOptions options;
    option.set(options, option.most);
    EXPECT_EQ(option.of(options), option.most) << option.key;
    for (const std::string_view key : overlay_option_keys())
      EXPECT_EQ(is_default(key, options), key != option.key) << option.key << " and " << key;
  }
  for (const WordOption& option : word_options()) {
    OverlayOptions options;
    const std::size_t other = (option.of(options) + 1) % option.words.size();
    option.set(options, other);
    EXPECT_EQ(option.of(options), other) << option.key;
    for (const std::string_view key : overlay_option_keys())
      EXPECT_EQ(is_default(key, options), key != option.key) << option.key << " and " << key;
  }
}

// A reader that meets no key must leave what is allowed.
TEST(OptionTable, TheDefaultsAreWithinTheRanges) {
  const OverlayOptions options;
  for (const WholeOption& option : whole_options()) {
    EXPECT_GE(option.of(options), option.least) << option.key;
    EXPECT_LE(option.of(options), option.most) << option.key;
  }
  for (const WaitOption& wait : wait_options())
    EXPECT_GE(options.patience.*wait.ticks, wait.least) << wait.key;
}

TEST(OptionTable, TheWordsStandInTheOrderOfTheirEnumerations) {
  const auto word_of = [](std::string_view key, const OverlayOptions& options) {
    const auto row = std::ranges::find(word_options(), key, &WordOption::key);
    return row->words[row->of(options)];
  };
  OverlayOptions options;
  options.search = overlay::Search::best_fit;
  options.idle = overlay::Idle::skip;
  options.stuck = overlay::Stuck::leave;
  options.rise = overlay::Rise::climb;
  options.total = overlay::Total::push_sum;
  EXPECT_EQ(word_of("search", options), "best-fit");
  EXPECT_EQ(word_of("idle", options), "skip");
  EXPECT_EQ(word_of("stuck", options), "leave");
  EXPECT_EQ(word_of("rise", options), "climb");
  EXPECT_EQ(word_of("total", options), "push-sum");
}

TEST(OptionTable, NoKeyStandsTwice) {
  const auto keys = overlay_option_keys();
  EXPECT_EQ(std::set(keys.begin(), keys.end()).size(), keys.size());
}

}  // namespace
}  // namespace mirab::simulation
