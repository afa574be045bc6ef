#pragma once

#include <mirab/scheduling/engine.hpp>

#include "scheduling/json_reader.hpp"

namespace mirab::scheduling {

// What snapshots and event logs have in common.

Json json_of(const EngineOptions& options);
EngineOptions options_of(const JsonReader& json);

/// What is asked for each task: `demand`, and `servers`, `select`, `demand_on` where a job says so.
void add_wish(Json& json, const JobSubmitted& job);
void read_wish(const JsonReader& json, JobSubmitted& job);

Json json_of(const std::map<std::string, std::string>& texts);
std::map<std::string, std::string> texts_of(const JsonReader& json);

/// An exact decimal as a text.
Quantity quantity_of(const JsonReader& json);

/// Whole units, not below zero.
Amounts amounts_of(const JsonReader& json);

}  // namespace mirab::scheduling
