// At which time by the wall clock something was of which the engine's time is known. Engine time goes on
// evenly. The wall clock can be set, and a rest of the service counts for a day of engine time at most. So
// the two move against each other, and each past time is converted as they stood then.
#pragma once

#include <deque>
#include <functional>

#include <mirab/model/time.hpp>

#include "model/wall.hpp"

namespace mirab::live {

/// The same moment by both clocks.
struct Moment {
  Time now = {};
  Wall wall = {};
};

/// A plain value; every state that gets the same records has the same.
class WallTimes {
 public:
  /// What a record says; moments come in the order of engine time. Those that fit the one kept last, within
  /// kTolerance, are not kept.
  void note(const Moment& moment);

  /// What is older than the first moment that is kept is converted by it. Requires a moment.
  Wall at(Time time) const;

  /// The same stretch of engine time in pieces of the wall clock, which are together as long.
  void for_each_piece(Time from, Time to, const std::function<void(Wall from, Wall to)>& visit) const;

  /// Where one clock moved against the other, the oldest first.
  const std::deque<Moment>& moments() const { return moments_; }

  static constexpr std::chrono::milliseconds kTolerance{100};  ///< both are not read at the same instant
  static constexpr std::size_t kMost = 4'096;                  ///< beyond, the oldest go

 private:
  std::deque<Moment> moments_ = {};
};

}  // namespace mirab::live
