#pragma once

#include <vector>

#include <mirab/overlay/node.hpp>

namespace mirab::overlay {

/// What a user has granted to hosts, and when it may take that back.
///
/// Each thing it says to a host lets the host run its tasks for another lease. Every quarter of it the host
/// is asked what it runs, whatever else is said: it may have stopped tasks while it heard nothing, and may
/// say so in vain. One that is silent is asked again and again for one lease, then no more, and is given up
/// when even the last thing that was said, were it heard at the last moment, has run out. Without leases
/// nothing is recorded, and nothing is due.
class Leases {
 public:
  /// `lease` zero: none. `lifetime`: User.
  Leases(Duration lease, Duration again, Duration lifetime)
      : lease_(lease), again_(again), lifetime_(lifetime) {}

  /// Something that prolongs the host's lease was said, and waits for an answer.
  void said(Time now, NodeId host);
  /// The host said something.
  void heard(NodeId host);
  /// The user has nothing on this host (any more).
  void forget(NodeId host);
  /// May more be said to it? Not when it is silent for too long, so that its lease comes to an end.
  bool may_say(Time now, NodeId host) const;

  struct Due {
    std::vector<NodeId> renew;    ///< ask these what they run
    std::vector<NodeId> give_up;  ///< what ran there runs no more; they are forgotten already
  };
  /// O(hosts), without allocation when nothing is due.
  Due due(Time now);

 private:
  struct Grant {
    NodeId host = 0;
    bool waits = false;  ///< for an answer
    Time waits_since{};  ///< when the first that was not answered was said
    Time said_at{};      ///< the last
    Time asked_at{};     ///< what it runs
  };
  std::vector<Grant>::iterator find(NodeId host);
  std::vector<Grant>::const_iterator find(NodeId host) const;

  Duration lease_, again_, lifetime_;
  std::vector<Grant> grants_;  ///< in no order
};

}  // namespace mirab::overlay
