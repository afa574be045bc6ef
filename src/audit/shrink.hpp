#pragma once

#include <functional>

#include <mirab/audit/verdict.hpp>

namespace mirab {

/// Looks for a violation in a cluster.
using Violates = std::function<std::optional<Witness>(const Problem&)>;

/// The witness on a cluster that is as small as can be found: fewer users, servers and resources, no
/// constraints, small whole numbers, as long as `violates` finds a violation. At most so many clusters are
/// asked for. Deterministic when `violates` is.
Witness shrink(Witness witness, const Violates& violates, std::size_t tries);

}  // namespace mirab
