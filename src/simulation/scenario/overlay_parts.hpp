#pragma once

// The parts of `kind: overlay`: what a scheduler may say for itself, and what goes wrong.

#include <span>
#include <string>
#include <string_view>

#include <mirab/overlay/options.hpp>
#include <mirab/simulation/overlay.hpp>

#include "simulation/scenario/fields.hpp"

namespace mirab::simulation {

/// The keys of OverlayOptions, which a scenario has for all of its schedulers and a scheduler for itself.
std::span<const std::string_view> overlay_option_keys();

/// Those that make no difference to this scheduler.
std::span<const std::string_view> ignored_option_keys(overlay::Scheduler scheduler);

/// Those that the map has, over `options`. `prefix` stands before the keys in errors: empty, or ends with a
/// dot.
overlay::OverlayOptions read_overlay_options(const Node& map, const std::string& prefix,
                                             overlay::OverlayOptions options, ScenarioFields& fields);

Faults read_faults(const Node& node, ScenarioFields& fields);

/// `[{user, from_s, to_s}]`
std::vector<UserPause> read_pauses(const Node& node, ScenarioFields& fields);

}  // namespace mirab::simulation
