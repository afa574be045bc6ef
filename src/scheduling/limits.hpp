#pragma once

#include <mirab/model/problem.hpp>

#include "scheduling/counted_problem.hpp"

namespace mirab::scheduling {

/// Errors: more than 10^7 servers, counts spelled out. O(K).
Check check_server_count(const Problem& problem);

/// Errors: a user who, if alone, could place more than 10^10 tasks. O(N K m).
Check check_ends_in_time(const CountedProblem& cluster);

}  // namespace mirab::scheduling
