#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include <mirab/model/random.hpp>
#include <mirab/overlay/scheduler.hpp>

#include "overlay/gossip.hpp"

namespace mirab::experiments {

/// A server that does nothing but gossip.
struct GossipServer {
  overlay::Descriptor own;
  overlay::PeerSampling peers;
  overlay::Gradient gradient;
  overlay::PushSum push_sum;
};

/// Servers whose view is exactly what true news of all would give them.
struct IdealViews {
  std::size_t all = 0;
  std::size_t centre = 0;  ///< of the first P + 1 in the order of utility
};

/// Servers that gossip in rounds: in each round every server shuffles once, in a newly drawn order. A message
/// arrives at once, or is lost. What is measured in rounds does not depend on latencies, as long as they are
/// short against the time between shuffles.
class GossipRounds {
 public:
  /// A cold start: everyone knows `options.peers` servers drawn at random, and no utility but its own,
  /// which is drawn uniformly from [-1, 0). Push-sum is of -utility, and of 1 at server 0 and 0 elsewhere.
  GossipRounds(std::size_t servers, const overlay::GossipOptions& options, double loss, Random random);

  void round();
  /// The centre serves: its utility falls to one drawn uniformly from those below it, down to -1.
  void serve_centre();
  const std::vector<GossipServer>& servers() const { return servers_; }
  IdealViews ideal_views() const;

 private:
  void carry(overlay::NodeId from, const overlay::Effects& effects);
  void take(overlay::NodeId from, const overlay::Send& send);
  std::vector<std::size_t> places() const;
  bool ideal(const GossipServer& server, std::span<const std::size_t> places) const;

  std::size_t view_;
  double loss_;
  Random random_;
  std::vector<GossipServer> servers_;
  std::vector<overlay::NodeId> order_;
};

/// Rounds from a cold start; of what did not come about, one more than were watched.
struct Convergence {
  std::vector<double> ideal;    ///< part of the servers with their ideal views, by round
  double centre = 0, most = 0;  ///< until the centre is complete, until 99 % have their ideal views
};

/// Until most have their ideal views, or for this many rounds.
Convergence converge(std::size_t servers, const overlay::GossipOptions& options, double loss,
                     std::size_t rounds, Random random);

}  // namespace mirab::experiments
