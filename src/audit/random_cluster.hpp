#pragma once

#include <mirab/audit/audit.hpp>
#include <mirab/model/random.hpp>

namespace mirab {

/// Draws a cluster in this style: users A, B, …, servers s1, s2, …, resources cpu, memory, disk.
Problem random_cluster(const RandomStyle& style, Random& random);

}  // namespace mirab
