// Why tasks wait: the values of mirab/scheduling/why.hpp as named tuples, each with the same in English.
#include <cstdint>
#include <string>

#include <mirab/scheduling/why.hpp>

#include "python/arguments.hpp"
#include "python/records.hpp"
#include "python/scheduler.hpp"

namespace mirab::python {
namespace {

namespace py = pybind11;
using namespace py::literals;
using namespace scheduling;

using Number = std::uint64_t;  // of an identifier

struct Records {
  Record waiting;
  Record servers;
  Record constraint;
  Record nearest;
  Record other;
};

Records records_of(py::module_& module) {
  return {
      .waiting = Record(
          module, "mirab.WhyWaiting", "Why a job's next task is not placed by a step now.",
          {{"text", "all of it in English, a line for each fact"},
           {"waiting", "tasks of the job"},
           {"servers", "what keeps it from them: ServersFor"},
           {"constraints", "the wishes that keep it from servers: Constraint each"},
           {"nearest_miss", "the full server on which least has to be freed: NearestMiss, or None"},
           {"key",
            "of the discipline, for its task: the lower is served first; None while no server could run it"},
           {"older_jobs", "of the same user that wait for the same"},
           {"own_ahead", "tasks of the user that ask for something else, each kind once, and come before"},
           {"users_ahead", "other users with a task that comes before"},
           {"users_tied", "other users with whom it is drawn for"},
           {"next", "the first of all that come before: Other, or None"},
           {"with_weight",
            "with more weight the user comes before other users; None where it is not promised"},
           {"blocked_by",
            "with blocking=freeze, the task that has no room and must come first: Other, or None"},
           {"is_next", "is it the very task that is placed next?"}}),
      .servers = Record(module, "mirab.ServersFor",
                        "All present servers, each counted once, for the first reason that applies.",
                        {{"with_room", "where it fits"},
                         {"not_allowed", "by name or label"},
                         {"too_small", "even if they were empty"},
                         {"drained", "take no new tasks"},
                         {"full", "have too little free"},
                         {"lacking", "on how many full ones too little of each resource is free"},
                         {"too_small_in", "how many too small ones have too little of each resource"}}),
      .constraint = Record(module, "mirab.Constraint", "A wish that keeps a job from servers.",
                           {{"label", "its key; empty: the names"},
                            {"excludes", "servers on which it does not hold"},
                            {"alone", "those of them that every other wish admits"}}),
      .nearest =
          Record(module, "mirab.NearestMiss", "A full server on which little has to be freed for a task.",
                 {{"server", "its identifier"},
                  {"name", "of the server"},
                  {"to_free", "with so much of each resource freed the task has room there"}}),
      .other = Record(module, "mirab.Other", "Somebody's task.",
                      {{"user", "whose"},
                       {"user_name", "of that user"},
                       {"job", "of which job"},
                       {"key", "of the discipline: the lower is served first"}})};
}

py::object other_of(const Records& records, const std::optional<WhyWaiting::Other>& other) {
  if (!other) return py::none();
  return records.other(static_cast<Number>(other->user), other->user_name, static_cast<Number>(other->job),
                       other->key);
}

py::object servers_of(const Records& records, const WhyWaiting::Servers& servers) {
  return records.servers(servers.with_room, servers.not_allowed, servers.too_small, servers.drained,
                         servers.full, tuple_of(servers.lacking), tuple_of(servers.too_small_in));
}

py::object nearest_of(const Records& records, const std::optional<WhyWaiting::NearestMiss>& nearest) {
  if (!nearest) return py::none();
  return records.nearest(static_cast<Number>(nearest->server), nearest->name, tuple_of(nearest->to_free));
}

py::object waiting_of(const Records& records, const Engine& engine, const WhyWaiting& why) {
  py::list constraints;
  for (const WhyWaiting::Constraint& each : why.constraints)
    constraints.append(records.constraint(each.label, each.excludes, each.alone));
  return records.waiting(describe(why, engine.options().resources), why.waiting,
                         servers_of(records, why.servers), constraints, nearest_of(records, why.nearest_miss),
                         why.key, why.older_jobs, why.own_ahead, why.users_ahead, why.users_tied,
                         other_of(records, why.next), why.with_weight, other_of(records, why.blocked_by),
                         why.is_next());
}

struct PlacedRecords {
  Record why;
  Record measure;
};

PlacedRecords placed_records_of(py::module_& module) {
  return {.why = Record(module, "mirab.WhyPlaced",
                        "Why this user was served, and on this server: of the moment before.",
                        {{"text", "all of it in English, a line for each fact"},
                         {"key", "of the discipline: the lowest of all whose tasks fit somewhere"},
                         {"users_waiting", "with waiting tasks"},
                         {"users_fitting", "those of them with a task that fits somewhere"},
                         {"users_tied", "others of those with an equal key"},
                         {"runner_up", "the first of another user whose task fits: Other, or None"},
                         {"servers_with_room", "for the task"},
                         {"runner_up_server", "where it would go without the chosen one, or None"},
                         {"measure", "what the placement compares servers by: Measure, or None"},
                         {"free_before", "on the server, whole units of each resource"},
                         {"free_after", "on the server, whole units of each resource"}}),
          .measure = Record(module, "mirab.Measure", "What a placement compares servers by.",
                            {{"what", "in words"},
                             {"chosen", "of the chosen server"},
                             {"runner_up", "of the other one, or None"}})};
}

py::object placed_of(const PlacedRecords& placed, const Records& records, const Engine& engine,
                     const WhyPlaced& why) {
  py::object measure = py::none();
  if (why.measure) measure = placed.measure(why.measure->what, why.measure->chosen, why.measure->runner_up);
  const auto other_server =
      why.runner_up_server ? std::optional(static_cast<Number>(*why.runner_up_server)) : std::nullopt;
  return placed.why(describe(why, engine.options().resources), why.key, why.users_waiting, why.users_fitting,
                    why.users_tied, other_of(records, why.runner_up), why.servers_with_room, other_server,
                    measure, tuple_of(why.free_before), tuple_of(why.free_after));
}

std::string_view word(InTheWay reason) {
  switch (reason) {
    case InTheWay::nothing:
      return "nothing";
    case InTheWay::name:
      return "name";
    case InTheWay::label:
      return "label";
    case InTheWay::too_small:
      return "too_small";
    case InTheWay::drained:
      return "drained";
    case InTheWay::kept:
      return "kept";
    case InTheWay::pack:
      return "pack";
    case InTheWay::per_server:
      return "per_server";
    case InTheWay::spread:
      return "spread";
    case InTheWay::full:
      return "full";
  }
  return {};
}

}  // namespace

void add_reasons(py::module_& module, EngineClass& engine, const PlacedRecord& placed) {
  const Records records = records_of(module);
  engine.def(
      "step_and_why",
      [records, placed, with = placed_records_of(module)](Scheduler& s,
                                                          const std::optional<Time>& now) -> py::object {
        WhyPlaced why;
        const std::optional<Placed> next = s.engine.step(s.at(now), s.random, why);
        if (!next) return py::none();
        return py::make_tuple(placed(*next), placed_of(with, records, s.engine, why));
      },
      "now"_a = py::none(),
      "The same as `step`, with the reasons: (Placed, WhyPlaced), or None. Costs as much as why_waiting "
      "beside.");
  engine.def(
      "why_waiting",
      [records](const Scheduler& s, Number job, const std::optional<Time>& now) -> py::object {
        const auto why = s.engine.why_waiting(JobId{job}, s.at(now));
        if (!why) return py::none();
        return waiting_of(records, s.engine, *why);
      },
      "job"_a, "now"_a = py::none(),
      "Why the next task of the job is not placed by a step now, and what would change it: WhyWaiting; None "
      "when none waits. Changes nothing.");
  const Record not_on(
      module, "mirab.WhyNotOn", "Why a task of a job does not go to a server: the first reason.",
      {{"text", "the same in English"},
       {"reason",
        "\"nothing\", \"name\", \"label\", \"too_small\", \"drained\", \"kept\", \"pack\", \"per_server\", "
        "\"spread\" or \"full\""},
       {"label", "the key of the label that does not hold; else empty"},
       {"missing", "how much more of each resource it would take where that is the reason; else empty"}});
  engine.def(
      "why_not_on",
      [not_on](const Scheduler& s, Number job, Number server) -> py::object {
        const auto why = s.engine.why_not_on(JobId{job}, ServerId{server});
        if (!why) return py::none();
        return not_on(describe(*why, s.engine.options().resources), word(why->reason), why->label,
                      tuple_of(why->missing));
      },
      "job"_a, "server"_a,
      "Why a task of the job does not go to this server: WhyNotOn; None when either is unknown.");
}

}  // namespace mirab::python
