#pragma once

#include <mirab/model/allocation.hpp>

#include "scheduling/plain/ledger.hpp"

namespace mirab::plain {

/// Who has how many tasks where, in the cluster's own units. O(placed entries · m).
Allocation allocation_of(const Ledger& ledger);

}  // namespace mirab::plain
