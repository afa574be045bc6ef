// The queues with waiting tasks in the order of their keys, and the task classes that fit nowhere at present.
#include "scheduling/order/ready_queue.hpp"

#include <algorithm>

namespace mirab::scheduling {

void UnschedulableClasses::add(std::uint32_t task_class, double key, std::span<const std::int64_t> least) {
  const std::size_t at = size();
  task_classes_.push_back(task_class);
  keys_.push_back(key);
  amounts_.insert(amounts_.end(), least.begin(), least.end());
  bool coarser = false;
  for (std::size_t r = 0; r < resources_; ++r) coarser = rows_.cover(r, least[r]) || coarser;
  for (std::size_t row = coarser ? 0 : at; row <= at; ++row) rows_.set(row, amounts(row));
}

void UnschedulableClasses::remove(std::size_t at) {
  const std::size_t last = size() - 1;
  if (at != last) {
    task_classes_[at] = task_classes_[last];
    keys_[at] = keys_[last];
    std::copy_n(amounts_.begin() + static_cast<std::ptrdiff_t>(last * resources_), resources_,
                amounts_.begin() + static_cast<std::ptrdiff_t>(at * resources_));
    rows_.set(at, amounts(at));
  }
  rows_.clear(last);
  task_classes_.pop_back();
  keys_.pop_back();
  amounts_.resize(last * resources_);
}

namespace {

/// What a task of the task class takes at the least, whichever way it runs. [m]
Amounts least(std::span<const DemandAlternative> alternatives) {
  Amounts least = alternatives.front().demand;
  for (const DemandAlternative& alternative : alternatives.subspan(1)) {
    for (std::size_t r = 0; r < least.size(); ++r) least[r] = std::min(least[r], alternative.demand[r]);
  }
  return least;
}

}  // namespace

/// Who comes first in the task class is known again; so is the task class's place among the others.
void ReadyQueue::set_first(std::uint32_t task_class, std::uint32_t lane) {
  Lane& there = lanes_[lane];
  OfShape& of_class = there.of_class[task_class];
  of_class.first = members_[task_class].queues[of_class.queues.winner()];
  of_class.first_key = there.keys[of_class.first];
  if (of_class.parked_at == kNone) {
    there.task_classes.play(task_class, before_in_lane(lane));
  } else {
    set_parked_key(task_class, lane);
  }
}

void ReadyQueue::set_parked_key(std::uint32_t task_class, std::uint32_t lane) {
  const OfShape& of_class = lanes_[lane].of_class[task_class];
  parked_of(task_class, lane).set_key(of_class.parked_at, of_class.first_key);
}

void ReadyQueue::set_key(std::uint32_t queue, std::uint32_t lane) {
  lanes_[lane].keys[queue] = discipline_->key(*context_, {.queue = queue, .lane = lane});
}

void ReadyQueue::replay(std::uint32_t queue, std::uint32_t lane) {
  Lane& there = lanes_[lane];
  const std::uint32_t task_class = context_->ledger.queues[queue].task_class;
  there.of_class[task_class].queues.play(places_[queue], before_in_class(task_class, lane));
  set_first(task_class, lane);
}

void ReadyQueue::enter(std::uint32_t queue, std::vector<std::uint32_t> lanes) {
  const std::uint32_t task_class = context_->ledger.queues[queue].task_class;
  if (task_class >= members_.size()) members_.resize(task_class + 1);
  if (queue >= places_.size()) places_.resize(queue + 1, kNone);
  Members& members = members_[task_class];
  MIRAB_ASSERT(places_[queue] == kNone, "a queue that waits already enters");
  if (members.vacant.empty()) {
    places_[queue] = static_cast<std::uint32_t>(members.queues.size());
    members.queues.push_back(queue);
  } else {
    places_[queue] = members.vacant.back();
    members.vacant.pop_back();
    members.queues[places_[queue]] = queue;
  }
  ++members.waiting;
  members.lanes = std::move(lanes);
  for (const std::uint32_t lane : members.lanes) {
    while (lane >= lanes_.size()) {
      lanes_.emplace_back(context_->ledger.resource_count());
      parked_constrained_.emplace_back(context_->ledger.resource_count());
    }
    Lane& there = lanes_[lane];
    if (task_class >= there.of_class.size()) there.of_class.resize(task_class + 1);
    if (queue >= there.keys.size()) there.keys.resize(queue + 1);
    set_key(queue, lane);
    replay(queue, lane);
  }
}

void ReadyQueue::leave(std::uint32_t queue) {
  const std::uint32_t task_class = context_->ledger.queues[queue].task_class;
  Members& members = members_[task_class];
  --members.waiting;
  for (const std::uint32_t lane : members.lanes) {
    Lane& there = lanes_[lane];
    OfShape& of_class = there.of_class[task_class];
    of_class.queues.leave(places_[queue], before_in_class(task_class, lane));
    if (members.waiting == 0) {
      remove_parked(task_class, lane);
      there.task_classes.leave(task_class, before_in_lane(lane));
    } else {
      set_first(task_class, lane);
    }
  }
  members.vacant.push_back(places_[queue]);
  places_[queue] = kNone;
}

void ReadyQueue::rekey(std::span<const std::uint32_t> queues) {
  // First all keys, then the matches: those of one user play against each other.
  for (const std::uint32_t queue : queues) {
    if (!holds(queue)) continue;
    for (const std::uint32_t lane : lanes_of(queue)) set_key(queue, lane);
  }
  for (const std::uint32_t queue : queues) {
    if (!holds(queue)) continue;
    for (const std::uint32_t lane : lanes_of(queue)) replay(queue, lane);
  }
}

void ReadyQueue::rekey_all() {
  for (std::uint32_t queue = 0; queue < places_.size(); ++queue) {
    if (!holds(queue)) continue;
    for (const std::uint32_t lane : lanes_of(queue)) set_key(queue, lane);
  }
  for (std::uint32_t lane = 0; lane < lanes_.size(); ++lane) {
    Lane& there = lanes_[lane];
    for (std::uint32_t task_class = 0; task_class < there.of_class.size(); ++task_class) {
      OfShape& of_class = there.of_class[task_class];
      if (of_class.queues.empty()) continue;
      of_class.queues.play_all(before_in_class(task_class, lane));
      of_class.first = members_[task_class].queues[of_class.queues.winner()];
      of_class.first_key = there.keys[of_class.first];
      if (of_class.parked_at != kNone) set_parked_key(task_class, lane);
    }
    there.task_classes.play_all(before_in_lane(lane));
  }
}

void ReadyQueue::park(std::uint32_t task_class, std::uint32_t lane) {
  Lane& there = lanes_[lane];
  MIRAB_ASSERT(there.of_class[task_class].parked_at == kNone, "a shape is set aside twice");
  UnschedulableClasses& parked = parked_of(task_class, lane);
  there.of_class[task_class].parked_at = static_cast<std::uint32_t>(parked.size());
  parked.add(task_class, there.of_class[task_class].first_key,
             least(context_->ledger.task_classes.alternatives(task_class)));
  if (&parked != &there.parked) ++parked_constrained_count_;
  there.task_classes.leave(task_class, before_in_lane(lane));
}

void ReadyQueue::remove_parked(std::uint32_t task_class, std::uint32_t lane) {
  Lane& there = lanes_[lane];
  std::uint32_t& at = there.of_class[task_class].parked_at;
  if (at == kNone) return;
  UnschedulableClasses& parked = parked_of(task_class, lane);
  there.of_class[parked.task_class(parked.size() - 1)].parked_at = at;
  parked.remove(at);
  if (&parked != &there.parked) --parked_constrained_count_;
  there.of_class[task_class].parked_at = kNone;
}

void ReadyQueue::retry(std::uint32_t task_class, std::uint32_t lane) {
  remove_parked(task_class, lane);
  lanes_[lane].task_classes.play(task_class, before_in_lane(lane));
}

void ReadyQueue::retry(std::uint32_t task_class) {
  if (task_class >= members_.size() || members_[task_class].waiting == 0) return;
  for (const std::uint32_t lane : members_[task_class].lanes) {
    if (is_parked(task_class, lane)) retry(task_class, lane);
  }
}

void ReadyQueue::retry_constrained() {
  for (std::uint32_t lane = 0; parked_constrained_count_ > 0 && lane < lane_count(); ++lane) {
    const UnschedulableClasses& parked = parked_constrained_[lane];
    while (parked.size() > 0) retry(parked.task_class(0), lane);
  }
}

bool ReadyQueue::is_parked(std::uint32_t task_class, std::uint32_t lane) const {
  return lanes_[lane].of_class[task_class].parked_at != kNone;
}

std::vector<std::uint32_t> ReadyQueue::parked(std::uint32_t lane) const {
  std::vector<std::uint32_t> task_classes;
  for (const UnschedulableClasses* const parked : {&lanes_[lane].parked, &parked_constrained_[lane]}) {
    for (std::size_t at = 0; at < parked->size(); ++at) task_classes.push_back(parked->task_class(at));
  }
  std::sort(task_classes.begin(), task_classes.end());
  return task_classes;
}

std::optional<Entry> ReadyQueue::next(Random& random) const {
  std::optional<Entry> lowest;
  for (std::uint32_t lane = 0; lane < lanes_.size(); ++lane) {
    if (lanes_[lane].task_classes.empty()) continue;
    const Entry entry = first(lanes_[lane].task_classes.winner(), lane);
    if (!lowest || before(entry, *lowest)) lowest = entry;
  }
  return lowest && tie_ == Tie::random ? drawn_from_tied(*lowest, random) : lowest;
}

Entry ReadyQueue::drawn_from_tied(Entry lowest, Random& random) const {
  std::vector<Entry> tied;  // one entry of each user
  const auto tie = [&](Entry entry) {
    const std::uint32_t user = context_->queue(entry).user;
    const auto same = std::find_if(tied.begin(), tied.end(),
                                   [&](Entry other) { return context_->queue(other).user == user; });
    if (same == tied.end()) {
      tied.push_back(entry);
    } else if (before(entry, *same)) {
      *same = entry;
    }
  };
  for (std::uint32_t lane = 0; lane < lanes_.size(); ++lane) {
    lanes_[lane].task_classes.for_each_tied(
        [&](std::uint32_t task_class) { return ties(first(task_class, lane), lowest); },
        [&](std::uint32_t task_class) {
          const auto entry = [&](std::uint32_t place) {
            return Entry{.queue = members_[task_class].queues[place], .lane = lane};
          };
          lanes_[lane].of_class[task_class].queues.for_each_tied(
              [&](std::uint32_t place) { return ties(entry(place), lowest); },
              [&](std::uint32_t place) { tie(entry(place)); });
        });
  }
  if (tied.size() == 1) return lowest;
  // The draw counts the users as they came, wherever they stand in the tournaments.
  const auto drawn = tied.begin() + static_cast<std::ptrdiff_t>(random.below(tied.size()));
  std::nth_element(tied.begin(), drawn, tied.end(),
                   [&](Entry a, Entry b) { return context_->user(a).order < context_->user(b).order; });
  return *drawn;
}

}  // namespace mirab::scheduling
