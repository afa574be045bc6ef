#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lab/experiments/experiment.hpp"
#include "lab/simulation/traffic.hpp"

namespace mirab::experiments {

/// 0.05, 0.10, …, 0.95; five of them for a quick run.
std::vector<double> plotted_loads(Effort effort);

/// The setting of Bonald and Roberts, section 3: fluid jobs, CPU and RAM of capacity 1, μ = 1. Class k has
/// profile demand[k] and arrives at a rate in proportion to arrivals[k].
simulation::TrafficScenario cpu_and_ram(const std::vector<std::vector<double>>& demand,
                                        const std::vector<double>& arrivals,
                                        const std::vector<std::string_view>& mechanisms, Effort effort);

inline constexpr double kAnyLoad = std::numeric_limits<double>::infinity();

/// How many jobs are measured while the most loaded resource, as claimed, is loaded up to this: what is
/// congested changes slowly. The last of several is for any load.
struct JobsUpTo {
  double load;
  std::int64_t full, quick;
};

/// Service rates γ_k against the load, of every class under every mechanism.
class ServiceRates {
 public:
  /// Simulates the scenario load by load upwards, with enough fluid jobs for smooth plots, or with the given
  /// numbers.
  static ServiceRates simulated(const simulation::TrafficScenario& scenario, const RunOptions& options);
  static ServiceRates simulated(const simulation::TrafficScenario& scenario, std::span<const JobsUpTo> jobs,
                                const RunOptions& options);

  const std::vector<double>& loads() const { return loads_; }
  const simulation::TrafficPoint& at(std::size_t load, std::size_t mechanism, std::size_t job_class) const {
    return points_[(load * mechanisms_ + mechanism) * classes_ + job_class];
  }

  /// Over the loads that are stable, with intervals.
  Curve curve(std::string name, std::size_t mechanism, std::size_t job_class) const;

 private:
  std::vector<double> loads_;
  std::size_t mechanisms_ = 0, classes_ = 0;
  std::vector<simulation::TrafficPoint> points_;  // by load, mechanism, class
};

/// The scenario file of those loads that are simulated with the fewest jobs: the first of `jobs`.
OwnFiles files_of(std::string_view id, const simulation::TrafficScenario& scenario,
                  const RunOptions& options);
OwnFiles files_of(std::string_view id, const simulation::TrafficScenario& scenario,
                  std::span<const JobsUpTo> jobs, const RunOptions& options);

/// The exact chains of a scenario of two classes: [mechanism * loads + load].
std::vector<simulation::ExactPoint> exact_rates(const simulation::TrafficScenario& scenario,
                                                const RunOptions& options);

/// One class over the points of one mechanism, or of balanced fairness; without those that are unstable or
/// cut off too early.
Curve exact_curve(std::string name, const std::vector<simulation::ExactPoint>& points, std::size_t mechanism,
                  std::size_t job_class);

/// The mechanisms of a plot that compares DRF with PF.
inline constexpr std::size_t kDrf = 0, kPf = 1;

/// "Class k is served faster under PF": at most loads, and DRF is ahead of it nowhere by whole intervals.
Finding served_no_more_slowly(const ServiceRates& rates, std::size_t job_class);

/// γ_k(PF)/γ_k(DRF) at the highest load: the whole interval of PF must be above that of DRF.
Finding ahead_at_high_load(const ServiceRates& rates, std::size_t job_class);

/// Compares the simulation with the exact chains: how far an exact rate is from the simulated one at most, in
/// half widths of the 95 % interval, on the logarithmic scale. Holds when that is within the intervals of all
/// plots at once with a confidence of 99 % (Bonferroni): plots share the random numbers of a load, and so
/// their luck.
Finding covered(const ServiceRates& simulated, const std::vector<simulation::ExactPoint>& exact);

/// Service rate against the load of resource 1, as the paper's figures.
Figure service_rate_figure(std::string title, std::vector<Curve> curves);

/// Bonald and Roberts 2014, section 3.4: profiles (1, α) and (α, 1); a job of class 1 claims β of resource 2
/// in place of α. Its best claim when n jobs of class 2 are there is β = 1 / (1 + n (1 - α)).
inline constexpr double kTrueNeed = 0.1;  // α

constexpr double best_claim(int others) { return 1 / (1 + others * (1 - kTrueNeed)); }

/// The claims of figures 4 and 5: best against this many others.
inline constexpr std::array<int, 3> kAgainst = {1, 2, 5};

/// Profiles (1, α) and (β, 1), α ≤ β ≤ 1: Bonald and Roberts, section 3.3. μ = 1, capacities 1.
struct TwoProfiles {
  double alpha, beta;
};

/// c_1, c_2 of γ_i ≈ 1 - ρ_i - c_i ρ_j in light traffic: as the paper prints them, by
/// c_i = 2 (1 - x_i) / (x_1 + x_2) with the rates x of one job of each class
/// (docs/explanation/mathematics.md, section 11), and from exact chains at loads near 0.
struct LightTraffic {
  std::array<double, 2> printed, formula, chain;
};

/// Of `drf` or `pf`.
LightTraffic light_traffic(const TwoProfiles& profiles, std::string_view mechanism);

/// Holds what the chains give against the paper; where they do not, the formula must.
void check_light_traffic(const TwoProfiles& profiles, Reproduction& result);

/// What the paper says of class 1 under PF, against DRF.
enum class ClassOne { higher, equal, slightly_lower };

/// A plot of figure 1 or 2 of Bonald and Roberts.
struct TwoClassPlot {
  std::string_view title;
  TwoProfiles profiles;
  std::array<double, 2> arrivals;  ///< in proportion
  ClassOne class_one;
};

/// Simulates DRF and PF, with their exact chains and balanced fairness, and holds them against the text of
/// section 3.3: who gains by PF, light and heavy traffic.
Reproduction reproduce_two_classes(const TwoClassPlot& plot, const RunOptions& options);

}  // namespace mirab::experiments
