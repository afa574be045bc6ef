#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <utility>

#include <mirab/scheduling/engine.hpp>

namespace mirab::scheduling {

/// How many more tasks may end by force, and whether it is worth looking for some. The rule itself:
/// victims.cpp.
class Preemption {
 public:
  explicit Preemption(Preempting rule) : rule_(rule) {}

  /// So many may end now: with those that ended in the time `per` up to now no more than `tasks`. What is
  /// older is forgotten. O(1) amortised.
  std::int64_t left(Time now);
  void ended(std::int64_t tasks, Time now);

  /// Nothing was found, and nothing will be until something changes; or, where the victims would have been
  /// too many, until some more may end.
  void found_nothing() { again_ = Time::max(), is_futile_ = true; }
  void found_too_many();
  void something_changed() { is_futile_ = false; }
  bool is_futile(Time now) const { return is_futile_ && now < again_; }

  /// What a snapshot keeps.
  struct Memory {
    std::deque<std::pair<Time, std::int64_t>> ended = {};  ///< when, and how many tasks then
    bool is_futile = false;
    Time again = {};
  };
  Memory memory() const { return {.ended = ended_, .is_futile = is_futile_, .again = again_}; }
  void set_memory(Memory memory);  ///< requires times in order and tasks above 0, no more than the rule says

 private:
  Time end_of_window(Time ended) const;

  Preempting rule_;
  std::deque<std::pair<Time, std::int64_t>> ended_;
  std::int64_t recent_ = 0;  // Σ of those
  bool is_futile_ = false;
  Time again_ = {};  // when it is futile: until then
};

/// Errors: a number of tasks or a time that is not above 0.
Check check(const Preempting& rule);

}  // namespace mirab::scheduling
