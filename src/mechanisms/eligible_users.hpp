#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include <mirab/mechanisms/mechanism.hpp>
#include <mirab/model/allocation.hpp>
#include <mirab/model/problem.hpp>

namespace mirab {

/// What a mechanism divides where some users are eligible nowhere, who get nothing.
struct EligibleUsers {
  Problem problem;
  std::vector<std::size_t> numbers;  ///< of its users in the whole problem, [n], ascending
};

/// Nothing where all are eligible somewhere: no problem is made then. The others are left out; but for a
/// mechanism that honours groups those stay, without tasks, by whom the tree has a guarantee or a reserve.
/// For any other mechanism the tree is left out too. O(N depth log N + K sets of eligible servers).
std::optional<EligibleUsers> eligible_users(const Problem& whole, const Mechanism& mechanism);

/// The outcome for the whole problem, with notices that name those who get nothing.
Outcome with_all_users(Outcome outcome, const EligibleUsers& eligible, const Problem& whole);

}  // namespace mirab
