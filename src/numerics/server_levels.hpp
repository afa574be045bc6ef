#pragma once

#include <Eigen/Core>

#include "numerics/server_rows.hpp"

namespace mirab::numerics {

/// N rows on K servers, each of which fills itself by levels. m resources.
struct ServerLevels {
  Eigen::ArrayXXd x;       ///< ≥ 0, [n][i]
  Eigen::ArrayXXd levels;  ///< that x was found with, [i][r]; infinite where r stops nobody on i
  double violation = 0;    ///< of the level form: level_violation.hpp
  int sweeps = 0;          ///< of best responses
  int iterations = 0;      ///< of tie_levels
};

/// An x such that every server i fills by a common level for what the others do: row n rises there from
/// Σ_{j ≠ i} x_{n,j} with slope rate_{n,i} = weight_n alone_{n,i} until a resource that it demands is full.
/// The violation is at most `within`, or the least that was found; x fits the servers and caps in any case,
/// but for rounding.
/// Deterministic; not the only solution. Requires weight > 0. Cost: level_sweeps.hpp and tied_levels.hpp.
ServerLevels level_servers(const ServerRows& rows, const Eigen::ArrayXd& weight, double within);

}  // namespace mirab::numerics
