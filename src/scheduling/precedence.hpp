#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "scheduling/disciplines.hpp"
#include "scheduling/level.hpp"
#include "scheduling/standing.hpp"

namespace mirab::scheduling {

/// An entry and its rounded key.
struct Keyed {
  Entry entry;
  double key;
};

/// Who is served before whom. Rounded keys decide first; only where they are too close the exact comparison
/// of the discipline does. Then, for keys that are equal, the tie rule: users as they came, or the other way
/// round; of one user the lane, then the older job.
struct Precedence {
  const Discipline* discipline;
  Tie tie;
  const Standing* standing;

  /// Are the keys equal, whatever the tie rule?
  bool ties(Keyed a, Keyed b) const { return !differ(a.key, b.key) && exact(a, b) == 0; }

  /// Is a served before b? A strict order.
  bool before(Keyed a, Keyed b) const {
    if (differ(a.key, b.key)) return a.key < b.key;
    const std::weak_ordering order = exact(a, b);
    return order != 0 ? order < 0 : before_by_tie_rule(a.entry, b.entry);
  }

 private:
  static bool differ(double a, double b) { return std::abs(a - b) > kRounding * std::max(a, b); }
  std::weak_ordering exact(Keyed a, Keyed b) const {
    return discipline->compare(*standing, a.entry, b.entry);
  }
  bool before_by_tie_rule(Entry a, Entry b) const {
    const std::uint64_t user_a = standing->user(a).order;
    const std::uint64_t user_b = standing->user(b).order;
    if (user_a != user_b) return tie == Tie::last ? user_a > user_b : user_a < user_b;
    if (a.lane != b.lane) return a.lane < b.lane;
    const auto sequence = [&](Entry entry) {
      return standing->accounts.jobs[standing->queue(entry).first_job].sequence;
    };
    return sequence(a) < sequence(b);
  }
};

}  // namespace mirab::scheduling
