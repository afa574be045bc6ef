#pragma once

#include <cstdint>

#include <mirab/model/problem.hpp>

namespace mirab::bench {

/// N users on K classes of servers: demands uniform(0.1, 5), weights uniform(0.5, 4), capacities
/// of a class uniform(1, 100) x 1,000. A user may run on each class with probability 0.7, and on one at
/// least. The same seed gives the same problem. O(N (K + m)).
Problem random_servers(std::size_t users, std::size_t classes, std::size_t resources, std::uint64_t seed);

/// The 12,583 machines of Google's cluster of 2011 in their 10 capacity classes, cpu and memory relative to
/// the largest machine; demands log-normal about the median task of the trace; each user is confined to one,
/// two or three of the platforms a, b, c, on one of which at least its task fits. Weights 1. Source: Reiss et
/// al., Heterogeneity and Dynamicity of Clouds at Scale, 2012, Table 1.
Problem google_servers(std::size_t users, std::uint64_t seed);

}  // namespace mirab::bench
