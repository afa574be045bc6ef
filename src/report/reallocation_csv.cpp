#include "report/csv.hpp"
#include "report/simulation.hpp"

namespace mirab::report {

std::string simulation_csv(const ReallocationRun& run) {
  const std::vector<std::string>& resources = run.cluster.resources();
  std::string csv = csv_record({"mechanism", "server", "count", "resource", "time", "used"});
  for (const simulation::ReallocationOutcome& outcome : run.outcomes) {
    for (const simulation::ClassUse& use : outcome.servers) {
      for (std::size_t r = 0; r < resources.size(); ++r) {
        for (std::size_t t = 0; t < outcome.times.size(); ++t) {
          csv += csv_record({outcome.mechanism, use.name, std::to_string(use.count), resources[r],
                             csv_number(outcome.times[t]), csv_number(use.moving[t][r])});
        }
      }
    }
  }
  return csv;
}

}  // namespace mirab::report
