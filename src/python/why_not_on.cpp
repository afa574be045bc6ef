// Why a task does not go to one server.
#include <string_view>

#include "python/arguments.hpp"
#include "python/why.hpp"

namespace mirab::python {
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
           {"at_most", "per_server, spread: so many may run there now; else 0"},
           {"kept", "for whom, where that is the reason: KeptServer; else None"}}) {}

py::object WhyNotOnRecord::operator()(const WhyNotOn& reason,
                                      const std::vector<std::string>& resources) const {
  return why(describe(reason, resources), word(reason.reason), reason.label, tuple_of(reason.missing),
             reason.running, reason.at_most, parts(reason.kept));
}

}  // namespace mirab::python
