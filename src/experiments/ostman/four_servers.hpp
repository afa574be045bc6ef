#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include <mirab/experiments/experiment.hpp>
#include <mirab/overlay/node.hpp>

namespace mirab::experiments {

/// The four servers A, B, C, D of Östman's figures 3.1 and 3.2, in tenths: one resource, 18.3 of it in all;
/// each has one user, whose share and whose next task's demand are the same at the start.
inline constexpr std::array<const char*, 4> kFourServers{"A", "B", "C", "D"};
inline constexpr std::array<std::int64_t, 4> kFirstShares{1, 40, 30, 40};
inline constexpr std::int64_t kFourServersCapacity = 183;

/// Whom each of them asks. [server][neighbour]
using Links = std::array<std::vector<overlay::NodeId>, 4>;

/// Their shares at the start and after each step, until nobody is served any more, in tenths. In a step all
/// hear their neighbours, then all decide by DDRF's rule, then those that may are served in the order of
/// their addresses, as far as it fits.
std::vector<std::array<std::int64_t, 4>> steps_of_ddrf(const Links& links);

/// The steps as a figure, and the last shares as findings: each beside what the figure prints, and the least
/// as a part of all (in per cent, cut off after the first decimal as in 3.2).
Reproduction four_servers_under_ddrf(const Links& links, const std::array<double, 4>& printed,
                                     double printed_least_per_cent);

}  // namespace mirab::experiments
