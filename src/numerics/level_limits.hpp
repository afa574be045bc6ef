#pragma once

#include <Eigen/Core>
#include <vector>

namespace mirab::numerics {

/// Who leaves the basis: the variable at a position, or the key of a row; neither when a step is not limited.
struct LevelLeaving {
  Eigen::Index position = -1;
  Eigen::Index row = -1;
};

/// What limits a step of the simplex method of levels, collected one after the other.
class LevelLimits {
 public:
  struct Step {
    double length;
    LevelLeaving leaving;
  };

  void clear();

  /// A basic variable that falls by `fall` a unit of step, or rises where it is < 0, and may fall by `value`.
  /// Both count in `size` > 0: what is much for it.
  void add(double value, double fall, double size, const LevelLeaving& leaving);

  /// The longest step that keeps all of them, and no longer than `most`. Linear in the limits.
  Step longest_step(double most) const;

 private:
  struct Limit {
    double value, fall;
    LevelLeaving leaving;
  };
  std::vector<Limit> limits_;
  double largest_ = 0;  // change of all
};

}  // namespace mirab::numerics
