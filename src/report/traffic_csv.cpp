#include "report/csv.hpp"
#include "report/simulation.hpp"

namespace mirab::report {

std::string simulation_csv(const TrafficRun& run) {
  std::string csv =
      csv_record({"load", "mechanism", "class", "service_rate", "low", "high", "jobs", "stable", "settled"});
  for (const simulation::TrafficPoint& point : run.outcome.points) {
    csv += csv_record({csv_number(point.load), run.scenario.mechanisms[point.mechanism].text,
                       run.scenario.classes[point.job_class].name, csv_number(point.service_rate),
                       csv_number(point.low), csv_number(point.high), csv_number(point.jobs),
                       point.stable ? "true" : "false", point.settled ? "true" : "false"});
  }
  return csv;
}

}  // namespace mirab::report
