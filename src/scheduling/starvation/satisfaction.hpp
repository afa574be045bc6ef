#pragma once

#include <gmpxx.h>
#include <span>

#include "scheduling/order/disciplines.hpp"

namespace mirab::scheduling {

/// By how much Γ, what is had of guarantees, is more after the move: see satisfaction.cpp. `nodes`: those
/// whose use is another, each once. O(1) without guarantees, else O(queues below the nodes m).
mpq_class gain_of_satisfaction(const Ledger& ledger, std::span<const TreeNode> nodes,
                               const TreeUsageAfter& after);

/// May Γ count otherwise for others once tasks of the class wait for the user, who has no queue of it yet?
/// Only if a node on its path is guaranteed something, and no task of the user demands the same resources.
bool brings_kind_of_task(const Ledger& ledger, UserIndex user, TaskClassIndex task_class);

}  // namespace mirab::scheduling
