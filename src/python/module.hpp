#pragma once

#include <pybind11/pybind11.h>

namespace mirab::python {

struct Division;

// The parts of the module, each with its types and functions.

void add_engine(pybind11::module_& module);
void add_cluster(pybind11::module_& module);
void add_allocation(pybind11::module_& module);
void add_explanation(pybind11::module_& module);
void add_audit(pybind11::module_& module);
void add_difference(pybind11::module_& module);

/// How an allocation is shown: text, a table of a notebook, a DataFrame.
void add_views(pybind11::class_<Division>& allocation);

}  // namespace mirab::python
