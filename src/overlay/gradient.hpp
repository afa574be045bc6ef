#pragma once

#include <span>
#include <vector>

#include <mirab/model/random.hpp>
#include <mirab/overlay/effects.hpp>
#include <mirab/overlay/options.hpp>

namespace mirab::overlay {

/// Does the server of `base` prefer a over b as a neighbour (eq. 3.9)? A total order for given base.
bool prefers(const Descriptor& base, const Descriptor& a, const Descriptor& b);

/// A gradient topology (Terelius et al. 2011, as in the thesis 2.4.2, 3.3, 4.4).
class Gradient {
 public:
  Gradient(NodeId self, Slope slope, const GossipOptions& options);

  /// Begins an exchange with one of the view, or of the peers while the view is empty.
  void shuffle(const Descriptor& own, std::span<const Descriptor> peers, Random& random, Effects& effects);
  void on_request(NodeId from, const GradientRequest& request, const Descriptor& own,
                  std::span<const Descriptor> peers, Random& random, Effects& effects);
  void on_answer(NodeId from, const GradientAnswer& answer, const Descriptor& own,
                 std::span<const Descriptor> peers);
  /// Something is known of a server besides shuffles (Climb). Keeps the younger news.
  void learn(const Descriptor& news, const Descriptor& own);
  /// A server that left is forgotten.
  void forget(NodeId node);

  /// Most preferred first.
  std::span<const Descriptor> view() const;
};

}  // namespace mirab::overlay
