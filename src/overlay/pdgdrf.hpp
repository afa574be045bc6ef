#pragma once

#include <span>

#include <mirab/overlay/node.hpp>

namespace mirab::overlay {

/// The Gini coefficient of x ≥ 0 (eq. 2.6): Σ_i Σ_j |x_i − x_j| / (2 n Σ_i x_i); 0 when all are 0 or there
/// are none. In [0, 1 − 1/n]. Cost: O(n²).
double gini(std::span<const double> x);

/// Is no neighbour's utility above one's own (Algorithm 6, ISCENTERNODE)? Ties are centres. A server without
/// users is none.
bool is_highest(const Descriptor& own, std::span<const Descriptor> view);

/// Does the Gini coefficient over one's own least share and the neighbours' fall, strictly, when one's own
/// becomes `after` (eq. 4.7, Algorithm 6)? Shares are −U. The coefficient divides by the number of values,
/// where eq. 4.7 prints |U|, and leaves out neighbours with U = −∞, where Algorithm 6 prints ∞. `after`:
/// G_user(A_user + D_user).
bool gini_falls(const Descriptor& own, double after, std::span<const Descriptor> view);

/// Parallel distributed gradient-based DRF (4.5): SHOULDALLOCATE of Algorithm 6.
bool pdgdrf_may_serve(const Descriptor& own, double after, std::span<const Descriptor> view);

}  // namespace mirab::overlay
