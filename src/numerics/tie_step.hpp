#pragma once

#include <Eigen/Core>
#include <vector>

#include "numerics/tied_rows.hpp"

namespace mirab::numerics {

/// Newton steps on a system of rows that may be tied.
class TieStep {
 public:
  /// Keeps a reference. No step aims at a mean product far below `least`.
  TieStep(TiedSystem& system, double least) : at_(system), least_(least) {}

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
  double least_;
  // One entry a pair: steps, x/z, 1/x, right sides, second-order terms.
  std::vector<double> dx_, dz_, ratio_, inverse_, pull_, bend_;
  // One entry a row: 1 + k/t, 1 + θ Σ x/z, Σ x/z pull, steps, second-order terms.
  std::vector<double> theta_, den_, sum_, dt_, dk_, bend_k_;
};

}  // namespace mirab::numerics
