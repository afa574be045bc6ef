#pragma once

#include <span>
#include <vector>

#include <mirab/model/allocation.hpp>
#include <mirab/model/problem.hpp>

namespace mirab {

// Inequality of a list of shares s_1 … s_N ≥ 0. Each is 0 for an empty list unless said otherwise; O(N log N)
// at most.

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

/// argmax_r d_{n,r} / C_r, the first of equals, which are told exactly. [n]. O((N + K) m).
std::vector<std::size_t> dominant_resources(const Problem& problem);

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
  std::vector<double> utilization;  ///< used over capacity, [m]; 0 for a resource that the cluster lacks
  double beta_dominant = 0;         ///< max - min over resources of the part held by users whom it dominates
  double beta_non_dominant = 0;     ///< the same for the users whom it does not dominate
};

/// min_dominant_share is min_n G_n; the measures of inequality look at G_n per weight, G_n · mean(φ) / φ_n,
/// which is G_n when all weights are equal. β after Hamzeh, section 4.2. O(N log N + grants · m).
Metrics measure(const Problem& problem, const Allocation& allocation);

}  // namespace mirab
