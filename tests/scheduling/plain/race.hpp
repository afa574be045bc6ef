#pragma once

#include <cstddef>
#include <gmpxx.h>
#include <set>
#include <vector>

#include <mirab/model/random.hpp>
#include <mirab/scheduling/fill.hpp>

namespace mirab::plain {

/// Users in the order of their exact keys, the lowest in front.
class Race {
 public:
  /// keys[n] is where user n starts. `tie` says which of several lowest users is the next one.
  Race(std::vector<mpq_class> keys, Tie tie);
  Race(const Race&) = delete;
  Race& operator=(const Race&) = delete;

  bool empty() const { return order_.empty(); }

  /// A user with the lowest key. Draws one number when the tie is random and there is one. Requires !empty().
  /// O(1); with random ties O(users that tie).
  std::size_t next(Random& random) const;

  /// The same where any of the lowest will do.
  std::size_t lowest() const { return *order_.begin(); }

  /// Also of users that have left.
  const mpq_class& key(std::size_t user) const { return keys_[user]; }

  /// Is a's key less than b's?
  bool is_below(std::size_t a, std::size_t b) const;

  void raise(std::size_t user, const mpq_class& step);  ///< O(log N)
  void leave(std::size_t user);                         ///< O(log N); nothing when it has left already

  /// With a key of its own. Requires that it is not in the race. O(log N).
  void enter(std::size_t user, mpq_class key);

 private:
  struct Before {
    const Race* race;
    bool operator()(std::size_t a, std::size_t b) const;
  };

  std::vector<mpq_class> keys_;  // [n]
  std::vector<double> cut_off_;  // [n], the keys as doubles, cut off
  Tie tie_;
  std::set<std::size_t, Before> order_;
};

}  // namespace mirab::plain
