#pragma once

#include <vector>

#include <mirab/model/problem.hpp>
#include <mirab/model/result.hpp>
#include <mirab/model/workload.hpp>

namespace mirab::simulation {

/// Is the workload sound, with resources of the same names as the cluster's? Errors carry the key
/// (`jobs[3].user`). O(workload).
Check check_workload(const Problem& cluster, const Workload& workload);

/// Where each resource of the cluster stands in the workload's vectors. Requires a sound workload.
std::vector<std::size_t> resource_order(const Problem& cluster, const Workload& workload);

}  // namespace mirab::simulation
