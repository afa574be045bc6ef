#pragma once

#include "numerics/price_path.hpp"
#include "numerics/price_units.hpp"

namespace mirab::numerics {

/// Amounts that fit near a point of the path, its prices per unit of a resource, and their regret (infinite
/// where an amount is not finite). O(NKm).
PricedServers repaired(const ServerGame& game, const GameInUnits& in, const PricePoint& at, int threads);

}  // namespace mirab::numerics
