#pragma once

#include <string>
#include <vector>

#include <mirab/model/problem.hpp>

#include "scheduling/fill/integer_problem.hpp"

namespace mirab::scheduling {

/// Errors: more than 10^7 servers, counts spelled out. O(K).
Check check_server_count(const Problem& problem);

/// Errors: more than 10^10 tasks, of all users together, might be placed. The bound is at most m times what
/// fits where no user is limited. O(N K m).
Check check_ends_in_time(const IntegerProblem& cluster);

/// For every user of whom no empty server holds a single whole task, what is short on the server that comes
/// nearest to it; after a few users only how many more there are. O(N K m) at worst, O(N m) where tasks fit.
std::vector<std::string> oversized_notices(const IntegerProblem& cluster);

}  // namespace mirab::scheduling
