#pragma once

#include "numerics/price_path.hpp"

namespace mirab::numerics {

/// Looks for an equilibrium as servers would that only know their own rows: each in turn answers what the
/// others gave, from nothing on, until the regret is the wanted one, nobody moves by more than 1e-9 of what
/// they have, a tolerated regret does not get halved in ten sweeps, or 300 are done. Gives the best sweep.
///
/// Every answer is a game of one server, solved by its m prices; O(K N m²) for each of some ten iterations a
/// sweep. At α = 1 every answer raises one concave potential; at other α the sweeps may creep or circle,
/// which the regret says.
PricedServers sweep_best_responses(const ServerGame& game, const RegretGoal& goal, int threads);

}  // namespace mirab::numerics
