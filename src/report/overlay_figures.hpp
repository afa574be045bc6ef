#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "report/simulation.hpp"

namespace mirab::report {

/// Part of the placements that were a user's who was not a poorest one; 0 of none.
double wrong_part(const simulation::OverlayRun& run);

/// Ticks over those of the first centralised-drf among the schedulers; none where there is none, or it placed
/// nothing.
std::optional<double> ratio_to_centralised(const OverlayRuns& all, std::size_t index);

/// The servers by their number: `a` where an entry is one server, `a/0`, `a/1`, … where it is several.
std::vector<std::string> server_names(const Problem& cluster);

}  // namespace mirab::report
