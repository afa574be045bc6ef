// Why a user was served, and on which server.
#include <cstdint>

#include "python/arguments.hpp"
#include "python/why.hpp"

namespace mirab::python {
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

}  // namespace mirab::python
