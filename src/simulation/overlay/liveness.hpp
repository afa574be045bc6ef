#pragma once

#include <optional>
#include <vector>

#include <mirab/overlay/options.hpp>

#include "simulation/overlay/books.hpp"
#include "simulation/overlay/roster.hpp"

namespace mirab::simulation {

/// What a user wants, as it is.
struct Want {
  bool present = false;       ///< a task of it waits for a place; else it is idle
  std::uint64_t running = 0;  ///< G_i = running · max_r D_ir / C_r
};

/// Is it promised under these options that somebody is placed? Not where a task looks at a few servers only
/// (probes), where users who once found nothing are left out (Stuck::leave), nor where a neighbour that is
/// gone is never forgotten (fixed neighbours, when `gone`: a server stays away).
bool is_live(overlay::Scheduler scheduler, const overlay::OverlayOptions& options, bool gone);

/// The users of whom one must get a place: those of the lowest share (of a FIFO all who wait), when each of
/// them has a task that waits and fits on a server that is here. Empty: nothing is promised at this moment.
///
/// Who is the poorest to the nodes is one of the users of the lowest share: which one of several is left to
/// them, and the others may be blocked by it, so that all of them must fit.
std::vector<overlay::NodeId> promised(const Books& books, const Roster& roster,
                                      const std::vector<Want>& wants, const std::vector<bool>& here,
                                      overlay::Scheduler scheduler, overlay::Idle idle);

}  // namespace mirab::simulation
