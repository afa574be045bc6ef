#pragma once

#include <Eigen/Core>
#include <functional>

#include "numerics/base/big_float.hpp"
#include "numerics/base/rows.hpp"
#include "numerics/base/solve_report.hpp"
#include "numerics/lexmaxmin/level_basis.hpp"

namespace mirab::numerics {

/// A lexicographic max-min, and how it was found.
struct [[nodiscard]] RaisedLevels {
  SolveReport report;      ///< error: level_bound.hpp, of `amount`; iterations: pivots in all rounds
  Eigen::ArrayXXd amount;  ///< x, [n][i], within the capacities and caps
  int rounds = 0;
  bool in_full = false;  ///< in BigFloat, since doubles did not do
};

/// The same rows and units in more digits.
struct LevelsInFull {
  ServerRowsOf<BigFloat> rows;
  ArrayOf<BigFloat> unit;
};

/// x whose levels X_n / unit_n are lexicographically max-min under the capacities and caps: no level can rise
/// without lowering one that is not higher. `unit` is [n] > 0.
///
/// When the bound in doubles is above what is accepted, all is found again in BigFloat from `in_full`, in
/// which no cluster is ill scaled: some 50 to 100 times as slow. Where that would take more than about ten
/// seconds, as with 500 servers and resources together, the doubles and their bound are returned.
/// A round for each distinct level, or a few when prices are ambiguous; O(N K m) each, and the pivots of
/// level_simplex.hpp; O(N + K m) memory for each round. One thread.
RaisedLevels raise_levels(const ServerRows& rows, const Eigen::ArrayXd& unit,
                          const std::function<LevelsInFull()>& in_full, const LevelTuning& tuning = {});

}  // namespace mirab::numerics
