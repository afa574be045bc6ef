#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace mirab::simulation {

/// A task that waits for a processing element.
struct QueuedTask {
  double arrival = 0;         ///< seconds; tasks are given in this order
  std::size_t dominant = 0;   ///< the resource that dominates it
  double dominant_share = 0;  ///< max_r d_r / C_r
  double instructions = 0;    ///< r_l of (6.1), millions
};

/// Whose turn is next.
enum class QueueOrder {
  arrival,          ///< first come, first served
  dominant_queues,  ///< MLF-DRS: one queue for each dominant resource, in rounds
  lowest_share,     ///< DRF as the thesis words it: the waiting task with the lowest dominant share
};

/// A host that is shared in space: a task has a processing element for itself until it ends.
struct SpaceSharedHost {
  std::vector<double> strength = {1};  ///< cap_i of (6.2), Mips of each element, > 0
};

/// When a task started and ended, and as which one it did.
struct ServedTask {
  std::size_t task;   ///< an index into the tasks
  double start = 0;   ///< est of (6.1)
  double finish = 0;  ///< eft of (6.1)
};

/// In the order in which they start. O(tasks log tasks + tasks · resources).
std::vector<ServedTask> serve(std::span<const QueuedTask> tasks, QueueOrder order,
                              const SpaceSharedHost& host);

}  // namespace mirab::simulation
