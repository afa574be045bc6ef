#pragma once

#include <Eigen/Core>

#include "mechanisms/servers.hpp"

namespace mirab {

/// What the rounds of a lexicographic max-min found.
struct Levels {
  ServerShares shares;
  int rounds = 0;
  int pivots = 0;  ///< of the simplex method, in all rounds
};

/// The allocation whose levels X_n / unit_n are lexicographically max-min under the capacities and caps: no
/// level can rise without lowering one that is not higher. `unit` is φ_n u_n, tasks for a level of one, [j] >
/// 0.
///
/// The certificate `level-bound` is the largest b_n: in no feasible allocation in which everybody keeps the
/// smaller of its level and n's can n have more than 1 + b_n times its tasks. The status is `exact` up to
/// 1e-8: rounding leaves more of it only for users whose tasks are worth less than a ten-millionth of all. A
/// round for each distinct level, or a few when prices are ambiguous; O(NKm) each, and the pivots of
/// numerics/level_simplex. One thread.
Levels raise_levels(const MergedServers& merged, const Eigen::ArrayXd& unit);

}  // namespace mirab
