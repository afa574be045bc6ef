#include <numeric>

#include "report/demand_courses.hpp"
#include "report/series_json.hpp"
#include "report/simulation.hpp"

namespace mirab::report {
namespace {

using Json = nlohmann::ordered_json;
using simulation::Course;
using simulation::MechanismCourse;
using simulation::Series;

// One series for each resource, by its name.
Json by_resource(const std::vector<std::string>& resources, const std::vector<Course>& courses,
                 std::size_t most) {
  std::vector<Series> series;
  for (std::size_t r = 0; r < resources.size(); ++r) series.push_back({resources[r], courses[r]});
  return series_json(series, most);
}

Json contender_json(const DemandsRun& run, const MechanismCourse& course, std::size_t most) {
  const std::vector<std::string>& resources = run.scenario.resources;
  const std::vector<Series> series = course_series(course, resources);
  Json summary = Json::object();
  for (const Series& each : series) summary[each.name] = mean_of(each.values);
  Json users = Json::array();
  for (std::size_t n = 0; n < course.bundles.size(); ++n) {
    users.push_back({{"name", shown_user(n)},
                     {"bundle", by_resource(resources, course.bundles[n], most)},
                     {"tasks", thinned(course.user_tasks[n], most)}});
  }
  return {{"mechanism", course.mechanism},
          {"summary", std::move(summary)},
          {"series", series_json(series, most)},
          {"users", std::move(users)}};
}

}  // namespace

Json simulation_json(const DemandsRun& run, std::size_t most_samples) {
  const simulation::DemandSeriesScenario& scenario = run.scenario;
  std::vector<double> iterations(static_cast<std::size_t>(scenario.iterations));
  std::iota(iterations.begin(), iterations.end(), 0.0);
  Json demands = Json::array();
  for (std::size_t n = 0; n < run.outcome.demands.size(); ++n) {
    demands.push_back({{"name", shown_user(n)},
                       {"series", by_resource(scenario.resources, run.outcome.demands[n], most_samples)}});
  }
  Json contenders = Json::array();
  for (const MechanismCourse& course : run.outcome.mechanisms) {
    contenders.push_back(contender_json(run, course, most_samples));
  }
  return {{"version", 1},
          {"kind", "demands"},
          {"seed", run.outcome.seed},
          {"resources", scenario.resources},
          {"iterations", scenario.iterations},
          {"repeats", scenario.repeats},
          {"times", thinned(iterations, most_samples)},
          {"dominated", by_resource(scenario.resources, run.outcome.dominated, most_samples)},
          {"demands", std::move(demands)},
          {"contenders", std::move(contenders)}};
}

}  // namespace mirab::report
