// Series over time, as text and as JSON, for all kinds of simulation.
#pragma once

// What the JSON of several kinds of simulation has in common.

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include <mirab/model/time.hpp>

#include "lab/simulation/demand_series.hpp"
#include "lab/simulation/replay.hpp"
#include "report/text/json.hpp"

namespace mirab::report {

/// At most `most` of the values and the last one: every k-th, from the first on.
nlohmann::ordered_json thinned(const std::vector<double>& values, std::size_t most);

/// `[{"name": …, "values": […]}]`, thinned.
nlohmann::ordered_json series_json(const std::vector<simulation::Series>& series, std::size_t most);

nlohmann::ordered_json quantiles_json(const simulation::Quantiles& quantiles);

}  // namespace mirab::report

// The series of one mechanism over changing demands, with the names that table, JSON and CSV give them.

namespace mirab::report {

/// `granted cpu`, `run cpu`, `tasks`, …; what is not measured is left out.
std::vector<simulation::Series> course_series(const simulation::MechanismCourse& course,
                                              const std::vector<std::string>& resources);

double mean_of(const std::vector<double>& values);

/// `user 1` for the first.
std::string user_label(std::size_t index);

}  // namespace mirab::report
