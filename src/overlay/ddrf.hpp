#pragma once

#include <span>
#include <vector>

#include <mirab/overlay/effects.hpp>

namespace mirab::overlay {

/// May the server l serve its poorest user (Östman, eq. 3.8; Algorithm 5)?
///
///     ∀ q ∈ S_l:  min_{i ∈ U_l} G_i < min_{i ∈ U_q} G_i
///
/// `own` has the utility U_l = −min_{i ∈ U_l} G_i, `neighbours` what is last known of S_l. Equal shares are
/// ordered by address: with the plain < nobody would begin while all shares are 0, with the ≤ of Algorithm 5
/// figure 3.2 would come out otherwise. A neighbour without users, or of which nothing is known, has U = −∞
/// and hinders nobody. A server without users never serves.
///
/// Cost: O(|S_l|). Known failure: what the neighbours do not know, the rule does not see (figure 3.1).
bool ddrf_may_serve(const Descriptor& own, std::span<const Descriptor> neighbours);

/// The fixed neighbours S_l, asked for their least shares every tick. An unknown one does
/// not hinder.
class Ddrf {
 public:
  /// How they are found: a random graph, or a gradient that has converged before the first task (4.3).
  enum class Neighbours { random, gradient };
  explicit Ddrf(Neighbours kind) : kind_(kind) {}
  Neighbours kind() const { return kind_; }

  /// From now on these are the neighbours.
  void choose(std::span<const NodeId> neighbours);
  bool chosen() const { return chosen_; }
  /// Asks all of them (Algorithm 5, ONTICK).
  void ask(Effects& effects) const;
  /// ONRESOURCEUPDATERESP; who is no neighbour is not heard.
  void hear(NodeId from, const ShareAnswer& answer);
  /// A neighbour that left hinders no more.
  void forget(NodeId node);

  std::span<const Descriptor> neighbours() const { return neighbours_; }

 private:
  Neighbours kind_;
  std::vector<Descriptor> neighbours_;
  bool chosen_ = false;
};

}  // namespace mirab::overlay
