#pragma once

#include <optional>
#include <span>
#include <vector>

#include <mirab/model/random.hpp>
#include <mirab/overlay/effects.hpp>
#include <mirab/overlay/options.hpp>

namespace mirab::overlay {

/// Cyclon (Voulgaris, Gavidia, van Steen 2005): a view of a few servers that is as good as drawn at random.
class PeerSampling {
 public:
  PeerSampling(NodeId self, const GossipOptions& options);

  /// Servers to begin with, or to begin with again.
  void introduce(std::span<const NodeId> servers);
  /// Begins an exchange with the oldest entry. `own` is what the node tells of itself.
  void shuffle(const Descriptor& own, Random& random, Effects& effects);
  void on_request(NodeId from, const PeerRequest& request, const Descriptor& own, Random& random,
                  Effects& effects);
  void on_answer(NodeId from, const PeerAnswer& answer);

  std::span<const Descriptor> view() const;
  /// One of the view, drawn uniformly; none when it is empty.
  std::optional<NodeId> any(Random& random) const;
};

}  // namespace mirab::overlay
