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
/// The certificate `level-bound` is the largest b_n of what is returned: in no feasible allocation in which
/// everybody keeps the smaller of its level and n's can n have more than 1 + b_n times its tasks; infinite
/// for who has none and could. The status is `exact` up to 1e-8, else `not_converged`: rounding leaves more
/// of it for users whose tasks are worth less than some 1e-8 of all, and where demands or capacities are nine
/// orders of magnitude apart now and then the level is not found. The bound tells of nobody who has too much:
/// who takes next to nothing of a full capacity may be above its level by any factor, and others below theirs
/// by the bound. A round for each distinct level, or a few when prices are ambiguous; O(NKm) each, and the
/// pivots of numerics/level_simplex; O(Km) memory for each round. One thread.
Levels raise_levels(const MergedServers& merged, const Eigen::ArrayXd& unit);

}  // namespace mirab
