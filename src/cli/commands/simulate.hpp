// What `simulate` and `simulate --search` share.
#pragma once

#include <string>

#include "cli/program.hpp"
#include "lab/simulation/overlay.hpp"

// What all kinds of scenario have in common when they are played: which seeds, where the outcome goes, and in
// which form.

#include <cstdint>
#include <optional>
#include <vector>

#include "cli/io/input.hpp"
#include "cli/options.hpp"
#include "lab/simulation/scenario.hpp"

namespace mirab::cli {

struct SimulateOptions {
  std::string command;  ///< the command line, for the page
  std::string scenario;
  OutputOptions output;
  ReportOptions report;               ///< an empty file or title: as the scenario says
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

/// Are there `count` seeds from this one on? Errors name --seed.
Check check_seeds(std::uint64_t first, std::uint64_t count);

/// What the run is called: by the command line, the scenario's `title`, or its file.
const std::string& title_of(const Asked& asked);

/// The page's file, by the command line or else the scenario; empty: none.
const std::string& page_of(const Asked& asked);

/// A line that counts per cents, on a terminal.
simulation::Progress percent_progress(const std::string& title);

/// Destinations that would harm each other or what is read, or cannot be written.
Check check_outputs(const Asked& asked);

/// What the scenario wants written first, then the page of the first run, then the result. `RunOrRuns` is a
/// run of report/simulation/runs.hpp, or several that differ in the seed.
template <class RunOrRuns>
Exit show(const Asked& asked, const RunOrRuns& run);

// Each plays one kind of scenario and shows what came of it.
Exit play(const Asked& asked, const simulation::TrafficScenario& traffic);
Exit play(const Asked& asked, const simulation::TraceScenario& trace);
Exit play(const Asked& asked, const simulation::ReallocationScenario& reallocation);
Exit play(const Asked& asked, const simulation::DemandSeriesScenario& demands);
Exit play(const Asked& asked, const simulation::OverlayScenario& overlay);

}  // namespace mirab::cli

namespace CLI {
class App;
}

namespace mirab::cli {

/// What `mirab simulate --search` says besides the options of every simulation.
struct SearchFlags {
  bool search = false;
  simulation::SearchOptions options;
  std::string scheduler;
  std::string witness_dir;
};

/// Adds --search, and what only goes with it.
void add_search_options(CLI::App& app, SearchFlags& flags);

/// Searches for faults that break a promise of an overlay (docs/explanation/overlay-faults.md). Exit::failed
/// when one is found, which is printed all the same.
Exit search(const SearchFlags& flags, const SimulateOptions& options);

}  // namespace mirab::cli
