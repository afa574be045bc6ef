#pragma once

#include <cstdint>
#include <vector>

#include "simulation/replay/input.hpp"

namespace mirab::simulation {

/// What became of tasks during a replay, by user.
class ReplayTasks {
 public:
  explicit ReplayTasks(const ReplayInput& input) : users_(input.users.size()) {}

  void submitted(std::uint32_t user, std::int64_t tasks) { users_[user].tally.submitted += tasks; }
  void started_first(std::uint32_t user) { ++users_[user].tally.started; }
  void lost(std::uint32_t user) { ++users_[user].tally.lost; }
  void finished(std::uint32_t user, Duration waiting, Duration runtime);

  // At the end of the replay.
  void still_running(std::uint32_t user, Duration waiting);
  void still_waiting(std::uint32_t user, Duration waiting_so_far, std::int64_t tasks);

  /// With quantiles. O(tasks log tasks); the times are used up by tally_all().
  ReplayTally tally(std::uint32_t user) const { return with_quantiles(users_[user]); }
  ReplayTally tally_all();

 private:
  struct Times {
    ReplayTally tally;  // counts alone
    std::vector<double> waiting, slowdown, completion, waiting_so_far;
  };
  static ReplayTally with_quantiles(const Times& times);

  std::vector<Times> users_;
};

}  // namespace mirab::simulation
