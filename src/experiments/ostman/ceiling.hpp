#pragma once

#include <cstdint>

#include "experiments/ostman/solutions.hpp"

namespace mirab::experiments {

/// What DGDRF and PDGDRF lose against the centralised scheduler: is it lost to the random choice of servers,
/// or to the missing centre? Holds their least shares against those of serial DRF on random servers
/// (`nearly` of them or more), and tells what that reaches itself.
void hold_ceiling(const SolutionsPlan& plan, const Solutions& solutions, double nearly,
                  std::uint64_t first_seed, Reproduction& result);

}  // namespace mirab::experiments
