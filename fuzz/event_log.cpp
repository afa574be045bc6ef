// Whatever lines come, each is an error or an event. One that the engine refuses leaves it as it was; after
// any other its invariants hold. The first line has the options, as in a log.

#include <cstddef>
#include <cstdint>
#include <sstream>
#include <string>
#include <utility>
#include <variant>

#include <mirab/model/assert.hpp>
#include <mirab/scheduling/event_log.hpp>
#include <mirab/scheduling/snapshot.hpp>

namespace {

using namespace mirab;

void apply_line(scheduling::Engine& engine, const std::string& line, Random& random) {
  const Result<scheduling::LogEntry> entry = scheduling::read_log_line(line);
  if (!entry) {
    MIRAB_ASSERT(!entry.error().message.empty(), "an error says what is wrong");
    return;
  }
  const auto* const event = std::get_if<scheduling::Event>(&entry->what);
  if (event == nullptr) {
    engine.step(entry->now, random);
    return;
  }
  const std::string before = scheduling::snapshot(engine);
  if (scheduling::apply(engine, *event, entry->now)) return;
  MIRAB_ASSERT(scheduling::snapshot(engine) == before, "a refused event leaves the engine as it was");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::istringstream log(std::string(reinterpret_cast<const char*>(data), size));
  std::string line;
  std::getline(log, line);
  Result<scheduling::EngineOptions> options = scheduling::read_log_header(line);
  if (!options) return 0;
  Result<scheduling::Engine> engine = scheduling::Engine::from(*std::move(options));
  if (!engine) return 0;
  Random random(1);
  for (int lines = 0; lines < 100 && std::getline(log, line); ++lines) {
    apply_line(*engine, line, random);
    const std::string broken = engine->broken_invariant();
    MIRAB_ASSERT(broken.empty(), "the invariants hold");
  }
  const Result<scheduling::Engine> again = scheduling::restore(scheduling::snapshot(*engine));
  MIRAB_ASSERT(static_cast<bool>(again), "what is written can be read");
  return 0;
}
