// The full page of docs/how-to/reproduce.md: the papers' tables and figures, with the printed values next to
// ours.
#include <algorithm>
#include <fmt/format.h>

#include "report/chart/line_chart.hpp"
#include "report/reproduction/reproduction.hpp"

namespace mirab::report {
namespace {

constexpr std::size_t kMaxOpen = 30;  // findings that are not folded

constexpr std::string_view kOpening =
    "<!-- Made by `{command}`. -->\n"
    "\n"
    "# The papers, reproduced\n"
    "\n"
    "The papers' figures and Mirab's, side by side; docs/how-to/reproduce.md says what findings and verdicts "
    "are.\n"
    "`{command}` prints this page again, byte for byte, except for the seconds that\n"
    "`psdsf-time` measures.\n";

/// A text that means itself in Markdown, in one line.
std::string plain(std::string_view text) {
  std::string escaped;
  for (const char byte : text) {
    if (byte == '|' || byte == '<' || byte == '*') escaped += '\\';
    escaped += byte == '\n' ? ' ' : byte;
  }
  return escaped;
}

std::string table_row(const std::vector<std::string>& cells) {
  std::string line = "|";
  for (const std::string& cell : cells) line += " " + plain(cell) + " |";
  return line + "\n";
}

std::string table(const std::vector<std::string>& head, const std::vector<std::vector<std::string>>& rows) {
  std::string text = "\n" + table_row(head) + "|";
  for (std::size_t c = 0; c < head.size(); ++c) text += "---|";
  text += "\n";
  for (const auto& row : rows) text += table_row(row);
  return text;
}

std::string titled(const experiments::Table& shown) {
  return fmt::format("\n**{}**\n", plain(shown.title)) + table(shown.head, shown.rows);
}

std::string command_of(const Reproductions& reproductions, const std::string& images) {
  std::string command = "mirab reproduce";
  if (reproductions.results.size() == experiments::experiments().size()) {
    command += " --all";
  } else {
    for (const ReproducedExperiment& each : reproductions.results) command += " " + each.result.id;
  }
  if (reproductions.effort == experiments::Effort::quick) command += " --quick";
  command += fmt::format(" --seed {} --format markdown", reproductions.seed);
  return images.empty() ? command : command + " --images " + images.substr(0, images.size() - 1);
}

/// What a heading is linked by: its letters without points.
std::string anchor(std::string id) {
  std::erase(id, '.');
  return id;
}

std::string overview(const Reproductions& reproductions) {
  std::string text = "\n| experiment | what it shows | paper | verdict |\n|---|---|---|---|\n";
  for (const ReproducedExperiment& each : reproductions.results)
    text += fmt::format("| [`{}`](#{}) | {} | {} | {} |\n", each.result.id, anchor(each.result.id),
                        plain(each.experiment.title), plain(each.experiment.paper),
                        verdict_name(each.result.verdict));
  return text;
}

std::string notes(const experiments::Reproduction& result) {
  std::string text;
  for (const experiments::Finding& finding : result.findings) {
    if (!finding.note.empty()) text += fmt::format("- {}: {}\n", plain(finding.what), plain(finding.note));
  }
  for (const std::string& remark : result.remarks) text += fmt::format("- {}\n", plain(remark));
  return text.empty() ? text : "\n" + text;
}

/// `pf-fig1a.svg`; `pf-fig1a-2.svg` of the second of several.
std::string picture_name(const experiments::Reproduction& result, std::size_t figure) {
  return result.figures.size() == 1 ? result.id + ".svg" : fmt::format("{}-{}.svg", result.id, figure + 1);
}

std::string figures(const experiments::Reproduction& result, const std::string& images) {
  const bool in_rows = are_shown_in_rows(result.figures);
  std::string text;
  for (std::size_t f = 0; f < result.figures.size(); ++f) {
    const experiments::Figure& figure = result.figures[f];
    if (!images.empty()) {
      text += fmt::format("\n![{}]({}{})\n", plain(figure.title), images, picture_name(result, f));
    } else if (in_rows) {
      text += titled(curves_as_table(figure));
    }
  }
  return text;
}

/// Many findings are folded; those that do not hold, or had to be corrected, stand above.
std::string findings(const experiments::Reproduction& result) {
  const experiments::Table all = findings_as_table(result);
  if (all.rows.size() <= kMaxOpen) return table(all.head, all.rows);
  std::vector<std::vector<std::string>> notable;
  for (std::size_t f = 0; f < all.rows.size(); ++f) {
    if (!result.findings[f].holds || result.findings[f].corrected) notable.push_back(all.rows[f]);
  }
  return (notable.empty() ? "" : table(all.head, notable)) +
         fmt::format("\n<details><summary>all {} findings</summary>\n{}\n</details>\n", all.rows.size(),
                     table(all.head, all.rows));
}

std::string section(const ReproducedExperiment& each, const std::string& images) {
  const experiments::Reproduction& result = each.result;
  std::string text = fmt::format("\n## {}\n\n{}. {}.\n\nData: {}.\n\nVerdict: **{}** ({}).\n", result.id,
                                 plain(each.experiment.title), plain(each.experiment.paper),
                                 plain(result.data), verdict_name(result.verdict), tally(result)) +
                     figures(result, images) + findings(result) + notes(result);
  for (const experiments::Table& shown : result.tables) text += titled(shown);
  return text;
}

}  // namespace

std::string reproductions_markdown(const Reproductions& reproductions, const std::string& images) {
  std::string text =
      fmt::format(fmt::runtime(kOpening), fmt::arg("command", command_of(reproductions, images)));
  text += overview(reproductions);
  for (const ReproducedExperiment& each : reproductions.results) text += section(each, images);
  return text;
}

std::vector<Picture> reproduction_pictures(const Reproductions& reproductions) {
  std::vector<Picture> pictures;
  for (const ReproducedExperiment& each : reproductions.results) {
    for (std::size_t f = 0; f < each.result.figures.size(); ++f)
      pictures.push_back({picture_name(each.result, f), chart_svg(each.result.figures[f])});
  }
  return pictures;
}

std::string experiments_markdown(std::span<const experiments::Experiment> experiments) {
  std::vector<std::vector<std::string>> rows;
  for (const experiments::Experiment& each : experiments)
    rows.push_back(
        {std::string(each.id), std::string(each.paper), std::string(each.title), std::string(each.data)});
  return table({"experiment", "paper", "what it shows", "data"}, rows).substr(1);
}

}  // namespace mirab::report
