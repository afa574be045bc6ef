#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "lab/simulation/replay/input.hpp"

namespace mirab::simulation {

/// A server that is up, and what is free there.
struct EasyRoom {
  std::uint32_t kind;
  Amounts free;  // [m]
};

/// A task that runs, and when it ends if it runs as long as was asked for.
struct EasyEnding {
  Duration at;
  std::size_t room;
  std::uint32_t request;
};

/// How tasks start. The owner of the servers says where they go.
struct EasyStart {
  /// Starts this number of tasks of the job together, for the time being: the room of each; empty when they
  /// do not fit.
  std::function<std::vector<std::size_t>(std::uint32_t job, std::int64_t tasks)> attempt;
  std::function<void()> keep;  ///< the latest attempt stands
  std::function<void()> undo;  ///< it never was
};

/// First come, first served with EASY backfilling (Lifka, The ANL/IBM SP scheduling system, JSSPP 1995;
/// Mu'alem and Feitelson, IEEE TPDS 12 (2001), section 2): the first job in the queue that cannot start gets
/// the earliest time at which it could, if every running task ended when its job's requested time is over.
/// Another job may start before it only if it ends by then, or if the first one can start then all the same.
///
/// A job of t tasks of which g start together waits as t / g parts, one after the other. Requested times that
/// have passed count as now. See docs/reference/simulate.md, "Contenders".
class EasyQueue {
 public:
  /// The input outlives it.
  explicit EasyQueue(const ReplayInput& input) : input_(input) {}

  void submit(std::uint32_t job);  ///< in the order of their times

  /// Starts whatever may start now. `rooms` are all servers that are up, `endings` all tasks that run.
  /// O((parts that wait × servers + tasks that run × servers) m) for each pass.
  void start(Duration now, std::vector<EasyRoom> rooms, std::vector<EasyEnding> endings,
             const EasyStart& start);

  /// What waits: visit(job, tasks).
  template <class Visit>
  void for_each_waiting(Visit visit) const {
    for (const Part& part : waiting_) visit(part.job, part.tasks);
  }
  bool empty() const { return waiting_.empty(); }

 private:
  /// Tasks of a job that wait, `gang` of them to start together.
  struct Part {
    std::uint32_t job;
    std::int64_t tasks;
    std::int64_t gang;
  };
  /// When the first part could start, and what is free then.
  struct Shadow {
    Duration at;
    std::vector<EasyRoom> rooms;
  };

  Duration requested(std::uint32_t job) const;
  bool fits(const Part& part, std::span<const EasyRoom> rooms) const;
  void change(EasyRoom& room, std::uint32_t request, std::int64_t tasks) const;
  Shadow shadow(Duration now, std::vector<EasyRoom> rooms, std::vector<EasyEnding> endings) const;
  void backfill(Duration now, std::vector<EasyRoom>& rooms, Shadow& shadow, const EasyStart& start);

  const ReplayInput& input_;
  std::deque<Part> waiting_;  // the first one is the next
};

}  // namespace mirab::simulation
