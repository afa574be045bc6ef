#pragma once

#include <string>
#include <string_view>

#include <mirab/model/result.hpp>
#include <mirab/simulation/traffic.hpp>

namespace mirab::simulation {

/// Reads `exponential`, `deterministic`, `erlang:20` or `hyperexponential:cv2=4`. Errors carry a message
/// only.
Result<Sizes> parse_sizes(std::string_view text);

/// The same text back.
std::string sizes_text(const Sizes& sizes);

}  // namespace mirab::simulation
