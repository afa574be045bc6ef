#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <mirab/overlay/effects.hpp>

namespace mirab::overlay {

/// The books of a user: which of its tasks is where. Each is at most one of present (perhaps accepted),
/// placed, owed, or over; and only a present one that is not accepted can be accepted.
class UserTasks {
 public:
  struct Accepted {
    NodeId host = 0;
    ProposalId proposal;
    Time said_at{};
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
