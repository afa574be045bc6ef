#pragma once

#include <vector>

#include <mirab/overlay/options.hpp>

#include "simulation/overlay/books.hpp"
#include "simulation/overlay/roster.hpp"

namespace mirab::simulation {

/// What a user wants, as it is.
struct Want {
  bool present = false;       ///< a task of it waits for a place; else it is idle
  std::uint64_t running = 0;  ///< G_i = running · max_r D_ir / C_r
  std::uint64_t owed = 0;     ///< submitted before, and will be again
};

/// Is it promised under these rules and faults that somebody is placed? Not where a task looks at a few
/// servers only (probes); where users who found nothing are left out (Stuck::leave); where a user waits for
/// ever for the answer of a server that never comes back (no lease); or where fixed neighbours are never
/// forgotten, and one is gone for good (DDRF).
bool is_live(const OverlayRules& rules, const Faults& faults);

/// The users of whom one must get a place: those of the lowest share (of a FIFO all who wait), when each of
/// them has a task that waits and fits on a server that is here. Empty: nothing is promised at this moment.
///
/// Who is the poorest to the nodes is one of the users of the lowest share: which one of several is left to
/// them, and the others may be blocked by it, so that all of them must fit.
std::vector<overlay::NodeId> promised(const Books& books, const Roster& roster,
                                      const std::vector<Want>& wants, const std::vector<bool>& here,
                                      overlay::Scheduler scheduler, overlay::Idle idle);

}  // namespace mirab::simulation
