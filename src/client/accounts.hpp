// What was, as /usage and /history answer it, as tables for people and as CSV for programs.
#pragma once

#include <cstddef>
#include <string>

#include "client/service.hpp"

namespace mirab::client {

/// What each queue, group or tenant used: amount times hours of each resource.
std::string usage_table(const Json& usage, std::size_t width);
std::string usage_csv(const Json& usage);

/// A history with values as people write them: what is used of a resource comes in base units, which the
/// answer of /cluster explains.
Json in_units(Json history, const Json& cluster);

/// A series over time, a row for each step with the mean of it; a step of which nothing is known has a dash,
/// in CSV nothing.
std::string history_table(const Json& history, std::size_t width);
std::string history_csv(const Json& history);

}  // namespace mirab::client
