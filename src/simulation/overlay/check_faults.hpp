#pragma once

#include <cstdint>
#include <vector>

#include <mirab/model/problem.hpp>
#include <mirab/model/result.hpp>
#include <mirab/simulation/overlay.hpp>

namespace mirab::simulation {

/// What makes no sense in a plan of what goes wrong, whatever the cluster: probabilities that are none, times
/// that run backwards, and what contradicts itself: a server that leaves before it joins, crashes where it is
/// not, or crashes again while it is down.
Check check_faults(const Faults& faults);

/// The same of pauses, of which a user has one at a time.
Check check_pauses(const std::vector<UserPause>& pauses);

/// Is everyone there whom something is to happen to?
Check check_places(const Faults& faults, std::int64_t servers);
Check check_places(const std::vector<UserPause>& pauses, const Problem& cluster);

}  // namespace mirab::simulation
