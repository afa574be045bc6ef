#pragma once

#include <mirab/simulation/scenario.hpp>

#include "simulation/scenario/fields.hpp"

namespace mirab::simulation {

/// The keys of every kind of scenario; those of the seeds only where something is drawn.
inline constexpr std::string_view kVersionKey = "version";
inline constexpr std::string_view kKindKey = "kind";
inline constexpr std::string_view kSeedKey = "seed";
inline constexpr std::string_view kSeedsKey = "seeds";
inline constexpr std::string_view kOutputsKey = "outputs";

// Each reads the keys of one kind from the root of a scenario file; what is wrong is left in `fields`.
TrafficScenario read_traffic(const Node& root, ScenarioFields& fields);
TraceScenario read_trace(const Node& root, ScenarioFields& fields);
ReallocationScenario read_reallocation(const Node& root, ScenarioFields& fields);
DemandSeriesScenario read_demands(const Node& root, ScenarioFields& fields);
OverlayScenario read_overlay(const Node& root, ScenarioFields& fields);

}  // namespace mirab::simulation
