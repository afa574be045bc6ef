#pragma once

#include <optional>
#include <span>
#include <vector>

#include <mirab/model/allocation.hpp>
#include <mirab/model/problem.hpp>

namespace mirab {

// Inequality of a list of shares s_1 … s_N ≥ 0. Each is 0 for an empty list unless noted otherwise; O(N log
// N) at most.

/// Σ_i Σ_j |s_i - s_j| / (2 N Σ_i s_i): 0 when all are equal, 1 - 1/N when one has all. 0 when all shares are
/// 0. Source: Östman, eq. 2.6.
double gini(std::span<const double> shares);

/// (Σ s)² / (N Σ s²): 1 when all are equal, 1/N when one has all. 1 when all shares are 0.
/// Source: Jain, Chiu, Hawe 1984.
double jain(std::span<const double> shares);

/// The sum of the richest fifth over the sum of the poorest fifth, a fifth being ⌈N/5⌉ users: 1 when all are
/// equal, infinite when the poorest have nothing; 1 when all shares are 0. Source: Östman, eq. 2.8.
double ratio_20_20(std::span<const double> shares);

/// √(Σ (s - mean)² / (N - 1)), and 0 for N < 2.
double sample_standard_deviation(std::span<const double> shares);

/// argmax_r d_{n,r} / C_r, the first of equals, compared exactly; of a user who may run nowhere the first of
/// which its servers have none, if it is allowed any. [n]. O((N + K) m), and O(K m) for each of these.
std::vector<std::size_t> dominant_resources(const Problem& problem);

/// The same of what a user's tasks take where they run: argmax_r Σ_i x_{n,i} d_{n,i,r} / C_r, where that is
/// more than what they take of the resource above; which it is not where a task takes the same everywhere.
/// [n]. O((N + K + grants) m).
std::vector<std::size_t> dominant_resources(const Problem& problem, const Allocation& allocation);

/// G_n = max_r Σ_i a_{n,i,r} / C_r: the largest part of any one resource that a user holds. [n]. Where a task
/// takes the same everywhere this is Östman's eq. 3.3, which adds up the largest parts server by server and
/// can pass 1 where it does not. O(grants · m).
std::vector<double> dominant_shares(const Problem& problem, const Allocation& allocation);

/// Fairness and efficiency of an allocation in a few numbers. N users, m resources.
struct Metrics {
  double jain = 1;
  double gini = 0;
  double ratio_20_20 = 1;
  double sample_standard_deviation = 0;
  double min_dominant_share = 0;
  std::vector<double> dominant_shares;          ///< G_n, [n]
  std::vector<std::size_t> dominant_resources;  ///< of the tasks where they run, [n]
  std::vector<double> utilization;  ///< used over capacity, [m]; 0 for a resource that the cluster lacks
  double beta_dominant = 0;         ///< max - min over resources of the part held by users whom it dominates
  double beta_non_dominant = 0;     ///< the same for the users whom it does not dominate
};

/// min_dominant_share is min_n G_n; the measures of inequality look at G_n per weight, G_n · mean(φ) / φ_n,
/// which is G_n when all weights are equal, of the users who have a weight. Both leave out users who may run
/// nowhere. In both, and in β, a user with task shapes is one, with the largest part of any one resource that
/// its shapes hold together and its own weight; what dominates it is the resource of which the tasks of all
/// its shapes take the largest part where they run. β after Hamzeh, 4.3.2.3, equations 4.24 and 4.25, which
/// subtract all sums from the first; max - min is ours, and the same for two resources. O(N log N + K N +
/// grants · m).
Metrics measure(const Problem& problem, const Allocation& allocation);

/// Who has all the tasks that it asks for. N users, a task shape being one where it is not said otherwise.
struct Satisfaction {
  std::vector<std::optional<double>> asked;  ///< tasks, [n]; without a value: endless; whole in a filling
  /// The dominant shares that these tasks would be, [n]. A task of a user with `demand_on` counts as much as
  /// its tasks take on average where they run; where none runs, as on the server where one takes least.
  std::vector<std::optional<double>> asked_shares;
  std::vector<bool> satisfied;      ///< [n]; never of endless tasks
  std::size_t users = 0;            ///< a user with task shapes is one
  std::size_t satisfied_users = 0;  ///< of these, with all their shapes
  /// The lowest dominant share of those who are not and may run somewhere; a user with task shapes has one,
  /// of all its shapes together. Without a value: there are none.
  std::optional<double> lowest_short_share;

  bool any_asked() const;  ///< does some user ask for a number of tasks?
};

/// A user has all tasks from a millionth below what it asks for. O((N + grants) m).
Satisfaction satisfaction(const Problem& problem, const Outcome& outcome);

/// The metrics of the allocation with the lowest share over those who are short of tasks only, and the
/// measures of inequality (`jain`, `gini`, `ratio_20_20`, `sample_standard_deviation`) over them and over
/// those who have all their tasks and hold more per weight than one who is short; the mean weight is that of
/// the compared. Users who may run nowhere are left out; a user with task shapes is one. Nothing when no user
/// is short or fewer than two with a weight are compared; Satisfaction::lowest_short_share is there as soon
/// as one is short. O(N log N + grants · m).
std::optional<Metrics> of_short_users(const Problem& problem, const Allocation& allocation,
                                      const Metrics& metrics, const Satisfaction& satisfaction);

/// What Hamzeh's thesis measures, by groups: the users whom a resource dominates (dominant_resources), and
/// the others, without those who may run nowhere. A user with task shapes is one, as for measure(). m
/// resources, K server entries, f_r = φ_n C_r / Φ the fair share.
struct GroupMetrics {
  /// max over the users dominated by r of what they hold of it, less f_r; none where no user is dominated by
  /// r. 0 when the best-off has just the fair share. [m]. Equation 7.9.
  std::vector<std::optional<double>> pareto_index;
  /// The part of the users who hold at least the fair share of what dominates them. Section 7.5.2.
  double sharing_incentive_index = 0;
  /// Jain's index of what the users dominated by r hold of it, and of what the others hold; 1 for a group of
  /// no user. [m]. Equations 4.26 and 4.27.
  std::vector<double> jain_dominant;
  std::vector<double> jain_non_dominant;
  /// Λ_{i,k}: the average dominant demand of the tasks on server entry i that are dominated by k there, over
  /// the capacity of one of its servers; 0 without such tasks. [K][m]. Definition 5.4.
  std::vector<std::vector<double>> consumption;
  /// α_i = max_k Λ_{i,k} - min_k Λ_{i,k}, over the resources that the server has. [K]. Equation 5.4, which
  /// subtracts all Λ from the first: the same for two resources.
  std::vector<double> penalty;
};

/// Source: Hamzeh, Fairness for Resource Allocation in Cloud Computing. An allocation to a pool has the pool
/// as its one server. O(N m + grants · m).
GroupMetrics measure_groups(const Problem& problem, const Allocation& allocation);

}  // namespace mirab
