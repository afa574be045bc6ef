#pragma once

#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <mirab/model/result.hpp>
#include <mirab/model/time.hpp>
#include <mirab/scheduling/engine.hpp>
#include <mirab/scheduling/events.hpp>

namespace mirab::scheduling {

// A log holds the events of an engine: lines of JSON, the first with the options of the engine and the
// kDecisionVersion under which it was written, every other with one event or one step. Their form is
// docs/schema/event-log.schema.json. What came of an event may stand with it, and is compared when the log is
// replayed.

/// One call of Engine::step, with the random numbers of the source that has this seed. A source is new when
/// the first step of the log draws from it, and nothing else does.
struct StepAsked {
  std::uint64_t seed = 0;
  friend bool operator==(const StepAsked&, const StepAsked&) = default;
};

/// What came of an event or a step.
using Outcome = std::variant<std::monostate, ServerId, UserId, JobId, std::vector<Lost>,
                             std::optional<Placed>, TaskId, GroupId>;

struct LogEntry {
  Time now;
  std::variant<Event, StepAsked> what;
  std::optional<Outcome> outcome = {};
  friend bool operator==(const LogEntry&, const LogEntry&) = default;
};

/// Applies whichever event it is. Errors as for Engine::apply.
Result<Outcome> apply(Engine& engine, const Event& event, Time now);

/// The lines of a log, without their ends. Errors: a text that is not UTF-8.
Result<std::string> log_header(const EngineOptions& options);
Result<std::string> log_line(const LogEntry& entry);

/// Is it the text of a log, by its first line?
bool is_event_log(std::string_view text);

/// Errors name the key.
Result<EngineOptions> read_log_header(std::string_view line);
Result<LogEntry> read_log_line(std::string_view line);

/// A new engine after all events of the log. Errors name file, line and key: a line that cannot be
/// read, an event that the engine refuses, an outcome other than the one in the log. A log of another
/// kDecisionVersion is replayed until it differs, and then the error names both versions. Memory: that of the
/// engine and of one line.
Result<Engine> replay(std::istream& log, const std::string& name);

/// The same for an engine that is there already, as after restore(): the log has no header. The lines are
/// counted from 1. After an outcome other than logged the line has been applied.
Check replay_on(Engine& engine, std::istream& log, const std::string& name);

}  // namespace mirab::scheduling
