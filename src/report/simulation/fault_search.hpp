#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "lab/simulation/overlay.hpp"

namespace mirab::report {

/// A search for what breaks the promises of an overlay.
struct FaultSearch {
  simulation::SearchOptions options;
  simulation::SearchOutcome outcome;
};

/// The command line that finds it again.
std::string replay_line(const FaultSearch& searched);

/// What was tried; and what was found: which promise, what, when, and the smallest plan of faults that shows
/// it. No wider than `width` where that can be.
std::string search_table(const FaultSearch& searched, std::size_t width);

/// docs/schema/search.schema.json.
nlohmann::ordered_json search_json(const FaultSearch& searched);

}  // namespace mirab::report
