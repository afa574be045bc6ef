// mirab.Engine: policies, steps, reasons, construction and state.
#include "python/engine.hpp"

#include <algorithm>
#include <cstdint>
#include <fmt/format.h>
#include <fstream>
#include <limits>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include <mirab/scheduling/engine.hpp>
#include <mirab/scheduling/event_log.hpp>
#include <mirab/scheduling/snapshot.hpp>

#include "python/arguments.hpp"
#include "python/conversion.hpp"
#include "python/module.hpp"
#include "python/why.hpp"

namespace mirab::python {

// The rules of reservations and preemption (mirab/scheduling/engine.hpp), and which servers are kept.

namespace {

namespace py = pybind11;
using namespace py::literals;
using namespace scheduling;

/// A class of Python with the fields of a record: made of them in their order, and read.
template <class Rule, class... Member>
void add_rule(py::module_& module, const char* name, const char* meaning,
              const std::tuple<Field<Rule, Member>...>& /*fields*/) {
  py::class_<Rule> rule(module, name, meaning);
  const auto made = [](typename Argument<Member>::Type... arguments) {
    return record_from<Rule>(std::move(arguments)...);
  };
  std::apply([&](const auto&... described) { rule.def(py::init(made), described...); },
             described_arguments<Rule, kFieldCount<Rule>>());
  for_each_field<Rule>([&](const auto& field) {
    rule.def_readonly(field.name.data(), field.member, std::string(field.meaning).c_str());
  });
  rule.def("__repr__", [name](const Rule& value) {
    std::string text;
    for_each_field<Rule>([&](const auto& field) {
      text += (text.empty() ? "" : ", ") + std::string(field.name) + "=";
      text += py::repr(py::cast(value.*field.member)).template cast<std::string>();
    });
    return "mirab." + std::string(name) + "(" + text + ")";
  });
}

}  // namespace

void add_rules(py::module_& module, EngineClass& engine) {
  add_rule(module, "Reserving",
           "Reservations against starvation: when the next task of a user fits nowhere and has "
           "waited for `after`, a server is kept for it, at most `servers` at once, each for "
           "`at_most`. Times are nanoseconds or datetime.timedelta.",
           Declared<Reserving>::kFields);
  add_rule(module, "Preempting",
           "Preemption: where nothing else can be placed, tasks of users above their fair share "
           "end for one of a user below its own, at most `tasks` in any time of the length "
           "`per`, nanoseconds or datetime.timedelta.",
           Declared<Preempting>::kFields);
  const Record reservation(module, "mirab.Reservation", "A server that is kept for the next task of a job.",
                           {{"server", "which takes no other task"},
                            {"job", "whose next task it is kept for"},
                            {"user", "whose job it is"},
                            {"since", "nanoseconds"}});
  engine.def(
      "reservations",
      [reservation](const Scheduler& s) {
        py::list list;
        for (const Reservation& kept : s.engine.reservations())
          list.append(reservation(static_cast<std::uint64_t>(kept.server),
                                  static_cast<std::uint64_t>(kept.job), static_cast<std::uint64_t>(kept.user),
                                  kept.since));
        return list;
      },
      "The servers that are kept now, Reservation each, in the order in which they were.");
}

// What mirab.Engine decides: one step as a named tuple, many as a numpy array.

namespace {

namespace py = pybind11;
using namespace py::literals;
using namespace scheduling;

/// A row of what step_all returns.
struct TaskRow {
  std::uint64_t task;
  std::uint64_t job;
  std::uint64_t user;
  std::uint64_t server;
  bool preempted;
};

/// The tasks that end before those that take their place. A job of which a task is preempted is not over, and
/// its tasks end where the new one starts.
void add_rows(std::vector<TaskRow>& rows, const Engine& engine, const Placed& placed) {
  for (const Preempted& lost : placed.preempted)
    rows.push_back({.task = static_cast<std::uint64_t>(lost.task),
                    .job = static_cast<std::uint64_t>(lost.job),
                    .user = static_cast<std::uint64_t>(engine.job(lost.job)->user),
                    .server = static_cast<std::uint64_t>(placed.server),
                    .preempted = true});
  TaskRow row{.task = static_cast<std::uint64_t>(placed.task),
              .job = static_cast<std::uint64_t>(placed.job),
              .user = static_cast<std::uint64_t>(placed.user),
              .server = static_cast<std::uint64_t>(placed.server),
              .preempted = false};
  rows.push_back(row);
  for (const Companion& other : placed.with) {
    row.task = static_cast<std::uint64_t>(other.task);
    row.server = static_cast<std::uint64_t>(other.server);
    rows.push_back(row);
  }
}

/// So often Ctrl-C is looked for: at a million decisions a second every millisecond.
constexpr std::uint64_t kStepsBetweenSignals = 1'000;

// Not array_t: Python would see the name of the row's type.
py::array step_all(Scheduler& s, const std::optional<Time>& now, const std::optional<std::uint64_t>& most) {
  std::vector<TaskRow> rows;
  for (std::uint64_t left = most.value_or(std::numeric_limits<std::uint64_t>::max()); left > 0; --left) {
    const std::optional<Placed> placed = s.step(now);
    if (!placed) break;
    add_rows(rows, s.engine, *placed);
    if (left % kStepsBetweenSignals == 0 && PyErr_CheckSignals() != 0) throw py::error_already_set();
  }
  return py::array_t<TaskRow>(static_cast<py::ssize_t>(rows.size()), rows.data());
}

}  // namespace

py::object PlacedRecord::operator()(const Companion& other) const {
  return named_tuple(companion, other, [](const auto& value) { return value; });
}

py::object PlacedRecord::operator()(const Placed& decided) const {
  return named_tuple(placed, decided, [this](const auto& value) {
    if constexpr (std::is_integral_v<std::decay_t<decltype(value)>>) {
      return value;
    } else {
      py::tuple tuple(value.size());
      for (std::size_t k = 0; k < value.size(); ++k) tuple[k] = (*this)(value[k]);
      return tuple;
    }
  });
}

PlacedRecord add_steps(py::module_& module, EngineClass& engine) {
  const PlacedRecord placed{.placed = record_of<Placed>(module, "mirab.Placed"),
                            .companion = record_of<Companion>(module, "mirab.Companion"),
                            .preempted = record_of<Preempted>(module, "mirab.Preempted")};
  engine.def(
      "step",
      [placed](Scheduler& s, const std::optional<Time>& now) -> py::object {
        const std::optional<Placed> next = s.step(now);
        if (!next) return py::none();
        return placed(*next);
      },
      "now"_a = py::none(),
      "Places the next task, or gang: Placed, or None when no waiting task is to be placed now. A time "
      "before the latest counts as the latest.");
  PYBIND11_NUMPY_DTYPE(TaskRow, task, job, user, server, preempted);
  engine.def(
      "step_all", &step_all, "now"_a = py::none(), "most"_a = py::none(),
      "Steps until nothing more is to be placed, or `most` times: a numpy array with the fields task, job, "
      "user, server (uint64) and preempted (bool), in the order in which it happens. One row for each task "
      "that starts, those that start together too; and with preemption, before it, one for each task that "
      "ended for it and waits again, where preempted is true. Ctrl-C ends it between two steps: what was "
      "decided "
      "until then holds, and `tasks_on` lists it.");
  return placed;
}

// Why tasks wait, are placed, and do not go to a server: what mirab.Engine is asked.

namespace {

namespace py = pybind11;
using namespace py::literals;
using namespace scheduling;

using Number = std::uint64_t;  // of an identifier

}  // namespace

void add_reasons(py::module_& module, EngineClass& engine, const PlacedRecord& placed) {
  const Reasons reason(module, placed.preempted);
  engine.def(
      "step_and_why",
      [placed, reason](Scheduler& s, const std::optional<Time>& now) -> py::object {
        WhyPlaced why;
        const std::optional<Placed> next = s.engine.step(s.at(now), s.random, why);
        if (!next) return py::none();
        return py::make_tuple(placed(*next), reason(why, s.engine.options().resources));
      },
      "now"_a = py::none(),
      "The same as `step`, with the reasons: (Placed, WhyPlaced), or None. Costs as much as why_waiting "
      "in addition.");
  engine.def(
      "why_waiting",
      [reason](const Scheduler& s, Number job, const std::optional<Time>& now) -> py::object {
        const auto why = s.engine.why_waiting(JobId{job}, s.at(now));
        if (!why) return py::none();
        return reason(*why, s.engine.options().resources);
      },
      "job"_a, "now"_a = py::none(),
      "Why the next task of the job is not placed by a step now, and what would change it: WhyWaiting; None "
      "when none waits. Changes nothing.");
  engine.def(
      "why_not_on",
      [reason](const Scheduler& s, Number job, Number server) -> py::object {
        const auto why = s.engine.why_not_on(JobId{job}, ServerId{server});
        if (!why) return py::none();
        return reason(*why, s.engine.options().resources);
      },
      "job"_a, "server"_a,
      "Why a task of the job does not go to this server: WhyNotOn; None when either is unknown.");
}

// mirab.Engine: an identifier is an int, what the engine tells a named tuple. The interpreter's lock is held
// throughout, for an engine is not for several threads at once.

namespace {

namespace py = pybind11;
using namespace py::literals;
using namespace scheduling;

using Number = std::uint64_t;  // of an identifier

Scheduler restored(const py::bytes& bytes, std::uint64_t seed) {
  return {.engine = value_of(restore(std::string_view(bytes))), .random = Random(seed)};
}

Scheduler replayed(const py::object& log, std::uint64_t seed) {
  const auto name = py::module_::import("os").attr("fsdecode")(log).cast<std::string>();
  std::ifstream file(name);
  if (!file) throw Refusal({.message = "cannot be read", .file = name});
  return {.engine = value_of(replay(file, name)), .random = Random(seed)};
}

/// The options that an engine begins with, and the seed.
template <class... Member>
void add_constructor(EngineClass& engine, const std::tuple<Field<EngineOptions, Member>...>& /*fields*/) {
  const auto made = [](typename Argument<Member>::Type... arguments, std::uint64_t seed) -> Scheduler {
    return {.engine = value_of(Engine::from(record_from<EngineOptions>(std::move(arguments)...))),
            .random = Random(seed)};
  };
  const std::string documentation =
      "An engine without servers and users.\n" + meanings<EngineOptions>() +
      "\n`seed`: of what is drawn at random.\n\n`discipline` and `placement` are as on the command line "
      "(\"best-fit:published=true\"), `tie` is \"first\", \"last\" or \"random\", `oversized` \"refuse\" or "
      "\"wait\", `half_life` nanoseconds or datetime.timedelta, `reservations` a Reserving, `preemption` a "
      "Preempting. Raises Refused.";
  std::apply(
      [&](const auto&... described) {
        engine.def(py::init(made), described..., "seed"_a = 0, documentation.c_str());
      },
      described_arguments<EngineOptions, fields_before<EngineOptions>(Presence::defaulted)>());
}

void add_construction(EngineClass& engine) {
  add_constructor(engine, Declared<EngineOptions>::kFields);
  engine.def_static(
      "restore", &restored, "snapshot"_a, py::kw_only(), "seed"_a = 0,
      "The engine of a snapshot: the same later events, times and random numbers bring the same "
      "decisions with the same identifiers. Raises Refused for bytes that are no snapshot.");
  engine.def_static(
      "replay", &replayed, "log"_a, py::kw_only(), "seed"_a = 0,
      "A new engine that was told all that an event log (a file) says. Raises Refused, with file "
      "and line, for a line that cannot be read, an event that is refused, and an outcome other "
      "than the one in the log.");
  engine.def(
      "snapshot", [](const Scheduler& s) { return py::bytes(snapshot(s.engine)); },
      "All on which decisions depend but the random numbers, as bytes, for `restore`.");
  engine.def(
      "copy", [](const Scheduler& s) { return Scheduler{.engine = s.engine.copy(), .random = s.random}; },
      "Another engine in the same state, random numbers included, which shares nothing with this one: for "
      "what "
      "would be if.");
  engine.def(
      "seed", [](Scheduler& s, std::uint64_t seed) { s.random = Random(seed); }, "seed"_a,
      "Restarts the random numbers with this seed.");
}

/// Running tasks and the jobs of a user, one by one.
void add_visitors(py::module_& module, EngineClass& engine, const Record& job_state) {
  const Record task_state(module, "mirab.TaskState", "A running task.",
                          {{"task", "its identifier"},
                           {"job", "whose task it is"},
                           {"server", "where it runs"},
                           {"started", "nanoseconds"},
                           {"role", "of a job with roles, the place of its role among them; else 0"}});
  const auto object = [task_state](const Engine::TaskState& task) {
    return task_state(static_cast<Number>(task.task), static_cast<Number>(task.job),
                      static_cast<Number>(task.server), task.started, task.role);
  };
  const auto listed = [object](const Engine& state, auto of) {
    py::list tasks;
    state.for_each_task(of, [&](const Engine::TaskState& task) { tasks.append(object(task)); });
    return tasks;
  };
  engine.def(
      "task",
      [object](const Scheduler& s, Number task) -> py::object {
        const auto state = s.engine.task(TaskId{task});
        if (!state) return py::none();
        return object(*state);
      },
      "task"_a, "A running task: TaskState, or None when it is unknown, or over.");
  engine.def(
      "tasks_of", [listed](const Scheduler& s, Number job) { return listed(s.engine, JobId{job}); }, "job"_a,
      "The running tasks of a job, TaskState each, the newest first; none of a job that is unknown.");
  engine.def(
      "tasks_on", [listed](const Scheduler& s, Number server) { return listed(s.engine, ServerId{server}); },
      "server"_a,
      "The running tasks on a server, TaskState each, the newest first; none of a server that is unknown.");
  engine.def(
      "jobs_of",
      [job_state](const Scheduler& s, Number user) {
        py::dict jobs;
        s.engine.for_each_job(UserId{user}, [&](JobId job, const Engine::JobState& state) {
          jobs[py::cast(static_cast<Number>(job))] =
              job_state(static_cast<Number>(state.user), state.waiting, state.running);
        });
        return jobs;
      },
      "user"_a,
      "The jobs of a user that wait or run, JobState each by identifier; none of a user who is unknown. "
      "Looks "
      "at all jobs.");
}

void add_states(py::module_& module, EngineClass& engine) {
  const Record user_state(module, "mirab.UserState", "What a user has.",
                          {{"used", "by its running tasks, whole units of each resource"},
                           {"running", "tasks"},
                           {"dominant_share", "the largest part of any resource that it holds"},
                           {"decayed_share", "with a half-life, what it used lately; else None"}});
  const Record job_state(module, "mirab.JobState", "What waits and runs of a job.",
                         {{"user", "whose job it is"}, {"waiting", "tasks"}, {"running", "tasks"}});
  const Record server_state(module, "mirab.ServerState", "A server.",
                            {{"capacity", "whole units of each resource"},
                             {"free", "whole units of each resource"},
                             {"drained", "does it take no new tasks?"}});
  engine.def(
      "user",
      [user_state](const Scheduler& s, Number user) -> py::object {
        const auto state = s.engine.user(UserId{user});
        if (!state) return py::none();
        return user_state(tuple_of(state->used), state->running, state->dominant_share, state->decayed_share);
      },
      "user"_a, "What a user has: UserState, or None when it is unknown.");
  const Record group_state(module, "mirab.GroupState", "What a group has.",
                           {{"name", "of the group"},
                            {"parent", "the group whose member it is; of the cluster None"},
                            {"used", "by the running tasks of all users below it, of each resource"},
                            {"running", "tasks"},
                            {"guarantee", "as given, else the sum of the members', of each resource"},
                            {"unused", "of the guarantee"},
                            {"lent", "what of that is not free in the cluster"},
                            {"share", "the largest part of any resource that it holds"},
                            {"key", "the largest part that it holds beyond its guarantee, per weight"}});
  engine.def(
      "group",
      [group_state](const Scheduler& s, Number group) -> py::object {
        const auto state = s.engine.group(GroupId{group});
        if (!state) return py::none();
        return group_state(state->name,
                           state->parent ? py::cast(static_cast<Number>(*state->parent)) : py::none(),
                           tuple_of(state->used), state->running, tuple_of(state->guarantee),
                           tuple_of(state->unused), tuple_of(state->lent), state->share, state->key);
      },
      "group"_a, "What a group has: GroupState, or None when it is unknown. 0 is the cluster.");
  engine.def(
      "job",
      [job_state](const Scheduler& s, Number job) -> py::object {
        const auto state = s.engine.job(JobId{job});
        if (!state) return py::none();
        return job_state(static_cast<Number>(state->user), state->waiting, state->running);
      },
      "job"_a, "What waits and runs of a job: JobState, or None when it is unknown, or over.");
  engine.def(
      "server",
      [server_state](const Scheduler& s, Number server) -> py::object {
        const auto state = s.engine.server(ServerId{server});
        if (!state) return py::none();
        return server_state(tuple_of(state->capacity), tuple_of(state->free), state->drained);
      },
      "server"_a, "A server: ServerState, or None when it is unknown.");
  add_visitors(module, engine, job_state);
  engine.def(
      "fits", [](const Scheduler& s, Number job) { return s.engine.fits(JobId{job}); }, "job"_a,
      "Does some waiting task of the job fit on some server as things stand?");
}

void add_properties(EngineClass& engine) {
  engine.def_property_readonly(
      "resources", [](const Scheduler& s) { return s.engine.options().resources; },
      "Their names, the order of all amounts.");
  engine.def_property_readonly(
      "now", [](const Scheduler& s) { return s.engine.now(); },
      "The time of the latest event or step, in nanoseconds; None before the first.");
  engine.def_property_readonly(
      "server_count", [](const Scheduler& s) { return s.engine.server_count(); }, "Servers that are there.");
  engine.def_property_readonly(
      "user_count", [](const Scheduler& s) { return s.engine.user_count(); }, "Users who are there.");
  engine.def_property_readonly(
      "group_count", [](const Scheduler& s) { return s.engine.group_count(); },
      "Groups that are there, without the cluster.");
  engine.def_property_readonly(
      "job_count", [](const Scheduler& s) { return s.engine.job_count(); },
      "Jobs with waiting or running tasks.");
  engine.def_property_readonly(
      "running_count", [](const Scheduler& s) { return s.engine.running_count(); }, "Running tasks.");
}

}  // namespace

void add_engine(py::module_& module) {
  module.attr("NO_LIMIT") = kNoLimit;
  module.attr("DECISION_VERSION") = kDecisionVersion;
  EngineClass engine(
      module, "Engine",
      "Decides who is served next and where, as tasks, servers and users come and go: events go in, "
      "decisions come out (docs/reference/engine.md). Not for use by several threads at once.");
  const auto lost = record_of<Lost>(module, "mirab.Lost");
  add_rules(module, engine);
  add_construction(engine);
  add_events(engine, lost);
  add_reasons(module, engine, add_steps(module, engine));
  add_states(module, engine);
  add_properties(engine);
}

}  // namespace mirab::python
