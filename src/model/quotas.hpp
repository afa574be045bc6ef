#pragma once

#include <cstddef>
#include <functional>

#include <mirab/model/problem.hpp>
#include <mirab/model/result.hpp>
#include <mirab/model/tree.hpp>

#include "model/exact.hpp"

namespace mirab {

/// How the amounts of quotas are written, as errors then say: a teams file in percent is checked before the
/// resources and the capacity of the cluster are known. Then there are 100 of each resource.
enum class QuotaUnit { amount, percent };

/// ĝ and k̂ of a node, [m] or empty.
struct EffectiveAmounts {
  ExactVector guarantee;
  ExactVector reserve;
};

/// Checks the quotas of groups and users: k ≤ ĝ ≤ L, ĝ is no less than that of the members, and all members
/// of the root are guaranteed no more than the pool, [m]. The tree is that of the cluster, of which a
/// resource without a name stands for all of them. `found` gets what a node has, members before their group,
/// if there is a guarantee, a reserve or a limit. Errors carry the key. O(N m).
Check check_quotas(const Cluster& cluster, const Tree& tree, const ExactVector& pool, QuotaUnit unit,
                   const std::function<void(std::size_t node, const EffectiveAmounts&)>& found);

}  // namespace mirab
