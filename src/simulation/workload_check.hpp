#pragma once

#include <mirab/model/problem.hpp>
#include <mirab/model/result.hpp>
#include <mirab/model/workload.hpp>

namespace mirab::simulation {

/// Is the workload sound, with resources of the same names as the cluster's, in any order? The one check of
/// all that play a workload. Errors carry the key (`jobs[3].user`). O(workload).
Check check_workload(const Problem& cluster, const Workload& workload);

}  // namespace mirab::simulation
