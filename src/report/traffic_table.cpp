// A row for each load and class, three columns for each mechanism, in as many blocks below each other as the
// width asks for.
#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "report/figures.hpp"
#include "report/simulation.hpp"
#include "report/table.hpp"
#include "report/text_width.hpp"
#include "simulation/traffic/sizes_text.hpp"

namespace mirab::report {
namespace {

using simulation::TrafficModel;
using simulation::TrafficPoint;
using simulation::TrafficScenario;

constexpr std::size_t kNameWidth = 16;
constexpr std::size_t kLabelWidth = 22;
constexpr std::size_t kGap = 3;
constexpr std::size_t kColumnsEach = 3;
constexpr std::size_t kMechanismWidth = 28;  // three columns of numbers with their gaps
constexpr std::string_view kNotSettled = "†";
const std::string kIndent = "  ";

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

std::string block(const TrafficRun& run, std::size_t first, std::size_t last) {
  const Points points(run);
  Table table{.columns = {{}, {}}, .rows = {{{""}, {""}}, {{"load"}, {"class"}}}};
  for (std::size_t m = first; m < last; ++m) {
    table.columns.push_back({.align = Align::decimal, .gap = kGap});
    table.columns.push_back({.align = Align::decimal, .gap = 1});
    table.columns.push_back({.align = Align::decimal});
    table.rows[0].push_back(
        {shorten(run.scenario.mechanisms[m].text, kLabelWidth), kColumnsEach, Align::center});
    table.rows[1].push_back({"rate", 1, Align::right});
    table.rows[1].push_back({"±", 1, Align::center});
    table.rows[1].push_back({"jobs", 1, Align::right});
  }
  table.add_rule();
  for (std::size_t l = 0; l < points.loads(); ++l) {
    for (std::size_t k = 0; k < run.scenario.classes.size(); ++k) {
      std::vector<Cell> row{{k == 0 ? load_text(points, l) : ""},
                            {shorten(run.scenario.classes[k].name, kNameWidth)}};
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
      width, kIndent);
  const bool stable = std::all_of(run.outcome.points.begin(), run.outcome.points.end(),
                                  [](const TrafficPoint& point) { return point.stable; });
  if (!stable) {
    text += broken(
        "* more than the pool can serve, even were jobs divisible: nothing is simulated there; jobs "
        "pile up without end, and the rate falls to 0",
        width, kIndent);
  }
  const bool settled = std::all_of(run.outcome.points.begin(), run.outcome.points.end(),
                                   [](const TrafficPoint& point) { return point.settled; });
  if (!settled) {
    text += broken(
        fmt::format("{} not settled, the interval is too narrow: too few jobs for this load; or they "
                    "pile up, since whole tasks do not pack so tightly, and more of them lower the rate",
                    kNotSettled),
        width, kIndent);
  }
  for (const std::string& notice : notices_of(run))
    text += broken("note: " + printable(notice), width, kIndent);
  return text;
}

}  // namespace

std::string simulation_table(const TrafficRun& run, std::size_t width) {
  const std::size_t page = std::min(width, kPageWidth);
  std::string text = broken(title(run), page, kIndent) + "\n";
  const std::size_t mechanisms = run.scenario.mechanisms.size();
  std::size_t left = 6;  // the column of loads with its gap
  std::size_t names = 5;
  for (const auto& each : run.scenario.classes) {
    names = std::max(names, display_width(shorten(each.name, kNameWidth)));
  }
  left += names;
  const std::size_t room = page > left ? (page - left) / kMechanismWidth : 1;
  const std::size_t each = std::max<std::size_t>(1, room);
  for (std::size_t first = 0; first < mechanisms; first += each) {
    text += block(run, first, std::min(first + each, mechanisms));
  }
  return text + legend(run, page);
}

}  // namespace mirab::report
