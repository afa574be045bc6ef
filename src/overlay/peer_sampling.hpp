#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <mirab/model/random.hpp>
#include <mirab/overlay/effects.hpp>
#include <mirab/overlay/options.hpp>

namespace mirab::overlay {

/// Cyclon (Voulgaris, Gavidia, van Steen 2005): a view of a few servers that is as good as drawn at random.
///
/// The view holds every server once, never oneself, nobody's news of more than `oldest` shuffles. It empties
/// when nobody answers any more: then introduce servers again.
class PeerSampling {
 public:
  PeerSampling(NodeId self, const GossipOptions& options);

  /// Servers to begin with, or to begin with again: fills what is free. Nothing is known of them, so they
  /// count as news of middle age, which any real news replaces.
  void introduce(std::span<const NodeId> servers);
  /// Begins an exchange with the oldest entry, which is taken out: it comes back as what it says of itself,
  /// or not at all. `own` is what the node tells of itself.
  void shuffle(const Descriptor& own, Random& random, Effects& effects);
  void on_request(NodeId from, const PeerRequest& request, Random& random, Effects& effects);
  void on_answer(NodeId from, const PeerAnswer& answer);

  std::span<const Descriptor> view() const { return view_; }
  /// One of the view, drawn uniformly; of an empty one the server that was asked last and may answer yet.
  std::optional<NodeId> any(Random& random) const;

 private:
  void grow_older();
  Descriptor take_oldest();
  std::span<const Descriptor> draw(std::size_t count, Random& random);
  template <typename WasSent>
  void keep(std::span<const Descriptor> offered, WasSent was_sent);
  bool knows(NodeId node) const;

  NodeId self_;
  std::uint32_t size_, shuffle_, oldest_;
  std::optional<NodeId> partner_ = {};  ///< has not answered yet
  std::vector<NodeId> sent_;            ///< entries that the partner was offered
  std::vector<Descriptor> view_;
};

}  // namespace mirab::overlay
