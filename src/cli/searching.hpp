#pragma once

#include <string>

#include <mirab/simulation/overlay.hpp>

#include "cli/command.hpp"
#include "cli/simulating.hpp"

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

/// Searches for faults that break a promise of an overlay (docs/overlay-faults.md). Exit::failed when one is
/// found, which is printed all the same.
Exit search(const SearchFlags& flags, const SimulateOptions& options);

}  // namespace mirab::cli
