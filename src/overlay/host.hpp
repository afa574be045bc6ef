#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include <mirab/overlay/effects.hpp>
#include <mirab/overlay/scheduler.hpp>

#include "overlay/table_limits.hpp"

namespace mirab::overlay {

/// What a server holds and runs: reservations that are proposed to users, and their tasks.
///
/// Never more than its capacity: held + running ≤ c_l after every call (asserted). A reservation that is not
/// answered is given back; a late Accept of it is refused; names of proposals are never given twice. Every
/// call first stops what may no longer run, whatever time has passed since the last one: nothing is answered
/// in the name of a task whose lease is over.
class Host {
 public:
  Host(Amounts capacity, Time start, const Patience& patience, Duration tick);

  bool fits(std::span<const std::int64_t> demand) const;
  /// Holds room and proposes to the user. For a task that is held here already the proposal is sent again;
  /// for one that runs or ended, that state. False, and nothing is done, when there is no room. A list that
  /// is full (table_limits.hpp) drops the first end on it that its user has not seen; without one, there is
  /// no room.
  bool propose(Time now, const Task& task, Effects& effects);
  /// Accept, Reject, EndSeen, Renew; others are ignored.
  void on_message(Time now, NodeId from, const Message& message, Effects& effects);
  /// Gives back what was held too long, ends what is over, stops what lost its lease.
  void on_tick(Time now, Effects& effects);
  /// Takes no more: gives back what is held, stops what runs, and tells their users until they have seen it.
  void close(Time now, Effects& effects);

  std::span<const std::int64_t> free() const { return free_; }
  std::span<const std::int64_t> capacity() const { return capacity_; }

 private:
  /// `refused`: the server left; its user gets that answer until it confirms it.
  enum class State : std::uint8_t { held, running, ended, refused };
  enum class Ending : std::uint8_t { by_itself, early };
  struct Entry {
    TaskId task;
    ProposalId proposal;
    Amounts demand;  ///< takes room while it is held or runs
    Duration runtime{};
    State state = State::held;
    Time until{};  ///< held: when it is given back; running: its end; then: when its user was last told
  };

  bool is_full() const {
    return entries_.size() >= kMaxTasks &&
           std::ranges::none_of(entries_, [](const Entry& entry) { return entry.state == State::ended; });
  }
  void drop_first_end();
  bool propose_again(Time now, Entry& entry, Effects& effects);
  void accept(Time now, NodeId user, const Accept& accepted, Effects& effects);
  void renew(Time now, NodeId user, const Renew& renewal, Effects& effects);
  void prolong(Time now, NodeId user, Effects& effects);

  Time due(const Entry& entry) const;
  Time lease_end(NodeId user) const;
  void settle(Time now, Effects& effects);
  bool settle(Time now, Entry& entry, Effects& effects);
  static void tell(const Entry& entry, Effects& effects);
  void give_back(const Entry& entry, Effects& effects);
  void stop(const Entry& entry, Ending ending, Effects& effects);

  void take(const Amounts& demand);
  void release(const Amounts& demand);
  std::size_t place_of(const TaskId& task) const;
  Entry* find(const TaskId& task);
  Entry* find(const TaskId& task, const ProposalId& proposal);
  void erase(const Entry& entry);

  Amounts capacity_, free_;
  Duration again_, held_, lease_;
  ProposalId next_;
  bool closed_ = false;
  std::vector<Entry> entries_;     ///< ascending by task
  std::map<NodeId, Time> leases_;  ///< until when a user's tasks may run; empty without leases
  Time due_ = Time::max();         ///< nothing is to be done before
};

}  // namespace mirab::overlay
