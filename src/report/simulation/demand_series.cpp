// Changing demands as a table, JSON and CSV.
#include <algorithm>
#include <fmt/format.h>
#include <numeric>

#include "report/simulation/runs.hpp"
#include "report/simulation/series.hpp"
#include "report/text/format.hpp"
#include "report/text/json.hpp"
#include "report/text/table.hpp"
#include "report/text/width.hpp"

namespace mirab::report {

std::vector<std::string> notices_of(const DemandsRun& run) {
  std::vector<std::string> notices;
  for (const simulation::MechanismCourse& course : run.outcome.mechanisms) {
    if (course.not_converged == 0) continue;
    notices.push_back(fmt::format("{}: {} did not converge: the shares fit, but are not the mechanism's",
                                  course.mechanism,
                                  counted(static_cast<std::size_t>(course.not_converged), "division")));
  }
  return notices;
}

// The mechanisms side by side, each figure the mean over the iterations.

namespace {

std::string title(const DemandsRun& run) {
  std::int64_t users = 0;
  for (const simulation::DemandGroup& group : run.scenario.users) users += group.count;
  std::int64_t servers = 0;
  for (const Server& server : run.scenario.servers) servers += server.count;
  return printable(fmt::format(
      "{}: {} on {}, {}, {}, seed {}", run.title, counted(static_cast<std::size_t>(users), "user"),
      counted(static_cast<std::size_t>(servers), "server"),
      counted(static_cast<std::size_t>(run.scenario.iterations), "iteration"),
      counted(static_cast<std::size_t>(run.scenario.repeats), "repeat"), run.outcome.seed));
}

}  // namespace

std::string simulation_table(const DemandsRun& run, std::size_t width) {
  const std::size_t page = std::min(width, kPageWidth);
  std::vector<std::vector<std::string>> labels;
  std::vector<std::vector<simulation::Series>> courses;
  for (const simulation::MechanismCourse& course : run.outcome.mechanisms) {
    labels.push_back(label_lines(course.mechanism));
    courses.push_back(course_series(course, run.scenario.resources));
  }
  SideBySide table("mean over the iterations", std::move(labels));
  for (std::size_t s = 0; s < courses.front().size(); ++s) {
    std::vector<std::string> values;
    for (const auto& series : courses) values.push_back(fixed(mean_of(series[s].values), 4));
    table.add(courses.front()[s].name, std::move(values));
  }
  std::string text =
      broken(title(run), page) + "\n" + table.text(width) +
      broken(
          "granted: part of the capacity that is handed out; run: part that tasks take which can run with "
          "what they were handed; tasks: how many these are",
          page);
  for (const std::string& notice : notices_of(run)) text += broken("note: " + printable(notice), page);
  return text;
}

namespace {

using Json = nlohmann::ordered_json;
using simulation::Course;
using simulation::MechanismCourse;
using simulation::Series;

// One series for each resource, by its name.
Json curves_by_resource(const std::vector<std::string>& resources, const std::vector<Course>& courses,
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
    users.push_back({{"name", user_label(n)},
                     {"bundle", curves_by_resource(resources, course.bundles[n], most)},
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
    demands.push_back(
        {{"name", user_label(n)},
         {"series", curves_by_resource(scenario.resources, run.outcome.demands[n], most_samples)}});
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
          {"dominated", curves_by_resource(scenario.resources, run.outcome.dominated, most_samples)},
          {"demands", std::move(demands)},
          {"contenders", std::move(contenders)},
          {"notices", notices_of(run)}};
}

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
