// Whatever bytes come, the reader of workload files answers with a workload or an error that says where; and
// a workload that it accepts survives being written and read again.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <mirab/model/workload_file.hpp>

namespace {

using mirab::Result;
using mirab::Workload;

void check_survives(const Workload& workload) {
  const Result<Workload> again = mirab::read_workload_text(mirab::write_workload(workload), "written");
  MIRAB_ASSERT(static_cast<bool>(again), "what is written can be read");
  MIRAB_ASSERT(again->resources == workload.resources, "resources survive");
  MIRAB_ASSERT(again->users == workload.users, "users survive");
  MIRAB_ASSERT(again->requests == workload.requests, "requests survive");
  MIRAB_ASSERT(again->usages == workload.usages, "usages survive");
  MIRAB_ASSERT(again->jobs == workload.jobs, "jobs survive");
  MIRAB_ASSERT(again->changes == workload.changes, "changes survive");
  MIRAB_ASSERT(again->span == workload.span, "the span survives");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const Result<Workload> workload =
      mirab::read_workload_text({reinterpret_cast<const char*>(data), size}, "input");
  if (workload) {
    check_survives(*workload);
    return 0;
  }
  MIRAB_ASSERT(!workload.error().message.empty(), "an error says what is wrong");
  MIRAB_ASSERT(workload.error().file == "input", "an error names the file");
  MIRAB_ASSERT(workload.error().line > 0, "an error names the line");
  return 0;
}
