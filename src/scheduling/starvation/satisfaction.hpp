#pragma once

#include <gmpxx.h>
#include <span>

#include "scheduling/order/disciplines.hpp"

namespace mirab::scheduling {

/// By how much Γ, what is had of guarantees, is more after the move: see satisfaction.cpp. `nodes`: those
/// whose use is another, each once. O(1) without guarantees, else O(queues below the nodes m).
mpq_class gain_of_satisfaction(const Ledger& ledger, std::span<const TreeNode> nodes,
                               const TreeUsageAfter& after);

}  // namespace mirab::scheduling
