#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <mirab/model/random.hpp>
#include <mirab/scheduling/why.hpp>

#include "scheduling/dispatch/dispatcher.hpp"
#include "scheduling/ledger/ledger.hpp"
#include "scheduling/order/shares.hpp"
#include "scheduling/placement/placement_search.hpp"
#include "scheduling/starvation/preemption.hpp"
#include "scheduling/starvation/reservations.hpp"

namespace mirab::scheduling {

/// The parts of an engine, to look at: what explanations are made of. Nothing of it changes.
struct EngineView {
  const Ledger& ledger;
  const Shares& shares;
  const PlacementSearch& placement;
  const RoomSearch& room_search;
  const Dispatcher& dispatcher;
  const ReservationPolicy* reservations;  ///< nullptr without the option
  const PreemptionPolicy* preemption;     ///< the same
};

/// Why the job's next task is not placed at this time. Requires that some wait. Cost: see
/// Engine::why_waiting.
WhyWaiting why_waiting(const EngineView& view, JobIndex job, Time at);

/// Why a task of the job does not go to the server. `kept` are the present reservations.
WhyNotOn why_not_on(const Ledger& ledger, const OpenServers& open, const Reservations& kept, JobIndex job,
                    ServerIndex server);

/// Why this task is placed, and why there: asked between the decision and the placement. `random` is a copy:
/// the second choice is searched with it.
WhyPlaced why_placed(const EngineView& view, const Dispatch& dispatch, Random random);
WhyPlaced why_placed_where_kept(const EngineView& view, const Reservations::Kept& kept);
/// The same of a batch of a job with terms; `open` are the servers that take other tasks.
WhyPlaced why_placed_where_kept(const EngineView& view, const Reservations::Kept& kept,
                                const Dispatch& dispatch, const OpenServers& open, Random random);
WhyPlaced why_placed_by_force(const EngineView& view, const PreemptionCandidate& candidate);

// What a step would find and do, computed without a step. Both explanations read it.

/// A queue that waits, as the next step would find it: the first of its entries that may be served, else the
/// first of all.
struct Contender {
  Keyed keyed;
  bool has_room;  ///< in the entry's tournament, on servers that are not kept; of a gang for all together
};

/// All queues that wait, in no particular order. O(task classes × tournaments × (a search) + queues
/// × tournaments).
std::vector<Contender> contenders(const EngineView& view, Precedence precedence, const OpenServers& open);

WhyWaiting::Other other_of(const Ledger& ledger, const Contender& contender);

// With groups or quotas, instead: who is ahead in the tree (order/descent.hpp), and by which keys. Returns
// whether a step may place something without force.
bool explain_in_tree(const EngineView& view, QueueIndex queue, const ShareContext& context,
                     const OpenServers& open, WhyWaiting& why);
void explain_in_tree(const EngineView& view, TournamentEntry served, const OpenServers& open, WhyPlaced& why);

/// The keys of the user that gains and of all that lose, before and after.
ByForce by_force(const PreemptionCandidate& candidate, const Precedence& precedence);

const std::string& name_of_server(const Ledger& ledger, ServerIndex server);

}  // namespace mirab::scheduling
