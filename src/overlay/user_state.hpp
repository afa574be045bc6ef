// The parts of a User, shared by user.cpp and its tests: leases granted to hosts, and where its tasks are.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <mirab/overlay/effects.hpp>
#include <mirab/overlay/message.hpp>

namespace mirab::overlay {

/// What a user has granted to hosts, and when it may take that back.
///
/// Each message to a host lets the host run the user's tasks for another lease. Every quarter of it the user
/// asks the host what it runs, whatever else is sent: the host may have stopped tasks while no message
/// arrived, and its own message may be lost. A silent host is asked again for one lease, then no more. The
/// user gives it up when even the last message, had it arrived at the last moment, has run out. Without
/// leases nothing is recorded, and nothing is due.
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
  bool may_send(Time now, NodeId host) const;

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
    Time sent_at{};      ///< the last
    Time asked_at{};     ///< what it runs
  };
  std::vector<Grant>::iterator find(NodeId host);
  std::vector<Grant>::const_iterator find(NodeId host) const;

  Duration lease_, again_, lifetime_;
  std::vector<Grant> grants_;  ///< in no order
};

/// The books of a user: which of its tasks is where. Each is at most one of present (perhaps accepted),
/// placed, owed, or over; and only a present one that is not accepted can be accepted.
class UserTasks {
 public:
  struct Accepted {
    NodeId host = 0;
    ProposalId proposal;
    Time sent_at{};
  };

  UserTasks(NodeId user, std::uint64_t tasks) : user_(user), tasks_(tasks) {}

  /// The number of the one that wants a place.
  const std::optional<std::uint64_t>& present() const { return present_; }
  std::optional<Accepted>& accepted() { return accepted_; }
  std::uint64_t placed() const { return placed_.size(); }
  std::uint64_t owed() const { return owed_.size(); }
  /// The number of the present task, or of the next.
  std::uint64_t number() const;
  /// Has it anything there?
  bool on(NodeId host) const;

  /// Takes the next task when there is no present one: what is owed first, then a new one. False: it has
  /// one already, or no more.
  bool next(Effects& effects);
  /// The present task, if it is not accepted, is owed.
  void set_aside();
  void accept(Time now, NodeId host, const ProposalId& proposal);

  // News from hosts. Each returns whether anything changed.

  bool runs(NodeId host, std::uint64_t number, const ProposalId& proposal, std::uint64_t round,
            Effects& effects);
  bool refused(NodeId host, std::uint64_t number, const ProposalId& proposal, Effects& effects);
  bool ended(NodeId host, std::uint64_t number, const ProposalId& proposal, Effects& effects);
  /// Those of which the host should know by this round, and does not, are lost.
  bool listed(NodeId host, const Running& running, Effects& effects);
  bool gave_up(NodeId host, Effects& effects);

 private:
  struct Placed {
    std::uint64_t number = 0;
    ProposalId proposal;
    std::uint64_t round = 0;  ///< of the last Renew before it was known to run
    NodeId host = 0;
  };
  std::vector<Placed>::iterator find(NodeId host, std::uint64_t number, const ProposalId& proposal);
  bool is_accepted(NodeId host, std::uint64_t number, const ProposalId& proposal) const;
  bool finish(std::uint64_t number, Effects& effects);
  void owe(std::uint64_t number);
  template <class IsLost>
  bool lose(IsLost is_lost, Effects& effects);

  NodeId user_;
  std::uint64_t tasks_, next_ = 1;
  std::optional<std::uint64_t> present_;
  std::optional<Accepted> accepted_;  ///< of the present task
  std::vector<Placed> placed_;        ///< ascending by number
  std::vector<std::uint64_t> owed_;   ///< ascending
};

}  // namespace mirab::overlay
