#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <mirab/model/random.hpp>

#include "scheduling/order/bracket.hpp"
#include "scheduling/order/disciplines.hpp"
#include "scheduling/order/share_context.hpp"
#include "scheduling/order/waiting_queues.hpp"

namespace mirab::scheduling {

/// Who is next: the queues with waiting tasks in the order of their keys, in every tournament that they
/// enter, and the task classes that are parked there because they fit nowhere.
class ReadyQueue {
 public:
  /// Requires what the precedence points to to outlive the ready queue.
  explicit ReadyQueue(const Precedence& precedence) : precedence_(precedence) {
    precedence_.waiting = &waiting_.by_place();
  }
  /// A copy that looks at another context, whose ledger has the same rows.
  ReadyQueue(const ReadyQueue& other, const ShareContext& context)
      : precedence_(other.precedence_),
        waiting_(other.waiting_),
        brackets_(other.brackets_),
        keeps_order_(other.keeps_order_) {
    precedence_.context = &context;
    precedence_.waiting = &waiting_.by_place();
  }
  ReadyQueue(const ReadyQueue&) = delete;
  ReadyQueue& operator=(const ReadyQueue&) = delete;

  const WaitingQueues& waiting() const { return waiting_; }

  /// While there is a tree (descent.hpp) it keeps only who waits, and in which tournaments: there are no keys
  /// of users alone. When there is none any more, all that wait play, and none is parked. O(queues).
  void keep_order(bool keeps);
  bool keeps_order() const { return keeps_order_; }

  /// The queue, of a task class with these tournaments, has waiting tasks from now on. O(tournaments log N).
  void enter(QueueIndex queue, std::vector<TournamentId> tournaments);
  void leave(QueueIndex queue);

  /// The keys of these queues of one user may have changed; those that do not wait are passed over. A key for
  /// each, or one for all where entries of a user have the same, and O(tournaments log N) matches for each.
  void rekey(std::span<const QueueIndex> queues);

  /// All keys may have changed. O(tournaments N).
  void rekey_all();

  /// A queue with the lowest key of those not parked. Draws one number when the tie is random and there is
  /// one. O(tournaments); with random ties O(tournaments + k log N), k the entries of queues that tie.
  std::optional<Keyed> next(Random& random) const;

  void park(TaskClassIndex task_class, TournamentId tournament) {
    bracket_of(tournament).park(order(), task_class);
  }

  /// The task class is brought back from every tournament in which it is parked. O(tournaments).
  void retry(TaskClassIndex task_class);

  /// Brings back all task classes without terms that are parked in the tournament and pass the test. O(those
  /// parked).
  template <class Fits>
  void retry_if(TournamentId tournament, Fits fits);

  /// All with terms are brought back. O(tournaments + those parked with terms).
  void retry_constrained();

  /// Of those with terms, and tasks that may fit into what is free, all that pass the test are brought back.
  template <class Fits>
  void retry_constrained_if(std::span<const std::int64_t> free, Fits fits);

  /// Of the task classes without terms that are parked in the tournament and pass the test, the first queue
  /// whose tasks may fit into what is free: see Bracket.
  template <class Fits>
  std::optional<Keyed> next_parked(TournamentId tournament, std::span<const std::int64_t> free,
                                   Fits fits) const {
    return bracket_of(tournament).next_parked(order(), free, fits);
  }

  /// Nothing where no queue ever entered the tournament.
  const Bracket* bracket(TournamentId id) const {
    const bool is_there = brackets_.holds(id.alternative) && brackets_[id.alternative].holds(id.place);
    return is_there ? &bracket_of(id) : nullptr;
  }

  /// Visits the tournaments that there are: all, or those of one place.
  template <class Visit>
  void for_each_tournament(Visit visit) const;
  template <class Visit>
  void for_each_tournament(std::optional<PlaceIndex> place, Visit visit) const;

 private:
  Bracket& bracket_of(TournamentId id) { return brackets_[id.alternative][id.place]; }
  const Bracket& bracket_of(TournamentId id) const { return brackets_[id.alternative][id.place]; }
  Order order() const { return {.precedence = precedence_, .waiting = waiting_}; }
  TaskClassIndex task_class_of(QueueIndex queue) const {
    return precedence_.context->ledger.queues[queue].task_class;
  }
  void play(QueueIndex queue);
  void set_keys(QueueIndex queue, std::optional<double>& of_user);
  Keyed drawn_from_tied(Keyed lowest, Random& random) const;

  Precedence precedence_;
  WaitingQueues waiting_;
  IndexedVector<AlternativeIndex, IndexedVector<PlaceIndex, Bracket>> brackets_;
  bool keeps_order_ = true;
};

template <class Fits>
void ReadyQueue::retry_if(TournamentId tournament, Fits fits) {
  Bracket& bracket = bracket_of(tournament);
  for (std::size_t left = bracket.parked().size(); left-- > 0;) {
    const UnschedulableClasses::Place at(static_cast<std::uint32_t>(left));
    const TaskClassIndex task_class = bracket.parked().task_class(at);
    if (fits(task_class)) bracket.retry(order(), task_class);
  }
}

template <class Fits>
void ReadyQueue::retry_constrained_if(std::span<const std::int64_t> free, Fits fits) {
  for_each_tournament([&](TournamentId tournament) {
    Bracket& bracket = bracket_of(tournament);
    const UnschedulableClasses& parked = bracket.parked_constrained();
    if (parked.size() == 0) return;
    std::vector<TaskClassIndex> back;
    parked.for_each_that_may_fit(free, [&](UnschedulableClasses::Place at) {
      if (fits(parked.task_class(at))) back.push_back(parked.task_class(at));
    });
    for (const TaskClassIndex task_class : back) bracket.retry(order(), task_class);
  });
}

template <class Visit>
void ReadyQueue::for_each_tournament(Visit visit) const {
  for (const AlternativeIndex alternative : brackets_.indices()) {
    for (const PlaceIndex place : brackets_[alternative].indices())
      visit(TournamentId{.place = place, .alternative = alternative});
  }
}

template <class Visit>
void ReadyQueue::for_each_tournament(std::optional<PlaceIndex> place, Visit visit) const {
  if (!place) return for_each_tournament(visit);
  for (const AlternativeIndex alternative : brackets_.indices()) {
    if (brackets_[alternative].holds(*place))
      visit(TournamentId{.place = *place, .alternative = alternative});
  }
}

}  // namespace mirab::scheduling
