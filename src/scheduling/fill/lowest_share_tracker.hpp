#pragma once

#include <cstddef>
#include <cstdint>
#include <gmpxx.h>
#include <vector>

#include "scheduling/fill/integer_problem.hpp"
#include "scheduling/order/share_context.hpp"
#include "scheduling/order/tournament.hpp"

namespace mirab::scheduling {

/// The users of a filling in the order of their dominant shares per weight, whatever the discipline: who
/// ought to be served. All begin with nothing.
class LowestShareTracker {
 public:
  /// Requires the problem to outlive this. O(N).
  explicit LowestShareTracker(const IntegerProblem& cluster);

  /// Has a user that fits somewhere less than this one? Who fits nowhere will never again, and leaves.
  /// O(log N) and a call of `fits` for each that leaves.
  template <class Fits>
  bool is_below(std::size_t user, Fits fits);

  /// One more task of the user. O(m + log N).
  void raise(std::size_t user, std::size_t task);
  void leave(std::size_t user);  ///< O(log N)

  /// max_r (Σ_i a_{n,i,r} / C_r) / φ_n, to the nearest double.
  double share(std::size_t user) const;

 private:
  std::span<const std::int64_t> used(std::size_t user) const {
    return std::span(used_).subspan(user * pool_.size(), pool_.size());
  }
  std::strong_ordering compare(std::size_t a, std::size_t b) const;

  auto before() const {
    return [this](UserIndex a, UserIndex b) { return compare(a.number(), b.number()) < 0; };
  }

  const IntegerProblem* cluster_;
  std::vector<std::int64_t> pool_;  // [m]
  std::vector<std::int64_t> used_;  // [n × m]
  std::vector<Weight> weights_;     // [n], 1 where it is 0
  Tournament<UserIndex> users_;
};

template <class Fits>
bool LowestShareTracker::is_below(std::size_t user, Fits fits) {
  while (!fits(users_.winner().number())) users_.leave(users_.winner(), before());
  return compare(users_.winner().number(), user) < 0;
}

}  // namespace mirab::scheduling
