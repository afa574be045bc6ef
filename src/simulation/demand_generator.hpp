#pragma once

#include <vector>

#include <mirab/model/random.hpp>
#include <mirab/simulation/demand_series.hpp>

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

}  // namespace mirab::simulation
