#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "simulation/replay/input.hpp"

namespace mirab::simulation {

/// What running tasks really use beyond what they are granted (mostly below 0), for those whose job tells it.
/// Amounts in the files' own unit. Outlived by its input.
class ReplayUsage {
 public:
  explicit ReplayUsage(const ReplayInput& input);

  bool is_known() const { return !input_.usages.empty(); }  ///< of any job

  /// A task of the job starts, or ends. `task` is any number that no other running task has.
  void start(std::uint32_t task, const ReplayJob& job, Duration now);
  void end(std::uint32_t task, Duration now);

  /// Of the tasks that run now. [m]. O(tasks with a usage)
  std::vector<double> surplus(Duration now) const;

  /// ∫ surplus dt from the beginning until now, in seconds. [m]. O(tasks with a usage)
  std::vector<double> surplus_integral(Duration now) const;

 private:
  struct Running {
    std::uint32_t usage, request;
    Duration since;
  };
  double granted(const Running& task, std::size_t r) const {
    return static_cast<double>(input_.requests[task.request].demand[r]) * input_.unit[r];
  }
  void integrate(const Running& task, Duration now, std::vector<double>& integral) const;

  const ReplayInput& input_;
  std::vector<std::vector<std::vector<double>>>
      before_;                                // [usage][step][m], ∫ of the steps before it, seconds
  std::map<std::uint32_t, Running> running_;  // by task
  std::vector<double> integral_;              // [m], of the tasks that have ended
};

}  // namespace mirab::simulation
