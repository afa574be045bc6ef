#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <mirab/overlay/effects.hpp>
#include <mirab/overlay/options.hpp>

namespace mirab::overlay {

/// A user at its home server, U_l.
struct Resident {
  NodeId user = 0;
  Task task;                  ///< its present or last task
  bool pending = false;       ///< the task wants a place
  bool served = false;        ///< it has its turn: it counts in the share until it is known what became of it
  bool stuck = false;         ///< nothing was found for it, and Stuck::leave
  std::uint64_t attempt = 0;  ///< of its last walk
  Time served_at{};
  Time heard_at{};

  /// Tasks that count: running, and the one that has its turn.
  std::uint64_t counted() const { return task.running + (served ? 1 : 0); }
};

/// The users that belong to a server, and whose turn it would be: the resident of lowest (share, address).
class Home {
 public:
  Home(const OverlayOptions& options, Duration tick);

  void on_submit(Time now, const Task& task, Effects& effects);
  void on_pause(Time now, NodeId user, const Pause& pause, Effects& effects);
  /// What became of its walk.
  void on_no_room(const TaskId& task, std::uint64_t attempt, Effects& effects);
  /// Forgets who is silent; takes back turns of which nothing is known.
  void on_tick(Time now, Effects& effects);

  /// The poorest of those that count (Idle, Stuck), by total C; none: no users.
  const Resident* poorest(std::span<const double> total) const;
  /// Its turn: returns the task that is to find a server, and its attempt.
  Task serve(Time now, NodeId user, std::uint64_t round, Effects& effects);

  /// G_i by total: counted · max_r D_ir / C_r.
  static double share(const Resident& resident, std::span<const double> total);
  const std::vector<Resident>& residents() const;
};

}  // namespace mirab::overlay
