#include "simulation/replay/record.hpp"

#include <algorithm>

#include <mirab/scheduling/fill.hpp>

#include "model/seconds.hpp"

namespace mirab::simulation {

ReplayRecord::ReplayRecord(const ReplayInput& input, std::size_t samples)
    : input_(input),
      users_(input),
      servers_(input),
      tasks_(input),
      usage_(input),
      series_(input, samples),
      granted_integral_(input.resources.size(), 0.0),
      pool_integral_(granted_integral_) {}

void ReplayRecord::pass_until(Duration now) {
  while (series_.next() < now) series_.sample(users_, servers_, usage_);
  const double elapsed = in_seconds(now - now_);
  for (std::size_t r = 0; r < pool_integral_.size(); ++r) {
    granted_integral_[r] += static_cast<double>(servers_.granted()[r]) * elapsed;
    pool_integral_[r] += static_cast<double>(servers_.pool()[r]) * elapsed;
  }
  waiting_integral_ += static_cast<double>(users_.waiting()) * elapsed;
  running_integral_ += static_cast<double>(users_.running()) * elapsed;
  now_ = now;
}

void ReplayRecord::submit(std::uint32_t job) {
  MIRAB_ASSERT(job == to_restart_.size(), "jobs are submitted in their order");
  to_restart_.push_back(0);
  users_.submit(input_.jobs[job].user, input_.jobs[job].tasks);
  tasks_.submitted(input_.jobs[job].user, input_.jobs[job].tasks);
  ++events_;
}

void ReplayRecord::start(const RunningTask& task) {
  const ReplayJob& job = input_.jobs[task.job];
  servers_.take(task.server, demand(task));
  users_.start(job.user, demand(task));
  usage_.start(task.number, job, now_);
  ++placements_;
  // Tasks that were lost wait before the others of their job, so they start first.
  if (to_restart_[task.job] > 0) {
    --to_restart_[task.job];
  } else {
    tasks_.started_first(job.user);
  }
}

void ReplayRecord::take_off(const RunningTask& task) {
  servers_.give(task.server, demand(task));
  usage_.end(task.number, now_);
}

void ReplayRecord::finish(const RunningTask& task) {
  const ReplayJob& job = input_.jobs[task.job];
  take_off(task);
  users_.finish(job.user, demand(task));
  tasks_.finished(job.user, task.started - job.submitted, job.runtime);
  ++events_;
}

void ReplayRecord::lose(const RunningTask& task) {
  const std::uint32_t user = input_.jobs[task.job].user;
  take_off(task);
  users_.lose(user, demand(task));
  tasks_.lost(user);
  ++to_restart_[task.job];
}

void ReplayRecord::still_running(const RunningTask& task) {
  const ReplayJob& job = input_.jobs[task.job];
  tasks_.still_running(job.user, task.started - job.submitted);
}

void ReplayRecord::still_waiting(std::uint32_t job, std::int64_t tasks) {
  tasks_.still_waiting(input_.jobs[job].user, now_ - input_.jobs[job].submitted, tasks);
}

ReplayUser ReplayRecord::user(std::uint32_t n) const {
  const ReplayUsers::User& over_time = users_.users()[n];
  ReplayUser user;
  static_cast<ReplayTally&>(user) = tasks_.tally(n);
  user.name = input_.users[n].name;
  user.oversized = input_.oversized[n];
  user.cut = input_.cut[n];
  user.share = over_time.share_integral / in_seconds(now_);
  user.unfairness = over_time.unfairness_integral;
  user.starvation = in_seconds(over_time.starvation);
  user.starved = user.submitted > 0 && user.started == 0;
  return user;
}

void ReplayRecord::add_up_users(ReplayOutcome& outcome) const {
  for (const ReplayUser& user : outcome.users) {
    outcome.oversized += user.oversized;
    outcome.cut += user.cut;
    outcome.unfairness += user.unfairness;
    outcome.starvation = std::max(outcome.starvation, user.starvation);
    if (user.starved) ++outcome.starved;
  }
}

void ReplayRecord::add_means(ReplayOutcome& outcome) const {
  const std::vector<double> surplus = usage_.surplus_integral(now_);
  for (std::size_t r = 0; r < pool_integral_.size(); ++r) {
    const double pool = pool_integral_[r] * input_.unit[r];
    const double granted = granted_integral_[r] * input_.unit[r];
    outcome.utilization.push_back(pool > 0 ? granted / pool : 0);
    if (usage_.is_known()) outcome.used.push_back(pool > 0 ? (granted + surplus[r]) / pool : 0);
  }
  outcome.mean_waiting_tasks = waiting_integral_ / in_seconds(now_);
  outcome.mean_running_tasks = running_integral_ / in_seconds(now_);
}

ReplayOutcome ReplayRecord::outcome(const ReplayContender& contender) {
  users_.close(now_);
  ReplayOutcome outcome;
  for (std::uint32_t n = 0; n < input_.users.size(); ++n) outcome.users.push_back(user(n));
  static_cast<ReplayTally&>(outcome) = tasks_.tally_all();
  add_up_users(outcome);
  add_means(outcome);
  outcome.discipline = contender.discipline.text;
  outcome.placement =
      (chooses_servers(contender.discipline) ? contender.discipline : contender.placement).text;
  outcome.resources = input_.resources;
  outcome.end = in_seconds(now_);
  outcome.events = events_;
  outcome.placements = placements_;
  outcome.notices = input_.notices;
  series_.write(outcome);
  return outcome;
}

}  // namespace mirab::simulation
