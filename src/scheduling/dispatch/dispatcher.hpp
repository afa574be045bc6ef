#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "scheduling/constraints/constraints.hpp"
#include "scheduling/ledger/ledger.hpp"
#include "scheduling/order/ready_queue.hpp"
#include "scheduling/order/shares.hpp"
#include "scheduling/placement/placement_search.hpp"

namespace mirab::scheduling {

/// What the dispatcher decides: the next task of the queue starts on the server, and with it as many others
/// of its job as have to start together.
struct Dispatch {
  Entry entry;
  ServerIndex server;
  bool has_terms;      ///< the job has
  std::int64_t batch;  ///< tasks that start together
};

/// Who is next, and where does its task fit. It decides and starts nothing: what has been started, and all
/// other changes of the ledger that concern it, it learns from the caller.
class Dispatcher {
 public:
  /// Requires the other parts to outlive it.
  Dispatcher(const Ledger& ledger, Shares& shares, PlacementSearch& placement, const DisciplineChoice& choice,
             Tie tie);

  /// The next task with room, and where it goes; nothing when no task is to be placed. Task classes that are
  /// found to fit nowhere are parked.
  std::optional<Dispatch> next(Random& random);

  /// The server of the next one of a job's `left` tasks that are still to start together. There is one.
  ServerIndex server_of_companion(JobIndex job, std::int64_t left, Random& random);

  /// The ways to run the task of the latest decision, with the servers among which one was searched.
  std::span<const SearchAlternative> alternatives() const { return alternatives_; }

  const DisciplineChoice& choice() const { return choice_; }
  Precedence precedence() const { return precedence_in(shares_.context); }
  Precedence precedence_in(const ShareContext& context) const {
    return {.discipline = choice_.discipline, .tie = tie_, .context = &context};
  }
  const ReadyQueue& ready() const { return ready_; }
  const ReleasedServers& released() const { return released_; }

  const TournamentRules& tournaments() const { return shares_.tournaments; }
  /// Of a queue whose task goes to the server without a search.
  Entry entry_on(QueueIndex queue, ServerIndex server) const;

  /// Is there room now, on these servers, for the next tasks of a job with terms that start together, the
  /// first one on a server of the tournament? O(servers m + running tasks of the job).
  bool batch_fits_in(TournamentId tournament, JobIndex job, const OpenServers& open) const;

  /// Keys and tournaments as of this time: to be called before next(). O(1) unless something is stale.
  void refresh(Time now) {
    shares_.refresh_usage(now);
    if (shares_.are_stale) refresh_order();
  }

  // What has happened.
  void queue_waits(QueueIndex queue);  ///< with its first task, or its first one again
  void queue_left(QueueIndex queue);   ///< its last waiting task was cancelled
  /// Its oldest job is another.
  void queue_changed(QueueIndex queue) { ready_.rekey(std::span(&queue, 1)); }
  /// Its weight, its use, or the oldest job of one of its queues.
  void user_changed(UserIndex user) { ready_.rekey(ledger_.users[user].queues); }
  void task_placed(Entry entry) {
    const QueueRow& queue = ledger_.queues[entry.queue];
    if (queue.first_job == kNone && ready_.holds(entry.queue)) ready_.leave(entry.queue);
    user_changed(queue.user);
  }
  void batch_placed(Entry entry);  ///< the last task of a job with terms, after task_placed()
  void task_ended(UserIndex user, TaskClassIndex task_class, ServerIndex server);
  void room_released(ServerIndex server) { released_.add(server); }
  void server_removed(ServerIndex server) { released_.forget(server); }
  void servers_changed() { ready_.retry_constrained(); }  ///< those that take tasks, or their capacities

  // For the restorer: all queues of the ledger that wait enter, and task classes are parked again.
  void enter_all();
  void park(TaskClassIndex task_class, TournamentId tournament) { ready_.park(task_class, tournament); }

 private:
  std::optional<Dispatch> find_batch(Entry entry, Random& random);
  std::optional<ServerIndex> find_among(const std::vector<ServerSet>& servers, TaskClassIndex task_class,
                                        Random& random);
  void write_alternatives(TaskClassIndex task_class, TournamentId tournament);
  std::vector<ServerSet> first_of_batch(const GangFeasibility& gang, std::int64_t batch,
                                        TaskClassIndex task_class, TournamentId tournament) const;
  std::optional<Entry> next_on_released();
  void retry_what_fits_on_released();
  void retry_constrained(TaskClassIndex task_class, ServerIndex server);
  void refresh_order();
  bool may_serve(TournamentId tournament, TaskClassIndex task_class, ServerIndex server) const {
    return ledger_.has_room(task_class, server) && tournaments().admits(tournament, task_class, server);
  }

  const Ledger& ledger_;
  Shares& shares_;
  PlacementSearch& placement_;
  DisciplineChoice choice_;
  Tie tie_;
  ReadyQueue ready_;
  ReleasedServers released_;
  AdmittedServers admitted_;
  std::vector<SearchAlternative> alternatives_;  // of the latest search
  std::vector<ServerSet> batch_servers_;         // to which they point, of a job with terms
};

}  // namespace mirab::scheduling
