#pragma once

#include <array>
#include <optional>
#include <span>
#include <vector>

#include <mirab/overlay/effects.hpp>

namespace mirab::overlay {

/// A task that waits at a server.
struct Probe {
  Task task;
  double share = 0;       ///< t.dominantShare
  bool proposed = false;  ///< its user was asked; it waits for the answer
  Time heard_at{};        ///< when it was last submitted or copied
  std::vector<NodeId> copies =
      {};  ///< of a task whose primary handler this is: the neighbours that have it too
};

/// The first task in ascending order of (share, user) that fits in what is free and was not proposed
/// (Algorithm 4, ONTICK; a task that fits exactly fits). None: null. Cost: O(tasks · m).
const Probe* next_probe(std::span<const Probe> waiting, std::span<const std::int64_t> free);

/// The two neighbours of least load, fewer when there are fewer (4.2); of equal loads the lower addresses.
/// Cost: O(P).
std::vector<NodeId> two_least_loaded(std::span<const Descriptor> neighbours);

/// Sparrow's batch of probes with late binding (Ousterhout et al. 2013; Östman, 4.2, Algorithm 4): the server
/// that the gateway drew queues the task, two neighbours queue copies of it, and the user takes the first
/// proposal. A server hosts on itself only. What nobody has asked for during Patience::user is forgotten: its
/// user's answer was lost, or the user has gone. Known failure: a task whose three servers are full waits for
/// ever.
class Probes {
 public:
  /// `forgotten`: Patience::user.
  Probes(std::vector<NodeId> neighbours, Duration forgotten);

  /// ONREQUEST: queues the task and copies it to two neighbours; said again, to the same two.
  void on_submit(Time now, const Task& task, double share, Effects& effects);
  /// ONTASKFROMSERVER.
  void on_copy(Time now, const Task& task, double share);
  /// Forgets whom nobody asks for any more. O(tasks).
  void forget_silent(Time now);
  /// Asks all neighbours for their loads.
  void ask(Effects& effects) const;
  void hear(NodeId from, const LoadAnswer& answer);
  /// ONTICK: the task to propose now. None: nothing that waits fits.
  std::optional<Task> next(std::span<const std::int64_t> free);
  /// The user has answered a proposal of this task: it waits here no longer.
  void answered(const TaskId& task);
  /// A neighbour that left.
  void forget(NodeId node);

 private:
  Probe* queue(Time now, const Task& task, double share);

  Duration forgotten_;
  std::vector<Descriptor> neighbours_;  ///< utility: −load as last known, 0 while unknown
  std::vector<Probe> waiting_;
};

}  // namespace mirab::overlay
