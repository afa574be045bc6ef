#pragma once

#include <string>
#include <vector>

#include <mirab/scheduling/fill.hpp>

#include "cli/command.hpp"
#include "cli/options.hpp"
#include "report/comparison.hpp"

namespace CLI {
class App;
}

namespace mirab::cli {

/// How `allocate` and `fill` show their outcomes.
struct ComparingOptions {
  std::string command;  ///< the command line, for the page
  std::string cluster;
  OutputOptions output;
  std::string report;  ///< the page's file; empty for none
  std::uint64_t seed = 1;
  std::string tie = "first";
  int threads = 1;  ///< for the mechanisms
};

/// Adds the cluster file and the options above.
void add_comparing_options(CLI::App& app, ComparingOptions& options);

/// Whom and where: one filling that was asked for.
struct FillChoice {
  Choice discipline;
  Choice placement;
  std::string notice = {};  ///< what was made of that; empty for nothing
};

/// A filling for each placement, first-fit where none was asked for. A discipline that chooses servers itself
/// is run once, with a notice when placements were asked for.
std::vector<FillChoice> fillings_of(const Choice& discipline, const std::vector<Choice>& placements);

/// Are the steps of a filling wanted: nowhere, in the page only, or in the result too?
enum class Steps { dropped, in_report, printed };

/// Runs the mechanisms and then the fillings, each with a generator of its own from the seed, and shows them:
/// the page first, then the result.
Exit compare(const ComparingOptions& options, const std::vector<Choice>& mechanisms,
             const std::vector<FillChoice>& fillings, Steps steps);

}  // namespace mirab::cli
