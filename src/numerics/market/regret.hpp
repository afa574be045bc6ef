#pragma once

#include <Eigen/Core>

#include "numerics/base/rows.hpp"

namespace mirab::numerics {

/// The game among servers in which server i chooses its own x_{·,i} to maximise
///   U_i = Σ_n w_n g_α(X_n / (w_n γ_{n,i})),   X_n = elsewhere_n + Σ_i x_{n,i} ≤ cap_n,   g_α'(s) = s^(-α).
struct ServerGame {
  const ServerRows& rows;
  RowValues weight;     ///< w, [n], > 0
  double alpha;         ///< > 0
  RowValues elsewhere;  ///< what each row has besides, [n]; empty for nothing
};

/// Constants of relative_regret().
struct RegretTuning {
  double at_cap = 1e-12;  ///< of a row's total: so little room counts as none. Harmless from 1e-14 to 1e-10.
  /// ln of a marginal utility over the largest price. Derived: e^600 times a sum of 10^40 is a double.
  double log_max = 600;
};

/// max_i (D_i - U_i) / scale_i, how much a server could still gain by answering the others, at most: D_i is
/// the dual bound of its own problem at the prices λ_i, scale_i what its capacity is worth (λ_i·c_i, or its
/// amounts at their marginal utilities, whichever is more). 0 at an equilibrium exactly; infinite when a row
/// that may have something has nothing, or an amount is negative or not finite.
///
/// `amount` is feasible, [n][i]; `log_price` is ln λ per unit, [i][r], -∞ for a free resource. O(NKm).
double relative_regret(const ServerGame& game, const Eigen::ArrayXXd& amount,
                       const Eigen::ArrayXXd& log_price, int threads, const RegretTuning& tuning = {});

}  // namespace mirab::numerics
