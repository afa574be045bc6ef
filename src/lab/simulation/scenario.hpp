#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <mirab/model/cluster_file.hpp>
#include <mirab/model/result.hpp>
#include <mirab/model/time.hpp>

#include "lab/simulation/demand_series.hpp"
#include "lab/simulation/overlay.hpp"
#include "lab/simulation/reallocation.hpp"
#include "lab/simulation/replay.hpp"
#include "lab/simulation/traffic.hpp"

namespace mirab::simulation {

/// A trace through the engine.
struct TraceScenario {
  std::string cluster;                 ///< file, as it can be opened
  std::string workload;                ///< idem
  std::string teams;                   ///< idem; empty: none
  std::optional<Duration> duration{};  ///< of the trace, what comes later is left out; > 0
  ReplayOptions options;               ///< but for the teams, which stand in their file
};

/// Where the result goes besides the output of the program; empty for nowhere. Files, as they can be opened.
struct Outputs {
  std::string table, json, csv, report;
  std::string jobs;  ///< of a trace: CSV, a record a job
};

/// What a scenario file may hold: its `kind`.
struct Scenario {
  std::string name;                  ///< the file as the user named it
  std::string title;                 ///< what people call it; may be empty
  std::vector<std::uint64_t> seeds;  ///< of its runs, no two alike; empty: the file asks for none
  Outputs outputs;
  std::variant<TrafficScenario, TraceScenario, ReallocationScenario, DemandSeriesScenario, OverlayScenario>
      what;
};

/// Reads a scenario file (YAML, or JSON by its name) and validates it. Its keys are described in
/// docs/reference/simulate.md; paths in it are relative to it, and are not opened. Errors name file, line and
/// key.
Result<Scenario> read_scenario_file(const std::string& path);

/// The same for a text in memory; `name` stands for the file in errors, and paths are relative to its folder.
Result<Scenario> read_scenario_text(std::string_view text, Syntax syntax, const std::string& name);

/// Does the text have the key `kind`, as a scenario has and a cluster does not? A text that cannot be read
/// has not.
bool is_scenario(std::string_view text, Syntax syntax);

/// The workload without what is submitted, or what changes, at `end` or later, which is then its span's end.
Workload cut_off(Workload workload, Duration end);

}  // namespace mirab::simulation
