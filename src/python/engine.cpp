// mirab.Engine: an identifier is an int, what the engine tells a named tuple. The interpreter's lock is held
// throughout, for an engine is not for several threads at once.
#include <algorithm>
#include <fstream>
#include <string_view>

#include <mirab/scheduling/engine.hpp>
#include <mirab/scheduling/event_log.hpp>
#include <mirab/scheduling/snapshot.hpp>

#include "python/arguments.hpp"
#include "python/module.hpp"
#include "python/records.hpp"
#include "python/refusal.hpp"
#include "python/scheduler.hpp"

namespace mirab::python {
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

void add_making(EngineClass& engine) {
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
      "What is drawn at random begins anew with this seed.");
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
      "decisions come out (docs/engine.md). Not for use by several threads at once.");
  const Record lost(module, "mirab.Lost", "A task that ended before its time.",
                    {{"task", "its identifier"}, {"job", "of which job"}});
  add_rules(module, engine);
  add_making(engine);
  add_events(engine, lost);
  add_reasons(module, engine, add_steps(module, engine, lost));
  add_states(module, engine);
  add_properties(engine);
}

}  // namespace mirab::python
