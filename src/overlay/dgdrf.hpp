#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <mirab/overlay/effects.hpp>
#include <mirab/overlay/options.hpp>

namespace mirab::overlay {

/// Does r rank before all of its view (eq. 3.11)? A server without users (U = −∞) is never the centre.
bool is_centre(const Descriptor& r, std::span<const Descriptor> view);

/// The neighbour of lowest utility: the thesis' p. Requires a view that is not empty.
NodeId lowest(std::span<const Descriptor> view);

/// (S_r \ {p}) ∪ {r}, ascending: what the view of a neighbour p is when both are right (3.3.1, step 2).
std::vector<NodeId> expected_view(NodeId r, std::span<const Descriptor> view, NodeId p);

/// Step 3 of 3.3.1: is msg_r = S_p?
bool confirms(std::span<const Descriptor> view, const ConfirmRequest& msg_r);

/// Distributed gradient-based DRF (Östman, 3.3.1 and 4.4): the centre of the living gradient asks the last of
/// its neighbours, or all of them (Confirm), whether they have the same neighbours, and serves when they say
/// so.
///
/// Every tick it asks who has not answered; after a "no" all are asked anew, under a new round, at the next
/// tick. An answer counts once, and only while the question still stands. So it serves at most once from one
/// tick to the next: each turn takes a question of the last tick with it. Cost: O(P log P) a tick, two
/// messages for each who is asked; with all, O(P² log P).
class Dgdrf {
 public:
  /// Rounds count from the server's start, so that none is ever repeated.
  Dgdrf(Confirm confirm, Time start)
      : confirm_(confirm), round_(static_cast<std::uint64_t>(start.time_since_epoch().count())) {}

  /// Of a server whose poorest user has a task that waits: asks, if it is the centre. The round under which
  /// it may serve now, when there is nobody to ask.
  std::optional<std::uint64_t> on_tick(const Descriptor& r, std::span<const Descriptor> view,
                                       Effects& effects);
  /// The round under which it may serve now, by this answer.
  std::optional<std::uint64_t> on_answer(NodeId from, const ConfirmAnswer& answer, const Descriptor& r,
                                         std::span<const Descriptor> view);

 private:
  std::vector<NodeId> to_ask(std::span<const Descriptor> view) const;

  Confirm confirm_;
  std::uint64_t round_;
  std::vector<NodeId> neighbours_;  ///< S_r when the round began, ascending
  std::vector<NodeId> awaited_;     ///< who is asked and has not answered; empty: nothing is asked
};

}  // namespace mirab::overlay
