#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <mirab/model/problem.hpp>

#include "lab/experiments/experiment.hpp"
#include "lab/simulation/demand_series.hpp"

namespace mirab::experiments {

/// An amount that the thesis prints wrongly, the right one, and why it is wrong.
struct Misprint {
  std::size_t user;
  std::size_t resource;
  double right;
  std::string_view why;
};

/// What the thesis prints of one mechanism: bundles, [n][r].
struct PrintedBundles {
  std::string_view mechanism;
  std::vector<std::vector<double>> bundles;
  std::vector<Misprint> slips = {};
};

/// What each user holds of all servers; [n][r].
std::vector<std::vector<double>> bundles_of(const Problem& problem, std::string_view mechanism);

/// What each user holds after a filling by task-by-task DRF; [n][r].
std::vector<std::vector<double>> bundles_of_filling(const Problem& problem);

/// A finding for every printed amount; a slip is corrected: ours is held against the right amount.
void check_bundles(const Problem& problem, const PrintedBundles& printed,
                   const std::vector<std::vector<double>>& ours, double tolerance, Reproduction& result);

/// A table of what the mechanisms grant and what runs with it: tasks are whole bundles of demand, so that
/// what a bundle holds beyond its scarcest resource runs nothing.
Table what_runs(const Problem& problem, std::span<const std::string_view> mechanisms);

/// Σ_n min_r bundle_{n,r} / d_{n,r}.
double running_tasks(const Problem& problem, std::string_view mechanism);

// What the time series of Hamzeh's thesis, chapter 7, have in common.

/// What every one of them says of its data, before its own parameters.
inline constexpr std::string_view kGenerator =
    "stand-in: the thesis does not publish the parameters of its generator; ours were chosen so that users "
    "switch their dominant resource as in figures 7.9 and 7.12, and what must hold is the order of "
    "mechanisms";

double least(const simulation::Course& course);
double most(const simulation::Course& course);

/// In how many iterations a is above b by more than a part of 1e-9, or as large as b: as a part of all.
double part_above(const simulation::Course& a, const simulation::Course& b);
double part_at_least(const simulation::Course& a, const simulation::Course& b);

/// A server of whole amounts.
Server server_of(std::string name, const std::vector<std::int64_t>& capacity, std::int64_t count = 1);

/// Users that switch their dominant resource, with the demands of `together` unscaled ones.
simulation::DemandGroup switching_users(std::int64_t count, double together);

/// Runs a scenario that stands in our own code, so that it is a valid one.
simulation::DemandSeriesOutcome run_series(const simulation::DemandSeriesScenario& scenario,
                                           const RunOptions& options);

/// The line of a course against the iteration: means of equally many iterations, 250 points in all.
Curve curve_of(std::string name, const simulation::Course& course);

/// A figure of one course of every mechanism, named as its mechanism.
Figure figure_of(std::string title, std::string y_label, const simulation::DemandSeriesOutcome& outcome,
                 const std::function<const simulation::Course&(const simulation::MechanismCourse&)>& pick);

/// Means over all iterations: what each mechanism grants of every resource, what is in use (Leontief), β and
/// tasks.
Table means_table(const simulation::DemandSeriesScenario& scenario,
                  const simulation::DemandSeriesOutcome& outcome);

/// The tasks that really run under the mechanisms, over time.
Figure tasks_figure(const simulation::DemandSeriesOutcome& outcome);

/// Users among the shown ones whom at least two resources dominate at some time, in the pool.
double switching_users(const simulation::DemandSeriesScenario& scenario,
                       const simulation::DemandSeriesOutcome& outcome);

/// "mlf-drs runs 61.2 % of the tasks that drf runs": one finding, which holds when it is a part below 1.
Finding runs_fewer(const simulation::MechanismCourse& thesis, const simulation::MechanismCourse& drf);

}  // namespace mirab::experiments
