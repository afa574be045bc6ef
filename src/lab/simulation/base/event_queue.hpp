#pragma once

#include <algorithm>
#include <array>
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

/// An EventQueue for very many small events that mostly happen soon: the same order, of the same time first
/// what was scheduled first, at O(1) an event (Brown 1988, Calendar queues).
///
/// The near future is a ring of days of 2^16 ns (65.5 us), the 268 ms from today on; each is a list in the
/// order of scheduling, some events a page, sorted when it becomes today. What is further away waits in a
/// binary heap. Worst when very many different times fall in one day, or much is scheduled within a today
/// that is full: then O(events of the day) an event.
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

  /// The event that is likely to come this many events after the one that was taken last: 0 is the next. Null
  /// when that is not today.
  const Event* coming(std::size_t events) const {
    return begun_ + events < today_.size() ? &today_[begun_ + events].event : nullptr;
  }

 private:
  // Measured on an overlay of 12 simulated schedulers: no difference beyond noise with days of 2^13 to 2^19
  // ns, 512 to 32,768 days, 2 to 31 events a page, insertion of up to 10 to 1000 events.
  static constexpr int kDayBits =
      16;  // ns of a day, log2: shorter than most latencies, so that today is short
  static constexpr std::int64_t kDays = 4096;  // further than the next ticks, of 100 ms
  static constexpr std::uint32_t kNone = UINT32_MAX;
  static constexpr std::size_t kPageEvents =
      7;  // of the overlay's events, 12 bytes each, two lines of a cache

  struct Entry {
    Time at;
    Event event;
  };
  struct Note {
    std::uint32_t offset;  // from the beginning of the day, ns
    Event event;
  };
  struct Page {
    std::array<Note, kPageEvents> notes;
    std::uint32_t count = 0;
    std::uint32_t next = kNone;
  };
  struct Day {
    std::uint32_t first = kNone;
    std::uint32_t last = kNone;
  };

  static std::int64_t day_of(Time at) { return at.time_since_epoch().count() >> kDayBits; }
  Day& ring(std::int64_t day) { return days_[static_cast<std::size_t>(day & (kDays - 1))]; }

  void insert_today(Time at, Event event) {
    const auto after = std::upper_bound(today_.begin() + static_cast<std::ptrdiff_t>(begun_), today_.end(),
                                        at, [](Time when, const Entry& entry) { return when < entry.at; });
    today_.insert(after, Entry{at, event});
  }

  void append(std::int64_t day, Time at, Event event) {
    Day& list = ring(day);
    if (list.last == kNone || pages_[list.last].count == kPageEvents) add_page(list);
    Page& page = pages_[list.last];
    page.notes[page.count++] = {static_cast<std::uint32_t>(at.time_since_epoch().count() - (day << kDayBits)),
                                event};
    ++in_ring_;
  }

  void add_page(Day& list) {
    if (unused_ == kNone) {
      unused_ = static_cast<std::uint32_t>(pages_.size());
      pages_.emplace_back();
    }
    const std::uint32_t page = unused_;
    unused_ = pages_[page].next;
    pages_[page].count = 0;
    pages_[page].next = kNone;
    (list.last == kNone ? list.first : pages_[list.last].next) = page;
    list.last = page;
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
    const Time begin{Duration(day_ << kDayBits)};
    for (std::uint32_t at = list.first; at != kNone;) {
      Page& page = pages_[at];
      for (std::uint32_t i = 0; i < page.count; ++i)
        today_.push_back({begin + Duration(page.notes[i].offset), page.notes[i].event});
      const std::uint32_t next = page.next;
      page.next = unused_;
      unused_ = at;
      at = next;
    }
    in_ring_ -= today_.size();
    list = {};
    sort_today();
  }

  // A stable sort: by insertion, which is the fastest for the few events of most days.
  void sort_today() {
    constexpr std::size_t kFew = 100;
    const auto earlier = [](const Entry& a, const Entry& b) { return a.at < b.at; };
    if (today_.size() > kFew) return std::stable_sort(today_.begin(), today_.end(), earlier);
    for (std::size_t i = 1; i < today_.size(); ++i) {
      const Entry entry = today_[i];
      std::size_t place = i;
      for (; place > 0 && earlier(entry, today_[place - 1]); --place) today_[place] = today_[place - 1];
      today_[place] = entry;
    }
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
