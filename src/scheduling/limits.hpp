#pragma once

#include <mirab/model/problem.hpp>

#include "scheduling/counted_problem.hpp"

namespace mirab::scheduling {

/// Errors: more than 10^7 servers, counts spelled out. O(K).
Check check_server_count(const Problem& problem);

/// Errors: more than 10^10 tasks, of all users together, might be placed. The bound is at most m times what
/// fits where no user is limited. O(N K m).
Check check_ends_in_time(const CountedProblem& cluster);

}  // namespace mirab::scheduling
