#pragma once

#include <mirab/scheduling/engine.hpp>

#include "scheduling/persistence/json_reader.hpp"
#include "scheduling/persistence/record_json.hpp"

namespace mirab::scheduling {

// What snapshots and event logs have in common.

Json json_of(const EngineOptions& options);
EngineOptions options_of(const JsonReader& json);

/// What makes the task class of a job: the fields of JobSubmitted that the list marks so.
void add_wish(Json& json, const JobSubmitted& job);
void read_wish(const JsonReader& json, JobSubmitted& job);

Json json_of(const std::map<std::string, std::string>& texts);
std::map<std::string, std::string> texts_of(const JsonReader& json);

/// Whole units, not below zero.
Amounts amounts_of(const JsonReader& json);

}  // namespace mirab::scheduling
