#pragma once

#include <string>

#include "simulation/overlay/trial.hpp"

namespace mirab::simulation {

/// The scenario file (kind: overlay, docs/simulate.md) of the trial: with the trial's cluster in the file
/// `cluster`, `mirab simulate` runs the same. Writes what a search draws (draw_faults.hpp) and leaves out
/// what is as it is without being said. `comment` lines come first.
std::string write_overlay_yaml(const Trial& trial, const std::string& cluster,
                               const std::vector<std::string>& comment = {});

}  // namespace mirab::simulation
