// The generator of random demands of Hamzeh's thesis.
//
// Source: Hamzeh, Fairness for Resource Allocation in Cloud Computing, 7.1.1.1, equations 7.1 to 7.7 and
// listing 7.1:
//
//   θ = s / r                        (7.1)   s a distance, r a radius
//   degree = θ · 180 / π             (7.2)
//   deviation = sin(θ · degree)      (7.3)
//   P(x) = exp(-((x - μ) / δ)² / 2) / (δ √(2π))   (7.5), μ the median (7.6), δ the standard deviation (7.4)
//                                            times the stretch
//   Mips: a draw from P              (7.7)
//   RAM  = 260 + 100 · deviation · stretch
//   disk = Mips / 2
//
// What the thesis leaves open, and how it is read here: s grows by one with each iteration, so that the sine
// sweeps ever faster, since (7.3) multiplies the angle by itself; every user has a median, radius, start and
// stretch of its own, and the median and deviation that (7.4) and (7.6) take from observed workloads are
// parameters; "minimum CPU, disk and memory", of which section 7.1.1 speaks, is one floor; (7.7)
// calls the density itself Mips, which would be below one, so that a draw is meant.
// Known failures: with disk = Mips / 2 nobody is dominated by a disk of more than half the CPU's capacity
// (docs/reproduced.md); table 7.4, which prints five demands, does not keep this rule.
#include "simulation/demand_generator.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace mirab::simulation {
namespace {

double uniform(const Range& range, Random& random) {
  return range.low + (range.high - range.low) * random.unit();
}

// In hundredths, or for a scale below 1 in as many more decimals as keep their number of digits.
double rounded(double amount, double scale) {
  const double steps = std::pow(10.0, 2 + std::max(0.0, std::ceil(-std::log10(scale))));
  return std::round(amount * scale * steps) / steps;
}

}  // namespace

DemandProfile draw_profile(const DemandGroup& group, Random& random) {
  DemandProfile profile{};
  profile.median = uniform(group.cpu_median, random);
  profile.deviation = group.cpu_deviation;
  profile.radius = uniform(group.radius, random);
  profile.start = uniform(group.start, random);
  profile.stretch = uniform(group.stretch, random);
  profile.has_disk_median = group.disk_median.has_value();
  profile.disk_median = uniform(group.disk_median.value_or(Range{}), random);
  profile.disk_deviation = group.disk_deviation;
  profile.scale = group.scale;
  profile.least = group.least;
  return profile;
}

double demand_deviation(double s, double r) {
  const double theta = s / r;
  const double degree = theta * 180 / std::numbers::pi;
  return std::sin(theta * degree);
}

// Box and Muller 1958: two uniform draws, so that a demand takes the same number of draws everywhere.
double standard_normal(Random& random) {
  const double radius = std::sqrt(-2 * std::log(1 - random.unit()));
  return radius * std::cos(2 * std::numbers::pi * random.unit());
}

std::vector<double> draw_demand(const DemandProfile& profile, std::int64_t iteration, Random& random) {
  const double s = profile.start + static_cast<double>(iteration);
  const double deviation = demand_deviation(s, profile.radius);
  const double delta = profile.deviation * profile.stretch;
  const double mips = std::max(profile.least, profile.median + delta * standard_normal(random));
  const double ram = std::max(profile.least, 260 + 100 * deviation * profile.stretch);
  const double own_disk =
      profile.disk_median + profile.disk_deviation * profile.stretch * standard_normal(random);
  const double disk = std::max(profile.least, profile.has_disk_median ? own_disk : mips / 2);
  return {rounded(mips, profile.scale), rounded(ram, profile.scale), rounded(disk, profile.scale)};
}

}  // namespace mirab::simulation
