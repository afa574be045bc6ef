// The rules of reservations and preemption (mirab/scheduling/engine.hpp), and which servers are kept.
#include <fmt/format.h>

#include "python/arguments.hpp"
#include "python/scheduler.hpp"

namespace mirab::python {
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

}  // namespace mirab::python
