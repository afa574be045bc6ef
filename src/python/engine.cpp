// mirab.Engine: policies, steps, reasons, construction and state.
#include "python/engine.hpp"

#include <algorithm>
#include <cstdint>
#include <fmt/format.h>
#include <fstream>
#include <limits>
#include <string_view>
#include <vector>

#include <mirab/scheduling/engine.hpp>
#include <mirab/scheduling/event_log.hpp>
#include <mirab/scheduling/snapshot.hpp>

#include "python/conversion.hpp"
#include "python/module.hpp"
#include "python/why.hpp"

namespace mirab::python {

// The rules of reservations and preemption (mirab/scheduling/engine.hpp), and which servers are kept.

namespace {

namespace py = pybind11;
using namespace py::literals;
using namespace scheduling;

std::string text_of(const Reserving& rule) {
  const std::string at_most = rule.at_most ? fmt::format("{}", rule.at_most->count()) : "None";
  return fmt::format("mirab.Reserving(after={}, servers={}, at_most={})", rule.after.count(), rule.servers,
                     at_most);
}

std::string text_of(const Preempting& rule) {
  return fmt::format("mirab.Preempting(tasks={}, per={})", rule.tasks, rule.per.count());
}

}  // namespace

void add_rules(py::module_& module, EngineClass& engine) {
  py::class_<Reserving>(module, "Reserving",
                        "Reservations against starvation: when the next task of a user fits nowhere and has "
                        "waited for `after`, a server is kept for it, at most `servers` at once, each for "
                        "`at_most`. Times are nanoseconds or datetime.timedelta.")
      .def(py::init([](Duration after, std::size_t servers, std::optional<Duration> at_most) {
             return Reserving{.after = after, .servers = servers, .at_most = at_most};
           }),
           "after"_a, "servers"_a.noconvert() = 1, "at_most"_a = py::none())
      .def_readonly("after", &Reserving::after, "Nanoseconds.")
      .def_readonly("servers", &Reserving::servers, "Kept at once, at the most.")
      .def_readonly("at_most", &Reserving::at_most, "Nanoseconds, or None.")
      .def("__repr__", [](const Reserving& rule) { return text_of(rule); });
  py::class_<Preempting>(
      module, "Preempting",
      "Preemption: where nothing else can be placed, tasks of users above their fair share "
      "end for one of a user below its own, at most `tasks` in any time of the length "
      "`per`, nanoseconds or datetime.timedelta.")
      .def(py::init([](std::int64_t tasks, Duration per) { return Preempting{.tasks = tasks, .per = per}; }),
           "tasks"_a.noconvert(), "per"_a)
      .def_readonly("tasks", &Preempting::tasks, "Ended in any such time, at the most.")
      .def_readonly("per", &Preempting::per, "Nanoseconds.")
      .def("__repr__", [](const Preempting& rule) { return text_of(rule); });
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
  for (const Lost& lost : placed.preempted)
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

// Not array_t: Python would see the name of the row's type.
py::array step_all(Scheduler& s, const std::optional<Time>& now, const std::optional<std::uint64_t>& most) {
  std::vector<TaskRow> rows;
  for (std::uint64_t left = most.value_or(std::numeric_limits<std::uint64_t>::max()); left > 0; --left) {
    const std::optional<Placed> placed = s.step(now);
    if (!placed) break;
    add_rows(rows, s.engine, *placed);
  }
  return py::array_t<TaskRow>(static_cast<py::ssize_t>(rows.size()), rows.data());
}

}  // namespace

py::object PlacedRecord::operator()(const Companion& other) const {
  return named_tuple(companion, other, [](const auto& value) { return value; });
}

py::object PlacedRecord::operator()(const Placed& decided) const {
  return named_tuple(placed, decided, [this](const auto& tasks) {
    py::tuple tuple(tasks.size());
    for (std::size_t k = 0; k < tasks.size(); ++k) tuple[k] = (*this)(tasks[k]);
    return tuple;
  });
}

PlacedRecord add_steps(py::module_& module, EngineClass& engine, const Record& lost) {
  const PlacedRecord placed{.placed = record_of<Placed>(module, "mirab.Placed"),
                            .companion = record_of<Companion>(module, "mirab.Companion"),
                            .lost = lost};
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
      "ended for it and waits again, where preempted is true.");
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
  const Reasons reason(module, placed.lost);
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

using Names = std::vector<std::string>;
using Number = std::uint64_t;  // of an identifier

std::size_t index_in(std::initializer_list<const char*> words, const std::string& word, const char* key) {
  const auto* const found = std::find(words.begin(), words.end(), word);
  if (found != words.end()) return static_cast<std::size_t>(found - words.begin());
  std::string message = "'" + word + "' is none of";
  for (const char* const each : words) message += std::string(" ") + each;
  throw Refusal({.message = std::move(message), .key = key});
}

Scheduler made(Names resources, const std::string& discipline, const std::string& placement,
               const std::string& tie, const std::string& oversized,
               const std::vector<py::object>& share_scale, const std::optional<Duration>& half_life,
               const std::optional<Reserving>& reservations, const std::optional<Preempting>& preemption,
               std::uint64_t seed) {
  EngineOptions options{
      .resources = std::move(resources),
      .discipline = value_of(choose_discipline(discipline)),
      .placement = value_of(choose_placement(placement)),
      .tie = static_cast<Tie>(index_in({"first", "last", "random"}, tie, "tie")),
      .oversized = static_cast<Oversized>(index_in({"refuse", "wait"}, oversized, "oversized")),
      .half_life = half_life,
      .reservations = reservations,
      .preemption = preemption};
  for (const py::object& scale : share_scale)
    options.share_scale.push_back(quantity_of(scale, "share_scale"));
  return {.engine = value_of(Engine::from(std::move(options))), .random = Random(seed)};
}

Scheduler restored(const py::bytes& bytes, std::uint64_t seed) {
  return {.engine = value_of(restore(std::string_view(bytes))), .random = Random(seed)};
}

Scheduler replayed(const py::object& log, std::uint64_t seed) {
  const auto name = py::module_::import("os").attr("fsdecode")(log).cast<std::string>();
  std::ifstream file(name);
  if (!file) throw Refusal({.message = "cannot be read", .file = name});
  return {.engine = value_of(replay(file, name)), .random = Random(seed)};
}

void add_construction(EngineClass& engine) {
  engine.def(
      py::init(&made), "resources"_a, "discipline"_a = "drf", "placement"_a = "first-fit", py::kw_only(),
      "tie"_a = "first", "oversized"_a = "refuse", "share_scale"_a = py::tuple(), "half_life"_a = py::none(),
      "reservations"_a = py::none(), "preemption"_a = py::none(), "seed"_a = 0,
      "An engine without servers and users. `resources`: names, the order of all amounts. "
      "`discipline`, `placement`: as on the command line (\"best-fit:published=true\"). `tie`: \"first\", "
      "\"last\" or \"random\". `oversized`: \"refuse\" or \"wait\", what becomes of a job whose tasks are "
      "larger than every server. `share_scale`: how much each resource counts in a share. `half_life`: "
      "nanoseconds or datetime.timedelta. `reservations`: Reserving, against starvation. `preemption`: "
      "Preempting, from users above their fair share for users below theirs. `seed`: of what is drawn at "
      "random. Raises Refused.");
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
      "seed", [](Scheduler& s, std::uint64_t seed) { s.random = Random(seed); }, "seed"_a,
      "Restarts the random numbers with this seed.");
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
      "job_count", [](const Scheduler& s) { return s.engine.job_count(); },
      "Jobs with waiting or running tasks.");
  engine.def_property_readonly(
      "running_count", [](const Scheduler& s) { return s.engine.running_count(); }, "Running tasks.");
}

}  // namespace

void add_engine(py::module_& module) {
  EngineClass engine(
      module, "Engine",
      "Decides who is served next and where, as tasks, servers and users come and go: events go in, "
      "decisions come out (docs/reference/engine.md). Not for use by several threads at once.");
  const auto lost = record_of<Lost>(module, "mirab.Lost");
  add_rules(module, engine);
  add_construction(engine);
  add_events(engine, lost);
  add_reasons(module, engine, add_steps(module, engine, lost));
  add_states(module, engine);
  add_properties(engine);
}

}  // namespace mirab::python
