#pragma once

#include <memory>
#include <pybind11/pybind11.h>

#include <mirab/model/problem.hpp>

namespace mirab::python {

/// `mirab.Cluster`: a validated cluster, which allocations of it share.
struct ClusterValue {
  std::shared_ptr<const Problem> problem;
};

/// A Cluster, or the one in the file whose path is given.
ClusterValue cluster_of(pybind11::handle cluster_or_path);

}  // namespace mirab::python
