#pragma once

#include <string>
#include <vector>

#include "experiments/ostman/runs.hpp"

namespace mirab::experiments {

/// PDGDRF with 2 neighbours beside the centralised scheduler over one varied number, as figures 5.11 and 5.12
/// have them (Östman, 5.4.1).
struct BesideCentral {
  std::string name;                   ///< of the curve
  std::vector<double> x;              ///< what is varied
  std::vector<SeedRuns> pdgdrf;       ///< [x]
  std::vector<SeedRuns> centralised;  ///< [x]

  /// A number of PDGDRF over that of the centralised scheduler at one x, seed by seed.
  std::vector<double> ratio_at(double at, Measure measure) const;
  std::size_t place_of(double at) const;  ///< in x; it was run
};

/// What is varied, and the setting of PDGDRF then; the centralised scheduler has its machines and users.
struct VariedSetting {
  double x = 0;
  OverlaySetting setting;
};

/// One of several that are run in one go; scheduler and neighbours are filled in.
struct BesideCentralPlan {
  std::string name;
  std::vector<VariedSetting> settings;
};
std::vector<BesideCentral> run_beside_central(const std::vector<BesideCentralPlan>& plans, std::size_t seeds,
                                              const RunOptions& options);

/// What was run for one of them: how many tasks a tick both place, and how many of PDGDRF's are wrong.
std::string pace_of(const BesideCentral& beside, double at);

/// Why PDGDRF does not overtake the centralised scheduler as it does in the thesis.
std::string why_not_quicker();

/// The ratios of the ticks, a line for each.
Figure ticks_figure(const std::vector<BesideCentral>& all, std::string x_label);

/// The least shares, two lines for each.
Figure shares_figure(const std::vector<BesideCentral>& all, std::string x_label);

}  // namespace mirab::experiments
