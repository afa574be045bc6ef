// Why tasks wait, are placed, and do not go to a server: what mirab.Engine is asked.
#include <cstdint>

#include "python/arguments.hpp"
#include "python/scheduler.hpp"
#include "python/why.hpp"

namespace mirab::python {
namespace {

namespace py = pybind11;
using namespace py::literals;
using namespace scheduling;

using Number = std::uint64_t;  // of an identifier

}  // namespace

void add_reasons(py::module_& module, EngineClass& engine, const PlacedRecord& placed) {
  const WhyParts parts(module, placed.lost);
  engine.def(
      "step_and_why",
      [placed, reason = WhyPlacedRecord(module, parts)](Scheduler& s,
                                                        const std::optional<Time>& now) -> py::object {
        WhyPlaced why;
        const std::optional<Placed> next = s.engine.step(s.at(now), s.random, why);
        if (!next) return py::none();
        return py::make_tuple(placed(*next), reason(why, s.engine.options().resources));
      },
      "now"_a = py::none(),
      "The same as `step`, with the reasons: (Placed, WhyPlaced), or None. Costs as much as why_waiting "
      "beside.");
  engine.def(
      "why_waiting",
      [reason = WhyWaitingRecord(module, parts)](const Scheduler& s, Number job,
                                                 const std::optional<Time>& now) -> py::object {
        const auto why = s.engine.why_waiting(JobId{job}, s.at(now));
        if (!why) return py::none();
        return reason(*why, s.engine.options().resources);
      },
      "job"_a, "now"_a = py::none(),
      "Why the next task of the job is not placed by a step now, and what would change it: WhyWaiting; None "
      "when none waits. Changes nothing.");
  engine.def(
      "why_not_on",
      [reason = WhyNotOnRecord(module, parts)](const Scheduler& s, Number job, Number server) -> py::object {
        const auto why = s.engine.why_not_on(JobId{job}, ServerId{server});
        if (!why) return py::none();
        return reason(*why, s.engine.options().resources);
      },
      "job"_a, "server"_a,
      "Why a task of the job does not go to this server: WhyNotOn; None when either is unknown.");
}

}  // namespace mirab::python
