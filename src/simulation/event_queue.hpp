#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include <mirab/model/assert.hpp>
#include <mirab/model/time.hpp>

namespace mirab::simulation {

/// What is to happen in virtual time, earliest first; of what happens at the same time, first what was
/// scheduled first, so that a run is the same on every machine. Time does not go back. A binary heap:
/// O(log events) to schedule and to take.
template <class Event>
class EventQueue {
 public:
  bool empty() const { return heap_.empty(); }
  std::size_t size() const { return heap_.size(); }

  /// The time of the event that was taken last; the origin before the first.
  Time now() const { return now_; }

  /// When the next event happens. Requires that there is one.
  Time next() const {
    MIRAB_ASSERT(!empty(), "the next of no events");
    return heap_.front().at;
  }

  /// Requires at ≥ now().
  void schedule(Time at, Event event) {
    MIRAB_ASSERT(at >= now_, "an event in the past");
    heap_.push_back({at, scheduled_++, std::move(event)});
    std::push_heap(heap_.begin(), heap_.end(), later);
  }

  /// Takes the next event out; it is now() that it happens. Requires that there is one.
  Event take() {
    MIRAB_ASSERT(!empty(), "the next of no events");
    std::pop_heap(heap_.begin(), heap_.end(), later);
    now_ = heap_.back().at;
    Event event = std::move(heap_.back().event);
    heap_.pop_back();
    return event;
  }

 private:
  struct Entry {
    Time at;
    std::uint64_t order;
    Event event;
  };
  static bool later(const Entry& a, const Entry& b) { return a.at != b.at ? a.at > b.at : a.order > b.order; }

  std::vector<Entry> heap_;
  std::uint64_t scheduled_ = 0;
  Time now_{};
};

}  // namespace mirab::simulation
