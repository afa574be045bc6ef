#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <mirab/simulation/overlay.hpp>

namespace mirab::simulation {

/// Why what this option (a key of option_table.hpp) says makes no difference to a run by these rules:
/// `search: directed makes no difference to centralised-drf`, without the key. No value where it makes one.
std::optional<std::string> without_effect(std::string_view key, const OverlayRules& rules);

/// Is the option as it is without being said?
bool is_default(std::string_view key, const overlay::OverlayOptions& options);

}  // namespace mirab::simulation
