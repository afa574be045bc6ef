#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <mirab/scheduling/engine.hpp>

#include "scheduling/ledger/ledger.hpp"
#include "scheduling/order/waiting_queues.hpp"

namespace mirab::scheduling {

/// The servers that are kept, each for one queue.
///
/// A kept server is closed in the pool, so that no search finds it, and is not drained. Drained servers are
/// closed too, but never kept.
struct Reservations {
  struct Kept {
    ServerIndex server;
    QueueIndex queue;
    Time since;
  };
  std::vector<Kept> kept = {};  ///< in the order in which they were

  const Kept* of_queue(QueueIndex queue) const {
    return find([&](const Kept& each) { return each.queue == queue; });
  }
  const Kept* on_server(ServerIndex server) const {
    return find([&](const Kept& each) { return each.server == server; });
  }

 private:
  template <class Is>
  const Kept* find(Is is) const {
    const auto at = std::find_if(kept.begin(), kept.end(), is);
    return at == kept.end() ? nullptr : &*at;
  }
};

/// Does the next task of the queue fit on the server that is kept for it?
bool has_room(const Ledger& ledger, const Reservations::Kept& kept);

/// The first of the kept servers that has room; nullptr when none has.
const Reservations::Kept* first_with_room(const Ledger& ledger, const Reservations& all);

/// What a step at some time intends with the reservations before it places anything: those that lasted end,
/// and servers are kept for the queues that are due. A value: nothing in the engine changes.
struct ReservationPreview {
  Time at;
  OpenServers open;                            ///< those that take tasks then
  Reservations reservations = {};              ///< all of them then
  std::vector<Reservations::Kept> ended = {};  ///< by their time
  std::vector<Reservations::Kept> begun = {};  ///< servers that are kept from then on
  std::optional<Time> searched = {};           ///< when it was last searched who is due
};

/// Which servers to keep for which queues. How they are chosen and what ends a reservation: reservations.cpp.
class ReservationPolicy {
 public:
  explicit ReservationPolicy(Reserving rule) : rule_(rule) {}

  /// What a step intends at that time. O(servers kept); now and then see reservations.cpp.
  ReservationPreview preview(const Ledger& ledger, const WaitingQueues& waiting, Time at) const;

  /// May a step intend anything at that time? O(servers kept).
  bool may_intend(Time at) const;

  /// The reservations as they are, and the tasks that started on a server kept for them, and run.
  const Reservations& present() const { return memory_.present; }
  const std::set<TaskIndex>& spared() const { return memory_.met; }

  // What has happened.
  void begun(const ReservationPreview& intended);
  void ended(const Reservations::Kept& kept);  ///< one of the present ones
  void started_there(TaskIndex task) { memory_.met.insert(task); }
  void task_ended(TaskIndex task) { memory_.met.erase(task); }

  /// What a snapshot keeps.
  struct Memory {
    Reservations present = {};
    std::optional<Time> searched = {};  ///< when it was last searched who is due
    std::set<TaskIndex> met = {};
  };
  const Memory& memory() const { return memory_; }
  void set_memory(Memory memory) { memory_ = std::move(memory); }

  /// The first reservation that cannot be, in words; nothing when all can.
  std::string broken(const Ledger& ledger, const WaitingQueues& waiting) const;

 private:
  bool has_lasted(const Reservations::Kept& kept, Time at) const;
  bool searches_again(Time at) const;
  void add_due(const Ledger& ledger, const WaitingQueues& waiting, ReservationPreview& step) const;
  std::vector<QueueIndex> due(const Ledger& ledger, const WaitingQueues& waiting,
                              const ReservationPreview& step) const;

  Reserving rule_;
  Memory memory_;
};

/// Errors: a time or a number of servers that is not above 0.
Check check(const Reserving& rule);

}  // namespace mirab::scheduling
