#include "simulation/replay/tasks.hpp"

#include "model/seconds.hpp"
#include "simulation/quantiles.hpp"

namespace mirab::simulation {
namespace {

void move_to_end(std::vector<double>& from, std::vector<double>& to) {
  to.insert(to.end(), from.begin(), from.end());
  from = {};
}

}  // namespace

void ReplayTasks::finished(std::uint32_t user, Duration waiting, Duration runtime) {
  Times& times = users_[user];
  ++times.tally.finished;
  times.waiting.push_back(in_seconds(waiting));
  times.completion.push_back(in_seconds(waiting + runtime));
  times.slowdown.push_back(static_cast<double>((waiting + runtime).count()) /
                           static_cast<double>(runtime.count()));
}

void ReplayTasks::still_running(std::uint32_t user, Duration waiting) {
  ++users_[user].tally.still_running;
  users_[user].waiting.push_back(in_seconds(waiting));
}

void ReplayTasks::still_waiting(std::uint32_t user, Duration waiting_so_far, std::int64_t tasks) {
  Times& times = users_[user];
  times.tally.still_waiting += tasks;
  times.waiting_so_far.insert(times.waiting_so_far.end(), static_cast<std::size_t>(tasks),
                              in_seconds(waiting_so_far));
}

ReplayTally ReplayTasks::with_quantiles(const Times& times) {
  ReplayTally tally = times.tally;
  tally.waiting = quantiles_of(times.waiting);
  tally.slowdown = quantiles_of(times.slowdown);
  tally.completion = quantiles_of(times.completion);
  tally.waiting_so_far = quantiles_of(times.waiting_so_far);
  return tally;
}

ReplayTally ReplayTasks::tally_all() {
  Times all;
  for (Times& user : users_) {
    all.tally.submitted += user.tally.submitted;
    all.tally.started += user.tally.started;
    all.tally.finished += user.tally.finished;
    all.tally.still_running += user.tally.still_running;
    all.tally.still_waiting += user.tally.still_waiting;
    all.tally.lost += user.tally.lost;
    move_to_end(user.waiting, all.waiting);
    move_to_end(user.slowdown, all.slowdown);
    move_to_end(user.completion, all.completion);
    move_to_end(user.waiting_so_far, all.waiting_so_far);
  }
  return with_quantiles(all);
}

}  // namespace mirab::simulation
