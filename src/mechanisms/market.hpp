#pragma once

#include "mechanisms/servers.hpp"
#include "numerics/price_path.hpp"

namespace mirab {

/// Whose amounts are looked for, and how (numerics/price_path.hpp, price_sweeps.hpp).
enum class MarketSolver { path, sweep };

/// The equilibrium of a game among servers, in which each charges its own prices. Tried for to the last
/// digits of a double, 1e-9 from ten thousand placements on; converged from a relative regret of 1e-7. Where
/// the path fails with at most a thousand placements, sweeps are tried too.
/// Without prices, and with a notice, where a double does not hold them. `prices` are per unit of a resource
/// on the whole class. A server that is its part s has s γ and the same X, so that φ^α X^(-α) (s γ)^(α-1) ≤
/// λ·d asks for s^(α-1) of them.
ServerShares settle_market(const numerics::ServerGame& game, MarketSolver solver, int threads);

}  // namespace mirab
