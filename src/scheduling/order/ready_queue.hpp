#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <mirab/model/random.hpp>

#include "scheduling/ledger/columns.hpp"
#include "scheduling/order/disciplines.hpp"
#include "scheduling/order/share_context.hpp"
#include "scheduling/order/tournament.hpp"

namespace mirab::scheduling {

/// The servers on which something was freed since the task classes that are parked were last tried there.
class ReleasedServers {
 public:
  void add(ServerIndex server) {
    is_released_.cover(server, false);
    if (is_released_[server]) return;
    is_released_[server] = true;
    servers_.push_back(server);
  }

  bool contains(ServerIndex server) const { return is_released_.holds(server) && is_released_[server]; }
  bool empty() const { return servers_.empty(); }
  std::size_t size() const { return servers_.size(); }
  ServerIndex operator[](std::size_t index) const { return servers_[index]; }

  /// The last one takes its index. O(1).
  void drop(std::size_t index) {
    is_released_[servers_[index]] = false;
    servers_[index] = servers_.back();
    servers_.pop_back();
  }

  /// The server is gone. O(size).
  void forget(ServerIndex server) {
    const auto at = std::find(servers_.begin(), servers_.end(), server);
    if (at != servers_.end()) drop(static_cast<std::size_t>(at - servers_.begin()));
  }

 private:
  std::vector<ServerIndex> servers_;
  IndexedVector<ServerIndex, bool> is_released_;
};

/// The task classes of a tournament whose tasks fit nowhere, until something is freed: laid out so that those
/// that fit into what was freed, and of these the one that is next, are found without looking at each.
class UnschedulableClasses {
 public:
  using Place = Index<UnschedulableClasses>;

  explicit UnschedulableClasses(std::size_t resources) : amounts_(resources), rows_(resources) {}

  std::size_t size() const { return task_classes_.size(); }
  Indices<Place> places() const { return task_classes_.indices(); }
  TaskClassIndex task_class(Place at) const { return task_classes_[at]; }
  TaskClassIndex last() const { return task_classes_.back(); }
  double key(Place at) const { return keys_[at]; }
  void set_key(Place at, double key) { keys_[at] = key; }

  /// `least` is what a task of the task class takes at the least, [m]. O(m) amortised.
  Place add(TaskClassIndex task_class, double key, std::span<const std::int64_t> least);

  /// The task class that stands there goes, and the last one takes its place. O(m).
  void remove(Place at);

  /// Visits, in no particular order, all places whose task classes may fit into what is free, and some
  /// others. O(size m), many at once.
  template <class Visit>
  void for_each_that_may_fit(std::span<const std::int64_t> free, Visit visit) const {
    rows_.any(rows_.at_most(free), 0, nullptr, [&](std::size_t at) {
      visit(Place(static_cast<std::uint32_t>(at)));
      return false;
    });
  }

 private:
  IndexedVector<Place, TaskClassIndex> task_classes_;
  IndexedVector<Place, double> keys_;
  IndexedAmounts<Place> amounts_;
  Columns rows_;
};

/// Who is next: the queues with waiting tasks in the order of their keys, in every tournament that they
/// enter.
///
/// Queues of one task class stand together, since their tasks fit or do not fit together: a task class that
/// fits nowhere in a tournament is parked there with all its queues in O(log task classes), however many they
/// are, and is looked at again when something is freed. So there are two rounds of tournaments, first among
/// the queues of a task class, then among the task classes of a tournament of the discipline.
class ReadyQueue {
 public:
  /// Requires the share context to outlive the ready queue.
  ReadyQueue(const Discipline& discipline, Tie tie, const ShareContext& context)
      : discipline_(&discipline), tie_(tie), context_(&context) {}

  /// The queue, of a task class with these tournaments, has waiting tasks from now on. O(tournaments log N).
  void enter(QueueIndex queue, std::vector<TournamentId> tournaments);
  void leave(QueueIndex queue);

  bool holds(QueueIndex queue) const { return places_.holds(queue) && places_[queue] != kNone; }

  /// Of a queue that waits.
  const std::vector<TournamentId>& tournaments_of(QueueIndex queue) const {
    return members_[context_->ledger.queues[queue].task_class].tournaments;
  }

  /// The keys of some queues may have changed; those that do not wait are passed over. O(tournaments log N)
  /// each.
  void rekey(std::span<const QueueIndex> queues);

  /// All keys may have changed. O(tournaments N).
  void rekey_all();

  /// A queue with the lowest key of those not parked. Draws one number when the tie is random and there is
  /// one. O(tournaments); with random ties O(tournaments + users that tie).
  std::optional<Entry> next(Random& random) const;

  /// Is a served before b? A strict order.
  bool before(Entry a, Entry b) const { return precedence().before(keyed(a), keyed(b)); }

  /// The first of the task class's queues in the tournament. Requires that some wait.
  Entry first(TaskClassIndex task_class, TournamentId tournament) const {
    return {.queue = bracket_of(tournament).of_class[task_class].first, .tournament = tournament};
  }

  void park(TaskClassIndex task_class, TournamentId tournament);
  void retry(TaskClassIndex task_class, TournamentId tournament);

  /// The task class is brought back from every tournament in which it is parked. O(tournaments).
  void retry(TaskClassIndex task_class);

  /// Is a task class with terms parked anywhere?
  bool has_constrained_parked() const { return parked_constrained_count_ > 0; }

  /// All with terms are brought back. O(those parked with terms).
  void retry_constrained();

  /// Of those with terms, and tasks that may fit into what is free, all that pass the test are brought back.
  template <class Fits>
  void retry_constrained_if(std::span<const std::int64_t> free, Fits fits) {
    for_each_tournament([&](TournamentId tournament) {
      const UnschedulableClasses& parked = bracket_of(tournament).parked_constrained;
      std::vector<TaskClassIndex> back;
      parked.for_each_that_may_fit(free, [&](UnschedulableClasses::Place place) {
        if (fits(parked.task_class(place))) back.push_back(parked.task_class(place));
      });
      for (const TaskClassIndex task_class : back) retry(task_class, tournament);
    });
  }

  bool is_parked(TaskClassIndex task_class, TournamentId tournament) const;
  std::vector<TaskClassIndex> parked(TournamentId tournament) const;  ///< the task classes, in order

  /// Does a queue of the task class wait in the tournament?
  bool waits(TaskClassIndex task_class, TournamentId tournament) const {
    return is_there(tournament) && bracket_of(tournament).of_class.holds(task_class) &&
           !bracket_of(tournament).of_class[task_class].queues.empty();
  }

  /// Of the task classes without terms that are parked in the tournament and pass the test, all with tasks
  /// that may fit into what is free, the first one's first queue. `fits(task class)` is asked as seldom as
  /// possible.
  template <class Fits>
  std::optional<Entry> next_parked(TournamentId tournament, std::span<const std::int64_t> free,
                                   Fits fits) const {
    const Bracket& bracket = bracket_of(tournament);
    const Precedence precedence = this->precedence();
    std::optional<Keyed> next;
    bracket.parked.for_each_that_may_fit(free, [&](UnschedulableClasses::Place at) {
      const double key = bracket.parked.key(at);
      if (next && key > next->key * (1 + kRounding)) return;
      const TaskClassIndex task_class = bracket.parked.task_class(at);
      const Keyed here{.entry = {.queue = bracket.of_class[task_class].first, .tournament = tournament},
                       .key = key};
      if ((!next || precedence.before(here, *next)) && fits(task_class)) next = here;
    });
    return next ? std::optional(next->entry) : std::nullopt;
  }

  /// Brings back all task classes without terms that are parked in the tournament and pass the test. O(those
  /// set parked).
  template <class Fits>
  void retry_if(TournamentId tournament, Fits fits) {
    for (std::size_t at = bracket_of(tournament).parked.size(); at-- > 0;) {
      const TaskClassIndex task_class =
          bracket_of(tournament)
              .parked.task_class(UnschedulableClasses::Place(static_cast<std::uint32_t>(at)));
      if (fits(task_class)) retry(task_class, tournament);
    }
  }

  /// Visits the tournaments that there are: all, or those of one place.
  template <class Visit>
  void for_each_tournament(Visit visit) const {
    for (const AlternativeIndex alternative : brackets_.indices()) {
      for (const PlaceIndex place : brackets_[alternative].indices())
        visit(TournamentId{.place = place, .alternative = alternative});
    }
  }
  template <class Visit>
  void for_each_tournament(std::optional<PlaceIndex> place, Visit visit) const {
    if (!place) return for_each_tournament(visit);
    for (const AlternativeIndex alternative : brackets_.indices()) {
      if (brackets_[alternative].holds(*place))
        visit(TournamentId{.place = *place, .alternative = alternative});
    }
  }

 private:
  using MemberIndex = Index<struct MemberTag>;  // of a queue in its task class

  struct OfClass {
    Tournament<MemberIndex> queues;
    UnschedulableClasses::Place parked_at = kNone;
    QueueIndex first = kNone;  // the first of its queues
    double first_key = 0;      // and that one's key
  };
  struct Bracket {
    explicit Bracket(std::size_t resources) : parked(resources), parked_constrained(resources) {}
    Tournament<TaskClassIndex> task_classes;
    IndexedVector<TaskClassIndex, OfClass> of_class;
    IndexedVector<QueueIndex, double> keys;
    UnschedulableClasses parked;  // without terms: what is freed on a server helps them there alone
    UnschedulableClasses parked_constrained;  // with terms
  };
  struct Members {
    IndexedVector<MemberIndex, QueueIndex> queues;
    std::vector<MemberIndex> vacant;
    std::vector<TournamentId> tournaments;
    std::uint32_t waiting = 0;
  };

  Bracket& bracket_of(TournamentId id) { return brackets_[id.alternative][id.place]; }
  const Bracket& bracket_of(TournamentId id) const { return brackets_[id.alternative][id.place]; }
  bool is_there(TournamentId id) const {
    return brackets_.holds(id.alternative) && brackets_[id.alternative].holds(id.place);
  }

  auto before_in_class(TaskClassIndex task_class, TournamentId tournament) const {
    return [this, &queues = members_[task_class].queues, &keys = bracket_of(tournament).keys, tournament](
               MemberIndex a, MemberIndex b) {
      const auto keyed = [&](MemberIndex place) {
        return Keyed{.entry = {.queue = queues[place], .tournament = tournament}, .key = keys[queues[place]]};
      };
      return precedence().before(keyed(a), keyed(b));
    };
  }
  auto before_in_tournament(TournamentId tournament) const {
    return
        [this, &of_class = bracket_of(tournament).of_class, tournament](TaskClassIndex a, TaskClassIndex b) {
          const auto keyed = [&](TaskClassIndex task_class) {
            return Keyed{.entry = {.queue = of_class[task_class].first, .tournament = tournament},
                         .key = of_class[task_class].first_key};
          };
          return precedence().before(keyed(a), keyed(b));
        };
  }
  Precedence precedence() const { return {.discipline = discipline_, .tie = tie_, .context = context_}; }
  Keyed keyed(Entry entry) const {
    return {.entry = entry, .key = bracket_of(entry.tournament).keys[entry.queue]};
  }
  /// Are the keys equal, whatever the tie rule?
  bool ties(Entry a, Entry b) const { return precedence().ties(keyed(a), keyed(b)); }
  Entry drawn_from_tied(Entry lowest, Random& random) const;
  void set_key(QueueIndex queue, TournamentId tournament);
  void replay(QueueIndex queue, TournamentId tournament);
  void set_first(TaskClassIndex task_class, TournamentId tournament);
  UnschedulableClasses& parked_of(TaskClassIndex task_class, TournamentId tournament) {
    Bracket& bracket = bracket_of(tournament);
    return context_->ledger.task_classes.terms(task_class) == nullptr ? bracket.parked
                                                                      : bracket.parked_constrained;
  }
  void set_parked_key(TaskClassIndex task_class, TournamentId tournament);
  void remove_parked(TaskClassIndex task_class, TournamentId tournament);

  const Discipline* discipline_;
  Tie tie_;
  const ShareContext* context_;
  IndexedVector<AlternativeIndex, IndexedVector<PlaceIndex, Bracket>> brackets_;
  std::size_t parked_constrained_count_ = 0;  // in all tournaments
  IndexedVector<TaskClassIndex, Members> members_;
  IndexedVector<QueueIndex, MemberIndex> places_;  // kNone when it does not wait
};

}  // namespace mirab::scheduling
