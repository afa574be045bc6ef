#pragma once

// What was simulated, as text and as data: one set of functions for each kind of scenario.

#include <cstddef>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include <mirab/simulation/replay.hpp>
#include <mirab/simulation/scenario.hpp>
#include <mirab/simulation/traffic.hpp>

namespace mirab::report {

/// Random traffic that was simulated.
struct TrafficRun {
  std::string title;  ///< the scenario file as the user named it
  const simulation::TrafficScenario& scenario;
  const simulation::TrafficOutcome& outcome;
};

/// A trace that was played.
struct ReplayRun {
  std::string title;
  std::uint64_t seed;
  const simulation::TraceScenario& scenario;
  const std::vector<std::string>& resources;
  const std::vector<simulation::ReplayOutcome>& outcomes;
};

/// What a person reads, at most `width` columns wide where that is possible.
std::string simulation_table(const TrafficRun& run, std::size_t width);
std::string simulation_table(const ReplayRun& run, std::size_t width);

/// docs/schema/simulation.schema.json. Of series over time with more than `most_samples` every so many are
/// kept, and the last.
nlohmann::ordered_json simulation_json(const TrafficRun& run);
nlohmann::ordered_json simulation_json(const ReplayRun& run, std::size_t most_samples = SIZE_MAX);

/// Traffic: one record a load, mechanism and class: load, mechanism, class, service_rate, low, high, jobs,
/// stable. Replay: one record a contender and user.
std::string simulation_csv(const TrafficRun& run);
std::string simulation_csv(const ReplayRun& run);

/// The page with the JSON of a run, to which its title and the command line are added.
std::string simulation_html(std::string_view page, const TrafficRun& run, const std::string& command);
std::string simulation_html(std::string_view page, const ReplayRun& run, const std::string& command);

}  // namespace mirab::report
