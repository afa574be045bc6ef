#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include <mirab/model/random.hpp>
#include <mirab/model/result.hpp>
#include <mirab/scheduling/engine.hpp>
#include <mirab/scheduling/event_log.hpp>

namespace mirab::scheduling {

/// An engine of which each event and step becomes a line of an event log, with what came of it, where
/// somebody wants the log: replay() then gives an engine in the same state. It draws from a source of its
/// own.
class LoggedEngine {
 public:
  /// Takes a line, without its end; `begins`: it is the first of a log.
  using Write = std::function<void(const std::string& line, bool begins)>;

  /// An engine without servers and users. `seed`: of what is drawn. Errors as for Engine::from.
  static Result<LoggedEngine> from(EngineOptions options, std::uint64_t seed, Write write) {
    Result<Engine> engine = Engine::from(std::move(options));
    if (!engine) return engine.error();
    return LoggedEngine(*std::move(engine), seed, std::move(write));
  }

  /// As Engine::apply. What is refused is not in the log.
  template <class Told>
  auto apply(const Told& event, Time now) {
    auto result = engine_.apply(event, now);
    if (!write_) return result;
    is_settled_ = false;
    if constexpr (std::is_same_v<decltype(result), Check>) {
      if (!result) log({.now = now, .what = Event(event)});
    } else {
      if (result) log({.now = now, .what = Event(event), .outcome = Outcome(*result)});
    }
    return result;
  }

  /// As Engine::step. Of steps one after the other that place nothing only the first is in the log, where
  /// the others change nothing. Requires that there are no reservations, which begin with time.
  std::optional<Placed> step(Time now);

  const Engine& engine() const { return engine_; }

 private:
  LoggedEngine(Engine engine, std::uint64_t seed, Write write);
  void log(const LogEntry& entry);

  Engine engine_;
  Random random_;
  Write write_;
  bool is_settled_ = false;  // the latest step placed nothing, and nothing has happened since
};

}  // namespace mirab::scheduling
