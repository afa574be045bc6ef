#pragma once

#include <memory>
#include <pybind11/pybind11.h>

#include <mirab/mechanisms/mechanism.hpp>
#include <mirab/model/problem.hpp>

namespace mirab::python {

/// `mirab.Cluster`: a validated cluster, which allocations of it share.
struct ClusterValue {
  std::shared_ptr<const Problem> problem;
};

/// `mirab.Allocation`: what a mechanism made of a cluster.
struct Division {
  std::shared_ptr<const Problem> problem;
  Outcome outcome;

  const Allocation& allocation() const { return outcome.allocation; }
};

/// A Cluster, or the one in the file whose path is given.
ClusterValue cluster_of(pybind11::handle cluster_or_path);

/// The problem with these tasks running: [N, S], of each user on each server entry. Throws Refusal where they
/// do not fit.
ClusterValue with_running(const Problem& problem, pybind11::handle tasks_on);

/// What a function of Python gives: it takes a Cluster, and returns what with_running() takes. Throws
/// Refusal, and what the function raises.
Outcome divided_by(const pybind11::function& function, const Problem& problem);

/// `__name__` of a function.
std::string name_of(const pybind11::object& function);

}  // namespace mirab::python
