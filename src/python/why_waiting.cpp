// Why a job's next task is not placed.
#include <cstdint>

#include "python/arguments.hpp"
#include "python/why.hpp"

namespace mirab::python {
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
            {"room", "for so many of those that wait, at the most, wherever they are put"}}),
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

}  // namespace mirab::python
