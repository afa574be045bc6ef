#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <mirab/overlay/effects.hpp>
#include <mirab/overlay/scheduler.hpp>

namespace mirab::overlay {

/// A user at its home server, U_l.
struct UserEntry {
  NodeId user = 0;
  Task task;                   ///< its present or last task
  std::uint64_t sequence = 0;  ///< of the last that was heard
  bool pending = false;        ///< the task wants a place
  bool served = false;         ///< it has its turn, until it is known what became of it
  bool placed = false;         ///< having its turn, it was proposed to its user by a host: now it counts
  bool stuck = false;          ///< nothing was found for it, and Stuck::leave
  bool silent = false;         ///< not heard of for Patience::home: it may have another home
  std::uint64_t attempt = 0;   ///< of its last turn, when its task set out; never given twice for a task
  Time served_at{};
  Time heard_at{};

  /// Tasks that count: running, and the one that was proposed. A walk changes nothing (4.3).
  std::uint64_t counted() const { return task.running + (served && placed ? 1 : 0); }
  /// Can it be its turn?
  bool waits() const { return pending && !served; }
};

/// The users that belong to a server, and whose turn it would be: the resident of lowest (share, address).
///
/// All of it is soft: a home may forget anything at any time, and its users tell it again. Who was silent for
/// Patience::home has perhaps another home by now, and counts no more until it is heard.
class Coordinator {
 public:
  Coordinator(const OverlayOptions& options, Duration tick);

  /// Both answer with Received; what is older than the last that was heard changes nothing. Who is new is not
  /// answered when there is no room for more users (table_limits.hpp), and will look for another home.
  void on_submit(Time now, const Submit& submit, Effects& effects);
  void on_pause(Time now, NodeId user, const Pause& pause, Effects& effects);
  /// Its walk ended: at a host that proposed (if that is not heard, its user says so by its next task), or
  /// without one.
  void on_placed(const TaskId& task, std::uint64_t attempt);
  void on_no_room(const TaskId& task, std::uint64_t attempt, Effects& effects);
  /// Notes who is silent, forgets who was for Patience::user, and lets those that were stuck try again.
  /// O(user_entries).
  void on_tick(Time now, Effects& effects);

  /// The poorest of those that count (Idle, Stuck, heard of lately), by total C; none: no user counts. It may
  /// have its turn already, or wait for nothing: UserEntry::waits. O(user_entries · m).
  const UserEntry* poorest(std::span<const double> total) const;
  /// The poorest of those of them that wait for their turn; none: no user waits. O(user_entries · m).
  const UserEntry* poorest_waiting(std::span<const double> total) const;
  /// It is the turn of this resident, which waits: its task is to find a server. `round`: Served.
  const UserEntry& serve(Time now, NodeId user, std::uint64_t round, Effects& effects);
  /// The same turn goes on under another attempt, which is returned: its task is sent out again, at a later
  /// time than before. None: the turn is over.
  std::optional<std::uint64_t> go_on(Time now, const TaskId& task, std::uint64_t attempt);

  /// G_i by total: counted · max_r D_ir / C_r over the resources whose C_r > 0.
  static double share(const UserEntry& resident, std::span<const double> total);
  /// What one task adds to it.
  static double step(const UserEntry& resident, std::span<const double> total);
  const std::vector<UserEntry>& user_entries() const { return user_entries_; }

 private:
  static bool is_news(Time now, std::uint64_t sequence, UserEntry& resident);
  UserEntry* find(NodeId user);
  UserEntry* find_turn(const TaskId& task, std::uint64_t attempt);
  UserEntry* entry_of(NodeId user);
  bool counts(const UserEntry& resident) const;
  template <class Condition>
  const UserEntry* poorest_if(std::span<const double> total, const Condition& condition) const;

  Idle idle_;
  Stuck stuck_;
  Duration walk_, silent_, forgotten_;
  std::vector<UserEntry> user_entries_;  ///< ascending by user
};

}  // namespace mirab::overlay
