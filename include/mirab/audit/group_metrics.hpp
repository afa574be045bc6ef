#pragma once

#include <optional>
#include <vector>

#include <mirab/model/allocation.hpp>
#include <mirab/model/problem.hpp>

namespace mirab {

/// What Hamzeh's thesis measures, by groups: the users whom a resource dominates (dominant_resource), and the
/// others. m resources, K server entries, f_r = φ_n C_r / Φ the fair share.
struct GroupMetrics {
  /// max over the users dominated by r of what they hold of it, less f_r; none where nobody is dominated by
  /// r. 0 when the best-off has just the fair share. [m]. Equation 7.9.
  std::vector<std::optional<double>> pareto_index;
  /// The part of the users who hold at least the fair share of what dominates them. Section 7.5.2.
  double sharing_incentive_index = 0;
  /// Jain's index of what the users dominated by r hold of it, and of what the others hold; 1 for a group of
  /// nobody. [m]. Equations 4.26 and 4.27.
  std::vector<double> jain_dominant;
  std::vector<double> jain_non_dominant;
  /// Λ_{i,k}: the average dominant demand of the tasks on server entry i that are dominated by k there, over
  /// the capacity of one of its servers; 0 without such tasks. [K][m]. Definition 5.4.
  std::vector<std::vector<double>> consumption;
  /// α_i = max_k Λ_{i,k} - min_k Λ_{i,k}, over the resources that the server has. [K]. Equation 5.4.
  std::vector<double> penalty;
};

/// Source: Hamzeh, Fairness for Resource Allocation in Cloud Computing. An allocation to a pool has the pool
/// as its one server. O(N m + grants · m).
GroupMetrics measure_groups(const Problem& problem, const Allocation& allocation);

}  // namespace mirab
