#pragma once

#include <Eigen/Core>

#include "mechanisms/servers.hpp"

namespace mirab {

/// What the rounds of a lexicographic max-min found.
struct Levels {
  ServerShares shares;
  int rounds = 0;
  int programs = 0;    ///< linear programs solved: more than rounds when caps bind
  int iterations = 0;  ///< of all programs together
};

/// The allocation whose levels X_n / unit_n are lexicographically max-min under the capacities and caps: no
/// level can rise without lowering one that is not higher. `unit` is φ_n u_n, tasks for a level of one, [j] >
/// 0.
///
/// The certificate `level-bound` is the largest b_n: in no feasible allocation in which everybody keeps the
/// smaller of its level and n's can n have more than 1 + b_n times its tasks. The status is `exact` up to
/// 1e-6. O(rounds · iterations · N (K m)²); a round for each distinct level that is not a cap's.
Levels raise_levels(const MergedServers& merged, const Eigen::ArrayXd& unit, int threads);

}  // namespace mirab
