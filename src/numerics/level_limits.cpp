// The ratio test of the simplex method of levels.
//
// Source: Harris, Pivot Selection Methods of the Devex LP Code, 1973. Among the limits that are reached
// within a slip of each other the one that falls fastest leaves. Everything counts in its own size, a share
// in what its row has in all and a slack in its capacity, so that nothing depends on the units in which
// demands, levels and capacities are given; only what changes by next to nothing beside the largest change is
// taken for rounding.
//
// Known failures: a change below 1e-12 of the largest is rounding here even where it is none. The variable
// then falls below 0 by that part of its size.
#include "numerics/level_limits.hpp"

#include <algorithm>
#include <cmath>

namespace mirab::numerics {
namespace {

constexpr double kSlip = 1e-13;  // by which a value may fall below 0 for the sake of a larger pivot
constexpr double kFlat = 1e-12;  // of the largest change: smaller ones are rounding

}  // namespace

void LevelLimits::clear() {
  limits_.clear();
  largest_ = 0;
}

void LevelLimits::add(double value, double fall, double size, const LevelLeaving& leaving) {
  largest_ = std::max(largest_, std::abs(fall) / size);
  if (fall > 0) limits_.push_back({std::max(value, 0.0) / size, fall / size, leaving});
}

LevelLimits::Step LevelLimits::longest_step(double most) const {
  const double flat = kFlat * largest_;
  double furthest = most;
  for (const Limit& limit : limits_) {
    if (limit.fall > flat) furthest = std::min(furthest, (limit.value + kSlip) / limit.fall);
  }
  Step step{.length = most, .leaving = {}};
  double fastest = flat;
  for (const auto& [value, fall, leaving] : limits_) {
    if (fall <= fastest || value / fall > furthest) continue;
    fastest = fall;
    step = {.length = value / fall, .leaving = leaving};
  }
  return step;
}

}  // namespace mirab::numerics
