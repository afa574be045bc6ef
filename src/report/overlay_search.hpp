#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include <mirab/simulation/overlay.hpp>

namespace mirab::report {

/// A search for what breaks the promises of an overlay.
struct Searched {
  simulation::SearchOptions options;
  simulation::SearchOutcome outcome;
};

/// The command line that finds it again.
std::string replay_line(const Searched& searched);

/// What was tried; and what was found: which promise, what, when, and the smallest plan of faults that shows
/// it. No wider than `width` where that can be.
std::string search_table(const Searched& searched, std::size_t width);

/// docs/schema/search.schema.json.
nlohmann::ordered_json search_json(const Searched& searched);

}  // namespace mirab::report
