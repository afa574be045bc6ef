#pragma once

#include <compare>
#include <cstdint>
#include <deque>
#include <functional>
#include <gmpxx.h>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include <mirab/model/time.hpp>
#include <mirab/scheduling/engine.hpp>

#include "scheduling/order/disciplines.hpp"
#include "scheduling/starvation/reservations.hpp"
#include "scheduling/starvation/rights.hpp"

namespace mirab::scheduling {

/// Tasks of one server that end so that another one fits there.
struct Victims {
  ServerIndex server;
  std::vector<TaskIndex> tasks;  ///< in the order in which they are taken
  std::vector<Right> rights;     ///< of each
  LossBand last;                 ///< of the last of them, which is the highest
  std::int64_t priority;         ///< the highest of their jobs
  mpq_class work;                ///< of their turns, all together: ns times parts of the pool; 0 in a tree
  KeysFromTop poorest;           ///< Rights::poorest
};

/// Of those on the servers that have been looked at.
struct BestVictims {
  std::optional<Victims> of_all;
  std::set<UserIndex> users;                             ///< whose they are; kept where there are priorities
  std::map<std::set<UserIndex>, Victims> of_users = {};  ///< of those that take from the same; likewise
};

/// Finds tasks that may end for others, as things stand. See preemption.cpp.
class VictimSearch {
 public:
  /// Requires the ledger, the rights and the tasks that are spared to stay as they are.
  VictimSearch(const Ledger& ledger, Rights& rights, const std::set<TaskIndex>& spared, Time now)
      : ledger_(ledger), rights_(rights), spared_(spared), now_(now) {}

  /// May some task end for one of the queue? False only when none may.
  bool may_gain(QueueIndex queue) const { return rights_.may_gain(queue); }

  /// Which of two users stands lower.
  std::weak_ordering standing_order(UserIndex a, UserIndex b) const { return rights_.standing_order(a, b); }

  /// The victims for the next task of the queue, at most this many, on servers that it may use. O(jobs, tasks
  /// that may end, and servers m), and for the tasks of servers where there would be room without all that
  /// may end some O(log tasks of a server) rationals; in a tree O(tasks depth m) for each that is taken.
  std::optional<Victims> find(QueueIndex queue, std::int64_t max_tasks,
                              const std::function<bool(ServerIndex server)>& may_use);
  /// The same on these servers alone. O(their tasks) instead of O(jobs and servers).
  std::optional<Victims> find_on(std::span<const ServerIndex> servers, QueueIndex queue,
                                 std::int64_t max_tasks,
                                 const std::function<bool(ServerIndex server)>& may_use);

  /// Would there have been victims, had they not been too many?
  bool found_too_many() const { return found_too_many_; }

  /// Of a search that found nothing: before this time, while nothing else changes, another one finds nothing
  /// either. Time::max() when no time changes that.
  Time next_order() const { return next_order_; }

 private:
  mpq_class work_rate(std::span<const std::int64_t> demand) const;
  const mpq_class& work_of(TaskIndex task);
  Loss loss_of(TaskIndex task, std::size_t place);
  bool can_spare(JobIndex job, std::int64_t tasks) const;
  IndexedAmounts<ServerIndex> room_if_all_end();
  std::vector<Loss> losses_on(ServerIndex server, std::span<const std::int64_t> demand);
  std::vector<Turn> turns_of(const std::vector<Loss>& losses, UserIndex user) const;
  bool in_tree() const { return ledger_.has_tree(); }
  void note_next_order(const std::vector<Loss>& losses);
  void consider(ServerIndex server, const Gain& gain, std::int64_t max_tasks, BestVictims& best);
  bool begin(QueueIndex queue, const DemandAlternative& alternative, Gain& gain);
  static std::optional<Victims> best_of(BestVictims best, bool has_priorities);

  const Ledger& ledger_;
  Rights& rights_;
  const std::set<TaskIndex>& spared_;
  Time now_;
  std::unordered_map<TaskIndex, mpq_class> works_;       // of tasks that have been asked about
  std::optional<IndexedAmounts<ServerIndex>> balances_;  // of all servers, once it is asked for
  bool found_too_many_ = false;
  Time next_order_ = Time::max();
};

/// A queue whose next task may be placed by force.
struct PreemptionCandidate {
  QueueIndex queue;
  Victims victims;  ///< who lose tasks to it
};

/// What the policy looks at.
struct PreemptionView {
  const WaitingQueues& waiting;
  const TournamentRules& tournaments;
  Precedence precedence;
  Blocking blocking;
  const OpenServers& open;
  const Reservations& reservations;  ///< none without the option
  const std::set<TaskIndex>&
      spared;  ///< tasks that are not preempted: they started on a server kept for them
};

/// What has changed since a search that found nothing: only there another one may find something.
struct Unsearched {
  std::vector<UserIndex> users;      ///< whose jobs came
  std::vector<ServerIndex> servers;  ///< of tasks that had just started, and may end now; ascending
};

/// Which tasks to end for which queue, how many more may end, and whether it is worth a search. The rule
/// itself: preemption.cpp.
class PreemptionPolicy {
 public:
  explicit PreemptionPolicy(Preempting rule) : rule_(rule) {}

  /// Which tasks should end for which queue at this time; nothing when none should. Requires that nothing
  /// else can be placed. Remembers a search that found nothing.
  std::optional<PreemptionCandidate> intend(const PreemptionView& view, Time now);

  /// Until when a search would find what the latest one found, while nothing happens; nothing: without end.
  std::optional<Time> next_by_time() const {
    if (!is_futile_) return Time::min();
    return again_ == Time::max() ? std::nullopt : std::optional(again_);
  }

  /// Did the budget stand in the way of the latest search, or keep it from being made?
  bool is_stopped_by_budget() const { return is_futile_ && is_over_budget_; }
  /// The same policy as if this were the budget, none of it were used, and nothing had been searched: for a
  /// question.
  PreemptionPolicy with_budget(std::int64_t tasks) const;
  /// How many may end now: with those that ended in the time `per` up to now no more than `tasks`. What is
  /// older is forgotten. O(1) amortised.
  std::int64_t left(Time now);
  /// When the budget allows this number of tasks, if no other ends before; nothing: never. O(tasks ended
  /// lately).
  std::optional<Time> when_allowed(std::int64_t tasks, Time now) const;

  // What has happened.
  void event_happened() {
    tasks_changed();
    keys_.all_changed();
  }
  /// An event that changes tasks only: of which users it tells.
  void tasks_changed() {
    something_changed();
    started_.event_happened();
  }
  /// An event by which a job comes, and nothing else changes: no largest demand, no kind of task.
  void job_comes(const Ledger& ledger, UserIndex user);
  void user_changed(UserIndex user) { keys_.user_changed(user); }
  void something_changed() {
    is_futile_ = false;
    unsearched_.reset();
  }
  void task_started(TaskIndex task) {
    something_changed();
    started_.started(task);
  }
  void task_ended(TaskIndex task) { started_.ended(task); }
  void ended(std::int64_t tasks, Time now);  ///< this number, for another one

  /// What a snapshot keeps.
  struct Memory {
    std::deque<std::pair<Time, std::int64_t>> ended = {};  ///< when, and how many tasks then
    bool is_futile = false;
    Time again = {};
    std::vector<TaskIndex> started = {};  ///< since the latest event, by their numbers
  };
  Memory memory() const {
    return {.ended = ended_, .is_futile = is_futile_, .again = again_, .started = started_.all()};
  }
  void set_memory(Memory memory);  ///< requires times in order and tasks above 0, no more than the rule says

 private:
  Time end_of_window(Time ended) const;

  /// Nothing was found, and nothing will be until something changes, or until the tasks that may end come in
  /// another order; or, where the victims would have been too many, until some more may end.
  void found_nothing(Time next_order) {
    again_ = next_order;
    is_futile_ = true;
    is_over_budget_ = false;
  }
  void found_too_many(Time next_order);

  Preempting rule_;
  std::deque<std::pair<Time, std::int64_t>> ended_;
  std::int64_t recent_ = 0;  // Σ of those
  bool is_futile_ = false;
  Time again_ = {};                       // when it is futile: until then
  bool is_over_budget_ = false;           // when it is futile: may it be for the budget?
  std::optional<Unsearched> unsearched_;  // nothing: everything
  StartedTasks started_;
  KeysOfUsers keys_;
};

/// Errors: a number of tasks or a time that is not above 0.
Check check(const Preempting& rule);

}  // namespace mirab::scheduling
