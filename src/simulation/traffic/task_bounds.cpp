// What the model of tasks can hold. Virtual time is in nanoseconds, 10⁹ to a unit; 2⁶³ of them are
// 9.2·10⁹ units. Draws by inversion are less than 37 means.
//
//   permanent jobs      10⁵: each is a user of its own to the engine
//   tasks at a time     10⁷: each is an event that waits, of some hundred bytes
//   jobs · σ            10¹⁰: at a microsecond a task, three hours
//   τ_k = T_k / σ       10⁻⁶ to 10⁸ units, and over the cv2 of the sizes at most: a thousand nanoseconds, so
//                       that rounding is nothing, to what does not overflow
//   1.2 jobs / Σ_k λ_k  10⁹ units: how long a run lasts
#include "simulation/traffic/task_bounds.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <numeric>

#include "simulation/traffic/load.hpp"
#include "simulation/traffic/point.hpp"

namespace mirab::simulation {
namespace {

constexpr std::int64_t kMostPermanent = 100'000;
constexpr double kMostAtATime = 1e7;
constexpr double kMostTasks = 1e10;
constexpr double kShortestTask = 1e-6;  // τ_k, in units of time
constexpr double kLongestTask = 1e8;
constexpr double kLongestRun = 1e9;

double arriving_jobs(const TrafficScenario& scenario) {
  return static_cast<double>(scenario.jobs + warm_up_jobs(scenario.jobs));
}

Check check_permanent(const TrafficScenario& scenario) {
  std::int64_t permanent = 0;
  for (std::size_t k = 0; k < scenario.classes.size(); ++k) {
    permanent += scenario.classes[k].permanent;
    if (permanent <= kMostPermanent) continue;
    return Error{.message = fmt::format(
                     "with whole tasks there can be {} permanent jobs, all classes together", kMostPermanent),
                 .key = fmt::format("classes[{}].permanent", k)};
  }
  return {};
}

Check check_tasks(const TrafficScenario& scenario) {
  const auto tasks = static_cast<double>(scenario.tasks_per_job);
  const double all = arriving_jobs(scenario) * tasks;
  if (all > kMostTasks)
    return Error{.message = fmt::format("{} jobs of {} tasks are more than {} tasks in all", scenario.jobs,
                                        scenario.tasks_per_job, kMostTasks),
                 .key = "tasks_per_job"};
  const double variation = scenario.sizes.law == Sizes::Law::hyperexponential ? scenario.sizes.cv2 : 1;
  for (std::size_t k = 0; k < scenario.classes.size(); ++k) {
    const TrafficClass& job_class = scenario.classes[k];
    const double alone = 1 / dominant_part(job_class.demand, scenario.capacity);  // T_k
    const bool endless = job_class.permanent > 0;
    if (std::min(alone, endless ? alone : all) > kMostAtATime)
      return Error{.message = fmt::format("more than {} tasks would run at a time", kMostAtATime),
                   .key = fmt::format("classes[{}].demand", k)};
    const double time = alone / tasks;
    if (time >= kShortestTask && time * variation <= kLongestTask) continue;
    return Error{.message = fmt::format("a task of '{}' would take {} of the time of a job; {} to {} can be "
                                        "simulated (times cv2 at the upper end)",
                                        job_class.name, time, kShortestTask, kLongestTask),
                 .key = "tasks_per_job"};
  }
  return {};
}

Check check_time(const TrafficScenario& scenario) {
  for (std::size_t i = 0; i < scenario.loads.size(); ++i) {
    const std::vector<double> rates = arrival_rates(scenario, scenario.loads[i]);
    const double rate = std::accumulate(rates.begin(), rates.end(), 0.0);
    if (arriving_jobs(scenario) <= kLongestRun * rate) continue;
    return Error{.message = fmt::format("at so small a load {} jobs take more than {} times as long as one "
                                        "that is alone",
                                        scenario.jobs, kLongestRun),
                 .key = fmt::format("load.at[{}]", i)};
  }
  return {};
}

}  // namespace

Check check_task_bounds(const TrafficScenario& scenario) {
  for (const auto part : {check_permanent, check_tasks, check_time}) {
    if (const Check found = part(scenario)) return found;
  }
  return {};
}

}  // namespace mirab::simulation
