#include "lab/simulation/replay/play.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <optional>
#include <utility>

#include <mirab/scheduling/engine.hpp>

#include "lab/simulation/base/event_queue.hpp"
#include "lab/simulation/base/replications.hpp"
#include "lab/simulation/replay.hpp"
#include "lab/simulation/replay/easy.hpp"
#include "lab/simulation/replay/input.hpp"
#include "lab/simulation/replay/record.hpp"
#include "lab/simulation/scenario.hpp"
#include "model/seconds.hpp"
#include "scheduling/ledger/slots.hpp"
#include "scheduling/order/disciplines.hpp"

namespace mirab::simulation {

Workload cut_off(Workload workload, Duration end) {
  std::erase_if(workload.jobs, [&](const Job& job) { return job.submitted >= end; });
  std::erase_if(workload.changes, [&](const ServerChange& change) { return change.at >= end; });
  workload.span = std::min(workload.span, end);
  return workload;
}

std::span<const ReplayDiscipline> replay_disciplines() {
  static constexpr std::array<ReplayDiscipline, 2> kRows = {
      {{.info = {.name = "fcfs",
                 .summary = "First come, first served: no job overtakes one that waits before it. Another "
                            "name for fifo:blocking=freeze, which fill and engines take too.",
                 .source = "docs/reference/simulate.md",
                 .options = {}},
        .of_engine = "fcfs",
        .queue = ReplayQueue::engine},
       {.info = {.name = "easy",
                 .summary = "EASY backfilling: a job overtakes where that does not delay the first one, by "
                            "the runtimes that jobs ask for. Replays only.",
                 .source = "Lifka 1995; docs/reference/simulate.md",
                 .options = {}},
        .of_engine = "fifo",
        .queue = ReplayQueue::easy}}};
  return kRows;
}

Result<ReplayContender> choose_contender(std::string_view discipline) {
  const std::span<const ReplayDiscipline> own = replay_disciplines();
  const auto row = std::find_if(own.begin(), own.end(),
                                [&](const ReplayDiscipline& each) { return each.info.name == discipline; });
  const bool is_own = row != own.end();
  Result<Choice> choice = choose_discipline(is_own ? row->of_engine : discipline);
  if (!choice) {
    std::vector<ChoosableRow> rows;
    for (const DisciplineInfo& each : disciplines())
      rows.push_back({.name = each.name, .aliases = {}, .options = each.options});
    for (const ReplayDiscipline& each : own)
      rows.push_back({.name = each.info.name, .aliases = {}, .options = {}});
    const Result<Choice> of_all = choose(discipline, "discipline", rows);
    return of_all ? choice.error() : of_all.error();
  }
  ReplayContender contender{.discipline = *std::move(choice),
                            .placement = *choose_placement("first-fit"),
                            .queue = is_own ? row->queue : ReplayQueue::engine};
  if (is_own) contender.discipline.text = discipline;
  return contender;
}

std::string options_text(const ReplayContender& contender) {
  std::string text;
  if (contender.half_life) text += fmt::format(" half_life={}s", seconds_text(*contender.half_life));
  if (contender.reservations) {
    const scheduling::Reserving& reserving = *contender.reservations;
    text += fmt::format(" reservations={}s", seconds_text(reserving.after));
    if (reserving.servers != 1) text += fmt::format(",servers={}", reserving.servers);
    if (reserving.at_most) text += fmt::format(",at_most={}s", seconds_text(*reserving.at_most));
  }
  if (contender.preemption)
    text += fmt::format(" preemption={}/{}s", contender.preemption->tasks,
                        seconds_text(contender.preemption->per));
  return text;
}

std::string contender_text(const ReplayContender& contender) {
  return contender.discipline.text + options_text(contender);
}

// Traces through the engine, every contender side by side on the same input.

namespace {

/// EASY gives the engine the parts of a job one by one, which would forget what bounds them all.
Check check_contender(const ReplayContender& contender, const ReplayInput& input) {
  if (contender.queue != ReplayQueue::easy) return {};
  if (contender.half_life || contender.reservations || contender.preemption)
    return Error{.message = "easy takes no half_life, reservations or preemption", .key = ""};
  const auto goes = [](const MachineChange& change) { return change.kind == ServerChange::Kind::down; };
  if (std::any_of(input.machines.changes.begin(), input.machines.changes.end(), goes))
    return Error{.message = "easy plays no trace whose servers go", .key = "discipline"};
  const bool has_parts = std::any_of(input.jobs.begin(), input.jobs.end(), [](const ReplayJob& job) {
    return job.per_server && job.gang < job.tasks;
  });
  if (!has_parts) return {};
  return Error{.message = "easy takes no jobs with per_server whose tasks do not all start together",
               .key = "discipline"};
}

Error of_contender(std::size_t contender, Error error) {
  static constexpr std::array<std::string_view, 6> kKeys = {"discipline",   "placement",  "half_life",
                                                            "reservations", "preemption", ""};
  const std::string_view key = std::string_view(error.key).substr(0, error.key.find('.'));
  if (std::find(kKeys.begin(), kKeys.end(), key) != kKeys.end())
    error.key = fmt::format("contenders[{}]{}{}", contender, error.key.empty() ? "" : ".", error.key);
  return error;
}

}  // namespace

Result<std::vector<ReplayOutcome>> replay(const Problem& cluster, const Workload& workload,
                                          const ReplayOptions& options, std::uint64_t seed, int threads,
                                          const Progress& progress) {
  if (options.contenders.empty())
    return Error{.message = "at least one contender is needed", .key = "contenders"};
  if (options.samples < 1) return Error{.message = "at least one sample is needed", .key = "samples"};
  const Result<ReplayInput> input = replay_input(cluster, workload, options.scale, seed, options.teams);
  if (!input) return input.error();
  for (std::size_t c = 0; c < options.contenders.size(); ++c) {
    if (Check bad = check_contender(options.contenders[c], *input)) return of_contender(c, *std::move(bad));
  }
  if (std::cmp_less(input->span.count(), options.samples))
    return Error{.message = "are more than the trace has nanoseconds", .key = "samples"};

  std::vector<std::optional<Result<ReplayOutcome>>> played(options.contenders.size());
  sweep(
      played.size(), threads,
      [&](std::size_t c) {
        played[c] = play(*input, {.contender = options.contenders[c],
                                  .until = options.until,
                                  .samples = options.samples,
                                  .seed = seed,
                                  .keeps_jobs = options.keeps_jobs});
      },
      progress);

  std::vector<ReplayOutcome> outcomes;
  for (std::size_t c = 0; c < played.size(); ++c) {
    Result<ReplayOutcome>& outcome = *played[c];
    if (!outcome) return of_contender(c, std::move(outcome).error());
    for (std::size_t job = 0; job < outcome->jobs.size(); ++job)
      outcome->jobs[job].name = workload.jobs[input->jobs[job].row].name;
    outcomes.push_back(*std::move(outcome));
  }
  return outcomes;
}

// One contender's replay: events to the engine in the order of their times, and decisions back into events.
//
// At one instant first tasks end, in the order in which they started, then servers come and go, then jobs are
// submitted; then the engine places until nothing more is placed. So a task that ends when its server goes
// has ended, and what ends makes room for what comes. A task that starts at t ends at t + runtime > t. A task
// that is lost with its server waits again, before the others of its job, and runs from its beginning when it
// starts again.
//
// Cost: for every event and placement what the engine takes, O(log running tasks) and O(m); see
// measures.hpp for what is measured.

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
        record_(input, engine_, how.samples),
        easy_(input) {}

  Result<ReplayOutcome> play() {
    if (Check bad = begin()) return *std::move(bad);
    while (!is_over()) {
      const Duration now = next_instant();
      if (now == kNever || (how_.until == ReplayUntil::span && now > input_.span)) break;
      record_.pass_until(now);
      end_tasks();
      change_servers();
      submit_jobs();
      by_time_.reset();
      if (tasks_may_start()) place();
      record_.settle();
    }
    return close();
  }

 private:
  struct Row {
    TaskId id;
    RunningTask task;
    bool runs = false;
  };

  Time now() const { return Time(record_.now()); }

  Check begin() {
    server_of_machine_.resize(input_.machines.count);
    for (std::uint32_t machine = 0; machine < input_.machines.first.size(); ++machine)
      add_server(machine, input_.machines.first[machine]);
    std::vector<GroupId> teams;  // none where they are not honoured
    if (honours_groups(how_.contender.discipline)) {
      Result<std::vector<GroupId>> added = add_groups(engine_, input_.teams, now(), notices_);
      if (!added) return added.error();
      teams = *std::move(added);
    } else if (!input_.teams.empty()) {
      notices_.push_back(fmt::format("{} does not honour teams", how_.contender.discipline.text));
    }
    for (std::size_t n = 0; n < input_.users.size(); ++n) {
      const Submitter& user = input_.users[n];
      UserAdded event{.name = user.name, .weight = user.weight};
      if (!teams.empty() && input_.team_of[n]) event.group = teams[*input_.team_of[n]];
      const Result<UserId> id = engine_.apply(event, now());
      if (!id) return Error{.message = id.error().message, .key = fmt::format("users[{}].weight", n)};
      user_ids_.push_back(*id);
      record_.add_user(*id);
    }
    if (!teams.empty()) bound_groups(engine_, input_.teams, teams, now(), notices_);
    record_.settle();
    return {};
  }

  /// When drained, nothing runs, nothing is to come, and no server can come that would change that.
  bool is_over() const {
    return how_.until == ReplayUntil::drained && next_job_ == input_.jobs.size() && record_.running() == 0 &&
           (record_.waiting() == 0 || next_change_ == input_.machines.changes.size());
  }

  /// What would start when the replay ends would run for no time, and hide that it waited to the end.
  bool tasks_may_start() const { return how_.until == ReplayUntil::drained || record_.now() < input_.span; }

  Duration next_instant() const {
    Duration next = kNever;
    if (!ends_.empty()) next = std::min(next, ends_.next().time_since_epoch());
    if (next_change_ < input_.machines.changes.size())
      next = std::min(next, input_.machines.changes[next_change_].at);
    if (next_job_ < input_.jobs.size()) next = std::min(next, input_.jobs[next_job_].submitted);
    if (by_time_) next = std::min(next, by_time_->time_since_epoch());
    return next;
  }

  void end_tasks() {
    while (!ends_.empty() && ends_.next() <= now()) {
      const TaskId id = ends_.take();
      Row& ended = running_[number(id)];
      if (!ended.runs || ended.id != id) continue;  // it was lost with its server
      ended.runs = false;
      const Check refused = engine_.apply(TaskFinished{id}, now());
      MIRAB_ASSERT(!refused, "a task that runs can end");
      record_.finish(ended.task);
    }
  }

  void change_servers() {
    const std::vector<MachineChange>& changes = input_.machines.changes;
    for (; next_change_ < changes.size() && Time(changes[next_change_].at) <= now(); ++next_change_) {
      const MachineChange& change = changes[next_change_];
      record_.server_changes();
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
        ServerAdded{.name = is.name, .capacity = input_.capacity[kind], .labels = is.labels}, now());
    MIRAB_ASSERT(static_cast<bool>(id), "units were chosen so that all servers can be counted");
    server_of_machine_[machine] = *id;
    row(kind_of_number_, number(*id)) = kind;
    record_.add_server(*id, kind);
  }

  void remove_server(std::uint32_t machine) {
    const ServerId server = *server_of_machine_[machine];
    const auto lost = engine_.apply(ServerFailed{server}, now());
    MIRAB_ASSERT(static_cast<bool>(lost), "only a server that is there goes");
    for (const Lost& each : *lost) {
      Row& gone = running_[number(each.task)];
      gone.runs = false;
      record_.lose(gone.task);
    }
    record_.remove_server();
  }

  void submit_jobs() {
    for (; next_job_ < input_.jobs.size() && Time(input_.jobs[next_job_].submitted) <= now(); ++next_job_) {
      const auto index = static_cast<std::uint32_t>(next_job_);
      const ReplayJob& job = input_.jobs[index];
      if (how_.contender.queue == ReplayQueue::easy) {
        easy_.submit(index);
      } else {
        job_ids_.push_back(give_to_engine(index, job.tasks, job.gang));
      }
      record_.submit(index);
    }
  }

  JobId give_to_engine(std::uint32_t index, std::int64_t tasks, std::int64_t gang) {
    const ReplayJob& job = input_.jobs[index];
    JobSubmitted event = input_.requests[job.request];
    event.user = user_ids_[job.user];
    event.tasks = tasks;
    event.gang = gang;
    event.per_server = job.per_server;
    const Result<JobId> id = engine_.apply(event, now());
    MIRAB_ASSERT(static_cast<bool>(id), "jobs were checked");
    row(job_of_number_, number(*id)) = index;
    return *id;
  }

  void place() {
    if (how_.contender.queue == ReplayQueue::easy) return place_by_easy();
    while (const std::optional<Placed> placed = engine_.step(now(), random_)) {
      for (const auto& each : placed->preempted) {
        Row& ended = running_[number(each.task)];
        ended.runs = false;
        record_.preempt(ended.task);
      }
      started(*placed);
    }
    by_time_ = engine_.next_by_time();
    MIRAB_ASSERT(!by_time_ || *by_time_ > now(), "after all steps at this time only a later one can do more");
  }

  void started(const Placed& placed) {
    const std::uint32_t job = job_of_number_[number(placed.job)];
    start(placed.task, job, placed.server);
    for (const Companion& other : placed.with) start(other.task, job, other.server);
  }

  void place_by_easy() {
    if (easy_.empty()) return;
    std::vector<EasyRoom> rooms;
    std::vector<std::size_t> room_of_server;  // [the engine's number of a server]
    for (const std::optional<ServerId>& server : server_of_machine_) {
      if (!server) continue;
      const std::span<const std::int64_t> free = engine_.free(*server);
      row(room_of_server, number(*server)) = rooms.size();
      rooms.push_back({.kind = kind_of_number_[number(*server)], .free = {free.begin(), free.end()}});
    }
    std::vector<EasyEnding> endings;
    for (const Row& each : running_) {
      if (!each.runs) continue;
      const ReplayJob& job = input_.jobs[each.task.job];
      endings.push_back({.at = each.task.started + job.requested,
                         .room = room_of_server[each.task.server],
                         .request = job.request});
    }
    std::optional<Placed> latest;
    const auto attempt = [&](std::uint32_t job, std::int64_t tasks) {
      std::vector<std::size_t> placed_in;
      const JobId id = give_to_engine(job, tasks, tasks);
      latest = engine_.step(now(), random_);
      if (!latest) {
        const auto gone = engine_.apply(JobCancelled{id}, now());
        MIRAB_ASSERT(static_cast<bool>(gone), "a job that waits can be cancelled");
        return placed_in;
      }
      placed_in.push_back(room_of_server[number(latest->server)]);
      for (const Companion& other : latest->with) placed_in.push_back(room_of_server[number(other.server)]);
      return placed_in;
    };
    const auto undo = [&] {
      const auto end = [&](TaskId task) {
        const Check refused = engine_.apply(TaskFinished{task}, now());
        MIRAB_ASSERT(!refused, "a task that has just started can end");
      };
      end(latest->task);
      for (const Companion& other : latest->with) end(other.task);
    };
    easy_.start(record_.now(), std::move(rooms), std::move(endings),
                {.attempt = attempt, .keep = [&] { started(*latest); }, .undo = undo});
  }

  void start(TaskId id, std::uint32_t job, ServerId server) {
    const RunningTask task{
        .number = number(id), .job = job, .server = number(server), .started = record_.now()};
    row(running_, task.number) = {.id = id, .task = task, .runs = true};
    ends_.schedule(end_of(input_.jobs[job]), id);
    record_.start(task);
    if (how_.on_start) how_.on_start({.at = task.started, .job = job, .server = task.server});
  }

  /// Of one that starts now; the end of counted time for one that ends beyond it.
  Time end_of(const ReplayJob& job) const {
    return job.runtime > kNever - record_.now() ? Time(kNever) : now() + job.runtime;
  }

  /// Servers come and go to the end of the span, after the last task too: utilization is of those that are
  /// there.
  void change_servers_until_span() {
    const std::vector<MachineChange>& changes = input_.machines.changes;
    while (next_change_ < changes.size() && changes[next_change_].at <= input_.span) {
      record_.pass_until(changes[next_change_].at);
      change_servers();
      record_.settle();
    }
  }

  ReplayOutcome close() {
    change_servers_until_span();
    record_.pass_until(std::max(record_.now(), input_.span));
    for (const Row& row : running_) {
      if (row.runs) record_.still_running(row.task);
    }
    easy_.for_each_waiting([&](std::uint32_t job, std::int64_t tasks) { record_.still_waiting(job, tasks); });
    for (std::uint32_t job = 0; job < job_ids_.size(); ++job) {
      const auto state = engine_.job(job_ids_[job]);
      if (state && state->waiting > 0) record_.still_waiting(job, state->waiting);
    }
    ReplayOutcome outcome = record_.outcome(how_.contender, how_.keeps_jobs);
    outcome.notices.insert(outcome.notices.end(), notices_.begin(), notices_.end());
    return outcome;
  }

  const ReplayInput& input_;
  const ReplayPlay& how_;
  Engine engine_;
  Random random_;
  ReplayRecord record_;
  EasyQueue easy_;
  std::vector<std::string> notices_;

  std::size_t next_job_ = 0, next_change_ = 0;
  EventQueue<TaskId> ends_;      // of tasks, some of which were lost in the meantime
  std::optional<Time> by_time_;  // when the engine may do more though nothing happens

  std::vector<UserId> user_ids_;                            // [user]
  std::vector<std::optional<ServerId>> server_of_machine_;  // [machine], the latest; none before it comes
  std::vector<std::uint32_t> kind_of_number_;               // [the engine's number of a server]
  std::vector<JobId> job_ids_;                              // [job], of those that are the engine's at once
  std::vector<std::uint32_t> job_of_number_;                // [the engine's number of a job]
  std::vector<Row> running_;                                // [the engine's number of a task]
};

}  // namespace

Result<ReplayOutcome> play(const ReplayInput& input, const ReplayPlay& how) {
  Result<Engine> engine = Engine::from({.resources = input.resources,
                                        .discipline = how.contender.discipline,
                                        .placement = how.contender.placement,
                                        .oversized = Oversized::wait,
                                        .half_life = how.contender.half_life,
                                        .reservations = how.contender.reservations,
                                        .preemption = how.contender.preemption});
  if (!engine) return std::move(engine).error();
  return Replay(input, how, *std::move(engine)).play();
}

}  // namespace mirab::simulation
