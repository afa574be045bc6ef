#pragma once

#include <cstddef>
#include <vector>

#include "experiments/ostman/solutions.hpp"

namespace mirab::experiments {

/// What 5.4 says of one size of cluster.
struct RuntimeClaims {
  std::size_t machines, users;
  std::vector<std::size_t> neighbours;
  std::size_t seeds;            ///< at full effort
  double centralised, pdgdrf;   ///< seconds; of PDGDRF with 2 neighbours
  double gradient_slower_from;  ///< so many neighbours DDRF gradient is slower than the centralised one;
                                ///< infinity: always faster
};

/// Ticks until nothing more can be placed, of the centralised scheduler, probes, DDRF, DGDRF and PDGDRF, by
/// the number of neighbours.
Reproduction run_runtime(const RuntimeClaims& claims, const RunOptions& options);

}  // namespace mirab::experiments
