#pragma once

// What the JSON of several kinds of simulation has in common.

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include <mirab/model/time.hpp>
#include <mirab/simulation/replay.hpp>

namespace mirab::report {

/// At most `most` of the values and the last one: every so many of them, from the first on.
nlohmann::ordered_json thinned(const std::vector<double>& values, std::size_t most);

/// `[{"name": …, "values": […]}]`, thinned.
nlohmann::ordered_json series_json(const std::vector<simulation::Series>& series, std::size_t most);

nlohmann::ordered_json quantiles_json(const simulation::Quantiles& quantiles);

/// A value by resource. Requires one for each.
nlohmann::ordered_json by_resource(const std::vector<std::string>& resources,
                                   const std::vector<double>& values);

}  // namespace mirab::report
