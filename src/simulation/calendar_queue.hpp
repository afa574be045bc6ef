#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include <mirab/model/assert.hpp>
#include <mirab/model/time.hpp>

#include "simulation/event_queue.hpp"

namespace mirab::simulation {

/// An EventQueue for very many small events that mostly happen soon: the same order, of the same time first
/// what was scheduled first, at O(1) an event (Brown 1988, Calendar queues).
///
/// The near future is a ring of days of 2^16 ns (65.5 us), the 268 ms from today on; each is a list in the
/// order of scheduling, sorted when it becomes today. What is further away waits in a binary heap. Worst when
/// very many different times fall in one day, or much is scheduled within a today that is full: then O(events
/// of the day).
template <class Event>
class CalendarQueue {
 public:
  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }

  /// The time of the event that was taken last; the origin before the first.
  Time now() const { return now_; }

  /// When the next event happens. Requires that there is one.
  Time next() {
    open_today();
    return today_[begun_].at;
  }

  /// Requires at ≥ now().
  void schedule(Time at, Event event) {
    MIRAB_ASSERT(at >= now_, "an event in the past");
    ++size_;
    const std::int64_t day = day_of(at);
    if (day <= day_)
      insert_today(at, event);
    else if (day < day_ + kDays)
      append(day, at, event);
    else
      later_.schedule(at, event);
  }

  /// Takes the next event out; it is now() that it happens. Requires that there is one.
  Event take() {
    open_today();
    --size_;
    const Entry& entry = today_[begun_++];
    now_ = entry.at;
    return entry.event;
  }

  /// Of all that it holds on to.
  std::size_t bytes_held() const {
    return sizeof(*this) + today_.capacity() * sizeof(Entry) + pages_.capacity() * sizeof(Page);
  }

 private:
  static constexpr std::int64_t kDays = 4096;
  static constexpr std::uint32_t kNone = UINT32_MAX;

  struct Entry {
    Time at;
    Event event;
    std::uint32_t order;  // among those of the day
  };
  struct Page {
    Time at;
    Event event;
    std::uint32_t next;
  };
  struct Day {
    std::uint32_t first = kNone;
    std::uint32_t last = kNone;
  };

  static std::int64_t day_of(Time at) { return at.time_since_epoch().count() >> 16; }
  Day& ring(std::int64_t day) { return days_[static_cast<std::size_t>(day & (kDays - 1))]; }

  void insert_today(Time at, Event event) {
    const auto after = std::upper_bound(today_.begin() + static_cast<std::ptrdiff_t>(begun_), today_.end(),
                                        at, [](Time when, const Entry& entry) { return when < entry.at; });
    today_.insert(after, Entry{at, event, 0});
  }

  void append(std::int64_t day, Time at, Event event) {
    std::uint32_t page = unused_;
    if (page == kNone) {
      page = static_cast<std::uint32_t>(pages_.size());
      pages_.push_back({at, event, kNone});
    } else {
      unused_ = pages_[page].next;
      pages_[page] = {at, event, kNone};
    }
    Day& list = ring(day);
    (list.last == kNone ? list.first : pages_[list.last].next) = page;
    list.last = page;
    ++in_ring_;
  }

  void open_today() {
    MIRAB_ASSERT(!empty(), "the next of no events");
    if (begun_ < today_.size()) return;
    today_.clear();
    begun_ = 0;
    day_ = next_day();
    while (!later_.empty() && day_of(later_.next()) < day_ + kDays) {
      const Time at = later_.next();
      append(day_of(at), at, later_.take());
    }
    move_to_today(ring(day_));
  }

  std::int64_t next_day() {
    if (in_ring_ == 0) return day_of(later_.next());
    std::int64_t day = day_ + 1;
    while (ring(day).first == kNone) ++day;
    return day;
  }

  void move_to_today(Day& list) {
    for (std::uint32_t page = list.first; page != kNone;) {
      const std::uint32_t next = pages_[page].next;
      today_.push_back({pages_[page].at, pages_[page].event, static_cast<std::uint32_t>(today_.size())});
      pages_[page].next = unused_;
      unused_ = page;
      page = next;
    }
    in_ring_ -= today_.size();
    list = {};
    const auto earlier = [](const Entry& a, const Entry& b) {
      return a.at != b.at ? a.at < b.at : a.order < b.order;
    };
    if (!std::is_sorted(today_.begin(), today_.end(), earlier))
      std::sort(today_.begin(), today_.end(), earlier);
  }

  std::vector<Entry> today_;  // by time; those before begun_ have happened
  std::size_t begun_ = 0;
  std::int64_t day_ = -1;
  std::array<Day, kDays> days_{};
  std::vector<Page> pages_;
  std::uint32_t unused_ = kNone;  // a list of pages
  std::size_t in_ring_ = 0;
  EventQueue<Event> later_;
  std::size_t size_ = 0;
  Time now_{};
};

}  // namespace mirab::simulation
