// The Python module `mirab`: what mirab.pyi declares, but for `simulate` (mirab/__init__.py). Nothing is
// computed here: Python's values become Mirab's and back, and an Error becomes a `mirab.Refused`.
#include "python/module.hpp"

#include <fmt/format.h>

#include <mirab/mechanisms/mechanism.hpp>
#include <mirab/scheduling/fill.hpp>

#include "python/conversion.hpp"

namespace mirab::python {
namespace {

namespace py = pybind11;

/// Names with one sentence each, in the order of the table.
template <class Rows>
py::dict summaries(const Rows& rows) {
  py::dict summaries;
  for (const auto& row : rows) summaries[py::str(row.name)] = row.summary;
  return summaries;
}

void raise_refused(std::exception_ptr thrown) {
  try {
    if (thrown) std::rethrow_exception(thrown);
  } catch (const Refusal& refusal) {
    const Error& error = refusal.error();
    const py::object type = py::module_::import("mirab").attr("Refused");
    const py::object refused = type(text(describe(error)));
    refused.attr("key") = text(error.key);
    refused.attr("file") = text(error.file);
    refused.attr("line") = error.line;
    PyErr_SetObject(type.ptr(), refused.ptr());
  }
}

void add_refused(py::module_& module) {
  constexpr const char* kMeaning =
      "What Mirab was asked for cannot be done, and nothing was changed.\n\n"
      "str() says why; `key` is the key or argument that is wrong (\"users[3].demand\"), `file` and `line` "
      "tell "
      "where it stands in a file; \"\" and 0 where there is none.";
  const auto type = py::reinterpret_steal<py::object>(
      PyErr_NewExceptionWithDoc("mirab.Refused", kMeaning, PyExc_ValueError, nullptr));
  if (!type) throw py::error_already_set();
  type.attr("key") = "";
  type.attr("file") = "";
  type.attr("line") = 0;
  module.attr("Refused") = type;
  py::register_local_exception_translator(&raise_refused);
}

}  // namespace
}  // namespace mirab::python

// The part of the package `mirab` that is compiled. Its types belong to the package.
PYBIND11_MODULE(_core, module) {
  using namespace mirab::python;
  const pybind11::object own_name = module.attr("__name__");
  module.attr("__name__") = "mirab";
  module.doc() = "Fair sharing of a cluster's resources among its users. See docs/reference/python.md.";
  module.attr("__version__") = MIRAB_VERSION;
  add_refused(module);
  module.def(
      "mechanisms", [] { return summaries(mirab::mechanisms()); },
      "How a cluster can be divided: names with what each does, for `allocate` and `explain`.");
  module.def(
      "disciplines", [] { return summaries(mirab::disciplines()); },
      "Whom an `Engine` can serve next: names with what each does.");
  module.def(
      "placements", [] { return summaries(mirab::placements()); },
      "Where an `Engine` can place a task: names with what each does.");
  add_engine(module);
  add_cluster(module);
  add_allocation(module);
  add_explanation(module);
  add_audit(module);
  add_difference(module);
  module.attr("__name__") = own_name;
}
