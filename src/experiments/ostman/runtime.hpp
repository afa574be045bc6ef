#pragma once

#include <cstddef>

#include "experiments/ostman/solutions.hpp"

namespace mirab::experiments {

/// What 5.4 says of one size of cluster.
struct RuntimeClaims {
  std::size_t machines, users;
  std::size_t seeds;             ///< at full effort
  double centralised, pdgdrf;    ///< seconds; of PDGDRF with 2 neighbours
  double gradient_slower_from;   ///< so many neighbours DDRF gradient is slower than the centralised one;
                                 ///< infinity: always faster
};

/// Ticks until nothing more can be placed, of the centralised scheduler, probes, DDRF, DGDRF and PDGDRF with
/// 2 … 10 neighbours.
Reproduction run_runtime(const RuntimeClaims& claims, const RunOptions& options);

}  // namespace mirab::experiments
