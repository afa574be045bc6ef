#include "scheduling/persistence/logged_engine.hpp"

#include <mirab/model/assert.hpp>

namespace mirab::scheduling {
namespace {

std::string line_that_holds(const Result<std::string>& line) {
  MIRAB_ASSERT(line, "a name in an engine that is logged is not UTF-8");
  return *line;
}

}  // namespace

LoggedEngine::LoggedEngine(Engine engine, std::uint64_t seed, Write write)
    : engine_(std::move(engine)), random_(seed), write_(std::move(write)) {
  MIRAB_ASSERT(!engine_.options().reservations, "the log leaves out steps that may keep servers");
  if (write_) write_(line_that_holds(log_header(engine_.options())), true);
}

std::optional<Placed> LoggedEngine::step(Time now) {
  std::optional<Placed> placed = engine_.step(now, random_);
  // Where users who tie are drawn, a step that places nothing may have drawn; with a half-life, rounding
  // differs with the times at which use has decayed.
  const EngineOptions& options = engine_.options();
  const bool may_change = options.tie == Tie::random || options.half_life;
  if (!write_ || (is_settled_ && !placed && !may_change)) return placed;
  log({.now = now, .what = StepAsked{random_.seed()}, .outcome = Outcome(placed)});
  is_settled_ = !placed;
  return placed;
}

void LoggedEngine::log(const LogEntry& entry) { write_(line_that_holds(log_line(entry)), false); }

}  // namespace mirab::scheduling
