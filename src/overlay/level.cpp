// Servers serve side by side up to a common level (Mirab's own; beside Östman, 4.5). A server serves the
// poorest user i that waits there when
//
//   G_i ≤ L + σ · max_r D_ir / C_r        L = min_{q ∈ S_r ∪ {r}} −U_q        σ: OverlayOptions::slack
//
// where S_r is the view of the living gradient: nobody is served that is more than σ of its own tasks above
// the least share known. σ = 0 serves the poorest known alone, σ = ∞ everybody at once. Nothing is confirmed,
// and other waiting users of a home need not wait for one whose task is on its walk.
//
// Why it is quick: a user has one present task at a time, so no rule needs fewer ticks than the most tasks
// that one user gets; and that user, whose tasks are the smallest, is nearly always next to the level.
//
// Cost: O(P + users at home) a tick; no message but the gradient's.
//
// Known failures. A view holds the P that rank next above, not the poorest of all: where users have many
// homes the levels known differ, by up to σ tasks for each P ranks. News of the level is late, and too low
// while no task ends, so users wait that need not. A user of large tasks may lead by more than one of small
// tasks. What is served above the level at the end is not there for the poorest: at σ = 1 with
// first-found servers some 6 % of the least share (experiment ostman-beyond-level).

#include "overlay/level.hpp"

#include <algorithm>

namespace mirab::overlay {

double least_known(const Descriptor& own, std::span<const Descriptor> view) {
  double utility = own.utility;
  for (const Descriptor& q : view) utility = std::max(utility, q.utility);
  return -utility;
}

bool level_may_serve(double share, double step, double least, double slack) {
  return share <= least + slack * step;
}

}  // namespace mirab::overlay
