#pragma once

#include <Eigen/Core>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include <mirab/mechanisms/mechanism.hpp>

#include "numerics/hierarchy/tree_filling.hpp"

namespace mirab {

/// Writes u_n, the tasks that count as a share of one, for a block of users. `demand` is [users of the
/// block][m].
using Yardstick = void (*)(const Eigen::Ref<const Eigen::ArrayXXd>& demand, const Eigen::ArrayXd& capacity,
                           Eigen::Ref<Eigen::ArrayXd> u);

/// u_n = 1: a task is a task. u_n = 1 / max_r (d_{n,r} / C_r): a share is a part of the user's dominant
/// resource.
void one_task(const Eigen::Ref<const Eigen::ArrayXXd>& demand, const Eigen::ArrayXd& capacity,
              Eigen::Ref<Eigen::ArrayXd> u);
void dominant_share_of_one(const Eigen::Ref<const Eigen::ArrayXXd>& demand, const Eigen::ArrayXd& capacity,
                           Eigen::Ref<Eigen::ArrayXd> u);

/// What a pool mechanism is: max Σ_n φ_n g_α(x_n / (φ_n u_n)), lexicographic max-min for α = ∞.
struct PoolRule {
  Yardstick yardstick;
  double alpha = std::numeric_limits<double>::infinity();
};

/// The sum of all servers and what the users want of it, as arrays. N users, m resources.
struct Pool {
  Eigen::ArrayXXd demand;              ///< [n][m], tasks' demand
  Eigen::ArrayXd capacity;             ///< C, [m], > 0
  Eigen::ArrayXd weight;               ///< φ, [n]; empty when all are 1
  Eigen::ArrayXd cap;                  ///< [n], infinite where there is none; empty when no user has one
  std::vector<std::size_t> resources;  ///< the m resources among the problem's: those that the pool has
};

Pool pool_of(const Problem& problem);

/// The divided pool.
struct PoolShares {
  Eigen::ArrayXd tasks;   ///< x_n, [n]
  Eigen::ArrayXd used;    ///< [m]
  Eigen::ArrayXd prices;  ///< λ, [m]; empty for α = ∞, and when a double does not hold them
  Status status = Status::exact;
  Certificate certificate;
  std::string notice;  ///< why a finite α has no prices; empty otherwise
};

/// Water-filling for α = ∞, else the dual Newton to a relative gap of 1e-9. O(Nm) for each resource that
/// fills up, or O(Nm²) for each iteration (numerics/).
PoolShares divide(const Pool& pool, const PoolRule& rule);

/// The whole way from a problem to the outcome of a pool mechanism: of one by rule, or of one that divides by
/// itself, at the cost of `divide`.
Outcome share_pool(const Problem& problem, const Choice& choice, const PoolRule& rule);
Outcome share_pool(const Problem& problem, const Choice& choice,
                   const std::function<PoolShares(const Pool& pool)>& divide);

/// The groups of a problem above rows, of each of which the first user is given; the guarantees, reserves and
/// limits in parts of these resources of the pool, which it has. A user with some of its own, or without
/// weight, must be the only one of its row. Without the weights and caps of the rows. O((G + rows) m).
numerics::RowTree groups_above(const Problem& problem, const std::vector<std::size_t>& first_users,
                               const std::vector<std::size_t>& resources);

/// Has this user a guarantee, a reserve or a limit of its own, or no weight?
bool stands_alone(const Problem& problem, std::size_t user);

}  // namespace mirab
