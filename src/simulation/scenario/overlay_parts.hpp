#pragma once

// The parts of `kind: overlay`: what a scheduler may say for itself, and what goes wrong.

#include <string>
#include <vector>

#include <mirab/overlay/options.hpp>
#include <mirab/simulation/overlay.hpp>

#include "simulation/scenario/fields.hpp"

namespace mirab::simulation {

/// The options that the map has (a scenario for all of its schedulers, a scheduler for itself), over
/// `options`. `prefix` stands before the keys in errors: empty, or ends with a dot.
overlay::OverlayOptions read_overlay_options(const Node& map, const std::string& prefix,
                                             overlay::OverlayOptions options, ScenarioFields& fields);

Faults read_faults(const Node& node, ScenarioFields& fields);

/// `[{user, from_s, to_s}]`
std::vector<UserPause> read_pauses(const Node& node, ScenarioFields& fields);

}  // namespace mirab::simulation
