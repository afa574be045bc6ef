#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <functional>
#include <limits>
#include <type_traits>
#include <vector>

#include "numerics/base/big_float.hpp"
#include "numerics/base/rows.hpp"
#include "numerics/base/solve_report.hpp"
#include "numerics/lexmaxmin/level_basis.hpp"

namespace mirab::numerics {

/// What sums that cancel are added up in: the 17th digit of a gap relies on 64 bits of mantissa.
static_assert(std::numeric_limits<long double>::digits >= 64);
template <class Number>
using SumOf = std::conditional_t<std::is_same_v<Number, double>, long double, Number>;

/// What a round of lexicographic max-min leaves behind for the certificate.
template <class Number>
struct LevelRound {
  TableOf<Number> price;            ///< λ ≥ 0, [i][r]
  TableOf<bool> priced;             ///< where λ may be above 0 in exact numbers, [i][r]
  ArrayOf<SumOf<Number>> cheapest;  ///< π_n = min_i λ_i·d_{n,i}, [n]
  std::vector<Eigen::Index> fixed;  ///< the rows that it found saturated
  ArrayOf<Number> due = {};   ///< what each row was to have at the end of it, [n]; empty where that is the
                              ///< lower of its total and the level of those that were fixed
  ArrayOf<Number> rate = {};  ///< how fast each row grew at its end, [n]; empty: as its unit
};

/// A lexicographic max-min, and how it was found.
struct [[nodiscard]] RaisedLevels {
  SolveReport report;      ///< error: level_bound(), of `amount`; iterations: pivots in all rounds
  Eigen::ArrayXXd amount;  ///< x, [n][i], within the capacities and caps
  std::vector<LevelRound<double>> rounds;
  bool in_full = false;  ///< in BigFloat, since doubles did not do: `rounds` are those of the doubles
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
/// which no cluster is ill scaled: 20 to 100 times as slow. It is given up after about ten seconds, and not
/// tried with more than some 730 capacities: then the doubles and their bound are returned.
/// A round for each distinct level, or a few when prices are ambiguous; O(N K m) each, and the pivots of
/// level_simplex.hpp; O(N + K m) memory for each round. One thread.
RaisedLevels raise_levels(const ServerRows& rows, const Eigen::ArrayXd& unit,
                          const std::function<LevelsInFull()>& in_full, const LevelTuning& tuning = {});

/// The round of these prices, with no row fixed yet. O(N K m).
template <class Number>
LevelRound<Number> level_round(const ServerRowsOf<Number>& rows, TableOf<Number> price, TableOf<bool> priced,
                               const LevelTuning& tuning = {});

/// C·λ - Σ_n total_n π_n, and what rounding may make of it: π_n more of a row can have no more than this,
/// while all others keep theirs. O(N + K m).
template <class Number>
Number level_gap(const ServerRowsOf<Number>& rows, const LevelRound<Number>& round,
                 const ArrayOf<Number>& total, const LevelTuning& tuning = {});

/// By which part of `total` each row could have more while all others keep theirs, [n]: no feasible y has
/// Σ_n Y_n π_n > C·λ. Infinite where nothing bounds it. O(N + K m).
template <class Number>
ArrayOf<Number> level_gains(const ServerRowsOf<Number>& rows, const LevelRound<Number>& round,
                            const ArrayOf<Number>& total, const LevelTuning& tuning = {});

/// The largest part by which the total of any row of x, [n][i], differs from the lexicographic max-min, as a
/// part of the larger of the two: 0 when x is right, 1 at most and when nothing is known. It counts what a
/// row could have more while others keep the smaller of its level and their own, what it has of what a lower
/// row was to have, and what rounding in lower levels means for the higher ones. In doubles the last is exact
/// to first order only. Rounds in their order; rows that none of them fixed are at their cap. In rounds
/// with dues `unit` is what is typical for a row, a small part of which is the least that errors are parts
/// of. O(N K m) a round.
template <class Number>
Number level_bound(const ServerRowsOf<Number>& rows, const ArrayOf<Number>& unit, const TableOf<Number>& x,
                   const std::vector<LevelRound<Number>>& rounds, const LevelTuning& tuning = {});

/// How far rows may be off where capacities may be more. Parts of the larger of the two, 1 at most.
struct LevelDoubt {
  std::vector<Eigen::Index> rows;
  double of_level;  ///< of what all of them have at least
  double of_row;    ///< of what any one of them has, who may rise alone
};

/// For each level of x, from the lowest, and last for the rows at their caps: how far the lexicographic
/// max-min may be from it where each capacity, and each unit that follows from them, may be more by up to the
/// part `more` of it. The first level is right to that part; the bounds of later ones are an estimate of the
/// first order (level_doubts.cpp). Rounds as for level_bound(). O(N K m) a round.
std::vector<LevelDoubt> level_doubts(const ServerRows& rows, const Eigen::ArrayXd& unit,
                                     const Eigen::ArrayXXd& x, const std::vector<LevelRound<double>>& rounds,
                                     double more, const LevelTuning& tuning = {});

/// Rows that hold parts of servers. An exchange moves a part from one row to another on a server where both
/// may be.
struct Holdings {
  std::vector<double> level;                              ///< of each row, [n]
  std::vector<std::vector<std::size_t>> holders;          ///< the rows that hold some of each server, [i]
  std::vector<bool> has_room;                             ///< of each server, [i]
  std::function<bool(std::size_t, std::size_t)> may_use;  ///< whether row n may be on server i
};

/// Where a chain of exchanges ends: on a server with room, or at a row that would lose.
struct Source {
  double level = 0;  ///< of the row that would lose; infinite for a server with room
  std::size_t server = 0;
  std::size_t row = 0;
};

/// The source of the highest level that a chain of exchanges leads to from row n: n may use i, k holds some
/// of i, k may use j, and so on. Rows in between keep their totals, whatever their levels. Totals are
/// lexicographically max-min when no chain leads from a row to a source above its own level: bounded flows
/// from rows to servers are a polymatroid, in which single exchanges lead to the optimum (Megiddo 1974). O(N
/// K + holders).
Source highest_source(const Holdings& holdings, std::size_t row);

}  // namespace mirab::numerics
