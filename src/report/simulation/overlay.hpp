// The figures of an overlay that several forms show, and its frames as JSON.
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "lab/simulation/overlay.hpp"
#include "report/simulation/runs.hpp"

namespace mirab::report {

/// Part of the placements whose user did not have the lowest share; 0 of none.
double wrong_part(const simulation::OverlayRun& run);

/// Ticks over those of the first centralised-drf among the schedulers; none where there is none, or it placed
/// nothing.
std::optional<double> ratio_to_centralised(const OverlayRuns& all, std::size_t index);

/// The servers by their number: `a` where an entry is one server, `a/0`, `a/1`, … where it is several.
std::vector<std::string> server_names(const Problem& cluster);

/// The pictures of a run, column by column (F frames, K servers, P neighbours), so that a page of 1,000
/// servers stays small:
///   {"ticks": [F], "utility": [F][K], "view": [F][K][P], "used": [F][K], "placements": [F]}
/// A utility of a server without users is null; others have six significant digits, which tell apart what a
/// fair run brings close together; `used` has three decimals.
/// Of frames with more than `most_entries` entries of views altogether every k-th is kept, and the
/// last. Cost: O(F K P).
nlohmann::ordered_json frames_json(const std::vector<simulation::OverlayFrame>& frames,
                                   std::size_t most_entries);

}  // namespace mirab::report
