// The mechanisms side by side, each figure the mean over the iterations.
#include <algorithm>
#include <fmt/format.h>

#include "report/demand_courses.hpp"
#include "report/figures.hpp"
#include "report/side_by_side.hpp"
#include "report/simulation.hpp"
#include "report/text_width.hpp"

namespace mirab::report {
namespace {

const std::string kIndent = "  ";

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
  return broken(title(run), page, kIndent) + "\n" + table.text(page) +
         broken(
             "granted: part of the capacity that is handed out; run: part that tasks take which can run with "
             "what they were handed; tasks: how many these are",
             page, kIndent);
}

}  // namespace mirab::report
