#pragma once

#include <string>
#include <variant>
#include <vector>

#include <mirab/model/result.hpp>
#include <mirab/simulation/replay.hpp>
#include <mirab/simulation/traffic.hpp>

namespace mirab::simulation {

/// A trace through the engine.
struct TraceScenario {
  std::string cluster;   ///< file, as it can be opened
  std::string workload;  ///< idem
  ReplayOptions options;
};

/// What a scenario file may hold: its `kind`.
struct Scenario {
  std::string name;  ///< the file as the user named it
  std::variant<TrafficScenario, TraceScenario> what;
};

/// Reads a scenario file (YAML, or JSON by its name) and validates it. Its keys are described in
/// docs/simulate.md; paths in it are relative to it. Errors name file, line and key.
Result<Scenario> read_scenario_file(const std::string& path);

}  // namespace mirab::simulation
