#include "scheduling/race.hpp"

#include <algorithm>

namespace mirab::scheduling {
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
void Race::set_first(std::uint32_t shape, std::uint32_t lane) {
  Lane& there = lanes_[lane];
  OfShape& of_shape = there.of_shape[shape];
  of_shape.first = members_[shape].queues[of_shape.queues.winner()];
  of_shape.first_key = there.keys[of_shape.first];
  if (of_shape.aside_at == kNone) {
    there.shapes.play(shape, before_in_lane(lane));
  } else {
    set_aside_key(shape, lane);
  }
}

void Race::set_aside_key(std::uint32_t shape, std::uint32_t lane) {
  const OfShape& of_shape = lanes_[lane].of_shape[shape];
  aside_of(shape, lane).set_key(of_shape.aside_at, of_shape.first_key);
}

void Race::set_key(std::uint32_t queue, std::uint32_t lane) {
  lanes_[lane].keys[queue] = discipline_->key(*standing_, {.queue = queue, .lane = lane});
}

void Race::replay(std::uint32_t queue, std::uint32_t lane) {
  Lane& there = lanes_[lane];
  const std::uint32_t shape = standing_->accounts.queues[queue].shape;
  there.of_shape[shape].queues.play(places_[queue], before_in_shape(shape, lane));
  set_first(shape, lane);
}

void Race::enter(std::uint32_t queue, std::vector<std::uint32_t> lanes) {
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
      with_terms_.emplace_back(standing_->accounts.resource_count());
    }
    Lane& there = lanes_[lane];
    if (shape >= there.of_shape.size()) there.of_shape.resize(shape + 1);
    if (queue >= there.keys.size()) there.keys.resize(queue + 1);
    set_key(queue, lane);
    replay(queue, lane);
  }
}

void Race::leave(std::uint32_t queue) {
  const std::uint32_t shape = standing_->accounts.queues[queue].shape;
  Members& members = members_[shape];
  --members.waiting;
  for (const std::uint32_t lane : members.lanes) {
    Lane& there = lanes_[lane];
    OfShape& of_shape = there.of_shape[shape];
    of_shape.queues.leave(places_[queue], before_in_shape(shape, lane));
    if (members.waiting == 0) {
      take_aside_out(shape, lane);
      there.shapes.leave(shape, before_in_lane(lane));
    } else {
      set_first(shape, lane);
    }
  }
  members.vacant.push_back(places_[queue]);
  places_[queue] = kNone;
}

void Race::rekey(std::span<const std::uint32_t> queues) {
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

void Race::rekey_all() {
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
      if (of_shape.aside_at != kNone) set_aside_key(shape, lane);
    }
    there.shapes.play_all(before_in_lane(lane));
  }
}

void Race::set_aside(std::uint32_t shape, std::uint32_t lane) {
  Lane& there = lanes_[lane];
  MIRAB_ASSERT(there.of_shape[shape].aside_at == kNone, "a shape is set aside twice");
  Aside& aside = aside_of(shape, lane);
  there.of_shape[shape].aside_at = static_cast<std::uint32_t>(aside.size());
  aside.add(shape, there.of_shape[shape].first_key, least(standing_->accounts.shapes.ways(shape)));
  if (&aside != &there.aside) ++terms_aside_;
  there.shapes.leave(shape, before_in_lane(lane));
}

void Race::take_aside_out(std::uint32_t shape, std::uint32_t lane) {
  Lane& there = lanes_[lane];
  std::uint32_t& at = there.of_shape[shape].aside_at;
  if (at == kNone) return;
  Aside& aside = aside_of(shape, lane);
  there.of_shape[aside.shape(aside.size() - 1)].aside_at = at;
  aside.remove(at);
  if (&aside != &there.aside) --terms_aside_;
  there.of_shape[shape].aside_at = kNone;
}

void Race::bring_back(std::uint32_t shape, std::uint32_t lane) {
  take_aside_out(shape, lane);
  lanes_[lane].shapes.play(shape, before_in_lane(lane));
}

void Race::bring_back(std::uint32_t shape) {
  if (shape >= members_.size() || members_[shape].waiting == 0) return;
  for (const std::uint32_t lane : members_[shape].lanes) {
    if (is_aside(shape, lane)) bring_back(shape, lane);
  }
}

void Race::bring_back_terms() {
  for (std::uint32_t lane = 0; terms_aside_ > 0 && lane < lane_count(); ++lane) {
    const Aside& aside = with_terms_[lane];
    while (aside.size() > 0) bring_back(aside.shape(0), lane);
  }
}

bool Race::is_aside(std::uint32_t shape, std::uint32_t lane) const {
  return lanes_[lane].of_shape[shape].aside_at != kNone;
}

std::vector<std::uint32_t> Race::aside(std::uint32_t lane) const {
  std::vector<std::uint32_t> shapes;
  for (const Aside* const aside : {&lanes_[lane].aside, &with_terms_[lane]}) {
    for (std::size_t at = 0; at < aside->size(); ++at) shapes.push_back(aside->shape(at));
  }
  std::sort(shapes.begin(), shapes.end());
  return shapes;
}

std::optional<Entry> Race::next(Random& random) const {
  std::optional<Entry> lowest;
  for (std::uint32_t lane = 0; lane < lanes_.size(); ++lane) {
    if (lanes_[lane].shapes.empty()) continue;
    const Entry entry = first(lanes_[lane].shapes.winner(), lane);
    if (!lowest || before(entry, *lowest)) lowest = entry;
  }
  return lowest && tie_ == Tie::random ? drawn_from_tied(*lowest, random) : lowest;
}

Entry Race::drawn_from_tied(Entry lowest, Random& random) const {
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
