// The reasons of mirab/scheduling/why.hpp as named tuples.
#include "python/why.hpp"

#include <cstdint>
#include <string_view>

#include "python/conversion.hpp"
#include "python/engine.hpp"

namespace mirab::python {

// What several reasons are made of: other tasks, kept servers, and what ends by force.

namespace {

namespace py = pybind11;
using namespace scheduling;

}  // namespace

WhyParts::WhyParts(py::module_& module, const Record& lost_task)
    : other(module, "mirab.Other", "Somebody's task.",
            {{"user", "whose"},
             {"user_name", "of that user"},
             {"job", "of which job"},
             {"key", "of the discipline: the lower is served first"}}),
      kept(module, "mirab.KeptServer", "A server that is kept for somebody's task: it takes no other.",
           {{"server", "its identifier"},
            {"server_name", "of the server"},
            {"user", "for whom"},
            {"user_name", "of that user"},
            {"job", "whose next task it is kept for"},
            {"since", "nanoseconds"}}),
      loser(module, "mirab.Loser", "A user who loses tasks by force.",
            {{"user", "who"},
             {"user_name", "of that user"},
             {"key_before", "of the discipline"},
             {"key_after", "of the discipline, no less than that of the ByForce"},
             {"tasks", "how many end"}}),
      by_force(module, "mirab.ByForce", "Tasks that end so that another fits on a server.",
               {{"server", "its identifier"},
                {"server_name", "of the server"},
                {"key_before", "of the user whose task is placed"},
                {"key_after", "the level that separates it from those who lose"},
                {"losers", "Loser each, once, who loses the first task at first"},
                {"ends", "the tasks, Lost each"}}),
      lost(lost_task) {}

py::object WhyParts::operator()(const WhyWaiting::Other& task) const {
  return other(static_cast<std::uint64_t>(task.user), task.user_name, static_cast<std::uint64_t>(task.job),
               task.key);
}

py::object WhyParts::operator()(const KeptServer& server) const {
  return kept(static_cast<std::uint64_t>(server.server), server.server_name,
              static_cast<std::uint64_t>(server.user), server.user_name,
              static_cast<std::uint64_t>(server.job), server.since);
}

py::object WhyParts::operator()(const ByForce& force) const {
  py::list losers, ends;
  for (const ByForce::Loser& each : force.losers)
    losers.append(loser(static_cast<std::uint64_t>(each.user), each.user_name, each.key_before,
                        each.key_after, each.tasks));
  for (const Lost& task : force.ends) ends.append(lost_record(lost, task));
  return by_force(static_cast<std::uint64_t>(force.server), force.server_name, force.key_before,
                  force.key_after, losers, ends);
}

// Why a job's next task is not placed.

namespace {

namespace py = pybind11;
using namespace scheduling;

py::object gang_of(const Record& gang, const std::optional<WhyWaiting::Gang>& tasks) {
  if (!tasks) return py::none();
  return gang(tasks->together, tasks->room);
}

py::object kept_of(const Record& kept, const std::optional<WhyWaiting::KeptForIt>& server) {
  if (!server) return py::none();
  return kept(static_cast<std::uint64_t>(server->server), server->name, server->since,
              tuple_of(server->missing));
}

py::object nearest_of(const Record& nearest, const std::optional<WhyWaiting::NearestMiss>& server) {
  if (!server) return py::none();
  return nearest(static_cast<std::uint64_t>(server->server), server->name, tuple_of(server->to_free));
}

py::object servers_of(const Record& record, const WhyWaiting::Servers& servers) {
  return record(servers.with_room, servers.not_allowed, servers.too_small, servers.drained, servers.kept,
                servers.pack, servers.per_server, servers.spread, servers.full, tuple_of(servers.lacking),
                tuple_of(servers.too_small_in));
}

}  // namespace

WhyWaitingRecord::WhyWaitingRecord(py::module_& module, const WhyParts& shared)
    : parts(shared),
      why(module, "mirab.WhyWaiting", "Why a job's next task is not placed by a step now.",
          {{"text", "all of it in English, a line for each fact"},
           {"waiting", "tasks of the job"},
           {"servers", "what keeps it from them: ServersFor"},
           {"kept_for_others",
            "the servers counted as kept, in the order in which they were: KeptServer each"},
           {"kept_for_it", "the server that is kept for this very task: KeptForIt, or None"},
           {"gang", "tasks that have to start together: Gang, or None where one starts"},
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
           {"served_first",
            "the first kept server that has room for its task, which comes before all: KeptServer, or None"},
           {"forced_first",
            "when nothing else can be placed, the task that is placed by force: Other, or None"},
           {"by_force", "what ends for that task, if it is this one: ByForce, or None"},
           {"is_next", "is it the very task that is placed next?"}}),
      servers(module, "mirab.ServersFor",
              "All present servers, each counted once, for the first reason that applies.",
              {{"with_room", "where it fits"},
               {"not_allowed", "by name or label"},
               {"too_small", "even if they were empty"},
               {"drained", "take no new tasks"},
               {"kept", "for other tasks"},
               {"pack", "in another domain of pack than the job's running tasks"},
               {"per_server", "with as many tasks of the job as it allows on one"},
               {"spread", "in a domain too far ahead of the one with the fewest tasks of the job"},
               {"full", "have too little free"},
               {"lacking", "on how many full ones too little of each resource is free"},
               {"too_small_in", "how many too small ones have too little of each resource"}}),
      kept_for_it(module, "mirab.KeptForIt", "The server that is kept for a task: it is full, or has room.",
                  {{"server", "its identifier"},
                   {"name", "of the server"},
                   {"since", "nanoseconds"},
                   {"missing", "what is to come free there of each resource; empty: it has room"}}),
      gang(module, "mirab.Gang", "Tasks of a job that have to start together.",
           {{"together", "how many"},
            {"room", "waiting tasks that have room at most, wherever they are placed"}}),
      constraint(module, "mirab.Constraint", "A wish that keeps a job from servers.",
                 {{"label", "its key; empty: the names"},
                  {"excludes", "servers on which it does not hold"},
                  {"alone", "those of them that every other wish admits"}}),
      nearest(module, "mirab.NearestMiss", "A full server on which little has to be freed for a task.",
              {{"server", "its identifier"},
               {"name", "of the server"},
               {"to_free", "with so much of each resource freed the task has room there"}}) {}

py::object WhyWaitingRecord::operator()(const WhyWaiting& reason,
                                        const std::vector<std::string>& resources) const {
  py::list kept_for_others, constraints;
  for (const KeptServer& each : reason.kept_for_others) kept_for_others.append(parts(each));
  for (const WhyWaiting::Constraint& each : reason.constraints)
    constraints.append(constraint(each.label, each.excludes, each.alone));
  return why(describe(reason, resources), reason.waiting, servers_of(servers, reason.servers),
             kept_for_others, kept_of(kept_for_it, reason.kept_for_it), gang_of(gang, reason.gang),
             constraints, nearest_of(nearest, reason.nearest_miss), reason.key, reason.older_jobs,
             reason.own_ahead, reason.users_ahead, reason.users_tied, parts(reason.next), reason.with_weight,
             parts(reason.blocked_by), parts(reason.served_first), parts(reason.forced_first),
             parts(reason.by_force), reason.is_next());
}

// Why a user was served, and on which server.

namespace {

namespace py = pybind11;
using namespace scheduling;

}  // namespace

WhyPlacedRecord::WhyPlacedRecord(py::module_& module, const WhyParts& shared)
    : parts(shared),
      why(module, "mirab.WhyPlaced", "Why this user was served, and on this server: of the moment before.",
          {{"text", "all of it in English, a line for each fact"},
           {"key", "of the discipline: the lowest of all whose tasks fit, unless kept_since or by_force"},
           {"users_waiting", "with waiting tasks"},
           {"users_fitting", "those of them with a task that fits somewhere"},
           {"users_tied", "others of those with an equal key"},
           {"runner_up", "the first of another user whose task fits: Other, or None"},
           {"line", "mlf-drs and mrfs: the line that is served, Line, or None"},
           {"kind", "ps-dsf: the capacity of the servers for which the key is, or None"},
           {"kept_since", "since when the server was kept for it, nanoseconds; or None"},
           {"by_force", "what ended for it when nothing else could be placed: ByForce, or None"},
           {"together", "tasks of the job that start at once; the first is explained"},
           {"servers_with_room", "for the task"},
           {"runner_up_server", "where it would go without the chosen one, or None"},
           {"measure", "what the placement compares servers by: Measure, or None"},
           {"free_before", "on the server, whole units of each resource"},
           {"free_after", "on the server, whole units of each resource"},
           {"was_freed", "had something just come free there?"}}),
      line(module, "mirab.Line", "Tasks that one resource dominates.",
           {{"resource", "its name"}, {"round", "in which the line is served"}}),
      measure(module, "mirab.Measure", "What a placement compares servers by.",
              {{"what", "in words"},
               {"chosen", "of the chosen server"},
               {"runner_up", "of the other one, or None"}}) {}

py::object WhyPlacedRecord::operator()(const WhyPlaced& reason,
                                       const std::vector<std::string>& resources) const {
  py::object compared = py::none(), served = py::none(), kind = py::none(), other_server = py::none();
  if (reason.measure)
    compared = measure(reason.measure->what, reason.measure->chosen, reason.measure->runner_up);
  if (reason.line) served = line(resources[reason.line->resource], reason.line->round);
  if (reason.kind) kind = tuple_of(*reason.kind);
  if (reason.runner_up_server) other_server = py::int_(static_cast<std::uint64_t>(*reason.runner_up_server));
  return why(describe(reason, resources), reason.key, reason.users_waiting, reason.users_fitting,
             reason.users_tied, parts(reason.runner_up), served, kind, reason.kept_since,
             parts(reason.by_force), reason.together, reason.servers_with_room, other_server, compared,
             tuple_of(reason.free_before), tuple_of(reason.free_after), reason.was_freed);
}

// Why a task does not go to one server.

namespace {

namespace py = pybind11;
using namespace scheduling;

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

WhyNotOnRecord::WhyNotOnRecord(py::module_& module, const WhyParts& shared)
    : parts(shared),
      why(module, "mirab.WhyNotOn", "Why a task of a job does not go to a server: the first reason.",
          {{"text", "the same in English"},
           {"reason",
            "\"nothing\", \"name\", \"label\", \"too_small\", \"drained\", \"kept\", \"pack\", "
            "\"per_server\", "
            "\"spread\" or \"full\""},
           {"label", "the key of the label that does not hold, of pack or of spread; else empty"},
           {"missing", "how much more of each resource it would take where that is the reason; else empty"},
           {"running", "per_server, spread: tasks of the job there, or in its domain; else 0"},
           {"at_most", "per_server, spread: how many may run there now; else 0"},
           {"kept", "for whom, where that is the reason: KeptServer; else None"}}) {}

py::object WhyNotOnRecord::operator()(const WhyNotOn& reason,
                                      const std::vector<std::string>& resources) const {
  return why(describe(reason, resources), word(reason.reason), reason.label, tuple_of(reason.missing),
             reason.running, reason.at_most, parts(reason.kept));
}

}  // namespace mirab::python
