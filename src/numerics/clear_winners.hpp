#pragma once

#include "numerics/tied_rows.hpp"

namespace mirab::numerics {

/// Takes the rows out of the system that have one clear winner: every other pair's gap z, and with a cap its
/// k or its t, is more than `window` of the row's tasks. They hold a L there, or their cap, from now on. The
/// others keep the pairs that do not clearly lose. O(pairs m).
void take_out_winners(TiedSystem& system, double window);

}  // namespace mirab::numerics
