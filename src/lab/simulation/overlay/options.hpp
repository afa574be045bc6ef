#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "lab/simulation/overlay.hpp"

// The options of the schedulers with their keys, words and ranges: what reads scenario files, what writes
// them and what checks a scenario have them from here.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include <mirab/overlay/scheduler.hpp>

namespace mirab::simulation {

/// A whole number.
struct WholeOption {
  std::string_view key;
  std::int64_t least, most;
  std::int64_t (*of)(const overlay::OverlayOptions& options);
  void (*set)(overlay::OverlayOptions& options, std::int64_t value);
  std::string_view zero = {};  ///< the word that is written for 0; empty: there is none
};
std::span<const WholeOption> whole_options();

/// One of some words, which stand in the order of the enumeration that they name.
struct WordOption {
  std::string_view key;
  std::span<const std::string_view> words;
  std::size_t (*of)(const overlay::OverlayOptions& options);
  void (*set)(overlay::OverlayOptions& options, std::size_t word);
};
std::span<const WordOption> word_options();

/// A part of `patience`, in ticks.
struct WaitOption {
  std::string_view key;
  std::int64_t least;
  std::uint32_t overlay::Patience::*ticks;
};
inline constexpr std::int64_t kMaxPatience =
    1 << 30;  // Derived: three such waits add up within 32 bits of ticks.
std::span<const WaitOption> wait_options();

inline constexpr std::string_view kTemperatureKey = "temperature";
inline constexpr std::string_view kInfinite = "infinite";  ///< that of the thesis
inline constexpr std::string_view kSlackKey = "slack";
inline constexpr std::string_view kPatienceKey = "patience";

/// The keys of all of them.
std::span<const std::string_view> overlay_option_keys();

// The words of what is no option of a scheduler: Ticks, Memory and Partition::Side.
inline constexpr std::array<std::string_view, 2> kTicksWords = {"staggered", "in-step"};
inline constexpr std::array<std::string_view, 2> kMemoryWords = {"kept", "lost"};
inline constexpr std::array<std::string_view, 2> kSideWords = {"outside", "inside"};

/// Why what this option (a key of options.cpp) says makes no difference to a run by these rules:
/// `search: directed has no effect on centralised-drf`, without the key. No value where it makes one.
std::optional<std::string> without_effect(std::string_view key, const OverlayRules& rules);

/// Is the option as it is without being said?
bool is_default(std::string_view key, const overlay::OverlayOptions& options);

}  // namespace mirab::simulation
