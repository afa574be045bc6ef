// Random traffic as a table, JSON and CSV.
#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "lab/simulation/traffic/arrivals.hpp"
#include "report/simulation/runs.hpp"
#include "report/simulation/series.hpp"
#include "report/text/format.hpp"
#include "report/text/json.hpp"
#include "report/text/table.hpp"
#include "report/text/width.hpp"

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

// A row for each load and class, three columns for each mechanism, in as many blocks below each other as the
// width asks for.

namespace {

using simulation::TrafficModel;
using simulation::TrafficPoint;
using simulation::TrafficScenario;

constexpr std::size_t kLabelWidth = 22;
constexpr std::size_t kGap = 3;
constexpr std::size_t kColumnsEach = 3;
constexpr std::size_t kMechanismWidth = 28;  // three columns of numbers with their gaps
constexpr std::string_view kNotSettled = "†";

std::string title(const TrafficRun& run) {
  const TrafficScenario& scenario = run.scenario;
  std::vector<std::string> pool;
  for (std::size_t r = 0; r < scenario.resources.size(); ++r) {
    pool.push_back(scenario.resources[r] + " " + amount(scenario.capacity[r]));
  }
  const std::string jobs =
      scenario.model == TrafficModel::fluid
          ? fmt::format("divisible jobs with {} sizes", simulation::sizes_text(scenario.sizes))
          : fmt::format(
                "jobs of {} tasks with {} times, {}", scenario.tasks_per_job,
                simulation::sizes_text(scenario.sizes),
                scenario.freeze ? "one that does not fit blocks all" : "what does not fit is skipped");
  return printable(fmt::format(
      "{}: {} on {}; {}; {} jobs measured for each load and mechanism, seed {}", run.title,
      scenario.classes.size() == 1 ? "1 class" : fmt::format("{} classes", scenario.classes.size()),
      fmt::join(pool, ", "), jobs, scenario.jobs, run.outcome.seed));
}

// The points of one load, [mechanism][class].
class Points {
 public:
  explicit Points(const TrafficRun& run) : run_(run) {}

  std::size_t loads() const { return run_.outcome.points.size() / each(); }
  const TrafficPoint& at(std::size_t load, std::size_t mechanism, std::size_t job_class) const {
    return run_.outcome.points[load * each() + mechanism * run_.scenario.classes.size() + job_class];
  }
  bool stable(std::size_t load) const {
    const auto first = run_.outcome.points.begin() + static_cast<std::ptrdiff_t>(load * each());
    return std::all_of(first, first + static_cast<std::ptrdiff_t>(each()),
                       [](const TrafficPoint& point) { return point.stable; });
  }

 private:
  std::size_t each() const { return run_.scenario.mechanisms.size() * run_.scenario.classes.size(); }
  const TrafficRun& run_;
};

std::string load_text(const Points& points, std::size_t load) {
  return fmt::format("{}{}", points.at(load, 0, 0).load, points.stable(load) ? "" : "*");
}

std::string half_width(const TrafficPoint& point) {
  return fmt::format("{}{}", fixed((point.high - point.low) / 2, 4), point.settled ? "" : kNotSettled);
}

std::string block(const TrafficRun& run, std::size_t first, std::size_t last, std::size_t name_room) {
  const Points points(run);
  std::vector<std::vector<std::string>> labels;  // [mechanism - first], in lines
  std::size_t lines = 1;
  for (std::size_t m = first; m < last; ++m) {
    labels.push_back(label_lines(run.scenario.mechanisms[m].text, kLabelWidth));
    lines = std::max(lines, labels.back().size());
  }
  Table table{.columns = {{}, {}}, .rows = {}};
  table.rows.assign(lines, {{""}, {""}});
  table.rows.push_back({{"load"}, {"class"}});
  for (std::size_t m = first; m < last; ++m) {
    table.columns.push_back({.align = Align::decimal, .gap = kGap});
    table.columns.push_back({.align = Align::decimal, .gap = 1});
    table.columns.push_back({.align = Align::decimal});
    const std::vector<std::string>& label = labels[m - first];
    for (std::size_t line = 0; line < lines; ++line) {
      const std::string text = line < label.size() ? shorten_middle(label[line], kLabelWidth) : "";
      table.rows[line].push_back({text, kColumnsEach, Align::center});
    }
    table.rows[lines].push_back({"rate", 1, Align::right});
    table.rows[lines].push_back({"±", 1, Align::center});
    table.rows[lines].push_back({"jobs", 1, Align::right});
  }
  table.add_rule();
  for (std::size_t l = 0; l < points.loads(); ++l) {
    for (std::size_t k = 0; k < run.scenario.classes.size(); ++k) {
      std::vector<Cell> row{{k == 0 ? load_text(points, l) : ""},
                            {shorten(run.scenario.classes[k].name, name_room)}};
      for (std::size_t m = first; m < last; ++m) {
        const TrafficPoint& point = points.at(l, m, k);
        row.push_back({fixed(point.service_rate, 4)});
        row.push_back({half_width(point)});
        row.push_back({fixed(point.jobs, 3)});
      }
      table.rows.push_back(std::move(row));
    }
  }
  return render(table) + "\n";
}

std::string legend(const TrafficRun& run, std::size_t width) {
  const TrafficScenario& scenario = run.scenario;
  const bool permanent = std::any_of(scenario.classes.begin(), scenario.classes.end(),
                                     [](const auto& each) { return each.permanent > 0; });
  std::string text = broken(
      fmt::format(
          "load: of {}; rate: the mean rate at which a job of the class is served, arrivals over jobs "
          "present{}; ±: half of its 95 % interval; jobs: mean number present{}",
          printable(scenario.resources[scenario.load_resource]),
          permanent ? ", both without the permanent ones; where all are permanent the mean of one" : "",
          permanent ? ", the permanent ones too" : ""),
      width);
  const bool stable = std::all_of(run.outcome.points.begin(), run.outcome.points.end(),
                                  [](const TrafficPoint& point) { return point.stable; });
  if (!stable) {
    text += broken(
        "* more than the pool can serve, even were jobs divisible: nothing is simulated there; jobs "
        "pile up without end, and the rate falls to 0",
        width);
  }
  const bool settled = std::all_of(run.outcome.points.begin(), run.outcome.points.end(),
                                   [](const TrafficPoint& point) { return point.settled; });
  if (!settled) {
    text += broken(
        fmt::format("{} not settled, the interval is too narrow: too few jobs for this load; or they "
                    "pile up, since whole tasks do not pack so tightly, and more of them lower the rate",
                    kNotSettled),
        width);
  }
  for (const std::string& notice : notices_of(run)) text += broken("note: " + printable(notice), width);
  return text;
}

}  // namespace

std::string simulation_table(const TrafficRun& run, std::size_t width) {
  const std::size_t page = std::min(width, kPageWidth);
  std::string text = broken(title(run), page) + "\n";
  const std::size_t mechanisms = run.scenario.mechanisms.size();
  std::size_t left = 6;  // the column of loads with its gap
  const std::size_t name_room = name_width(kShortNameWidth, width);
  std::size_t names = 5;
  for (const auto& each : run.scenario.classes)
    names = std::max(names, display_width(shorten(each.name, name_room)));
  left += names;
  const std::size_t room = width > left ? (width - left) / kMechanismWidth : 1;
  const std::size_t each = std::max<std::size_t>(1, room);
  for (std::size_t first = 0; first < mechanisms; first += each) {
    text += block(run, first, std::min(first + each, mechanisms), name_room);
  }
  return text + legend(run, page);
}

namespace {

using Json = nlohmann::ordered_json;
using simulation::TrafficClass;
using simulation::TrafficModel;
using simulation::TrafficPoint;
using simulation::TrafficScenario;

Json class_json(const TrafficScenario& scenario, const TrafficClass& job_class) {
  const bool honest = job_class.claims.empty();
  return {{"name", job_class.name},
          {"demand", by_resource(scenario.resources, job_class.demand)},
          {"claims", by_resource(scenario.resources, honest ? job_class.demand : job_class.claims)},
          {"arrivals", job_class.arrivals},
          {"permanent", job_class.permanent}};
}

Json point_json(const TrafficScenario& scenario, const TrafficPoint& point) {
  return {{"load", point.load},
          {"mechanism", scenario.mechanisms[point.mechanism].text},
          {"class", scenario.classes[point.job_class].name},
          {"service_rate", point.service_rate},
          {"interval", {point.low, point.high}},
          {"jobs", point.jobs},
          {"stable", point.stable},
          {"settled", point.settled}};
}

}  // namespace

Json simulation_json(const TrafficRun& run) {
  const TrafficScenario& scenario = run.scenario;
  const bool fluid = scenario.model == TrafficModel::fluid;
  Json json = {{"version", 1},
               {"kind", "traffic"},
               {"seed", run.outcome.seed},
               {"events", run.outcome.events},
               {"model", fluid ? "fluid" : "tasks"},
               {"sizes", simulation::sizes_text(scenario.sizes)},
               {"capacity", by_resource(scenario.resources, scenario.capacity)},
               {"load_resource", scenario.resources[scenario.load_resource]},
               {"jobs", scenario.jobs}};
  if (!fluid) {
    json["tasks_per_job"] = scenario.tasks_per_job;
    json["blocking"] = scenario.freeze ? "freeze" : "skip";
  }
  json["mechanisms"] = Json::array();
  for (const Choice& mechanism : scenario.mechanisms) json["mechanisms"].push_back(mechanism.text);
  json["classes"] = Json::array();
  for (const TrafficClass& each : scenario.classes) json["classes"].push_back(class_json(scenario, each));
  json["points"] = Json::array();
  for (const TrafficPoint& point : run.outcome.points) json["points"].push_back(point_json(scenario, point));
  json["notices"] = notices_of(run);
  return json;
}

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
