#pragma once

#include <optional>
#include <vector>

#include <mirab/model/allocation.hpp>
#include <mirab/model/problem.hpp>
#include <mirab/model/random.hpp>

#include "lab/simulation/demand_series.hpp"

namespace mirab::simulation {

/// What stays of one user while its demands change: one draw from the ranges of its group.
struct DemandProfile {
  double median;     ///< μ of (7.5)
  double deviation;  ///< s of (7.4), before it is stretched
  double radius;     ///< r of (7.1)
  double start;      ///< s of (7.1) at iteration 0
  double stretch;
  bool has_disk_median;  ///< or else disk = Mips / 2
  double disk_median;
  double disk_deviation;
  double scale;
  double least;
};

DemandProfile draw_profile(const DemandGroup& group, Random& random);

/// sin(θ · degree), θ = s / r, degree = θ · 180 / π; (7.1) to (7.3), read as they stand.
double demand_deviation(double s, double r);

/// A draw from the density (7.5), N(0, 1).
double standard_normal(Random& random);

/// One demand of the user: Mips, RAM and disk, in hundredths times the scale, and above 0.
std::vector<double> draw_demand(const DemandProfile& profile, std::int64_t iteration, Random& random);

/// What the thesis measures of one allocation, and also what really runs. m resources.
struct DemandMeasures {
  std::vector<double> granted;            ///< Σ of bundles over capacity, [r]
  std::vector<double> run;                ///< Σ of tasks · demand over capacity, [r]
  double tasks = 0;                       ///< Σ_n min_r bundle / demand
  double counted_tasks = 0;               ///< Σ_n bundle / demand of the dominant resource; lemma 4.14
  std::vector<double> jain_dominant;      ///< (4.26), [r]
  std::vector<double> jain_non_dominant;  ///< (4.27), [r]
  std::vector<double> dominant_part;      ///< of C_r, held where r dominates, [r]
  std::vector<double> non_dominant_part;  ///< of C_r, held where it does not, [r]
  double beta_dominant = 0;
  double beta_non_dominant = 0;
  double sharing_incentive = 0;   ///< the part of users with C_r / N or more of what dominates them
  std::vector<double> dominated;  ///< users whom r dominates in the pool, [r]
  std::vector<std::vector<double>> bundles;  ///< what each user holds, [n][r]
};

/// argmax_r d_{n,r} / C_r in the pool, the first of equals (to 12 digits); [n].
std::vector<std::size_t> pool_dominance(const Problem& problem);

/// O(grants · m + N m).
DemandMeasures measure_demands(const Problem& problem, const Allocation& allocation);

}  // namespace mirab::simulation
