#pragma once

#include <optional>
#include <string>

#include <mirab/mechanisms/mechanism.hpp>

#include "mechanisms/pool_case.hpp"

namespace mirab::testing {

/// Looks for a violation of a property by a mechanism on one pool, from the definitions in
/// docs/mathematics.md, section 11, and nothing of the mechanism but the tasks it gives. Without a value none
/// was found. A violation counts from a part in a million; a misreport from a gain of a thousandth.
std::optional<std::string> find_violation(Property property, const PoolCase& pool,
                                          const std::string& mechanism);

}  // namespace mirab::testing
