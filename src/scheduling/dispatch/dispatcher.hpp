#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "scheduling/dispatch/room_search.hpp"
#include "scheduling/ledger/ledger.hpp"
#include "scheduling/order/ready_queue.hpp"
#include "scheduling/order/shares.hpp"
#include "scheduling/order/tree_order.hpp"

namespace mirab::scheduling {

/// Who is next, and where does its task fit. It decides and starts nothing: what has been started, and all
/// other changes of the ledger that concern it, it learns from the caller.
class Dispatcher {
 public:
  /// Requires the other parts to outlive it.
  Dispatcher(const Ledger& ledger, Shares& shares, RoomSearch& room_search, const DisciplineChoice& choice,
             Tie tie);
  /// A copy that looks at these parts, copies of the other's.
  Dispatcher(const Dispatcher& other, const Ledger& ledger, Shares& shares, RoomSearch& room_search);

  /// The next task with room, and where it goes; nothing when no task is to be placed. Task classes that are
  /// found to fit nowhere are parked.
  std::optional<Dispatch> next(Random& random);

  const DisciplineChoice& choice() const { return choice_; }
  Precedence precedence() const { return precedence_in(shares_.context); }
  Precedence precedence_in(const ShareContext& context) const {
    return {.discipline = choice_.discipline,
            .tie = tie_,
            .context = &context,
            .waiting = &ready_.waiting().by_place()};
  }
  const ReadyQueue& ready() const { return ready_; }
  const WaitingQueues& waiting() const { return ready_.waiting(); }
  const ReleasedServers& released() const { return released_; }

  /// Keys and tournaments as of this time: to be called before next(). O(1) unless something is stale.
  void refresh(Time now) {
    shares_.refresh_usage(now);
    if (shares_.are_stale) refresh_order();
  }

  // What has happened.
  void queue_waits(QueueIndex queue);  ///< with its first task, or its first one again
  void queue_left(QueueIndex queue);   ///< its last waiting task was cancelled
  /// Its oldest job is another.
  void queue_changed(QueueIndex queue) {
    if (ledger_.has_tree()) return order_.user_changed(ledger_.queues[queue].user);
    ready_.rekey(std::span(&queue, 1));
  }
  /// Its weight, its use, or the oldest job of one of its queues. O(its queues that wait × tournaments × log
  /// N) matches: every start and every end of a task costs that.
  void user_changed(UserIndex user) {
    if (ledger_.has_tree()) return change_in_tree(user);
    ready_.rekey(ledger_.users[user].queues);
  }
  void task_placed(TournamentEntry entry) {
    const QueueRow& queue = ledger_.queues[entry.queue];
    if (queue.first_job == kNone && waiting().holds(entry.queue)) queue_left(entry.queue);
    user_changed(queue.user);
  }
  void batch_placed(TournamentEntry entry);  ///< the last task of a job with terms, after task_placed()
  void task_ended(UserIndex user, TaskClassIndex task_class, ServerIndex server);
  void room_released(ServerIndex server) {
    if (ledger_.has_tree()) return rooms_.room_released(server);
    released_.add(server);
  }
  void room_taken(ServerIndex server) {  ///< a task started there, or it is closed
    if (ledger_.has_tree()) rooms_.room_taken(server);
  }
  /// After room_taken() and all that follows from it: jobs with roles may find room where they did not.
  void all_taken() {
    if (ledger_.has_roles() && !ledger_.has_tree()) retry_roles();
  }
  void tree_changed();                    ///< groups, members, weights or quotas
  void hold_changed(ServerIndex server);  ///< others hold less there, or more
  void server_removed(ServerIndex server) { released_.forget(server); }
  void servers_changed() {  ///< those that take tasks, or their capacities
    room_search_.servers_changed();
    ready_.retry_constrained();
    rooms_.all_changed();
  }

  /// Wait here just the queues that have waiting tasks? The first that is wrong, in words. O(queues).
  std::string broken() const;

  // For the restorer: all queues of the ledger that wait enter, and task classes are parked again.
  void enter_all();
  void park(TaskClassIndex task_class, TournamentId tournament) { ready_.park(task_class, tournament); }

 private:
  std::optional<Dispatch> next_in_tree(Random& random);
  void change_in_tree(UserIndex user);
  void begin_rooms();
  void change_waiting(UserIndex user);
  std::optional<Keyed> next_on_released();
  void retry_what_fits_on_released();
  void retry_constrained(TaskClassIndex task_class, ServerIndex server);
  void retry_constrained_on(ServerIndex server);
  void retry_roles();
  void refresh_order();
  bool may_serve(TournamentId tournament, TaskClassIndex task_class, ServerIndex server) const {
    return ledger_.has_room(task_class, server) && shares_.tournaments.admits(tournament, task_class, server);
  }

  const Ledger& ledger_;
  Shares& shares_;
  RoomSearch& room_search_;
  DisciplineChoice choice_;
  Tie tie_;
  ReadyQueue ready_;
  RoomByClass rooms_;  // while there is a tree, as is the next
  TreeOrder order_;
  ReleasedServers released_;
};

}  // namespace mirab::scheduling
