#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <mirab/model/random.hpp>

#include "lab/simulation/replay.hpp"

namespace mirab::simulation {

/// Whole amounts, as a ResourceVector.
ResourceVector whole(const std::vector<std::int64_t>& amounts);

/// This many seconds.
inline Duration at_second(std::int64_t second) { return std::chrono::seconds(second); }

/// A cluster of these servers; its user is not looked at in a replay.
Problem cluster_of(std::vector<std::string> resources, std::vector<Server> servers);

/// A job of this many tasks of this user, with this request, submitted then, that run this long.
Job job_of(std::string name, Duration submitted, std::uint32_t user, std::uint32_t request,
           std::int64_t tasks, Duration runtime);

ReplayContender contender(std::string_view discipline, std::string_view placement);

/// A small cluster and a workload for it, where times and amounts are small whole numbers, so that much
/// happens at the same instant and tasks fit exactly.
struct SmallTrace {
  Problem cluster;
  Workload workload;
};
SmallTrace random_trace(Random& random);

}  // namespace mirab::simulation
