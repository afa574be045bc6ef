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
  std::uint32_t server;
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
  std::uint32_t server_of_companion(std::uint32_t job, std::int64_t left, Random& random);

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
  Entry entry_on(std::uint32_t queue, std::uint32_t server) const;

  /// Is there room now, on these servers, for the next tasks of a job with terms that start together, the
  /// first one on a server of the tournament? O(servers m + running tasks of the job).
  bool batch_fits_in(TournamentId tournament, std::uint32_t job, const OpenServers& open) const;

  /// Keys and tournaments as of this time: to be called before next(). O(1) unless something is stale.
  void refresh(Time now) {
    shares_.refresh_usage(now);
    if (shares_.are_stale) refresh_order();
  }

  // What has happened.
  void queue_waits(std::uint32_t queue);  ///< with its first task, or its first one again
  void queue_left(std::uint32_t queue);   ///< its last waiting task was cancelled
  /// Its oldest job is another.
  void queue_changed(std::uint32_t queue) { ready_.rekey(std::span(&queue, 1)); }
  /// Its weight, its use, or the oldest job of one of its queues.
  void user_changed(std::uint32_t user) { ready_.rekey(ledger_.users[user].queues); }
  void task_placed(Entry entry) {
    const QueueRow& queue = ledger_.queues[entry.queue];
    if (queue.first_job == kNone && ready_.holds(entry.queue)) ready_.leave(entry.queue);
    user_changed(queue.user);
  }
  void batch_placed(Entry entry);  ///< the last task of a job with terms, after task_placed()
  void task_ended(std::uint32_t user, std::uint32_t task_class, std::uint32_t server);
  void room_released(std::uint32_t server) { released_.add(server); }
  void server_removed(std::uint32_t server) { released_.forget(server); }
  void servers_changed() { ready_.retry_constrained(); }  ///< those that take tasks, or their capacities

  // For the restorer: all queues of the ledger that wait enter, and task classes are parked again.
  void enter_all();
  void park(std::uint32_t task_class, TournamentId tournament) { ready_.park(task_class, tournament); }

 private:
  std::optional<Dispatch> find_batch(Entry entry, Random& random);
  std::optional<std::uint32_t> find_among(const std::vector<ServerSet>& servers, std::uint32_t task_class,
                                          Random& random);
  void write_alternatives(std::uint32_t task_class, TournamentId tournament);
  std::vector<ServerSet> first_of_batch(const GangFeasibility& gang, std::int64_t batch,
                                        std::uint32_t task_class, TournamentId tournament) const;
  std::optional<Entry> next_on_released();
  void retry_what_fits_on_released();
  void retry_constrained(std::uint32_t task_class, std::uint32_t server);
  void refresh_order();
  bool may_serve(TournamentId tournament, std::uint32_t task_class, std::uint32_t server) const {
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
