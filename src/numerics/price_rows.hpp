#pragma once

#include "numerics/price_units.hpp"

namespace mirab::numerics {

/// What a row would pay on each server, and how that follows the prices: ρ = (Σ_r ν^p b)^(1/p), dρ/dν_r =
/// slope · b_r · (ν_r / max ν)^(p-1).
struct RowPrices {
  Eigen::ArrayXXd rho, slope;  ///< [n][i]
};

RowPrices price_rows(const GameInUnits& game, const Eigen::ArrayXXd& nu, int threads);

/// Puts every row exactly on z = ρ - g^q (X^(-q) - k) and left = cap - X at the present prices, the products
/// y z and k left as they are at `at`. O(NK), some six evaluations of every row.
void put_rows_on_equations(const GameInUnits& game, const RowPrices& prices, int threads, PricePoint& at);

}  // namespace mirab::numerics
