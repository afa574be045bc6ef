// The event log: events, decisions and outcomes as lines of JSON, and the replay of a log.
#include <fmt/format.h>
#include <istream>
#include <map>
#include <type_traits>
#include <utility>

#include <mirab/scheduling/event_log.hpp>

#include "scheduling/persistence/json_reader.hpp"
#include "scheduling/persistence/record_json.hpp"

namespace mirab::scheduling {

namespace {

/// What an event gives when it is applied.
template <class Each>
using Applied = decltype(std::declval<Engine&>().apply(std::declval<const Each&>(), Time()));

/// What the member of an outcome is called; nothing where an event gives nothing.
template <class Each>
constexpr std::string_view outcome_name() {
  if constexpr (std::is_same_v<Applied<Each>, Check>) return {};
  return std::is_same_v<Applied<Each>, Result<std::vector<Lost>>> ? "lost" : "gives";
}

/// The member that holds an outcome, and its value; nothing for the outcome of most events.
void add_outcome(Json& json, const Outcome& outcome) {
  std::visit(
      [&]<class Value>(const Value& value) {
        if constexpr (std::is_enum_v<Value>) json["gives"] = to_json(value);
        if constexpr (std::is_same_v<Value, std::vector<Lost>>) json["lost"] = to_json(value);
        if constexpr (std::is_same_v<Value, std::optional<Placed>>) json["placed"] = to_json(value);
      },
      outcome);
}

template <class Each>
void read_event(const JsonReader& json, LogEntry& entry) {
  constexpr std::string_view kOutcome = outcome_name<Each>();
  if constexpr (kOutcome.empty()) {
    json.allow_only(names_of<Each>("now", "event"));
  } else {
    json.allow_only(names_of<Each>("now", "event", kOutcome));
  }
  Each event;
  for_each_field<Each>([&](const auto& field) { read_member(json, event, field); });
  entry.what = std::move(event);
  if constexpr (!kOutcome.empty()) {
    if (json.failed()) return;
    if (const auto found = json.find(std::string(kOutcome))) {
      std::remove_cvref_t<decltype(*std::declval<Applied<Each>>())> outcome{};
      read_json(*found, outcome);
      entry.outcome = std::move(outcome);
    }
  }
}

void read_step(const JsonReader& json, LogEntry& entry) {
  json.allow_only({"now", "event", "seed", "placed"});
  entry.what = StepAsked{.seed = json["seed"].integer<std::uint64_t>(0, UINT64_MAX)};
  if (json.failed()) return;
  const auto found = json.find("placed");
  if (!found) return;
  std::optional<Placed> placed;
  if (!found->is_null()) read_json(*found, placed);
  entry.outcome = std::move(placed);
}

void read_what(const JsonReader& json, LogEntry& entry) {
  const std::string name = json["event"].text();
  if (name == "step") return read_step(json, entry);
  bool known = false;
  for_each_event([&]<class Each>(std::type_identity<Each>) {
    if (known || Declared<Each>::kName != name) return;
    known = true;
    read_event<Each>(json, entry);
  });
  if (!known) json["event"].refuse("there is no event '" + name + "'");
}

}  // namespace

Json json_of(const LogEntry& entry) {
  Json json;
  if (const auto* const step = std::get_if<StepAsked>(&entry.what)) {
    json = {{"event", "step"}, {"seed", step->seed}};
  } else {
    std::visit(
        [&]<class Each>(const Each& event) {
          json = to_json(event);
          json["event"] = Declared<Each>::kName;
        },
        std::get<Event>(entry.what));
  }
  json["now"] = entry.now.time_since_epoch().count();
  if (entry.outcome) add_outcome(json, *entry.outcome);
  return json;
}

LogEntry entry_of(const JsonReader& json) {
  LogEntry entry{.now = Time(Duration(json["now"].integer<std::int64_t>(INT64_MIN, INT64_MAX))), .what = {}};
  read_what(json, entry);
  return entry;
}

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

struct Header {
  EngineOptions options;
  std::optional<int> decision_version;  ///< older logs do not name it
};

Header header_of(const JsonReader& json) {
  json.allow_only({"mirab", "version", "decision_version", "options"});
  json["mirab"].word({"event log"});
  require_version(json["version"], kVersion);
  Header header{.options = {}, .decision_version = {}};
  if (const auto found = json.find("decision_version"))
    header.decision_version = read_decision_version(*found);
  header.options = options_of(json["options"]);
  return header;
}

Error at(Error error, const std::string& name, int line) {
  error.file = name;
  error.line = line;
  return error;
}

/// Applies the lines of a log to an engine, one after the other.
class Replay {
 public:
  Replay(Engine& engine, std::optional<int> decision_version)
      : engine_(engine), decision_version_(decision_version) {}

  Check apply_line(std::string_view line) {
    const Result<LogEntry> entry = read_log_line(line);
    if (!entry) return entry.error();
    const Result<Outcome> outcome = this->outcome(*entry);
    if (!outcome) return with_reason(outcome.error());
    if (!entry->outcome || *entry->outcome == *outcome) return {};
    const LogEntry replayed{.now = entry->now, .what = entry->what, .outcome = *outcome};
    return with_reason(
        {.message = fmt::format("replaying the event gives another result: {}", json_of(replayed).dump()),
         .key = "event"});
  }

 private:
  /// Where a replay departs from the log: the decisions of another version are the likely reason.
  Error with_reason(Error error) const {
    if (decision_version_ && *decision_version_ != kDecisionVersion)
      error.message += fmt::format("; the log was {}", other_decision_version(*decision_version_));
    return error;
  }

  Result<Outcome> outcome(const LogEntry& entry) {
    if (const auto* const event = std::get_if<Event>(&entry.what)) return apply(engine_, *event, entry.now);
    const std::uint64_t seed = std::get<StepAsked>(entry.what).seed;
    Random& random = sources_.try_emplace(seed, seed).first->second;
    return Outcome(engine_.step(entry.now, random));
  }

  Engine& engine_;
  std::optional<int> decision_version_;      // of the log
  std::map<std::uint64_t, Random> sources_;  // by their seeds
};

Check apply_all(Replay replay, std::istream& log, const std::string& name, int line) {
  for (std::string text; std::getline(log, text);) {
    ++line;
    if (Check bad = replay.apply_line(text)) return at(*std::move(bad), name, line);
  }
  return {};
}

}  // namespace

Result<Outcome> apply(Engine& engine, const Event& event, Time now) {
  return std::visit([&](const auto& each) { return outcome_of(engine.apply(each, now)); }, event);
}

Result<std::string> log_header(const EngineOptions& options) {
  return line_of({{"mirab", "event log"},
                  {"version", kVersion},
                  {"decision_version", kDecisionVersion},
                  {"options", json_of(options)}});
}

Result<std::string> log_line(const LogEntry& entry) { return line_of(json_of(entry)); }

bool is_event_log(std::string_view text) {
  constexpr std::size_t kLongestHeader = 1 << 20;  // bytes
  const std::string_view line = text.substr(0, text.find('\n'));
  if (!line.starts_with('{') || line.size() > kLongestHeader) return false;
  const Json first = Json::parse(line, nullptr, false);
  return first.is_object() && first.value("mirab", Json()) == "event log";
}

Result<EngineOptions> read_log_header(std::string_view line) {
  Result<Header> header = read_line(line, header_of);
  if (!header) return header.error();
  return std::move(header->options);
}

Result<LogEntry> read_log_line(std::string_view line) { return read_line(line, entry_of); }

Result<Engine> replay(std::istream& log, const std::string& name) {
  std::string line;
  std::getline(log, line);
  Result<Header> header = read_line(line, header_of);
  if (!header) return at(header.error(), name, 1);
  Result<Engine> engine = Engine::from(std::move(header->options));
  if (!engine) return at(engine.error(), name, 1);
  if (Check bad = apply_all({*engine, header->decision_version}, log, name, 1)) return *std::move(bad);
  return engine;
}

Check replay_on(Engine& engine, std::istream& log, const std::string& name) {
  return apply_all({engine, {}}, log, name, 0);
}

}  // namespace mirab::scheduling
