#pragma once

#include <cstdint>
#include <gmpxx.h>
#include <span>
#include <utility>
#include <vector>

#include <mirab/scheduling/events.hpp>

#include "scheduling/accounts.hpp"

namespace mirab::scheduling {

struct Standing;

/// What a user has, or would have after some of its tasks have ended and others have started.
struct Holding {
  std::uint32_t user;
  Amounts used;                                                 ///< [m]
  std::int64_t running;                                         ///< tasks
  std::vector<std::pair<std::uint32_t, std::int64_t>> changed;  ///< shape, tasks of it more or fewer

  static Holding of(const Accounts& accounts, std::uint32_t user);

  /// `tasks` more tasks of the shape, each of this demand; fewer when it is below 0. O(m + changed).
  void add(std::uint32_t shape, std::span<const std::int64_t> demand, std::int64_t tasks);
};

/// The key of a discipline as a function of what one user has: the same number by which the race compares
/// users. It never falls when the user gets more.
struct Level {
  double (*rounded)(const Standing& standing, const Holding& holding);  ///< right to 1 part in 10^12
  mpq_class (*exact)(const Standing& standing, const Holding& holding);
};

/// Rounded keys and levels are right to one part in 10^12: those that differ by more than this part differ
/// exactly in the same way.
inline constexpr double kRounding = 4e-12;

extern const Level kRoundRobinLevel;
extern const Level kDrfLevel;
extern const Level kAssetLevel;
extern const Level kPfLevel;
extern const Level kTsfLevel;

}  // namespace mirab::scheduling
