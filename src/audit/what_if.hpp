#pragma once

#include <vector>

#include <mirab/audit/explanation.hpp>
#include <mirab/model/classes.hpp>

namespace mirab {

/// The changes that may be worth trying for a user, the likeliest to help first: a task, the weight, and then
/// in turn units of the binding resources and servers, those that hold most of the user's tasks first. Only
/// changes that the mechanism honours.
std::vector<Change> changes_for(const Problem& problem, const Classes& classes, const Mechanism& mechanism,
                                const Explanation& explanation);

/// The problem with the change in it. Errors: an amount beyond what can be counted.
Result<Problem> changed(const Problem& problem, std::size_t user, const Change& change);

}  // namespace mirab
