// What several reasons are made of: other tasks, kept servers, and what ends by force.
#include <cstdint>

#include "python/arguments.hpp"
#include "python/scheduler.hpp"
#include "python/why.hpp"

namespace mirab::python {
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

}  // namespace mirab::python
