#pragma once

// The series of one mechanism over changing demands, with the names that table, JSON and CSV give them.

#include <string>
#include <vector>

#include <mirab/simulation/demand_series.hpp>
#include <mirab/simulation/replay.hpp>

namespace mirab::report {

/// `granted cpu`, `run cpu`, `tasks`, …; what is not measured is left out.
std::vector<simulation::Series> course_series(const simulation::MechanismCourse& course,
                                              const std::vector<std::string>& resources);

double mean_of(const std::vector<double>& values);

/// `user 1` for the first.
std::string shown_user(std::size_t index);

}  // namespace mirab::report
