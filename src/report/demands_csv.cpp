#include "report/csv.hpp"
#include "report/demand_courses.hpp"
#include "report/simulation.hpp"

namespace mirab::report {

std::string simulation_csv(const DemandsRun& run) {
  std::string csv = csv_record({"mechanism", "series", "iteration", "value"});
  for (const simulation::MechanismCourse& course : run.outcome.mechanisms) {
    for (const simulation::Series& series : course_series(course, run.scenario.resources)) {
      for (std::size_t t = 0; t < series.values.size(); ++t) {
        csv += csv_record({course.mechanism, series.name, std::to_string(t), csv_number(series.values[t])});
      }
    }
  }
  return csv;
}

}  // namespace mirab::report
