// Whatever bytes come, restore() answers with an error or with an engine whose invariants hold, that gives a
// snapshot which is restored to the same, and that goes on deciding.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <mirab/model/assert.hpp>
#include <mirab/scheduling/snapshot.hpp>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace mirab;
  Result<scheduling::Engine> engine =
      scheduling::restore(std::string_view(reinterpret_cast<const char*>(data), size));
  if (!engine) {
    MIRAB_ASSERT(!engine.error().message.empty(), "an error says what is wrong");
    return 0;
  }
  const std::string bytes = scheduling::snapshot(*engine);
  const Result<scheduling::Engine> again = scheduling::restore(bytes);
  MIRAB_ASSERT(static_cast<bool>(again), "what is written can be read");
  MIRAB_ASSERT(scheduling::snapshot(*again) == bytes, "the state survives");
  Random random(1);
  for (int step = 0; step < 20 && engine->step(Time::max(), random); ++step) continue;
  MIRAB_ASSERT(engine->broken_invariant().empty(), "the invariants hold");
  return 0;
}
