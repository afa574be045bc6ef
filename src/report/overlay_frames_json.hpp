#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <vector>

#include <mirab/simulation/overlay.hpp>

namespace mirab::report {

/// The pictures of a run, column by column (F frames, K servers, P neighbours), so that a page of 1,000
/// servers stays small:
///   {"ticks": [F], "utility": [F][K], "view": [F][K][P], "used": [F][K], "placements": [F]}
/// A utility of a server without users is null; others have six significant digits, which tell apart what a
/// fair run brings close together; `used` has three decimals.
/// Of frames with more than `most_entries` entries of views altogether every so many are kept, and the
/// last. Cost: O(F K P).
nlohmann::ordered_json frames_json(const std::vector<simulation::OverlayFrame>& frames,
                                   std::size_t most_entries);

}  // namespace mirab::report
