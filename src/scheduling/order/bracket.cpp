// The queues with waiting tasks in the order of their keys, and the task classes that fit nowhere at present:
// in one tournament.
#include "scheduling/order/bracket.hpp"

#include <algorithm>

namespace mirab::scheduling {

void WaitingQueues::enter(QueueIndex queue, TaskClassIndex task_class,
                          std::vector<TournamentId> tournaments) {
  classes_.cover(task_class);
  members_.cover(queue);
  OfClass& of_class = classes_[task_class];
  MIRAB_ASSERT(members_[queue] == kNone, "a queue that waits already enters");
  if (of_class.vacant.empty()) {
    members_[queue] = of_class.queues.push_back(queue);
  } else {
    members_[queue] = of_class.vacant.back();
    of_class.vacant.pop_back();
    of_class.queues[members_[queue]] = queue;
  }
  ++of_class.waiting;
  of_class.tournaments = std::move(tournaments);
  by_place_.enter(of_class.tournaments);
}

void WaitingQueues::leave(QueueIndex queue, TaskClassIndex task_class) {
  OfClass& of_class = classes_[task_class];
  by_place_.leave(of_class.tournaments);
  --of_class.waiting;
  of_class.vacant.push_back(members_[queue]);
  members_[queue] = kNone;
}

void LeastAmounts::set(std::size_t row, std::span<const std::int64_t> least,
                       std::span<const std::int64_t> bound) {
  if (row >= is_set_.size()) {
    is_set_.resize(row + 1, false);
    amounts_.resize(row + 1);
  }
  is_set_[row] = true;
  std::copy(least.begin(), least.end(), amounts_[Row(number(row))].begin());
  bool changed = false;
  for (std::size_t r = 0; r < least.size(); ++r) {
    if (rows_.refine(r, bound[r])) changed = true;
    if (rows_.cover(r, std::min(least[r], bound[r]))) changed = true;
  }
  if (!changed) return rows_.set(row, amounts_[Row(number(row))]);
  for (std::size_t each = 0; each < is_set_.size(); ++each) {
    if (is_set_[each]) rows_.set(each, amounts_[Row(number(each))]);
  }
}

void LeastAmounts::clear(std::size_t row) {
  is_set_[row] = false;
  rows_.clear(row);
}

void LeastAmounts::move(std::size_t from, std::size_t to) {
  const std::span<const std::int64_t> least = amounts_[Row(number(from))];
  std::copy(least.begin(), least.end(), amounts_[Row(number(to))].begin());
  rows_.set(to, least);
  clear(from);
}

Amounts least(std::span<const DemandAlternative> alternatives) {
  Amounts least = alternatives.front().demand;
  for (const DemandAlternative& alternative : alternatives.subspan(1)) {
    for (std::size_t r = 0; r < least.size(); ++r) least[r] = std::min(least[r], alternative.demand[r]);
  }
  return least;
}

UnschedulableClasses::Place UnschedulableClasses::add(TaskClassIndex task_class, double key,
                                                      std::span<const std::int64_t> least,
                                                      std::span<const std::int64_t> bound) {
  const Place at = task_classes_.push_back(task_class);
  keys_.push_back(key);
  rows_.set(at.number(), least, bound);
  return at;
}

void UnschedulableClasses::remove(Place at) {
  const Place last = task_classes_.last_index();
  if (at != last) {
    task_classes_[at] = task_classes_[last];
    keys_[at] = keys_[last];
    rows_.move(last.number(), at.number());
  } else {
    rows_.clear(last.number());
  }
  task_classes_.pop_back();
  keys_.pop_back();
}

namespace {

TaskClassIndex task_class_of(const Order& order, QueueIndex queue) {
  return order.precedence.context->ledger.queues[queue].task_class;
}

}  // namespace

/// Also where the task class is parked.
void Bracket::find_first(const Order& order, TaskClassIndex task_class) {
  OfClass& of_class = classes_[task_class];
  of_class.first = order.waiting.queues(task_class)[of_class.queues.winner()];
  of_class.first_key = keys_[of_class.first];
  if (of_class.parked_at != kNone)
    parked_of(order, task_class).set_key(of_class.parked_at, of_class.first_key);
}

/// Who comes first in the task class is known again; so is the task class's place among the others.
void Bracket::set_first(const Order& order, TaskClassIndex task_class) {
  find_first(order, task_class);
  if (!is_parked(task_class)) task_classes_.play(task_class, before_in_tournament(order));
}

void Bracket::set_key(QueueIndex queue, double key) {
  keys_.cover(queue);
  keys_[queue] = key;
}

void Bracket::play(const Order& order, QueueIndex queue) {
  const TaskClassIndex task_class = task_class_of(order, queue);
  classes_.cover(task_class);
  classes_[task_class].queues.play(order.waiting.member(queue), before_in_class(order, task_class));
  set_first(order, task_class);
}

void Bracket::leave(const Order& order, QueueIndex queue) {
  const TaskClassIndex task_class = task_class_of(order, queue);
  classes_[task_class].queues.leave(order.waiting.member(queue), before_in_class(order, task_class));
  if (waits(task_class)) return set_first(order, task_class);
  unpark(order, task_class);
  task_classes_.leave(task_class, before_in_tournament(order));
}

void Bracket::play_all(const Order& order) {
  for (const TaskClassIndex task_class : classes_.indices()) {
    if (!waits(task_class)) continue;
    classes_[task_class].queues.play_all(before_in_class(order, task_class));
    find_first(order, task_class);
  }
  task_classes_.play_all(before_in_tournament(order));
}

void Bracket::park(const Order& order, TaskClassIndex task_class) {
  OfClass& of_class = classes_[task_class];
  MIRAB_ASSERT(of_class.parked_at == kNone, "a task class is parked twice");
  const Ledger& ledger = order.precedence.context->ledger;
  of_class.parked_at =
      parked_of(order, task_class)
          .add(task_class, of_class.first_key, least(ledger.task_classes.alternatives(task_class)),
               ledger.server_pool.capacity_bound());
  task_classes_.leave(task_class, before_in_tournament(order));
}

void Bracket::unpark(const Order& order, TaskClassIndex task_class) {
  UnschedulableClasses::Place& at = classes_[task_class].parked_at;
  if (at == kNone) return;
  UnschedulableClasses& parked = parked_of(order, task_class);
  classes_[parked.last()].parked_at = at;
  parked.remove(at);
  at = kNone;
}

void Bracket::retry(const Order& order, TaskClassIndex task_class) {
  unpark(order, task_class);
  task_classes_.play(task_class, before_in_tournament(order));
}

}  // namespace mirab::scheduling
