#pragma once

#include <vector>

#include <mirab/model/allocation.hpp>
#include <mirab/model/problem.hpp>

namespace mirab {

/// What the users below one node of Problem::tree() have together. Letters: docs/explanation/teams.md. m
/// resources.
struct GroupFigures {
  std::vector<double> used;       ///< what their tasks take, u_{v,r} C_r, [m]
  double share = 0;               ///< max_r u_{v,r}
  double beyond = 0;              ///< max(0, max_r (u_{v,r} - ĝ_{v,r} / C_r)): κ φ
  double key = 0;                 ///< κ = beyond / φ; beyond where φ is 0
  std::vector<double> guarantee;  ///< ĝ, effective, [m]
  std::vector<double> unused;     ///< max(0, ĝ - used): of the guarantee, [m]
  std::vector<double> lent;       ///< the part of it that is not reserved, and others may use, [m]
  std::vector<double> borrowed;   ///< max(0, used - ĝ), [m]
};

/// Of every node of Problem::tree(), [node]: the cluster, the groups, then the users, each as a group of one.
/// O((N + G) m + grants m).
std::vector<GroupFigures> group_figures(const Problem& problem, const Allocation& allocation);

}  // namespace mirab
