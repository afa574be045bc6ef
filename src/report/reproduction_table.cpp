// What came out of experiments, for people: the verdicts at a glance, then each experiment by itself.
#include <algorithm>
#include <fmt/format.h>

#include "report/figures.hpp"
#include "report/grid.hpp"
#include "report/reproduction.hpp"
#include "report/reproduction_words.hpp"
#include "report/text_width.hpp"

namespace mirab::report {
namespace {

const std::string kIndent = "  ";

/// "stand-in" of "stand-in: two halves".
std::string first_words(const std::string& data) { return data.substr(0, data.find(':')); }

std::string overview(const Reproductions& reproductions, std::size_t width) {
  std::vector<std::string> head{"experiment", "verdict", "data", "paper"};
  const bool timed = reproductions.times == Times::told;
  if (timed) head.insert(head.begin() + 2, "time");
  std::vector<std::vector<std::string>> rows;
  for (const Reproduced& each : reproductions.results) {
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
      text += broken(fmt::format("{}: {}", finding.what, printable(finding.note)), width, kIndent);
  }
  return text.empty() ? text : "\n" + text;
}

std::string titled(const experiments::Table& table, std::size_t width) {
  return "\n" + broken(printable(table.title), width, kIndent) + "\n" + grid(table.head, table.rows, width);
}

std::string curves(const std::vector<experiments::Figure>& figures, std::size_t width) {
  const bool in_rows = are_shown_in_rows(figures);
  std::string text =
      in_rows || figures.empty() ? "" : "\nfigures (--format json and --report have their points):\n";
  for (const experiments::Figure& figure : figures) {
    if (in_rows) {
      text += titled(curves_as_table(figure), width);
    } else {
      text += broken(fmt::format("{}{}: {} by {}", kIndent, figure.title, figure.y_label, figure.x_label),
                     width, kIndent + kIndent);
    }
  }
  return text;
}

std::string section(const Reproduced& each, std::size_t width) {
  const experiments::Reproduction& result = each.result;
  const experiments::Table findings = findings_as_table(result);
  std::string text = broken(fmt::format("{}: {}", result.id, each.experiment.title), width, kIndent) +
                     broken(fmt::format("paper: {}", each.experiment.paper), width, kIndent) +
                     broken(fmt::format("data: {}", result.data), width, kIndent) +
                     fmt::format("verdict: {} ({})\n\n", verdict_name(result.verdict), tally(result)) +
                     grid(findings.head, findings.rows, width) + notes(result, width);
  for (const experiments::Table& table : result.tables) text += titled(table, width);
  text += curves(result.figures, width);
  if (!result.remarks.empty()) text += "\n";
  for (const std::string& remark : result.remarks)
    text += broken("remark: " + printable(remark), width, kIndent);
  return text;
}

/// `quick run, seed 7`, and that it is no more than that.
std::string heading(const Reproductions& reproductions, std::size_t width) {
  std::string text = fmt::format("{} run, seed {}", effort_name(reproductions.effort), reproductions.seed);
  if (reproductions.effort == experiments::Effort::quick)
    text += ": of few seeds and short runs, so that its verdicts are only a first look";
  return broken(text, width, kIndent);
}

}  // namespace

std::string_view effort_name(experiments::Effort effort) {
  return effort == experiments::Effort::quick ? "quick" : "full";
}

std::string reproductions_table(const Reproductions& reproductions, std::size_t width) {
  const std::size_t page = std::min(width, kPageWidth);
  std::string text = heading(reproductions, page) + "\n";
  if (reproductions.results.size() > 1 || reproductions.times == Times::told)
    text += overview(reproductions, page) + "\n\n";
  for (std::size_t i = 0; i < reproductions.results.size(); ++i)
    text += (i == 0 ? "" : "\n\n") + section(reproductions.results[i], page);
  return text;
}

std::string experiments_table(std::span<const experiments::Experiment> experiments, std::size_t width) {
  std::vector<std::vector<std::string>> rows;
  for (const experiments::Experiment& each : experiments)
    rows.push_back({std::string(each.id), std::string(each.title), first_words(std::string(each.data))});
  return grid({"experiment", "what it shows", "data"}, rows, std::min(width, kPageWidth));
}

}  // namespace mirab::report
