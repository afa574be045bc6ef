#pragma once

#include <mirab/scheduling/event_log.hpp>

#include "scheduling/json_reader.hpp"

namespace mirab::scheduling {

/// An entry of an event log as the JSON of its line, and back.
Json json_of(const LogEntry& entry);
LogEntry entry_of(const JsonReader& json);

}  // namespace mirab::scheduling
