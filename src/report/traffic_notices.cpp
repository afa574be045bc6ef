#include <fmt/format.h>

#include "report/simulation.hpp"

namespace mirab::report {

std::vector<std::string> notices_of(const TrafficRun& run) {
  std::vector<std::string> notices;
  for (std::size_t m = 0; m < run.outcome.not_converged.size(); ++m) {
    const std::int64_t count = run.outcome.not_converged[m];
    if (count == 0) continue;
    notices.push_back(fmt::format("{}: {} {} did not converge: the shares fit, but are not the mechanism's",
                                  run.scenario.mechanisms[m].text, count,
                                  count == 1 ? "division" : "divisions"));
  }
  return notices;
}

}  // namespace mirab::report
