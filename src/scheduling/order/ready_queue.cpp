// The queues with waiting tasks in the order of their keys, and the task classes that fit nowhere at present.
#include "scheduling/order/ready_queue.hpp"

#include <algorithm>

namespace mirab::scheduling {

void UnschedulableClasses::add(std::uint32_t shape, double key, std::span<const std::int64_t> least) {
  const std::size_t at = size();
  shapes_.push_back(shape);
  keys_.push_back(key);
  amounts_.insert(amounts_.end(), least.begin(), least.end());
  bool coarser = false;
  for (std::size_t r = 0; r < resources_; ++r) coarser = rows_.cover(r, least[r]) || coarser;
  for (std::size_t row = coarser ? 0 : at; row <= at; ++row) rows_.set(row, amounts(row));
}

void UnschedulableClasses::remove(std::size_t at) {
  const std::size_t last = size() - 1;
  if (at != last) {
    shapes_[at] = shapes_[last];
    keys_[at] = keys_[last];
    std::copy_n(amounts_.begin() + static_cast<std::ptrdiff_t>(last * resources_), resources_,
                amounts_.begin() + static_cast<std::ptrdiff_t>(at * resources_));
    rows_.set(at, amounts(at));
  }
  rows_.clear(last);
  shapes_.pop_back();
  keys_.pop_back();
  amounts_.resize(last * resources_);
}

namespace {

/// What a task of the shape takes at the least, whichever way it runs. [m]
Amounts least(std::span<const Way> ways) {
  Amounts least = ways.front().demand;
  for (const Way& way : ways.subspan(1)) {
    for (std::size_t r = 0; r < least.size(); ++r) least[r] = std::min(least[r], way.demand[r]);
  }
  return least;
}

}  // namespace

/// Who comes first in the shape is known again; so is the shape's place among the others.
void ReadyQueue::set_first(std::uint32_t shape, std::uint32_t lane) {
  Lane& there = lanes_[lane];
  OfShape& of_shape = there.of_shape[shape];
  of_shape.first = members_[shape].queues[of_shape.queues.winner()];
  of_shape.first_key = there.keys[of_shape.first];
  if (of_shape.parked_at == kNone) {
    there.shapes.play(shape, before_in_lane(lane));
  } else {
    set_parked_key(shape, lane);
  }
}

void ReadyQueue::set_parked_key(std::uint32_t shape, std::uint32_t lane) {
  const OfShape& of_shape = lanes_[lane].of_shape[shape];
  parked_of(shape, lane).set_key(of_shape.parked_at, of_shape.first_key);
}

void ReadyQueue::set_key(std::uint32_t queue, std::uint32_t lane) {
  lanes_[lane].keys[queue] = discipline_->key(*standing_, {.queue = queue, .lane = lane});
}

void ReadyQueue::replay(std::uint32_t queue, std::uint32_t lane) {
  Lane& there = lanes_[lane];
  const std::uint32_t shape = standing_->accounts.queues[queue].shape;
  there.of_shape[shape].queues.play(places_[queue], before_in_shape(shape, lane));
  set_first(shape, lane);
}

void ReadyQueue::enter(std::uint32_t queue, std::vector<std::uint32_t> lanes) {
  const std::uint32_t shape = standing_->accounts.queues[queue].shape;
  if (shape >= members_.size()) members_.resize(shape + 1);
  if (queue >= places_.size()) places_.resize(queue + 1, kNone);
  Members& members = members_[shape];
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
      lanes_.emplace_back(standing_->accounts.resource_count());
      parked_constrained_.emplace_back(standing_->accounts.resource_count());
    }
    Lane& there = lanes_[lane];
    if (shape >= there.of_shape.size()) there.of_shape.resize(shape + 1);
    if (queue >= there.keys.size()) there.keys.resize(queue + 1);
    set_key(queue, lane);
    replay(queue, lane);
  }
}

void ReadyQueue::leave(std::uint32_t queue) {
  const std::uint32_t shape = standing_->accounts.queues[queue].shape;
  Members& members = members_[shape];
  --members.waiting;
  for (const std::uint32_t lane : members.lanes) {
    Lane& there = lanes_[lane];
    OfShape& of_shape = there.of_shape[shape];
    of_shape.queues.leave(places_[queue], before_in_shape(shape, lane));
    if (members.waiting == 0) {
      remove_parked(shape, lane);
      there.shapes.leave(shape, before_in_lane(lane));
    } else {
      set_first(shape, lane);
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
    for (std::uint32_t shape = 0; shape < there.of_shape.size(); ++shape) {
      OfShape& of_shape = there.of_shape[shape];
      if (of_shape.queues.empty()) continue;
      of_shape.queues.play_all(before_in_shape(shape, lane));
      of_shape.first = members_[shape].queues[of_shape.queues.winner()];
      of_shape.first_key = there.keys[of_shape.first];
      if (of_shape.parked_at != kNone) set_parked_key(shape, lane);
    }
    there.shapes.play_all(before_in_lane(lane));
  }
}

void ReadyQueue::set_aside(std::uint32_t shape, std::uint32_t lane) {
  Lane& there = lanes_[lane];
  MIRAB_ASSERT(there.of_shape[shape].parked_at == kNone, "a shape is set aside twice");
  UnschedulableClasses& aside = parked_of(shape, lane);
  there.of_shape[shape].parked_at = static_cast<std::uint32_t>(aside.size());
  aside.add(shape, there.of_shape[shape].first_key, least(standing_->accounts.shapes.ways(shape)));
  if (&aside != &there.aside) ++parked_constrained_count_;
  there.shapes.leave(shape, before_in_lane(lane));
}

void ReadyQueue::remove_parked(std::uint32_t shape, std::uint32_t lane) {
  Lane& there = lanes_[lane];
  std::uint32_t& at = there.of_shape[shape].parked_at;
  if (at == kNone) return;
  UnschedulableClasses& aside = parked_of(shape, lane);
  there.of_shape[aside.shape(aside.size() - 1)].parked_at = at;
  aside.remove(at);
  if (&aside != &there.aside) --parked_constrained_count_;
  there.of_shape[shape].parked_at = kNone;
}

void ReadyQueue::retry(std::uint32_t shape, std::uint32_t lane) {
  remove_parked(shape, lane);
  lanes_[lane].shapes.play(shape, before_in_lane(lane));
}

void ReadyQueue::retry(std::uint32_t shape) {
  if (shape >= members_.size() || members_[shape].waiting == 0) return;
  for (const std::uint32_t lane : members_[shape].lanes) {
    if (is_parked(shape, lane)) retry(shape, lane);
  }
}

void ReadyQueue::retry_constrained() {
  for (std::uint32_t lane = 0; parked_constrained_count_ > 0 && lane < lane_count(); ++lane) {
    const UnschedulableClasses& aside = parked_constrained_[lane];
    while (aside.size() > 0) retry(aside.shape(0), lane);
  }
}

bool ReadyQueue::is_parked(std::uint32_t shape, std::uint32_t lane) const {
  return lanes_[lane].of_shape[shape].parked_at != kNone;
}

std::vector<std::uint32_t> ReadyQueue::aside(std::uint32_t lane) const {
  std::vector<std::uint32_t> shapes;
  for (const UnschedulableClasses* const aside : {&lanes_[lane].aside, &parked_constrained_[lane]}) {
    for (std::size_t at = 0; at < aside->size(); ++at) shapes.push_back(aside->shape(at));
  }
  std::sort(shapes.begin(), shapes.end());
  return shapes;
}

std::optional<Entry> ReadyQueue::next(Random& random) const {
  std::optional<Entry> lowest;
  for (std::uint32_t lane = 0; lane < lanes_.size(); ++lane) {
    if (lanes_[lane].shapes.empty()) continue;
    const Entry entry = first(lanes_[lane].shapes.winner(), lane);
    if (!lowest || before(entry, *lowest)) lowest = entry;
  }
  return lowest && tie_ == Tie::random ? drawn_from_tied(*lowest, random) : lowest;
}

Entry ReadyQueue::drawn_from_tied(Entry lowest, Random& random) const {
  std::vector<Entry> tied;  // one entry of each user
  const auto tie = [&](Entry entry) {
    const std::uint32_t user = standing_->queue(entry).user;
    const auto same = std::find_if(tied.begin(), tied.end(),
                                   [&](Entry other) { return standing_->queue(other).user == user; });
    if (same == tied.end()) {
      tied.push_back(entry);
    } else if (before(entry, *same)) {
      *same = entry;
    }
  };
  for (std::uint32_t lane = 0; lane < lanes_.size(); ++lane) {
    lanes_[lane].shapes.for_each_tied([&](std::uint32_t shape) { return ties(first(shape, lane), lowest); },
                                      [&](std::uint32_t shape) {
                                        const auto entry = [&](std::uint32_t place) {
                                          return Entry{.queue = members_[shape].queues[place], .lane = lane};
                                        };
                                        lanes_[lane].of_shape[shape].queues.for_each_tied(
                                            [&](std::uint32_t place) { return ties(entry(place), lowest); },
                                            [&](std::uint32_t place) { tie(entry(place)); });
                                      });
  }
  if (tied.size() == 1) return lowest;
  // The draw counts the users as they came, wherever they stand in the tournaments.
  const auto drawn = tied.begin() + static_cast<std::ptrdiff_t>(random.below(tied.size()));
  std::nth_element(tied.begin(), drawn, tied.end(),
                   [&](Entry a, Entry b) { return standing_->user(a).order < standing_->user(b).order; });
  return *drawn;
}

}  // namespace mirab::scheduling
