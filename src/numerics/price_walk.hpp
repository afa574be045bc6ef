#pragma once

#include "numerics/price_path.hpp"
#include "numerics/price_units.hpp"

namespace mirab::numerics {

/// How the path is followed.
enum class Pace {
  bold,     ///< z lags behind its equation, the longest steps: best with few rows
  centred,  ///< after every step each row is put back on its equation with the products it has, and the step
            ///< is halved until use lags by no more than μ allows: best with many rows
  careful   ///< every z is put on its equation and stays within a factor of ten of what it was
};

struct Manner {
  Pace pace;
  double first_price;  ///< of ν
  double kappa;        ///< s ν goes to κ μ
  int steps_most;
};

/// Follows the path from half of everything in equal parts, until the goal is reached or it does not get on;
/// puts what it finds into `best` where its regret is less, and adds to its iterations.
/// O(N(Km)² + (Km)³) a step.
void walk_prices(const ServerGame& game, const GameInUnits& in, const Manner& manner, const RegretGoal& goal,
                 int threads, PricedServers& best);

}  // namespace mirab::numerics
