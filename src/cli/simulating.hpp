#pragma once

// What all kinds of scenario have in common when they are played: which seeds, where the outcome goes, and in
// which form.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <mirab/simulation/scenario.hpp>

#include "cli/command.hpp"
#include "cli/input.hpp"
#include "cli/options.hpp"

namespace mirab::cli {

struct SimulateOptions {
  std::string command;  ///< the command line, for the page
  std::string scenario;
  OutputOptions output;
  std::string report;                 ///< the page's file; empty: as the scenario says
  std::optional<std::uint64_t> seed;  ///< without one: as the scenario says, else 1
  int threads = 1;
};

/// A scenario that was read, how it was asked for, and its text.
struct Asked {
  const SimulateOptions& options;
  const InputText& input;
  const simulation::Scenario& scenario;
};

/// Those of the scenario; as many from --seed on, where that is given.
std::vector<std::uint64_t> seeds_for(const Asked& asked);

/// Are there so many seeds from this one on? Errors name --seed.
Check check_seeds(std::uint64_t first, std::uint64_t count);

/// The page's file, by the command line or else the scenario; empty: none.
const std::string& page_of(const Asked& asked);

/// A line that counts per cents, when somebody is there to see it.
simulation::Progress progress_line(const std::string& title);

/// Destinations that would harm each other or what is read, or cannot be written.
Check check_outputs(const Asked& asked);

/// What the scenario wants written first, then the page of the first run, then the result. `RunOrRuns` is a
/// run of report/simulation.hpp, or several that differ in the seed.
template <class RunOrRuns>
Exit show(const Asked& asked, const RunOrRuns& run);

// Each plays one kind of scenario and shows what came of it.
Exit play(const Asked& asked, const simulation::TrafficScenario& traffic);
Exit play(const Asked& asked, const simulation::TraceScenario& trace);
Exit play(const Asked& asked, const simulation::ReallocationScenario& reallocation);
Exit play(const Asked& asked, const simulation::DemandSeriesScenario& demands);
Exit play(const Asked& asked, const simulation::OverlayScenario& overlay);

}  // namespace mirab::cli
