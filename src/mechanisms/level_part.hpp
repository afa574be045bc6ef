#pragma once

#include <Eigen/Core>
#include <vector>

#include "numerics/level_program.hpp"
#include "numerics/server_rows.hpp"

namespace mirab {

/// What the optimal allocations of all rounds so far have in common.
struct LevelFace {
  numerics::ServerMask open;  ///< [n][i]: user n may still have tasks on server i
  numerics::ServerMask full;  ///< [i][r]: nothing of it can be left
};

/// The part of the problem that the next round can change: the users who may have more, the servers to which
/// they can go, who can make room for them there by moving, the servers to which these can move, and so on.
/// The rest keeps what it has.
struct LevelPart {
  std::vector<Eigen::Index> users;    ///< ascending
  std::vector<Eigen::Index> servers;  ///< ascending
  numerics::ServerRows rows;  ///< of these users on these servers, and what the others leave of these servers
  numerics::ServerMask full;  ///< of these servers
};

/// λ_i·d_{n,i}, infinite where row n may not go, [n][i]. O(NKm).
Eigen::ArrayXXd level_costs(const numerics::ServerRows& rows, const Eigen::ArrayXXd& price);

/// Everything is open but where a user is not eligible.
LevelFace widest_face(const numerics::ServerRows& rows);

/// All of it.
LevelPart whole(const numerics::ServerRows& rows);

/// Takes from the face what the part's prices exclude: pairs that pay more than `tolerable` (per task, [row of
/// the part]) too much, and opens nothing. What costs more than `dear` all of it is full.
void narrow(const LevelPart& part, const Eigen::ArrayXXd& price, const Eigen::ArrayXd& tolerable, double dear,
            LevelFace& face);

/// The part of the face that touches the active users. `tasks` is an allocation on the face, [n][i].
LevelPart part_of(const numerics::ServerRows& rows, const LevelFace& face, const Eigen::ArrayXXd& tasks,
                  const std::vector<bool>& active);

/// Prices of a part as prices ≥ 0 of everything: so many times the prices of the rounds before added that no
/// user would rather go where its face is closed. `before` has no columns when there was no round before.
Eigen::ArrayXXd lifted(const numerics::ServerRows& rows, const LevelFace& face, const LevelPart& part,
                       const Eigen::ArrayXXd& price, const Eigen::ArrayXXd& before);

}  // namespace mirab
