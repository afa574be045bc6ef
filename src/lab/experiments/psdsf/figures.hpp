#pragma once

#include <array>
#include <span>
#include <string_view>
#include <vector>

#include <mirab/model/problem.hpp>

#include "lab/experiments/experiment.hpp"

namespace mirab::experiments {

/// What the figures' demands and capacities are: they stand in pictures that our text lacks.
inline constexpr std::string_view kChosenDemands =
    "stand-in: demands and capacities stand in a picture that our text lacks, and were chosen so that they "
    "give the numbers of the text";

/// What a text prints of one mechanism: the tasks of users 1 to 4.
struct PrintedTasks {
  const char* mechanism;
  std::array<double, 4> tasks;
  double tolerance;
};

/// The cluster of figures 1 and 2 of "Appropriate Parameterized Utility Technique" (paper 001): two servers
/// and four users; the figures differ in what a task of user 4 takes.
Problem psdsf_figure(const std::vector<double>& demand_of_user_4);

/// Holds the mechanisms' tasks against the printed ones, adds a table of them all and of what each uses, and
/// that PS-DSF uses no less of any resource than the others.
void check_psdsf_figure(const Problem& problem, std::span<const PrintedTasks> printed,
                        const RunOptions& options, Reproduction& result);

/// γ_{n,i}: the tasks that user n runs when it has server i alone; 0 where it may not run. Equation 8.
double tasks_alone(const Problem& problem, std::size_t user, std::size_t server);

}  // namespace mirab::experiments
