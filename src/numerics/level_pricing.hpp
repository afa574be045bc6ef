#pragma once

#include <Eigen/Core>
#include <vector>

#include "numerics/level_basis.hpp"

namespace mirab::numerics {

/// Looks for variables by which the level of a LevelBasis can rise, going round the rows block by block.
class LevelPricing {
 public:
  /// `rows` must outlive this.
  explicit LevelPricing(const ServerRows& rows) : rows_(&rows) {}

  /// By how much t rises per unit of a slack or share: below 0 for most. The price is λ, [i][r]. O(m).
  double gain(const LevelBasis& basis, const Eigen::ArrayXXd& price, const LevelVariable& variable) const;

  /// Whether such a gain is one, and not rounding, for all that a row has at this level.
  bool worthwhile(const LevelBasis& basis, double level, const Eigen::ArrayXXd& price,
                  const LevelVariable& variable) const;

  /// Some of those that are worthwhile, the best first; at least one unless there is none: then the basis is
  /// optimal. O(N K m), less when many are.
  std::vector<LevelVariable> entering(const LevelBasis& basis, double level, const Eigen::ArrayXXd& price);

 private:
  struct Found {
    double gain;
    LevelVariable variable;
  };

  double cost(const LevelBasis& basis, const Eigen::ArrayXXd& price, Eigen::Index row,
              Eigen::Index server) const;
  void add_slacks(const LevelBasis& basis, double level, const Eigen::ArrayXXd& price,
                  std::vector<Found>& found) const;
  void add_shares(const LevelBasis& basis, double level, const Eigen::ArrayXXd& price, Eigen::Index first,
                  std::vector<Found>& found);

  const ServerRows* rows_;
  Eigen::Index block_ = 0;  // where the search goes on
  Eigen::ArrayXXd costs_;   // of the rows of a block, [row][i]
};

/// λ_i·d_{n,i}, infinite where row n may not go, [n][i]. O(NKm).
Eigen::ArrayXXd level_costs(const ServerRows& rows, const Eigen::ArrayXXd& price);

}  // namespace mirab::numerics
