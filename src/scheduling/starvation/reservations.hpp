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

/// The servers that are kept, each for one queue: for a task one server, for a batch of a job with terms as
/// many as it needs, which stand together.
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

  /// The first of those that are kept for the queue; nullptr when none is.
  const Kept* of_queue(QueueIndex queue) const {
    return find([&](const Kept& each) { return each.queue == queue; });
  }
  const Kept* on_server(ServerIndex server) const {
    return find([&](const Kept& each) { return each.server == server; });
  }

  std::vector<ServerIndex> servers_of(QueueIndex queue) const {
    std::vector<ServerIndex> servers;
    for (const Kept& each : kept) {
      if (each.queue == queue) servers.push_back(each.server);
    }
    return servers;
  }

  /// For how many queues servers are kept.
  std::size_t queue_count() const {
    std::size_t count = 0;
    for (std::size_t at = 0; at < kept.size(); ++at) {
      if (at == 0 || kept[at].queue != kept[at - 1].queue) ++count;
    }
    return count;
  }

  /// The servers that take tasks of the queue: those that are open, and those that are kept for it.
  OpenServers open_to(QueueIndex queue, OpenServers open) const {
    for (const ServerIndex server : servers_of(queue)) open.open(server);
    return open;
  }

 private:
  template <class Is>
  const Kept* find(Is is) const {
    const auto at = std::find_if(kept.begin(), kept.end(), is);
    return at == kept.end() ? nullptr : &*at;
  }
};

/// Does the next task of the queue, which has no terms, fit on the server that is kept for it?
bool has_room(const Ledger& ledger, const Reservations::Kept& kept);

/// The first of the kept servers that has room for its task; of a batch of a job with terms the first of its
/// servers, when those that are kept for it and the open ones together have room. nullptr when none has.
/// `asks_gangs` is false when they are known to have none.
const Reservations::Kept* first_with_room(const Ledger& ledger, const Reservations& all,
                                          const OpenServers& open, bool asks_gangs = true);

/// What a step at some time intends with the reservations before it places anything: those that lasted end,
/// and servers are kept for the queues that are due. A value: nothing in the engine changes.
struct ReservationPreview {
  Time at;
  OpenServers open;                            ///< those that take tasks then
  Reservations reservations = {};              ///< all of them then
  std::vector<Reservations::Kept> ended = {};  ///< by their time
  std::vector<Reservations::Kept> too_few =
      {};                                      ///< ended too: the batch would not fit there, were they empty
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

  /// The earliest time at which preview() may intend something, while nothing happens. O(queues + servers
  /// kept).
  std::optional<Time> next_by_time(const Ledger& ledger, const WaitingQueues& waiting) const;

  /// The reservations as they are, and the tasks that started on a server kept for them, and run.
  const Reservations& present() const { return memory_.present; }
  const std::set<TaskIndex>& spared() const { return memory_.met; }

  // What has happened.
  void begun(const ReservationPreview& intended);
  void ended(QueueIndex queue);  ///< the reservation for it
  void started_there(TaskIndex task) { memory_.met.insert(task); }
  void task_started() { is_search_true_ = false; }
  void task_ended(TaskIndex task) {
    memory_.met.erase(task);
    something_changed();
  }
  void something_changed() { asks_gangs_ = true, is_search_true_ = false; }  ///< anything but a start
  void gangs_have_no_room() { asks_gangs_ = false; }

  /// May a batch for which servers are kept have room now? What starts elsewhere makes none.
  bool asks_gangs() const { return asks_gangs_; }

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
  void end_where_too_few(const Ledger& ledger, ReservationPreview& step) const;
  void add_due(const Ledger& ledger, const WaitingQueues& waiting, ReservationPreview& step) const;
  std::vector<QueueIndex> due(const Ledger& ledger, const WaitingQueues& waiting,
                              const ReservationPreview& step) const;

  Reserving rule_;
  Memory memory_;
  bool asks_gangs_ = true;
  bool is_search_true_ = false;  ///< would the latest search of who is due find the same now?
};

/// Errors: a time or a number of servers that is not above 0.
Check check(const Reserving& rule);

}  // namespace mirab::scheduling
