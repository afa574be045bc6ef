#include "report/csv.hpp"
#include "report/limits.hpp"

namespace mirab::report {

using kubernetes::plain_number;
using kubernetes::Units;

std::string limits_csv(const PodLimits& limits) {
  const kubernetes::Pods& pods = limits.pods;
  std::string csv = csv_record({"pod", "pods", "container", "resource", "request", "old_limit", "new_limit"});
  for (std::size_t w = 0; w < pods.workloads.size(); ++w) {
    const kubernetes::Workload& workload = pods.workloads[w];
    for (std::size_t c = 0; c < workload.containers.size(); ++c) {
      const kubernetes::Container& container = workload.containers[c];
      for (std::size_t r = 0; r < pods.resources.size(); ++r) {
        const auto number = [&](Units units) {
          return csv_number(plain_number(pods.resources[r], static_cast<double>(units)));
        };
        const kubernetes::Need& need = container.needs[r];
        csv += csv_record({workload.name, std::to_string(workload.pods), container.name, pods.resources[r],
                           number(need.request), need.limit ? number(*need.limit) : "",
                           number(limits.limits.workloads[w].limits[c][r])});
      }
    }
  }
  return csv;
}

}  // namespace mirab::report
