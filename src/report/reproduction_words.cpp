// The words, numbers and rows that the table and the Markdown page of reproductions share.
#include "report/reproduction_words.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <optional>
#include <set>

#include "report/figures.hpp"

namespace mirab::report {
namespace {

using experiments::Finding;
using experiments::Reading;

constexpr double kNothing = 1e-9;      // what rounding and certificates leave of 0
constexpr std::size_t kMostRows = 40;  // of an experiment's figures as tables: long series are for the page
constexpr int kMostDecimals = 9;
constexpr const char* kNone = "–";

bool has_interval(const Finding& finding) { return finding.interval.has_value(); }

/// As many decimals as show two digits of half the interval's width; none where it has no width.
std::optional<int> decimals_of(const Finding& finding) {
  if (!finding.interval) return {};
  const double half = (finding.interval->second - finding.interval->first) / 2;
  if (!std::isfinite(half) || half <= kNothing) return {};
  return std::clamp(1 - static_cast<int>(std::floor(std::log10(half))), 0, kMostDecimals);
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
  return rows <= kMostRows;
}

std::string tally(const experiments::Reproduction& result) {
  const auto count = [&](const auto& of) {
    return std::count_if(result.findings.begin(), result.findings.end(), of);
  };
  const auto holds = [](const Finding& finding) { return finding.holds; };
  const auto printed = [](const Finding& finding) { return finding.printed.has_value(); };
  const auto both = [&](const Finding& finding) { return holds(finding) && printed(finding); };
  const std::string all = fmt::format("{} of {} findings hold", count(holds), result.findings.size());
  if (count(printed) == 0) return all + ", none with a printed number";
  return fmt::format("{}, {} of {} with a printed number", all, count(both), count(printed));
}

}  // namespace mirab::report
