#include "report/replication_summary.hpp"

#include <fmt/format.h>

#include "report/demand_courses.hpp"
#include "report/figures.hpp"
#include "report/overlay_figures.hpp"
#include "report/side_by_side.hpp"
#include "report/text_width.hpp"

namespace mirab::report {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kNameWidth = 20;

std::string part(double value) { return fixed(value, 4); }
std::string percentage(double value) { return percent(value, 2); }
std::string tenths(double value) { return fixed(value, 1); }

}  // namespace

std::vector<ContenderSummary> summary_of(const TrafficRun& run) {
  std::vector<ContenderSummary> contenders;
  for (const Choice& mechanism : run.scenario.mechanisms) {
    contenders.push_back({label_lines(mechanism.text), {}});
  }
  for (const simulation::TrafficPoint& point : run.outcome.points) {
    const std::string& name = run.scenario.classes[point.job_class].name;
    const Json key = {{"load", point.load},
                      {"mechanism", run.scenario.mechanisms[point.mechanism].text},
                      {"class", name},
                      {"figure", "service_rate"}};
    contenders[point.mechanism].figures.push_back(
        {key, fmt::format("{} {}", point.load, shorten(name, kNameWidth)), part, point.service_rate});
  }
  return contenders;
}

std::vector<ContenderSummary> summary_of(const ReplayRun& run) {
  std::vector<ContenderSummary> contenders;
  for (const simulation::ReplayOutcome& outcome : run.outcomes) {
    ContenderSummary contender{label_lines(outcome.discipline), {}};
    contender.label.push_back(outcome.placement);
    const auto key = [&](const std::string& figure) {
      return Json{{"discipline", outcome.discipline}, {"placement", outcome.placement}, {"figure", figure}};
    };
    contender.figures = {{key("waiting"), "waiting, mean", span_text, outcome.waiting.mean},
                         {key("slowdown"), "slowdown, mean", part, outcome.slowdown.mean},
                         {key("unfairness"), "unfairness", span_text, outcome.unfairness}};
    for (std::size_t r = 0; r < run.resources.size(); ++r) {
      Json of_resource = key("utilization");
      of_resource["resource"] = run.resources[r];
      contender.figures.push_back({std::move(of_resource), shorten(run.resources[r], kNameWidth) + " granted",
                                   percentage, outcome.utilization[r]});
    }
    contenders.push_back(std::move(contender));
  }
  return contenders;
}

std::vector<ContenderSummary> summary_of(const DemandsRun& run) {
  std::vector<ContenderSummary> contenders;
  for (const simulation::MechanismCourse& course : run.outcome.mechanisms) {
    ContenderSummary contender{label_lines(course.mechanism), {}};
    for (const simulation::Series& series : course_series(course, run.scenario.resources)) {
      const Json key = {{"mechanism", course.mechanism}, {"figure", series.name}};
      contender.figures.push_back({key, series.name, part, mean_of(series.values)});
    }
    contenders.push_back(std::move(contender));
  }
  return contenders;
}

std::vector<ContenderSummary> summary_of(const OverlayRuns& all) {
  std::vector<ContenderSummary> contenders;
  for (std::size_t i = 0; i < all.runs.size(); ++i) {
    const simulation::OverlayRun& run = all.runs[i];
    const auto figure = [&](const char* name, const char* row, std::string (*text)(double), double value) {
      return SummaryFigure{Json{{"scheduler", all.scenario.names[i]}, {"figure", name}}, row, text, value};
    };
    ContenderSummary contender{label_lines(all.scenario.names[i]), {}};
    contender.figures = {figure("min_share", "least share", part, run.min_share),
                         figure("mean_min_share", "mean of least share", part, run.mean_min_share),
                         figure("gini", "gini", part, run.gini),
                         figure("deviation", "deviation", part, run.deviation),
                         figure("wrong", "wrong", percentage, wrong_part(run)),
                         figure("placements", "placed", tenths, static_cast<double>(run.placements)),
                         figure("ticks", "ticks", tenths, run.ticks)};
    if (const std::optional<double> ratio = ratio_to_centralised(all, i))
      contender.figures.push_back(figure("ratio", "ratio of ticks", part, *ratio));
    contender.figures.push_back(
        figure("messages_per_tick_and_node", "messages a tick", part, run.messages_per_tick_and_node));
    contender.figures.push_back(
        figure("bytes_per_tick_and_node", "bytes a tick", tenths, run.bytes_per_tick_and_node));
    contender.figures.push_back(
        figure("violations", "promises broken", tenths, static_cast<double>(run.violation_count)));
    contenders.push_back(std::move(contender));
  }
  return contenders;
}

}  // namespace mirab::report
