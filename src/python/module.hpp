#pragma once

#include <memory>
#include <pybind11/pybind11.h>

#include <mirab/model/problem.hpp>

namespace mirab::python {

// The parts of the module, each with its types and functions.

void add_engine(pybind11::module_& module);
void add_cluster(pybind11::module_& module);
void add_allocation(pybind11::module_& module);
void add_explanation(pybind11::module_& module);

/// `mirab.Cluster`: a validated cluster, which allocations of it share.
struct ClusterValue {
  std::shared_ptr<const Problem> problem;
};

/// A Cluster, or the one in the file whose path is given.
ClusterValue cluster_of(pybind11::handle cluster_or_path);

}  // namespace mirab::python
