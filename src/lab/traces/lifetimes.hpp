#pragma once

#include <map>
#include <vector>

#include <mirab/model/random.hpp>
#include <mirab/model/time.hpp>

namespace mirab::traces {

/// How long tasks live, learnt from a window of a trace, for tasks whose end the window does not show.
/// One owner.
class Lifetimes {
 public:
  /// A task that began in the window and was seen for so long, until it ended or until the window did.
  void ended(Duration age) { ++at_age_[age].ended; }
  void outlived(Duration age) { ++at_age_[age].outlived; }

  /// A task that ran before the window began, and so long in it.
  void old_ended(Duration seen);
  void old_outlived(Duration seen);

  /// Has any task ended? Requires it before a draw.
  bool known() const;

  /// The whole life, > `age`, of a task that began in the window and was seen for `age` (0: never seen to
  /// run).
  Duration draw(Duration age, Random& random) const;

  /// What a task that ran before the window began and outlives it has left at the end of the window; > 0.
  Duration draw_rest_of_old(Random& random) const;

  /// To be called once, after the last task was told and before the first draw. O(tasks · log tasks).
  void learn();

 private:
  struct AtAge {
    std::int64_t ended = 0;
    std::int64_t outlived = 0;
  };
  struct Step {
    Duration age;
    double survival;
  };
  struct Seen {
    std::int64_t ended = 0;
    double seconds = 0;  // in all
  };

  Duration draw_exponential(Random& random) const;

  std::map<Duration, AtAge> at_age_;
  std::vector<Step> survival_;  // S at each age at which a task ended, by age; steps down
  Seen young_;
  Seen old_;
  double rate_ = 0;  // ends a second, of tasks older than what the window shows
};

}  // namespace mirab::traces
