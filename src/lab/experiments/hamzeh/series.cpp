// Time series of Hamzeh's thesis: what its experiments look at in the courses of their mechanisms.
#include <algorithm>
#include <fmt/format.h>
#include <numeric>

#include <mirab/model/assert.hpp>

#include "fairness/share.hpp"
#include "lab/experiments/findings.hpp"
#include "lab/experiments/hamzeh/thesis.hpp"

namespace mirab::experiments {
namespace {

using simulation::Course;
using simulation::DemandSeriesOutcome;
using simulation::DemandSeriesScenario;
using simulation::MechanismCourse;

constexpr std::size_t kMaxPoints = 250;
constexpr double kEqual = 1e-9;

std::string numbers(const std::vector<Course>& courses) {
  std::string text;
  for (const Course& course : courses)
    text += fmt::format("{}{:.4f}", text.empty() ? "" : " / ", mean(course));
  return text;
}

}  // namespace

double least(const Course& course) { return *std::min_element(course.begin(), course.end()); }

double most(const Course& course) { return *std::max_element(course.begin(), course.end()); }

double part_above(const Course& a, const Course& b) {
  std::size_t above = 0;
  for (std::size_t t = 0; t < a.size(); ++t) above += a[t] > b[t] * (1 + kEqual) ? 1 : 0;
  return static_cast<double>(above) / static_cast<double>(a.size());
}

double part_at_least(const Course& a, const Course& b) { return 1 - part_above(b, a); }

Server server_of(std::string name, const std::vector<std::int64_t>& capacity, std::int64_t count) {
  Server server{.name = std::move(name), .capacity = {}, .count = count};
  for (const std::int64_t amount : capacity) server.capacity.emplace_back(amount);
  return server;
}

simulation::DemandGroup switching_users(std::int64_t count, double together) {
  return {.count = count,
          .cpu_median = {60, 480},
          .cpu_deviation = 20,
          .radius = {900, 3000},
          .start = {0, 1000},
          .stretch = {1, 6},
          .scale = together / static_cast<double>(count)};
}

DemandSeriesOutcome run_series(const DemandSeriesScenario& scenario, const RunOptions& options) {
  Result<DemandSeriesOutcome> outcome = simulation::simulate_demands(scenario, options.seed, options.threads);
  MIRAB_ASSERT(outcome, "an experiment whose scenario is good");
  return std::move(*outcome);
}

Curve curve_of(std::string name, const Course& course) {
  const std::size_t step = (course.size() + kMaxPoints - 1) / kMaxPoints;
  Curve curve{.name = std::move(name), .x = {}, .y = {}};
  for (std::size_t t = 0; t < course.size(); t += step) {
    const auto from = course.begin() + static_cast<std::ptrdiff_t>(t);
    const auto to = course.begin() + static_cast<std::ptrdiff_t>(std::min(t + step, course.size()));
    curve.x.push_back(static_cast<double>(t));
    curve.y.push_back(std::accumulate(from, to, 0.0) / static_cast<double>(to - from));
  }
  return curve;
}

Figure figure_of(std::string title, std::string y_label, const DemandSeriesOutcome& outcome,
                 const std::function<const Course&(const MechanismCourse&)>& pick) {
  Figure figure{
      .title = std::move(title), .x_label = "iteration", .y_label = std::move(y_label), .curves = {}};
  for (const MechanismCourse& course : outcome.mechanisms)
    figure.curves.push_back(curve_of(course.mechanism, pick(course)));
  return figure;
}

Table means_table(const DemandSeriesScenario& scenario, const DemandSeriesOutcome& outcome) {
  std::string resources;
  for (const std::string& name : scenario.resources) resources += (resources.empty() ? "" : " / ") + name;
  Table table{
      .title = "Means over all iterations; max-min is round robin, as many tasks for each in equal turns",
      .head = {"mechanism", "granted " + resources, "in use " + resources, "Jain, dominant",
               "Jain, non-dominant", "β dominant", "β non-dominant", "tasks that run", "tasks by lemma 4.14"},
      .rows = {}};
  for (const MechanismCourse& course : outcome.mechanisms) {
    table.rows.push_back(
        {course.mechanism, numbers(course.granted), numbers(course.run), numbers(course.jain_dominant),
         numbers(course.jain_non_dominant), fmt::format("{:.4f}", mean(course.beta_dominant)),
         fmt::format("{:.4f}", mean(course.beta_non_dominant)), fmt::format("{:.3f}", mean(course.tasks)),
         fmt::format("{:.3f}", mean(course.counted_tasks))});
  }
  return table;
}

Figure tasks_figure(const DemandSeriesOutcome& outcome) {
  return figure_of("Tasks that run with what is granted (Leontief)", "tasks", outcome,
                   [](const MechanismCourse& course) -> const Course& { return course.tasks; });
}

double switching_users(const DemandSeriesScenario& scenario, const DemandSeriesOutcome& outcome) {
  std::vector<double> capacity(scenario.resources.size(), 0.0);
  for (const Server& server : scenario.servers) {
    for (std::size_t r = 0; r < capacity.size(); ++r)
      capacity[r] += server.capacity[r].value() * static_cast<double>(server.count);
  }
  double switching = 0;
  for (const std::vector<Course>& demand : outcome.demands) {
    std::vector<bool> dominates(capacity.size());
    for (std::size_t t = 0; t < demand[0].size(); ++t) {
      std::vector<double> now;
      for (const Course& of_resource : demand) now.push_back(of_resource[t]);
      dominates[fairness::dominant_resource<double>(now, capacity)] = true;
    }
    switching += std::count(dominates.begin(), dominates.end(), true) > 1 ? 1 : 0;
  }
  return switching;
}

Finding runs_fewer(const MechanismCourse& thesis, const MechanismCourse& drf) {
  const double part = mean(thesis.tasks) / mean(drf.tasks);
  return {.what = fmt::format("tasks that run under {}, as a part of those under {}", thesis.mechanism,
                              drf.mechanism),
          .ours = part,
          .holds = part < 1,
          .note = "counted as whole bundles of demand, where the thesis counts granted resources"};
}

}  // namespace mirab::experiments
