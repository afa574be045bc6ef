#pragma once

#include <string>

#include "recordings/cases.hpp"
#include "recordings/recording.hpp"

namespace mirab::recordings {

// Parts of a played case, by name.
inline constexpr const char* kLog = "log";              ///< the event log, with all that came of each event
inline constexpr const char* kDecisions = "decisions";  ///< the same in words of this tool, refusals too
inline constexpr const char* kWhy = "why";              ///< answers to questions now and then
inline constexpr const char* kSnapshots = "snapshots";  ///< digests of their bytes, half-way and at the end

/// Plays the events of a case on its engine.
Played play(const Case& asked);

/// Which options the discipline honours, and the key of the error where it does not.
Played options_of(const std::string& discipline);

/// Fills random clusters with the placement.
std::vector<Played> fillings_of(const std::string& discipline);

}  // namespace mirab::recordings
