#pragma once

#include <span>

#include <mirab/overlay/node.hpp>

namespace mirab::overlay {

/// min_{q ∈ S_r ∪ {r}} −U_q: the least share of a server's users and of those that its gradient view tells
/// of. +∞ when nobody has users. Cost: O(P).
double least_known(const Descriptor& own, std::span<const Descriptor> view);

/// May a user of share G be served, one task of which adds `step` to it? G ≤ least + slack · step; so who is
/// the poorest always may. Requires G, step, slack ≥ 0.
bool level_may_serve(double share, double step, double least, double slack);

}  // namespace mirab::overlay
