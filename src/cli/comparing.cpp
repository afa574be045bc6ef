#include "cli/comparing.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>
#include <utility>

#include <mirab/mechanisms/mechanism.hpp>
#include <mirab/model/cluster_file.hpp>
#include <mirab/model/random.hpp>

#include "cli/cluster.hpp"
#include "cli/file_kind.hpp"
#include "cli/output.hpp"
#include "cli/terminal.hpp"
#include "report/html.hpp"
#include "report/outcome_csv.hpp"
#include "report/outcome_json.hpp"
#include "report/outcome_table.hpp"
#include "report/page/page.hpp"

namespace mirab::cli {
namespace {

std::string formatted(const report::Comparison& comparison, const OutputOptions& output) {
  if (output.format == "json") return report::json_text(report::comparison_json(comparison), 2) + "\n";
  if (output.format == "csv") return report::comparison_csv(comparison);
  return report::comparison_table(comparison, columns_of(output.file));
}

void drop_steps(report::Comparison& comparison) {
  for (report::Contender& contender : comparison.contenders) {
    if (contender.filling) contender.filling->steps.clear();
  }
}

bool all_converged(const report::Comparison& comparison) {
  return std::none_of(
      comparison.contenders.begin(), comparison.contenders.end(),
      [](const report::Contender& contender) { return contender.status == Status::not_converged; });
}

/// A line that counts the placed tasks, when somebody is there to see it.
FillProgress progress_line(const FillOptions& options) {
  if (!shows_progress()) return {};
  const std::string label = options.discipline.text + "/" + options.placement.text;
  return [label](std::int64_t placed) {
    show_progress(fmt::format("mirab: {}: {} tasks placed", label, placed));
  };
}

/// fill() has no clock of its own.
Result<FillOutcome> timed_fill(const Problem& problem, const FillOptions& options, std::uint64_t seed) {
  Random random(seed);
  const auto start = std::chrono::steady_clock::now();
  Result<FillOutcome> outcome = fill(problem, options, random, progress_line(options));
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
  if (shows_progress()) show_progress("");
  if (outcome) outcome->seconds = spent.count();
  return outcome;
}

/// Destinations that would harm each other or the input.
Check check_destinations(const ComparingOptions& options) {
  if (same_file(options.report, options.output.file)) {
    return Error{.message = "the page and the result cannot both go to '" + options.report + "'",
                 .key = "--report"};
  }
  for (const auto& [option, file] :
       {std::pair("-o", &options.output.file), std::pair("--report", &options.report)}) {
    if (would_replace(*file, options.cluster)) {
      return Error{.message = "'" + *file + "' is the cluster file, which would be replaced", .key = option};
    }
  }
  return {};
}

}  // namespace

void add_comparing_options(CLI::App& app, ComparingOptions& options) {
  add_cluster_argument(app, options.cluster);
  add_tie_option(app, options.tie);
  add_output_options(app, options.output, {"table", "json", "csv"});
  app.add_option("--report", options.report,
                 "Also write a page with pictures, which needs no network, to FILE")
      ->type_name("FILE");
  add_seed_option(app, options.seed);
}

std::vector<FillChoice> fillings_of(const Choice& discipline, const std::vector<Choice>& placements) {
  const Choice first_fit = *choose_placement("first-fit");
  if (placements.empty()) return {FillChoice{discipline, first_fit}};
  std::vector<FillChoice> fillings;
  std::vector<std::string_view> names;
  for (const Choice& placement : placements) {
    fillings.push_back({discipline, placement});
    names.push_back(placement.text);
  }
  if (!chooses_servers(discipline)) return fillings;
  return {FillChoice{
      discipline, first_fit,
      fmt::format("servers are chosen by the discipline itself, not by {}", fmt::join(names, " or "))}};
}

Exit compare(const ComparingOptions& options, const std::vector<Choice>& mechanisms,
             const std::vector<FillChoice>& fillings, Steps steps) {
  if (const Check clash = check_destinations(options)) return complain(*clash);
  Result<Problem> problem = read_cluster_file(options.cluster);
  if (!problem) return complain(of_wrong_kind(problem.error(), FileKind::cluster));
  report::Comparison comparison{title_of(options.cluster), *std::move(problem), options.seed, {}};

  for (const Choice& mechanism : mechanisms) {
    Result<Outcome> outcome = allocate(comparison.problem, mechanism, {.threads = options.threads});
    if (!outcome) return complain(placed_in(options.cluster, outcome.error()));
    comparison.contenders.push_back(report::contender(comparison.problem, *std::move(outcome)));
  }
  for (const FillChoice& choice : fillings) {
    const FillOptions fill_options{.discipline = choice.discipline,
                                   .placement = choice.placement,
                                   .tie = read_tie(options.tie),
                                   .trace = steps != Steps::dropped};
    Result<FillOutcome> outcome = timed_fill(comparison.problem, fill_options, options.seed);
    if (!outcome) return complain(placed_in(options.cluster, outcome.error()));
    if (!choice.notice.empty()) outcome->notices.push_back(choice.notice);
    comparison.contenders.push_back(report::contender(comparison.problem, *std::move(outcome)));
  }

  if (!options.report.empty()) {
    const std::string page = report::report_html(report::page_template(), comparison, options.command);
    if (const Check failure = write_text(options.report, page)) return complain(*failure, Exit::failed);
  }
  if (steps != Steps::printed) drop_steps(comparison);
  const std::string result = formatted(comparison, options.output);
  if (const Check failure = write_text(options.output.file, result)) return complain(*failure, Exit::failed);
  return all_converged(comparison) ? Exit::done : Exit::not_converged;
}

}  // namespace mirab::cli
