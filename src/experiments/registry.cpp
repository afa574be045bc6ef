// The table of all experiments, in the order of the papers: 002 (random traffic), 001 (PS-DSF), 003 (the
// slides), 004 (MLF-DRS and its family), 000 (Östman's thesis).
#include <vector>

#include "experiments/rows.hpp"

namespace mirab::experiments {

std::span<const Experiment> experiments() {
  static const std::vector<Experiment> rows = {
  };
  return rows;
}

}  // namespace mirab::experiments
