#pragma once

#include <cstddef>
#include <vector>

#include "experiments/ostman/solutions.hpp"

namespace mirab::experiments {

/// The seven schedulers of the thesis, in the order of its tables.
const std::vector<overlay::Scheduler>& thesis_schedulers();

/// What a table of the thesis prints, by scheduler of thesis_schedulers(); empty where nothing is printed.
using PrintedRows = std::vector<std::vector<double>>;  // [scheduler][neighbours 2 … 10]

/// What 5.2 and 5.3 say of one size of cluster.
struct FairnessClaims {
  std::size_t machines, users;
  std::size_t seeds, quick_seeds;
  PrintedRows least_shares;  ///< table 5.1
  PrintedRows wrong_parts;   ///< tables 5.3 and 5.4, in per cent
};

/// Least shares, Gini coefficients, deviations and wrong placements of all seven with 2 … 10 neighbours.
Reproduction run_fairness(const FairnessClaims& claims, const RunOptions& options);

}  // namespace mirab::experiments
