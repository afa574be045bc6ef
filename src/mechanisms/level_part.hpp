#pragma once

#include <Eigen/Core>
#include <vector>

#include "numerics/server_rows.hpp"

namespace mirab {

/// What an optimal allocation of one round leaves open for the next: the users who may have more, the servers
/// to which they can go without paying more than they must, whoever shares these servers with them, and so
/// on. The rest keeps what it has.
struct LevelPart {
  std::vector<Eigen::Index> users;    ///< ascending
  std::vector<Eigen::Index> servers;  ///< ascending
  numerics::ServerRows rows;  ///< of these users on these servers, and what the others leave of these servers
};

/// λ_i·d_{n,i} - π_n ≥ 0, what row n pays too much on server i, with π_n = min_i λ_i·d_{n,i}; infinite where
/// it may not go. [n][i]. O(NKm).
struct LevelCosts {
  explicit LevelCosts(const numerics::ServerRows& rows, const Eigen::ArrayXXd& price);
  Eigen::ArrayXd least;      ///< π, [n]
  Eigen::ArrayXXd too_much;  ///< [n][i]
};

/// All of it.
LevelPart whole(const numerics::ServerRows& rows);

/// The part that the active users touch. `tolerable` is what a row may pay too much and still count as paying
/// the least, [n].
LevelPart part_of(const numerics::ServerRows& rows, const Eigen::ArrayXXd& tasks, const LevelCosts& costs,
                  const Eigen::ArrayXd& tolerable, const std::vector<bool>& active);

/// Prices of a part as prices of everything: so many times the round's before added that no row of the part
/// would rather go elsewhere. `before` has no columns when there was no round before, and the part is all.
Eigen::ArrayXXd lifted(const numerics::ServerRows& rows, const LevelPart& part, const Eigen::ArrayXXd& price,
                       const Eigen::ArrayXXd& before);

}  // namespace mirab
