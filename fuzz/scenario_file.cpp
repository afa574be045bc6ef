// Whatever bytes come, the reader of scenario files answers with a scenario or an error that says where.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "lab/simulation/scenario.hpp"

namespace {

void read(std::string_view text, mirab::Syntax syntax) {
  const auto scenario = mirab::simulation::read_scenario_text(text, syntax, "input");
  if (scenario) {
    MIRAB_ASSERT(mirab::simulation::is_scenario(text, syntax), "what is read is known for a scenario");
    return;
  }
  MIRAB_ASSERT(!scenario.error().message.empty(), "an error says what is wrong");
  MIRAB_ASSERT(scenario.error().file == "input", "an error names the file");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  read(text, mirab::Syntax::yaml);
  read(text, mirab::Syntax::json);
  return 0;
}
