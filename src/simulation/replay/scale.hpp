#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <mirab/model/random.hpp>
#include <mirab/model/result.hpp>
#include <mirab/model/workload.hpp>

namespace mirab::simulation {

/// The counts times the factor, as whole numbers with the sum that rounding the whole gives (at least 1 where
/// the counts are not all 0): each is rounded down, and the largest remainders get one more, the first of
/// equal ones first (Hamilton's method). O(n log n).
std::vector<std::int64_t> scaled_counts(std::span<const std::int64_t> counts, double factor);

/// So many users at the most, after scaling.
inline constexpr std::int64_t kMostUsers = 1'000'000;

/// Users after scaling: [original], the numbers of those who submit its jobs.
struct ScaledUsers {
  std::vector<Submitter> users;
  std::vector<std::vector<std::uint32_t>> of;
};

/// ⌊factor⌋ copies of every user, and one more of so many, drawn without replacement, that there are
/// round(factor × users) in all, at least 1. The second copy of `a` is named `a#2`. In the order of the
/// originals. Errors: a copy with the name of another user, more than
/// kMostUsers. O(users).
Result<ScaledUsers> scaled_users(const std::vector<Submitter>& users, double factor, Random& random);

}  // namespace mirab::simulation
