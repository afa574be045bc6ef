#pragma once

#include <cstddef>
#include <functional>

#include <mirab/model/problem.hpp>
#include <mirab/model/result.hpp>
#include <mirab/model/tree.hpp>

#include "model/exact.hpp"

namespace mirab {

/// In which unit the amounts of quotas are. A teams file in percent is checked before the capacity of the
/// cluster is known: the pool is then 100 of each resource, and errors write ` %`.
enum class QuotaUnit { amount, percent };

/// ĝ and k̂ of a node, [m] or empty.
struct EffectiveAmounts {
  ExactVector guarantee;
  ExactVector reserve;
};

/// Checks the quotas of groups and users: k ≤ ĝ ≤ L, ĝ is no less than that of the members, and all members
/// of the root are guaranteed no more than the pool, [m]. `tree` is the tree of `cluster`. A resource with an
/// empty name stands for every resource, and keys leave it out. `found` is called for each node with a
/// guarantee, a reserve or a limit, members before their group, also where an error follows. Errors carry the
/// key. O(N m).
Check check_quotas(const Cluster& cluster, const Tree& tree, const ExactVector& pool, QuotaUnit unit,
                   const std::function<void(std::size_t node, const EffectiveAmounts&)>& found);

}  // namespace mirab
