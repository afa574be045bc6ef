#pragma once

#include <cstddef>
#include <vector>

#include <mirab/model/problem.hpp>
#include <mirab/model/result.hpp>
#include <mirab/model/workload.hpp>

namespace mirab::simulation {

/// Is the workload sound, with resources of the same names as the cluster's, in any order, and has the
/// cluster no taints, of which a workload says nothing? The one check of all that play a workload. Errors
/// carry the key (`jobs[3].user`). O(workload + servers).
Check check_workload(const Problem& cluster, const Workload& workload);

/// Where each resource of the cluster stands in the workload's vectors. Requires a workload of the cluster's
/// resources (check_workload). O(m²).
std::vector<std::size_t> resource_order(const Problem& cluster, const Workload& workload);

/// A vector of the workload in the cluster's order. O(m).
ResourceVector reordered(const ResourceVector& vector, const std::vector<std::size_t>& order);

/// Every demand in it. O(requests × m).
std::vector<Request> reordered(std::vector<Request> requests, const std::vector<std::size_t>& order);

}  // namespace mirab::simulation
