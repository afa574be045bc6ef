#pragma once

#include <string>
#include <vector>

#include "lab/experiments/experiment.hpp"
#include "lab/simulation/demand_series.hpp"

namespace mirab::experiments {

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
