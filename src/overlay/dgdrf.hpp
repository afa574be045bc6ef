#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <mirab/overlay/effects.hpp>

namespace mirab::overlay {

/// Does r rank before all of its view (eq. 3.11)? A server without users (U = −∞) is never the centre.
bool is_centre(const Descriptor& r, std::span<const Descriptor> view);

/// p, the neighbour of lowest utility, which is asked. Requires a view that is not empty.
NodeId lowest(std::span<const Descriptor> view);

/// (S_r \ {p}) ∪ {r}, ascending: what p's view is when both are right (3.3.1, step 2).
std::vector<NodeId> expected_view(NodeId r, std::span<const Descriptor> view);

/// Step 3 of 3.3.1: is msg_r = S_p?
bool confirms(std::span<const Descriptor> view, const ConfirmRequest& msg_r);

/// Distributed gradient-based DRF (Östman, 3.3.1 and 4.4): the centre of the living gradient asks the last of
/// its neighbours whether that has the same neighbours, and serves when it says so.
///
/// Every tick it asks, until it is answered; a "no" is asked anew, under a new round, at the next tick. An
/// answer counts once, and only while the question still stands. So it serves at most once from one tick to
/// the next: each turn takes a question of the last tick with it. Cost: O(P log P) a tick, two messages for a
/// question.
class Dgdrf {
 public:
  /// Rounds count from the server's start, so that none is ever repeated.
  explicit Dgdrf(Time start) : round_(static_cast<std::uint64_t>(start.time_since_epoch().count())) {}

  /// Of a server whose poorest user has a task that waits: asks, if it is the centre. The round under which
  /// it may serve now, when there is nobody to ask.
  std::optional<std::uint64_t> on_tick(const Descriptor& r, std::span<const Descriptor> view,
                                       Effects& effects);
  /// The round under which it may serve now, by this answer.
  std::optional<std::uint64_t> on_answer(NodeId from, const ConfirmAnswer& answer, const Descriptor& r,
                                         std::span<const Descriptor> view);

 private:
  std::uint64_t round_;
  NodeId p_ = 0;
  std::vector<NodeId> question_;  ///< msg_r, while it is not answered; else empty
};

}  // namespace mirab::overlay
