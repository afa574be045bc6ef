#pragma once

#include <Eigen/Core>
#include <vector>

#include "numerics/base/rows.hpp"
#include "numerics/base/solve_report.hpp"
#include "numerics/psdsf/tied_rows.hpp"

namespace mirab::numerics {

/// Newton steps on a system of rows that may be tied.
class TieStep {
 public:
  /// Keeps a reference. No step aims at a mean product far below the last one.
  TieStep(TiedSystem& system, const TieTuning& tuning) : at_(system), tuning_(tuning) {}

  /// The mean over the pairs of x z / part and k t: how far the system is from complementary.
  double mean_product();

  /// One predictor-corrector step from the mean product μ towards less. Requires the use to be measured.
  /// Returns its length, 0 when there is none. O(pairs K m + (Km)³).
  double advance(double mu);

 private:
  void clear();
  TiedSystem::Matrix matrix(double mu);
  Eigen::VectorXd right_side(double mu, double mu_of_levels);
  double direction(double mu, const Eigen::VectorXd& levels);
  double predicted_product(double step) const;
  void bend(double predicted);
  void move(double step, const Eigen::VectorXd& levels);

  TiedSystem& at_;
  const TieTuning& tuning_;
  // One entry a pair: steps, x/z, 1/x, right sides, second-order terms.
  std::vector<double> dx_, dz_, ratio_, inverse_, pull_, bend_;
  // One entry a row: 1 + k/t, 1 + θ Σ x/z, Σ x/z pull, steps, second-order terms.
  std::vector<double> theta_, den_, sum_, dt_, dk_, bend_k_;
};

/// N rows on K servers whose levels agree. m resources.
struct [[nodiscard]] TiedLevels {
  SolveReport report;      ///< error: imbalance() of tied_rows.hpp at the end of the path
  Eigen::ArrayXXd x;       ///< ≥ 0, [n][i]
  Eigen::ArrayXXd levels;  ///< L, [i][r]; infinite where r stops no row on i
};

/// Looks for x ≥ 0 and levels L with X_n ≥ rate_{n,i} min_{r: d_{n,r} > 0} L_{i,r} for every row below its
/// cap, equality where x_{n,i} > 0, L_{i,r} finite only where r is full on i. `rate` is [n][i], 0 where a row
/// may not go; `levels` are the levels to start from, [i][r], infinite where a resource is not full; centring
/// > 0 says how far off they may be (1e-2: by tens of per cent; less keeps closer to the start). The result
/// need not be a solution: the caller checks. O(N K² m + (Km)³) an iteration, some 10 to 150 of them, the
/// later ones on the few rows that may still be tied.
TiedLevels tie_levels(const ServerRows& rows, const Eigen::ArrayXXd& rate, const Eigen::ArrayXXd& levels,
                      double centring, const TieTuning& tuning = {});

/// Makes the levels of tied (server, resource) nodes proportional, and gives the tree of each node, [i m +
/// r]: a node's tree is named by one of its nodes. `levels` is [i][r] in the problem's units, `rate` [n][i].
/// A row on several servers ties the node where it has most to the others; the strongest tie between two
/// nodes counts, and of all ties the spanning forest of the strongest (Kruskal). O(pairs log + ties K m).
std::vector<Eigen::Index> join_ties(const TiedRows& rows, const Eigen::ArrayXXd& rate,
                                    Eigen::ArrayXXd& levels, const TieTuning& tuning = {});

/// Makes the ties and full resources of a system near a solution exact: levels along the strongest ties
/// (join_ties), the others' rows to their best server, then the least relative change of the tied x, and
/// of the levels of tied servers together, that fills what has to be full. `levels` are those of the system
/// in the problem's units, [i][r], infinite where r stops no row; they become those that were used. Returns
/// x, [n][i]. O(N K m + T K² m), T tied rows.
Eigen::ArrayXXd settle_ties(const ServerRows& rows, const Eigen::ArrayXXd& rate, const TiedRows& ties,
                            Eigen::ArrayXXd& levels, const TieTuning& tuning = {});

}  // namespace mirab::numerics
