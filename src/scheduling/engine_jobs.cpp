// What the events of users, jobs and tasks change.
#include "scheduling/engine_state.hpp"

namespace mirab::scheduling {

Result<UserId> Engine::apply(const UserAdded& event, Time now) {
  State& s = *state_;
  if (Check bad = s.check_time(now)) return *std::move(bad);
  const Result<Weight> weight = weight_from(event.weight);
  if (!weight) return weight.error();
  s.happens(now);
  const std::uint32_t user = s.accounts.add_user({.name = event.name, .weight = *weight});
  if (s.standing.usage) s.standing.usage->begin(user, now);
  return s.accounts.users.id(user);
}

Check Engine::apply(const UserReweighted& event, Time now) {
  State& s = *state_;
  const Result<std::uint32_t> user = s.subject(s.accounts.users, event.user, "user", now);
  if (!user) return user.error();
  const Result<Weight> weight = weight_from(event.weight);
  if (!weight) return weight.error();
  s.happens(now);
  s.accounts.users[*user].weight = *weight;
  s.race.rekey(s.accounts.users[*user].queues);
  s.population_changed();
  return {};
}

Check Engine::apply(const UserRemoved& event, Time now) {
  State& s = *state_;
  const Result<std::uint32_t> user = s.subject(s.accounts.users, event.user, "user", now);
  if (!user) return user.error();
  if (!s.accounts.users[*user].queues.empty())
    return Error{.message = "the user has jobs; cancel them first", .key = "user"};
  s.happens(now);
  s.accounts.users.remove(*user);
  return {};
}

Result<JobId> Engine::apply(const JobSubmitted& event, Time now) {
  State& s = *state_;
  const Result<std::uint32_t> user = s.subject(s.accounts.users, event.user, "user", now);
  if (!user) return user.error();
  if (Check bad = s.check_job(event)) return *std::move(bad);
  const std::uint32_t shape = s.accounts.shapes.hold(event);
  if (Check bad = s.check_possible(event, shape)) {
    s.accounts.shapes.release(shape);
    return *std::move(bad);
  }
  s.happens(now);
  if (s.whom.discipline->monopolised) s.count_alone(shape);

  std::uint32_t queue = s.accounts.find_queue(*user, shape);
  if (queue == kNone) {
    queue = s.accounts.add_queue(*user, shape);
    s.population_changed();
  } else {
    s.accounts.shapes.release(shape);  // a queue holds its shape once
  }
  const std::uint32_t job =
      s.accounts.jobs.add({.queue = queue, .waiting = event.tasks, .sequence = s.jobs_before++});
  ++s.accounts.queues[queue].jobs;
  s.accounts.enqueue(job);
  if (!s.race.holds(queue)) s.wait(queue);
  return s.accounts.jobs.id(job);
}

Result<std::vector<Lost>> Engine::apply(const JobCancelled& event, Time now) {
  State& s = *state_;
  const Result<std::uint32_t> job = s.subject(s.accounts.jobs, event.job, "job", now);
  if (!job) return job.error();
  s.happens(now);
  JobRow& row = s.accounts.jobs[*job];
  const std::uint32_t queue = row.queue;
  if (row.waiting > 0) {
    row.waiting = 0;
    s.accounts.dequeue(*job);
    if (s.accounts.queues[queue].first_job == kNone) {
      s.race.leave(queue);
      if (s.reservations) s.end_reservation(s.reservations->of_queue(queue));
    } else {
      s.race.rekey(std::span(&queue, 1));
    }
  }
  std::vector<Lost> stopped;
  while (row.first_task != kNone) {
    stopped.push_back({.task = s.accounts.tasks.id(row.first_task), .job = event.job});
    s.end(row.first_task);
  }
  s.drop_if_over(*job);
  return stopped;
}

Check Engine::apply(const TaskFinished& event, Time now) {
  State& s = *state_;
  const Result<std::uint32_t> task = s.subject(s.accounts.tasks, event.task, "task", now);
  if (!task) return task.error();
  s.happens(now);
  const std::uint32_t job = s.accounts.tasks[*task].job;
  s.end(*task);
  s.drop_if_over(job);
  return {};
}

Check Engine::apply(const TaskFailed& event, Time now) {
  State& s = *state_;
  const Result<std::uint32_t> task = s.subject(s.accounts.tasks, event.task, "task", now);
  if (!task) return task.error();
  s.happens(now);
  s.end_and_wait_again(*task);
  return {};
}

}  // namespace mirab::scheduling
