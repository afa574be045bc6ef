// Reproduced experiments as a table, JSON and CSV; first the words that these forms share.
#include "report/reproduction/reproduction.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "report/page/html.hpp"
#include "report/text/format.hpp"
#include "report/text/table.hpp"
#include "report/text/width.hpp"

namespace mirab::report {

// The words, numbers and rows that the table and the Markdown page of reproductions share.

namespace {

using experiments::Finding;
using experiments::Reading;

constexpr double kNothing = 1e-9;     // what rounding and certificates leave of 0
constexpr std::size_t kMaxRows = 40;  // of an experiment's figures as tables: long series are for the page
constexpr int kMaxDecimals = 9;

bool has_interval(const Finding& finding) { return finding.interval.has_value(); }

/// As many decimals as show two digits of half the interval's width; none where it has no width.
std::optional<int> decimals_of(const Finding& finding) {
  if (!finding.interval) return {};
  const double half = (finding.interval->second - finding.interval->first) / 2;
  if (!std::isfinite(half) || half <= kNothing) return {};
  return std::clamp(1 - static_cast<int>(std::floor(std::log10(half))), 0, kMaxDecimals);
}

/// Ours or a bound of its interval.
std::string estimate(double value, const Finding& finding) {
  const std::optional<int> decimals = decimals_of(finding);
  return decimals ? fixed(value, *decimals) : finding_number(value, finding.reading);
}

std::string interval_words(const Finding& finding) {
  if (!finding.interval) return kNone;
  return estimate(finding.interval->first, finding) + " … " + estimate(finding.interval->second, finding);
}

std::set<double> abscissae(const experiments::Figure& figure) {
  std::set<double> points;
  for (const experiments::Curve& curve : figure.curves) points.insert(curve.x.begin(), curve.x.end());
  return points;
}

std::string value_at(const experiments::Curve& curve, double x) {
  const auto found = std::find(curve.x.begin(), curve.x.end(), x);
  if (found == curve.x.end()) return kNone;
  const double value = curve.y[static_cast<std::size_t>(found - curve.x.begin())];
  return std::isfinite(value) ? fmt::format("{:.4g}", value) : kNone;
}

}  // namespace

std::string finding_number(double value, Reading reading) {
  if (reading == Reading::yes_no) return value == 1 ? "yes" : "no";
  if (std::isinf(value)) return value > 0 ? "∞" : "-∞";
  return std::abs(value) < kNothing ? "0" : fmt::format("{:.5g}", value);
}

std::string holds_words(const Finding& finding) {
  if (finding.undecided) return "undecided";
  if (!finding.holds) return "no";
  return finding.corrected ? "corrected" : "yes";
}

experiments::Table findings_as_table(const experiments::Reproduction& result) {
  const bool intervals = std::any_of(result.findings.begin(), result.findings.end(), has_interval);
  experiments::Table table{.title = {}, .head = {"finding", "printed", "ours"}, .rows = {}};
  if (intervals) table.head.emplace_back("95 % interval");
  table.head.emplace_back("holds");
  for (const Finding& finding : result.findings) {
    std::vector<std::string> row{finding.what,
                                 finding.printed ? finding_number(*finding.printed, finding.reading) : kNone,
                                 estimate(finding.ours, finding)};
    if (intervals) row.push_back(interval_words(finding));
    row.push_back(holds_words(finding));
    table.rows.push_back(std::move(row));
  }
  return table;
}

experiments::Table curves_as_table(const experiments::Figure& figure) {
  experiments::Table table{.title = fmt::format("{}: {} by {}", figure.title, figure.y_label, figure.x_label),
                           .head = {figure.x_label},
                           .rows = {}};
  for (const experiments::Curve& curve : figure.curves) table.head.push_back(curve.name);
  for (const double x : abscissae(figure)) {
    std::vector<std::string> row{finding_number(x, Reading::number)};
    for (const experiments::Curve& curve : figure.curves) row.push_back(value_at(curve, x));
    table.rows.push_back(std::move(row));
  }
  return table;
}

bool are_shown_in_rows(const std::vector<experiments::Figure>& figures) {
  std::size_t rows = 0;
  for (const experiments::Figure& figure : figures) rows += abscissae(figure).size();
  return rows <= kMaxRows;
}

std::string tally(const experiments::Reproduction& result) {
  const auto count = [&](const auto& of) {
    return std::count_if(result.findings.begin(), result.findings.end(), of);
  };
  const auto holds = [](const Finding& finding) { return finding.holds; };
  const auto printed = [](const Finding& finding) { return finding.printed.has_value(); };
  const auto both = [&](const Finding& finding) { return holds(finding) && printed(finding); };
  const auto undecided = count([](const Finding& finding) { return finding.undecided; });
  const auto all_findings = static_cast<std::ptrdiff_t>(result.findings.size());
  const std::string all = count(holds) == all_findings
                              ? fmt::format("{0} of {0} findings hold", all_findings)
                              : fmt::format("of {} findings {} yes, {} no, {} undecided", all_findings,
                                            count(holds), all_findings - count(holds) - undecided, undecided);
  if (count(printed) == 0) return all + ", none with a printed number";
  return fmt::format("{}, {} of {} with a printed number", all, count(both), count(printed));
}

// What came out of experiments, for people: the verdicts at a glance, then each experiment by itself.

namespace {

/// "stand-in" of "stand-in: two halves".
std::string first_words(const std::string& data) { return data.substr(0, data.find(':')); }

std::string overview(const Reproductions& reproductions, std::size_t width) {
  std::vector<std::string> head{"experiment", "verdict", "data", "paper"};
  const bool timed = reproductions.times == Times::shown;
  if (timed) head.insert(head.begin() + 2, "time");
  std::vector<std::vector<std::string>> rows;
  for (const ReproducedExperiment& each : reproductions.results) {
    std::vector<std::string> row{each.result.id, std::string(verdict_name(each.result.verdict)),
                                 first_words(each.result.data), std::string(each.experiment.paper)};
    if (timed) row.insert(row.begin() + 2, duration(each.result.seconds));
    rows.push_back(std::move(row));
  }
  return grid(head, rows, width);
}

std::string notes(const experiments::Reproduction& result, std::size_t width) {
  std::string text;
  for (const experiments::Finding& finding : result.findings) {
    if (!finding.note.empty())
      text += broken(fmt::format("{}: {}", finding.what, printable(finding.note)), width);
  }
  return text.empty() ? text : "\n" + text;
}

std::string titled(const experiments::Table& table, std::size_t width) {
  return "\n" + broken(printable(table.title), width) + "\n" + grid(table.head, table.rows, width);
}

std::string curves(const std::vector<experiments::Figure>& figures, std::size_t width) {
  const bool in_rows = are_shown_in_rows(figures);
  std::string text =
      in_rows || figures.empty() ? "" : "\nfigures (--format json and --report have their points):\n";
  for (const experiments::Figure& figure : figures) {
    if (in_rows) {
      text += titled(curves_as_table(figure), width);
    } else {
      text +=
          broken(fmt::format("  {}: {} by {}", figure.title, figure.y_label, figure.x_label), width, "    ");
    }
  }
  return text;
}

std::string section(const ReproducedExperiment& each, std::size_t width) {
  const experiments::Reproduction& result = each.result;
  const experiments::Table findings = findings_as_table(result);
  std::string text = broken(fmt::format("{}: {}", result.id, each.experiment.title), width) +
                     broken(fmt::format("paper: {}", each.experiment.paper), width) +
                     broken(fmt::format("data: {}", result.data), width) +
                     fmt::format("verdict: {} ({})\n\n", verdict_name(result.verdict), tally(result)) +
                     grid(findings.head, findings.rows, width) + notes(result, width);
  for (const experiments::Table& table : result.tables) text += titled(table, width);
  text += curves(result.figures, width);
  if (!result.remarks.empty()) text += "\n";
  for (const std::string& remark : result.remarks) text += broken("remark: " + printable(remark), width);
  return text;
}

/// `quick run, seed 7`, and that it is no more than that.
std::string heading(const Reproductions& reproductions, std::size_t width) {
  std::string text = fmt::format("{} run, seed {}", effort_name(reproductions.effort), reproductions.seed);
  if (reproductions.effort == experiments::Effort::quick)
    text += ": of few seeds and short runs, so that its verdicts are only a first look";
  return broken(text, width);
}

}  // namespace

std::string_view effort_name(experiments::Effort effort) {
  return effort == experiments::Effort::quick ? "quick" : "full";
}

std::string reproductions_table(const Reproductions& reproductions, std::size_t width) {
  const std::size_t page = std::min(width, kPageWidth);
  std::string text = heading(reproductions, page) + "\n";
  if (reproductions.results.size() > 1 || reproductions.times == Times::shown)
    text += overview(reproductions, page) + "\n\n";
  for (std::size_t i = 0; i < reproductions.results.size(); ++i)
    text += (i == 0 ? "" : "\n\n") + section(reproductions.results[i], page);
  return text;
}

std::string experiments_table(std::span<const experiments::Experiment> experiments, std::size_t width) {
  std::vector<std::vector<std::string>> rows;
  for (const experiments::Experiment& each : experiments)
    rows.push_back({std::string(each.id), std::string(each.paper), std::string(each.title),
                    first_words(std::string(each.data))});
  return grid({"experiment", "paper", "what it shows", "data"}, rows, std::min(width, kPageWidth));
}

namespace {

using Json = nlohmann::ordered_json;

/// What is no finite number is null.
Json number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

Json numbers(const std::vector<double>& values) {
  Json list = Json::array();
  for (const double value : values) list.push_back(number(value));
  return list;
}

Json check_json(const experiments::Finding& finding) {
  Json check{{"what", finding.what},
             {"printed", finding.printed ? number(*finding.printed) : Json(nullptr)},
             {"ours", number(finding.ours)},
             {"interval", nullptr},
             {"holds", finding.holds},
             {"undecided", finding.undecided},
             {"corrected", finding.corrected},
             {"reading", finding.reading == experiments::Reading::yes_no ? "yes-no" : "number"},
             {"note", finding.note}};
  if (finding.interval)
    check["interval"] = {number(finding.interval->first), number(finding.interval->second)};
  return check;
}

Json figure_json(const experiments::Figure& figure) {
  Json curves = Json::array();
  for (const experiments::Curve& curve : figure.curves) {
    curves.push_back({{"name", curve.name},
                      {"x", numbers(curve.x)},
                      {"y", numbers(curve.y)},
                      {"low", numbers(curve.low)},
                      {"high", numbers(curve.high)}});
    if (!curve.printed.empty()) curves.back()["printed"] = numbers(curve.printed);
  }
  return {{"title", figure.title},
          {"x_label", figure.x_label},
          {"y_label", figure.y_label},
          {"curves", std::move(curves)}};
}

template <class Item, class ToJson>
Json list(const std::vector<Item>& items, ToJson to_json) {
  Json result = Json::array();
  for (const Item& item : items) result.push_back(to_json(item));
  return result;
}

Json result_json(const ReproducedExperiment& each, Times times) {
  const experiments::Reproduction& result = each.result;
  Json json{{"id", result.id},
            {"paper", each.experiment.paper},
            {"title", each.experiment.title},
            {"verdict", verdict_name(result.verdict)},
            {"data", result.data}};
  if (times == Times::shown) json["seconds"] = result.seconds;
  json["checks"] = list(result.findings, check_json);
  json["figures"] = list(result.figures, figure_json);
  json["tables"] = list(result.tables, [](const experiments::Table& table) {
    return Json{{"title", table.title}, {"head", table.head}, {"rows", table.rows}};
  });
  json["remarks"] = result.remarks;
  return json;
}

}  // namespace

Json reproductions_json(const Reproductions& reproductions) {
  Json results = Json::array();
  for (const ReproducedExperiment& each : reproductions.results)
    results.push_back(result_json(each, reproductions.times));
  return {{"version", 1},
          {"seed", reproductions.seed},
          {"effort", effort_name(reproductions.effort)},
          {"results", std::move(results)}};
}

std::string reproductions_html(std::string_view page, const Reproductions& reproductions,
                               const std::string& title, const PageOrigin& origin) {
  Json data = reproductions_json(reproductions);
  data["kind"] = "reproduce";
  return embed(page, std::move(data), title.empty() ? "The papers, reproduced" : title, origin);
}

Json experiments_json(std::span<const experiments::Experiment> experiments) {
  Json rows = Json::array();
  for (const experiments::Experiment& each : experiments)
    rows.push_back({{"id", each.id}, {"paper", each.paper}, {"title", each.title}, {"data", each.data}});
  return {{"version", 1}, {"experiments", std::move(rows)}};
}

namespace {

std::string truth(bool value) { return value ? "yes" : "no"; }

}  // namespace

std::string reproductions_csv(const Reproductions& reproductions) {
  std::string csv = csv_record({"id", "verdict", "data", "what", "printed", "ours", "low", "high", "holds",
                                "corrected", "note", "effort", "seed", "undecided"});
  for (const ReproducedExperiment& each : reproductions.results) {
    const experiments::Reproduction& result = each.result;
    for (const experiments::Finding& finding : result.findings) {
      csv +=
          csv_record({result.id, std::string(verdict_name(result.verdict)), result.data, finding.what,
                      finding.printed ? csv_number(*finding.printed) : "", csv_number(finding.ours),
                      finding.interval ? csv_number(finding.interval->first) : "",
                      finding.interval ? csv_number(finding.interval->second) : "", truth(finding.holds),
                      truth(finding.corrected), finding.note, std::string(effort_name(reproductions.effort)),
                      std::to_string(reproductions.seed), truth(finding.undecided)});
    }
  }
  return csv;
}

std::string experiments_csv(std::span<const experiments::Experiment> experiments) {
  std::string csv = csv_record({"id", "paper", "title", "data"});
  for (const experiments::Experiment& each : experiments)
    csv += csv_record(
        {std::string(each.id), std::string(each.paper), std::string(each.title), std::string(each.data)});
  return csv;
}

}  // namespace mirab::report
