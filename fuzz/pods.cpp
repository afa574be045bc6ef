// Whatever bytes come, the reader of pods answers with pods or an error that says where; limits that are
// written into a text that it accepts are there when it is read again, or the text is refused.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <mirab/kubernetes/manifests.hpp>
#include <mirab/kubernetes/pods.hpp>
#include <mirab/model/assert.hpp>

namespace {

using namespace mirab::kubernetes;
using mirab::Result;
using mirab::Syntax;

const PodReading kReading{
    .resources = {"cpu", "memory"}, .default_request = {{"cpu", 100}, {"memory", 1 << 20}}, .node = "here"};

// Limits of three times the request.
Limits limits_for(const Pods& pods) {
  Limits limits;
  for (const Workload& workload : pods.workloads) {
    WorkloadLimits& of_pod = limits.workloads.emplace_back();
    for (const Container& container : workload.containers) {
      of_pod.limits.emplace_back();
      for (const Need& need : container.needs) of_pod.limits.back().push_back(3 * need.request);
    }
  }
  return limits;
}

void read(std::string_view text, Syntax syntax) {
  const Result<Pods> pods = read_pods(text, syntax, "input", kReading);
  if (!pods) {
    MIRAB_ASSERT(!pods.error().message.empty(), "an error says what is wrong");
    MIRAB_ASSERT(pods.error().file == "input", "an error names the file");
    return;
  }
  const Limits limits = limits_for(*pods);
  MIRAB_ASSERT(!patch_commands(*pods, limits).empty(), "there is a command or a comment for each");
  const Result<std::string> written = with_limits(text, syntax, "input", *pods, limits);
  if (!written) return;
  const Result<Pods> again = read_pods(*written, syntax, "written", kReading);
  if (!again) {  // limits above the most that is counted
    MIRAB_ASSERT(again.error().message.find("the most that is counted") != std::string::npos,
                 "it can be read");
    return;
  }
  for (std::size_t w = 0; w < limits.workloads.size(); ++w) {
    for (std::size_t c = 0; c < limits.workloads[w].limits.size(); ++c) {
      for (std::size_t r = 0; r < kReading.resources.size(); ++r) {
        const Need& need = again->workloads[w].containers[c].needs[r];
        MIRAB_ASSERT(need.limit == limits.workloads[w].limits[c][r], "the limits are there");
        MIRAB_ASSERT(need.request == pods->workloads[w].containers[c].needs[r].request, "requests stay");
      }
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  read(text, Syntax::yaml);
  read(text, Syntax::json);
  return 0;
}
