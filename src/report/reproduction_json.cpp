#include <cmath>
#include <nlohmann/json.hpp>

#include "report/html.hpp"
#include "report/reproduction.hpp"

namespace mirab::report {
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

Json result_json(const Reproduced& each, Times times) {
  const experiments::Reproduction& result = each.result;
  Json json{{"id", result.id},
            {"paper", each.experiment.paper},
            {"title", each.experiment.title},
            {"verdict", verdict_name(result.verdict)},
            {"data", result.data}};
  if (times == Times::told) json["seconds"] = result.seconds;
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
  for (const Reproduced& each : reproductions.results)
    results.push_back(result_json(each, reproductions.times));
  return {{"version", 1},
          {"seed", reproductions.seed},
          {"effort", effort_name(reproductions.effort)},
          {"results", std::move(results)}};
}

std::string reproductions_html(std::string_view page, const Reproductions& reproductions,
                               const std::string& command) {
  Json data = reproductions_json(reproductions);
  data["kind"] = "reproduce";
  data["title"] = "The papers, reproduced";
  data["command"] = command;
  return embed(page, data);
}

Json experiments_json(std::span<const experiments::Experiment> experiments) {
  Json rows = Json::array();
  for (const experiments::Experiment& each : experiments)
    rows.push_back({{"id", each.id}, {"paper", each.paper}, {"title", each.title}, {"data", each.data}});
  return {{"version", 1}, {"experiments", std::move(rows)}};
}

}  // namespace mirab::report
