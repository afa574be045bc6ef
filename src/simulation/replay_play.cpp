// One contender's replay: events to the engine in the order of their times, and decisions back into events.
//
// At one instant first tasks end, in the order in which they started, then servers come and go, then jobs are
// submitted; then the engine places until nothing more is placed. So a task that ends when its server goes
// has ended, and what ends makes room for what comes. A task that starts at t ends at t + runtime > t. A task
// that is lost with its server waits again, before the others of its job, and runs from its beginning when it
// starts again.
//
// Cost: for every event and placement what the engine takes, O(log running tasks) and O(m); see
// replay_users.hpp and replay_servers.hpp for what is measured.
#include "simulation/replay_play.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <optional>

#include <mirab/scheduling/engine.hpp>

#include "scheduling/slots.hpp"
#include "simulation/event_queue.hpp"
#include "simulation/replay_series.hpp"
#include "simulation/replay_servers.hpp"
#include "simulation/replay_tasks.hpp"
#include "simulation/replay_usage.hpp"
#include "simulation/replay_users.hpp"
#include "simulation/seconds.hpp"
#include "simulation/streams.hpp"

namespace mirab::simulation {
namespace {

using namespace scheduling;

constexpr Duration kNever = Duration::max();

/// Row `number` of a table that grows as the engine gives out numbers.
template <class Row>
Row& row(std::vector<Row>& rows, std::uint32_t number) {
  if (number >= rows.size()) rows.resize(number + 1);
  return rows[number];
}

class Replay {
 public:
  Replay(const ReplayInput& input, const ReplayPlay& how, Engine engine)
      : input_(input),
        how_(how),
        engine_(std::move(engine)),
        random_(stream(how.seed, "placements of a replay")),
        users_(input),
        servers_(input),
        tasks_(input),
        usage_(input),
        series_(input, how.samples),
        granted_integral_(input.resources.size(), 0.0),
        pool_integral_(granted_integral_) {}

  Result<ReplayOutcome> play() {
    if (Check bad = begin()) return *std::move(bad);
    while (!is_over()) {
      const Duration now = next_instant();
      if (now == kNever || (how_.until == ReplayUntil::span && now > input_.span)) break;
      pass_until(now);
      end_tasks();
      change_servers();
      submit_jobs();
      place();
      users_.settle(now_, servers_.pool());
    }
    close();
    return outcome();
  }

 private:
  struct RunningTask {
    TaskId id;
    std::uint32_t job = 0;
    std::uint32_t server = 0;
    Duration started{};
    bool runs = false;
  };

  Check begin() {
    const Machines& machines = input_.machines;
    server_of_machine_.resize(machines.count);
    for (std::uint32_t machine = 0; machine < machines.first.size(); ++machine)
      add_server(machine, machines.first[machine]);
    for (std::size_t n = 0; n < input_.users.size(); ++n) {
      const Submitter& user = input_.users[n];
      const Result<UserId> id = engine_.apply(UserAdded{.name = user.name, .weight = user.weight}, Time{});
      if (!id) return Error{.message = id.error().message, .key = fmt::format("users[{}].weight", n)};
      user_ids_.push_back(*id);
    }
    users_.settle(now_, servers_.pool());
    return {};
  }

  /// When drained, nothing runs, nothing is to come, and no server can come that would change that.
  bool is_over() const {
    return how_.until == ReplayUntil::drained && next_job_ == input_.jobs.size() && users_.running() == 0 &&
           (users_.waiting() == 0 || next_change_ == input_.machines.changes.size());
  }

  Duration next_instant() const {
    Duration next = kNever;
    if (!ends_.empty()) next = std::min(next, ends_.next().time_since_epoch());
    if (next_change_ < input_.machines.changes.size())
      next = std::min(next, input_.machines.changes[next_change_].at);
    if (next_job_ < input_.jobs.size()) next = std::min(next, input_.jobs[next_job_].submitted);
    return next;
  }

  /// Nothing happens until then: the state is sampled and integrated.
  void pass_until(Duration now) {
    while (series_.next() < now) series_.sample(users_, servers_, usage_);
    const double elapsed = seconds(now - now_);
    for (std::size_t r = 0; r < pool_integral_.size(); ++r) {
      granted_integral_[r] += static_cast<double>(servers_.granted()[r]) * elapsed;
      pool_integral_[r] += static_cast<double>(servers_.pool()[r]) * elapsed;
    }
    waiting_integral_ += static_cast<double>(users_.waiting()) * elapsed;
    running_integral_ += static_cast<double>(users_.running()) * elapsed;
    now_ = now;
  }

  void end_tasks() {
    while (!ends_.empty() && ends_.next() <= Time(now_)) {
      const TaskId id = ends_.take();
      RunningTask& task = running_[number(id)];
      if (!task.runs || task.id != id) continue;  // it was lost with its server
      const ReplayJob& job = input_.jobs[task.job];
      applied(engine_.apply(TaskFinished{id}, Time(now_)));
      users_.finish(job.user, take_off(task));
      tasks_.finished(job.user, task.started - job.submitted, job.runtime);
      ++events_;
    }
  }

  /// The task runs no more; what it took.
  std::span<const std::int64_t> take_off(RunningTask& task) {
    task.runs = false;
    const Amounts& demand = input_.requests[input_.jobs[task.job].request].demand;
    servers_.give(task.server, demand);
    usage_.end(number(task.id), now_);
    return demand;
  }

  void change_servers() {
    const std::vector<MachineChange>& changes = input_.machines.changes;
    for (; next_change_ < changes.size() && changes[next_change_].at <= now_; ++next_change_) {
      const MachineChange& change = changes[next_change_];
      ++events_;
      if (change.kind == ServerChange::Kind::up) {
        add_server(change.machine, change.becomes);
      } else {
        remove_server(change.machine);
      }
    }
  }

  void add_server(std::uint32_t machine, std::uint32_t kind) {
    const MachineKind& is = input_.machines.kinds[kind];
    const Result<ServerId> id = engine_.apply(
        ServerAdded{.name = is.name, .capacity = input_.capacity[kind], .labels = is.labels}, Time(now_));
    MIRAB_ASSERT(static_cast<bool>(id), "units were chosen so that all servers can be counted");
    server_of_machine_[machine] = *id;
    servers_.add(number(*id), kind);
  }

  void remove_server(std::uint32_t machine) {
    const ServerId server = server_of_machine_[machine];
    const auto lost = engine_.apply(ServerFailed{server}, Time(now_));
    MIRAB_ASSERT(static_cast<bool>(lost), "only a server that is there goes");
    for (const Lost& each : *lost) {
      RunningTask& task = running_[number(each.task)];
      const std::uint32_t user = input_.jobs[task.job].user;
      users_.lose(user, take_off(task));
      tasks_.lost(user);
      ++to_restart_[task.job];
    }
    servers_.remove(number(server));
  }

  void submit_jobs() {
    for (; next_job_ < input_.jobs.size() && input_.jobs[next_job_].submitted <= now_; ++next_job_) {
      const ReplayJob& job = input_.jobs[next_job_];
      JobSubmitted event = input_.requests[job.request];
      event.user = user_ids_[job.user];
      event.tasks = job.tasks;
      event.gang = job.gang;
      event.per_server = job.per_server;
      const Result<JobId> id = engine_.apply(event, Time(now_));
      MIRAB_ASSERT(static_cast<bool>(id), "requests were checked");
      job_ids_.push_back(*id);
      row(job_of_number_, number(*id)) = static_cast<std::uint32_t>(next_job_);
      to_restart_.push_back(0);
      users_.submit(job.user, job.tasks);
      tasks_.submitted(job.user, job.tasks);
      ++events_;
    }
  }

  void place() {
    while (const std::optional<Placed> placed = engine_.step(Time(now_), random_)) {
      const std::uint32_t job = job_of_number_[number(placed->job)];
      start(placed->task, job, placed->server);
      for (const Companion& other : placed->with) start(other.task, job, other.server);
    }
  }

  void start(TaskId task, std::uint32_t j, ServerId on) {
    const ReplayJob& job = input_.jobs[j];
    const Amounts& demand = input_.requests[job.request].demand;
    const std::uint32_t server = number(on);
    row(running_, number(task)) = {.id = task, .job = j, .server = server, .started = now_, .runs = true};
    ends_.schedule(Time(end_of(job)), task);
    servers_.take(server, demand);
    users_.start(job.user, demand);
    usage_.start(number(task), job, now_);
    if (to_restart_[j] > 0) {
      --to_restart_[j];
    } else {
      tasks_.started_first(job.user);
    }
    ++placements_;
    if (how_.on_start) how_.on_start({.at = now_, .job = j, .server = server});
  }

  /// Of one that starts now; the end of counted time for one that ends beyond it.
  Duration end_of(const ReplayJob& job) const {
    return job.runtime > kNever - now_ ? kNever : now_ + job.runtime;
  }

  void close() {
    pass_until(std::max(now_, input_.span));
    users_.close(now_);
    for (const RunningTask& task : running_) {
      if (!task.runs) continue;
      const ReplayJob& job = input_.jobs[task.job];
      tasks_.still_running(job.user, task.started - job.submitted);
    }
    for (std::size_t j = 0; j < job_ids_.size(); ++j) {
      const auto state = engine_.job(job_ids_[j]);
      if (!state || state->waiting == 0) continue;
      tasks_.still_waiting(input_.jobs[j].user, now_ - input_.jobs[j].submitted, state->waiting);
    }
  }

  ReplayUser user(std::uint32_t n) const {
    const ReplayUsers::User& over_time = users_.users()[n];
    ReplayUser user;
    static_cast<ReplayTally&>(user) = tasks_.tally(n);
    user.name = input_.users[n].name;
    user.oversized = input_.oversized[n];
    user.cut = input_.cut[n];
    user.share = over_time.share_integral / seconds(now_);
    user.unfairness = over_time.unfairness_integral;
    user.starvation = seconds(over_time.starvation);
    user.starved = user.submitted > 0 && user.started == 0;
    return user;
  }

  ReplayOutcome outcome() {
    ReplayOutcome outcome;
    for (std::uint32_t n = 0; n < input_.users.size(); ++n) outcome.users.push_back(user(n));
    static_cast<ReplayTally&>(outcome) = tasks_.tally_all();
    for (const ReplayUser& each : outcome.users) {
      outcome.oversized += each.oversized;
      outcome.cut += each.cut;
      outcome.unfairness += each.unfairness;
      outcome.starvation = std::max(outcome.starvation, each.starvation);
      if (each.starved) ++outcome.starved;
    }
    outcome.discipline = how_.contender.discipline.text;
    outcome.placement =
        (chooses_servers(how_.contender.discipline) ? how_.contender.discipline : how_.contender.placement)
            .text;
    outcome.resources = input_.resources;
    const std::vector<double> surplus = usage_.surplus_integral(now_);
    for (std::size_t r = 0; r < pool_integral_.size(); ++r) {
      const double pool = pool_integral_[r] * input_.unit[r], granted = granted_integral_[r] * input_.unit[r];
      outcome.utilization.push_back(pool > 0 ? granted / pool : 0);
      if (usage_.is_known()) outcome.used.push_back(pool > 0 ? (granted + surplus[r]) / pool : 0);
    }
    outcome.mean_waiting_tasks = waiting_integral_ / seconds(now_);
    outcome.mean_running_tasks = running_integral_ / seconds(now_);
    outcome.end = seconds(now_);
    outcome.events = events_;
    outcome.placements = placements_;
    outcome.notices = input_.notices;
    series_.write(outcome);
    return outcome;
  }

  static void applied(const Check& refused) {
    MIRAB_ASSERT(!refused, "the engine refuses an event of its own doing");
  }

  const ReplayInput& input_;
  const ReplayPlay& how_;
  Engine engine_;
  Random random_;

  Duration now_{};
  std::size_t next_job_ = 0, next_change_ = 0;
  EventQueue<TaskId> ends_;  // of tasks, some of which were lost in the meantime

  std::vector<UserId> user_ids_;              // [user]
  std::vector<ServerId> server_of_machine_;   // [machine], the latest
  std::vector<JobId> job_ids_;                // [job]
  std::vector<std::int64_t> to_restart_;      // [job], its tasks that were lost and wait
  std::vector<std::uint32_t> job_of_number_;  // [the engine's number of a job]
  std::vector<RunningTask> running_;          // [the engine's number of a task]

  ReplayUsers users_;
  ReplayServers servers_;
  ReplayTasks tasks_;
  ReplayUsage usage_;
  ReplaySeries series_;
  std::vector<double> granted_integral_, pool_integral_;  // [m], units × seconds
  double waiting_integral_ = 0, running_integral_ = 0;    // tasks × seconds
  std::int64_t events_ = 0, placements_ = 0;
};

}  // namespace

Result<ReplayOutcome> play(const ReplayInput& input, const ReplayPlay& how) {
  Result<Engine> engine = Engine::from({.resources = input.resources,
                                        .discipline = how.contender.discipline,
                                        .placement = how.contender.placement,
                                        .oversized = Oversized::wait});
  if (!engine) return std::move(engine).error();
  return Replay(input, how, *std::move(engine)).play();
}

}  // namespace mirab::simulation
