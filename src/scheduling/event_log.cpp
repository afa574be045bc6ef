#include <fmt/format.h>
#include <istream>
#include <map>

#include <mirab/scheduling/event_log.hpp>

#include "scheduling/engine_json.hpp"
#include "scheduling/event_json.hpp"

namespace mirab::scheduling {
namespace {

constexpr int kVersion = 1;

/// Results and checks of the engine, alike.
template <class T>
Result<Outcome> outcome_of(Result<T> result) {
  if (!result) return result.error();
  return Outcome(*std::move(result));
}
Result<Outcome> outcome_of(Check bad) {
  if (bad) return *std::move(bad);
  return Outcome(std::monostate{});
}

Result<std::string> line_of(const Json& json) {
  try {
    return json.dump();
  } catch (const Json::type_error&) {
    return Error{.message = "a text in it is not UTF-8"};
  }
}

template <class Value>
Result<Value> read_line(std::string_view line, Value (*read)(const JsonReader&)) {
  const Json whole = Json::parse(line, nullptr, false);
  if (whole.is_discarded()) return Error{.message = "this line is not JSON"};
  std::optional<Error> wrong;
  Value value = read(JsonReader(whole, wrong));
  if (wrong) return *std::move(wrong);
  return value;
}

EngineOptions options_of_header(const JsonReader& json) {
  json.allow_only({"mirab", "version", "options"});
  json["mirab"].word({"event log"});
  json["version"].integer<int>(kVersion, kVersion);
  return options_of(json["options"]);
}

Error at(Error error, const std::string& name, int line) {
  error.file = name;
  error.line = line;
  return error;
}

/// Tells an engine the lines of a log, one after the other.
class Replay {
 public:
  explicit Replay(Engine& engine) : engine_(engine) {}

  Check tell(std::string_view line) {
    const Result<LogEntry> entry = read_log_line(line);
    if (!entry) return entry.error();
    const Result<Outcome> outcome = this->outcome(*entry);
    if (!outcome) return outcome.error();
    if (!entry->outcome || *entry->outcome == *outcome) return {};
    const LogEntry now_so{.now = entry->now, .what = entry->what, .outcome = *outcome};
    return Error{.message = fmt::format("something else comes of it now: {}", json_of(now_so).dump()),
                 .key = "event"};
  }

 private:
  Result<Outcome> outcome(const LogEntry& entry) {
    if (const auto* const event = std::get_if<Event>(&entry.what)) return apply(engine_, *event, entry.now);
    const std::uint64_t seed = std::get<StepAsked>(entry.what).seed;
    Random& random = sources_.try_emplace(seed, seed).first->second;
    return Outcome(engine_.step(entry.now, random));
  }

  Engine& engine_;
  std::map<std::uint64_t, Random> sources_;  // by their seeds
};

Check tell_all(Engine& engine, std::istream& log, const std::string& name, int line) {
  Replay replay(engine);
  for (std::string text; std::getline(log, text);) {
    ++line;
    if (Check bad = replay.tell(text)) return at(*std::move(bad), name, line);
  }
  return {};
}

}  // namespace

Result<Outcome> apply(Engine& engine, const Event& event, Time now) {
  return std::visit([&](const auto& each) { return outcome_of(engine.apply(each, now)); }, event);
}

Result<std::string> log_header(const EngineOptions& options) {
  return line_of({{"mirab", "event log"}, {"version", kVersion}, {"options", json_of(options)}});
}

Result<std::string> log_line(const LogEntry& entry) { return line_of(json_of(entry)); }

Result<EngineOptions> read_log_header(std::string_view line) { return read_line(line, options_of_header); }

Result<LogEntry> read_log_line(std::string_view line) { return read_line(line, entry_of); }

Result<Engine> replay(std::istream& log, const std::string& name) {
  std::string header;
  std::getline(log, header);
  Result<EngineOptions> options = read_log_header(header);
  if (!options) return at(options.error(), name, 1);
  Result<Engine> engine = Engine::from(*std::move(options));
  if (!engine) return at(engine.error(), name, 1);
  if (Check bad = tell_all(*engine, log, name, 1)) return *std::move(bad);
  return engine;
}

Check replay_on(Engine& engine, std::istream& log, const std::string& name) {
  return tell_all(engine, log, name, 0);
}

}  // namespace mirab::scheduling
