// Whatever bytes come, the reader of cluster files answers with a problem or an error that says where; and a
// problem that it accepts survives being written and read again.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <mirab/model/cluster_file.hpp>

namespace {

using mirab::Problem;
using mirab::Result;
using mirab::Syntax;

void read(std::string_view text, Syntax syntax) {
  const Result<Problem> problem = mirab::read_cluster_text(text, syntax, "input");
  if (!problem) {
    MIRAB_ASSERT(!problem.error().message.empty(), "an error says what is wrong");
    MIRAB_ASSERT(problem.error().file == "input", "an error names the file");
    return;
  }
  const std::string written =
      mirab::write_cluster_yaml({problem->resources(), problem->servers(), problem->users()});
  const Result<Problem> again = mirab::read_cluster_text(written, Syntax::yaml, "written");
  MIRAB_ASSERT(static_cast<bool>(again), "what is written can be read");
  MIRAB_ASSERT(again->servers() == problem->servers(), "servers survive");
  MIRAB_ASSERT(again->users() == problem->users(), "users survive");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  read(text, Syntax::yaml);
  read(text, Syntax::json);
  return 0;
}
