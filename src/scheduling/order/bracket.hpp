#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "scheduling/ledger/columns.hpp"
#include "scheduling/order/disciplines.hpp"
#include "scheduling/order/tournament.hpp"
#include "scheduling/order/waiting_queues.hpp"

namespace mirab::scheduling {

/// What tasks take at the least, laid out so that those that may fit into what is free are found without
/// looking at each.
class LeastAmounts {
 public:
  explicit LeastAmounts(std::size_t resources) : amounts_(resources), rows_(resources) {}

  /// A row is new, or another. No server has more than `bound`: tasks that take more look alike, and make
  /// amounts that servers have no coarser. [m] O(m) amortised; O(rows m) when the bound is another.
  void set(std::size_t row, std::span<const std::int64_t> least, std::span<const std::int64_t> bound);
  void clear(std::size_t row);
  void move(std::size_t from, std::size_t to);  ///< in place of the one that is there
  std::span<const std::int64_t> operator[](std::size_t row) const { return amounts_[Row(number(row))]; }

  /// Visits, in order, all rows whose tasks may fit into what is free, and some others. O(rows m), many at
  /// once.
  template <class Visit>
  void for_each_that_may_fit(std::span<const std::int64_t> free, Visit visit) const {
    rows_.any(rows_.at_most(free), 0, nullptr, [&](std::size_t row) {
      visit(row);
      return false;
    });
  }

 private:
  using Row = Index<LeastAmounts>;
  static std::uint32_t number(std::size_t row) { return static_cast<std::uint32_t>(row); }

  std::vector<bool> is_set_;  // [row]
  IndexedAmounts<Row> amounts_;
  Columns rows_;
};

/// What a task takes at the least, whichever way it runs. [m] O(m alternatives).
Amounts least(std::span<const DemandAlternative> alternatives);

/// The task classes of a tournament whose tasks fit nowhere, until something is freed: so that of those that
/// fit into what was freed the one that is next is found without looking at each.
class UnschedulableClasses {
 public:
  using Place = Index<UnschedulableClasses>;

  explicit UnschedulableClasses(std::size_t resources) : rows_(resources) {}

  std::size_t size() const { return task_classes_.size(); }
  Indices<Place> places() const { return task_classes_.indices(); }
  TaskClassIndex task_class(Place at) const { return task_classes_[at]; }
  TaskClassIndex last() const { return task_classes_.back(); }
  double key(Place at) const { return keys_[at]; }
  void set_key(Place at, double key) { keys_[at] = key; }

  /// As LeastAmounts::set.
  Place add(TaskClassIndex task_class, double key, std::span<const std::int64_t> least,
            std::span<const std::int64_t> bound);

  /// The task class that stands there goes, and the last one takes its place. O(m).
  void remove(Place at);

  /// As LeastAmounts::for_each_that_may_fit, in no particular order.
  template <class Visit>
  void for_each_that_may_fit(std::span<const std::int64_t> free, Visit visit) const {
    rows_.for_each_that_may_fit(free,
                                [&](std::size_t row) { visit(Place(static_cast<std::uint32_t>(row))); });
  }

 private:
  IndexedVector<Place, TaskClassIndex> task_classes_;
  IndexedVector<Place, double> keys_;
  LeastAmounts rows_;
};

/// The servers on which something was freed since the task classes that are parked were last tried there.
class ReleasedServers {
 public:
  void add(ServerIndex server) {
    is_released_.cover(server);
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

/// Who waits, and who of two comes first: what brackets are played by.
struct Order {
  Precedence precedence;
  const WaitingQueues& waiting;
};

/// One tournament of the discipline: who is first in it, and which task classes are parked there.
///
/// There are two rounds, first among the queues of a task class, then among the task classes: one that fits
/// nowhere is parked with all its queues in O(log task classes), however many they are.
class Bracket {
 public:
  Bracket(TournamentId id, std::size_t resources)
      : id_(id), parked_(resources), parked_constrained_(resources) {}

  TournamentEntry entry(QueueIndex queue) const { return {.queue = queue, .tournament = id_}; }
  Keyed keyed(QueueIndex queue) const { return {.entry = entry(queue), .key = keys_[queue]}; }

  // The order.

  /// The queue's key, rounded, is this one; its matches are still to be played.
  void set_key(QueueIndex queue, double key);
  /// The queue is new, or its key. O(log N).
  void play(const Order& order, QueueIndex queue);
  void leave(const Order& order, QueueIndex queue);
  /// All keys may have changed: all matches are played again. O(N).
  void play_all(const Order& order);

  /// The first of all that are not parked; nothing when there is none.
  std::optional<Keyed> first() const {
    return task_classes_.empty() ? std::nullopt : std::optional(keyed(first_of(task_classes_.winner())));
  }
  /// The first of the task class's queues. Requires that some wait.
  QueueIndex first_of(TaskClassIndex task_class) const { return classes_[task_class].first; }

  /// Does a queue of the task class wait here?
  bool waits(TaskClassIndex task_class) const {
    return classes_.holds(task_class) && !classes_[task_class].queues.empty();
  }

  /// Visits the queues that are not parked and whose keys equal this one, which is the lowest here or lower.
  template <class Visit>
  void for_each_tied(const Order& order, Keyed lowest, Visit visit) const;

  // Who is parked.

  void park(const Order& order, TaskClassIndex task_class);
  void retry(const Order& order, TaskClassIndex task_class);
  bool is_parked(TaskClassIndex task_class) const { return classes_[task_class].parked_at != kNone; }

  /// Without terms: what is freed on a server helps them there alone. And with terms.
  const UnschedulableClasses& parked() const { return parked_; }
  const UnschedulableClasses& parked_constrained() const { return parked_constrained_; }

  /// Of the task classes without terms that are parked and pass the test, all with tasks that may fit into
  /// what is free, the first one's first queue. `fits(task class)` is asked as seldom as possible.
  template <class Fits>
  std::optional<Keyed> next_parked(const Order& order, std::span<const std::int64_t> free, Fits fits) const;

 private:
  struct OfClass {
    Tournament<WaitingQueues::Member> queues;
    UnschedulableClasses::Place parked_at = kNone;
    QueueIndex first = kNone;  // of its queues
    double first_key = 0;      // and that one's key
  };

  auto before_in_class(const Order& order, TaskClassIndex task_class) const {
    return [this, &order, &queues = order.waiting.queues(task_class)](WaitingQueues::Member a,
                                                                      WaitingQueues::Member b) {
      return order.precedence.before(keyed(queues[a]), keyed(queues[b]));
    };
  }
  auto before_in_tournament(const Order& order) const {
    return [this, &order](TaskClassIndex a, TaskClassIndex b) {
      const auto first = [&](TaskClassIndex task_class) {
        const OfClass& of_class = classes_[task_class];
        return Keyed{.entry = entry(of_class.first), .key = of_class.first_key};
      };
      return order.precedence.before(first(a), first(b));
    };
  }
  void find_first(const Order& order, TaskClassIndex task_class);
  void set_first(const Order& order, TaskClassIndex task_class);
  void unpark(const Order& order, TaskClassIndex task_class);
  UnschedulableClasses& parked_of(const Order& order, TaskClassIndex task_class) {
    const TaskClasses& task_classes = order.precedence.context->ledger.task_classes;
    return task_classes.terms(task_class) == nullptr ? parked_ : parked_constrained_;
  }

  TournamentId id_;
  Tournament<TaskClassIndex> task_classes_;
  IndexedVector<TaskClassIndex, OfClass> classes_;
  IndexedVector<QueueIndex, double> keys_;
  UnschedulableClasses parked_;
  UnschedulableClasses parked_constrained_;
};

template <class Visit>
void Bracket::for_each_tied(const Order& order, Keyed lowest, Visit visit) const {
  const auto ties = [&](QueueIndex queue) { return order.precedence.ties(keyed(queue), lowest); };
  task_classes_.for_each_tied([&](TaskClassIndex task_class) { return ties(first_of(task_class)); },
                              [&](TaskClassIndex task_class) {
                                const IndexedVector<WaitingQueues::Member, QueueIndex>& queues =
                                    order.waiting.queues(task_class);
                                classes_[task_class].queues.for_each_tied(
                                    [&](WaitingQueues::Member member) { return ties(queues[member]); },
                                    [&](WaitingQueues::Member member) { visit(queues[member]); });
                              });
}

template <class Fits>
std::optional<Keyed> Bracket::next_parked(const Order& order, std::span<const std::int64_t> free,
                                          Fits fits) const {
  std::optional<Keyed> next;
  parked_.for_each_that_may_fit(free, [&](UnschedulableClasses::Place at) {
    const double key = parked_.key(at);
    if (next && key > next->key * (1 + kRounding)) return;
    const TaskClassIndex task_class = parked_.task_class(at);
    const Keyed here{.entry = entry(first_of(task_class)), .key = key};
    if ((!next || order.precedence.before(here, *next)) && fits(task_class)) next = here;
  });
  return next;
}

}  // namespace mirab::scheduling
