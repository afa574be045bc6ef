#pragma once

#include <Eigen/Core>

#include "mechanisms/servers.hpp"

namespace mirab::peers {

/// How Clp solves the first round. The others start from the basis of the one before by the primal simplex,
/// for which it stays feasible.
enum class ClpStart { dual, primal, dual_with_presolve, primal_with_presolve };

struct ClpRounds {
  Eigen::ArrayXd totals;  ///< X_n, [n]
  int rounds = 0;
  bool stopped = false;  ///< out of time: the totals are not what they should be
  bool failed = false;   ///< Clp found no optimum, or one without a price for anybody: nor are they then
};

/// Lexicographic max-min of X_n / unit_n under the capacities and caps, as a sequence of linear programs,
/// each solved by Clp's simplex: max t with X_n ≥ unit_n t for the active; whose row has a positive dual
/// price is fixed. A degenerate basis may miss some who are saturated, which costs more rounds and is safe.
ClpRounds clp_rounds(const MergedServers& merged, const Eigen::ArrayXd& unit, ClpStart start,
                     double seconds_most);

}  // namespace mirab::peers
