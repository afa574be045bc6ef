// The commands `allocate` and `fill`: both compare outcomes for one cluster.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <mirab/mechanisms/mechanism.hpp>
#include <mirab/model/cluster_file.hpp>
#include <mirab/model/random.hpp>
#include <mirab/scheduling/fill.hpp>

#include "cli/io/alike.hpp"
#include "cli/io/cluster_notices.hpp"
#include "cli/io/input.hpp"
#include "cli/io/output.hpp"
#include "cli/options.hpp"
#include "cli/program.hpp"
#include "report/outcome/comparison.hpp"
#include "report/page/html.hpp"
#include "report/page/page.hpp"
#include "report/text/json.hpp"

namespace mirab::cli {
namespace {

/// How `allocate` and `fill` show their outcomes.
struct CompareOptions {
  ClusterFiles files;
  OutputOptions output;
  bool all_metrics = false;
  bool times = false;
  bool shapes = false;  ///< a row for each task shape
  ReportOptions report;
  std::uint64_t seed = 1;
  std::string tie = "first";
  int threads = 1;  ///< for the mechanisms
};

/// One filling that was asked for.
struct FillChoice {
  Choice discipline;
  Choice placement;
  std::string notice = {};  ///< what was made of that; empty for nothing
};

/// Are the steps of a filling wanted: nowhere, in the page only, or in the result too?
enum class Steps { dropped, in_report, printed };

std::string formatted(const report::Comparison& comparison, const CompareOptions& options) {
  const OutputOptions& output = options.output;
  if (output.format == "json") return report::json_text(report::comparison_json(comparison), 2) + "\n";
  if (output.format == "csv") return report::comparison_csv(comparison);
  return report::comparison_table(
      comparison, terminal_of(output.file),
      {.all_metrics = options.all_metrics, .times = options.times, .shapes = options.shapes});
}

void drop_steps(report::Comparison& comparison) {
  for (report::MeasuredOutcome& each : comparison.outcomes) {
    if (each.outcome.filling) each.outcome.filling->steps.clear();
  }
}

bool all_converged(const report::Comparison& comparison) {
  return std::none_of(
      comparison.outcomes.begin(), comparison.outcomes.end(),
      [](const report::MeasuredOutcome& each) { return each.outcome.status == Status::not_converged; });
}

/// A line that counts the placed tasks, on a terminal.
FillProgress fill_progress(const FillOptions& options) {
  if (!shows_progress()) return {};
  const std::string label = options.discipline.text + "/" + options.placement.text;
  return [label](std::int64_t placed) {
    show_progress(fmt::format("mirab: {}: {} tasks placed", label, placed));
  };
}

/// fill() has no clock of its own.
Result<Outcome> timed_fill(const Problem& problem, const FillOptions& options, std::uint64_t seed) {
  Random random(seed);
  const auto start = std::chrono::steady_clock::now();
  Result<Outcome> outcome = fill(problem, options, random, fill_progress(options));
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
  if (shows_progress()) show_progress("");
  if (outcome) outcome->seconds = spent.count();
  return outcome;
}

/// Adds the cluster file and the options of CompareOptions.
void add_compare_options(CLI::App& app, CompareOptions& options) {
  add_cluster_argument(app, options.files.cluster);
  add_allocation_option(app, options.files.allocation);
  add_teams_option(app, options.files.teams);
  add_alike_option(app, options.files.alike);
  add_tie_option(app, options.tie);
  add_output_options(app, options.output, {"table", "json", "csv"});
  add_report_options(app, options.report);
  add_seed_option(app, options.seed);
  app.add_flag("--all-metrics", options.all_metrics, "Show every figure of fairness in the table");
  app.add_flag("--shapes", options.shapes,
               "Show a row for each task shape, and not one for each team (table); JSON and CSV have both");
  app.add_flag("--times", options.times, "Show the time that each solver took in the table");
}

/// A filling for each placement, first-fit where none was asked for. A discipline that chooses servers itself
/// is run once, with a notice when placements were asked for.
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

/// Are whole tasks worth a column where nothing was named? They are where tasks run now, as pods do, which
/// run whole or not at all; and while placing them takes no longer than dividing the cluster.
bool shows_whole_tasks(const Problem& problem) {
  constexpr double kMostTasks = 20'000;
  if (!problem.running() || !report::has_shapes(problem)) return false;
  double tasks = 0;
  for (const User& user : problem.users()) {
    if (!user.tasks) return false;
    tasks += user.tasks->value();
  }
  return tasks <= kMostTasks;
}

/// Runs the mechanisms and then the fillings, each with a generator of its own from the seed, and shows them.
Exit compare(const CompareOptions& options, std::vector<Choice> mechanisms,
             const std::vector<FillChoice>& fillings, Steps steps) {
  if (const Check clash =
          check_destinations({{"-o", options.output.file}, {"--report", options.report.file}},
                             {options.files.cluster, options.files.allocation, options.files.teams}))
    return report_error(*clash);
  const Result<Problem> problem = read_problem(options.files);
  if (!problem) return report_error(problem.error());
  print_slips(options.files, *problem);

  const bool none_named = mechanisms.empty() && fillings.empty();
  const Recommendation taken = recommended(*problem);
  if (none_named) {
    if (const Check none = check_recommended(taken, options.files.cluster)) return report_error(*none);
    mechanisms.push_back(taken.choice);
  }
  Result<Problem> divided =
      as_divided({.problem = *problem, .mechanisms = mechanisms, .is_filled = !fillings.empty()},
                 options.files.alike, {.threads = options.threads});
  if (!divided) return report_error(divided.error());
  std::string title = name_of(options.report, *problem, options.files.cluster);
  report::Comparison comparison{std::move(title), *std::move(divided), options.seed, {}};
  if (comparison.problem.server_count() < problem->server_count())
    comparison.stands_for = servers_together(*problem, options.files.alike);

  for (const Choice& mechanism : mechanisms) {
    Result<Outcome> outcome = allocate(comparison.problem, mechanism, {.threads = options.threads});
    if (!outcome) return report_error(with_cluster_position(options.files, outcome.error()));
    if (none_named && mechanism.name == taken.choice.name)
      outcome->notices.push_back(choice_notice(taken, options.files));
    comparison.outcomes.push_back(report::measured(comparison.problem, *std::move(outcome)));
  }
  for (const FillChoice& choice : fillings) {
    const FillOptions fill_options{.discipline = choice.discipline,
                                   .placement = choice.placement,
                                   .tie = read_tie(options.tie),
                                   .trace = steps != Steps::dropped};
    Result<Outcome> outcome = timed_fill(comparison.problem, fill_options, options.seed);
    if (!outcome) return report_error(with_cluster_position(options.files, outcome.error()));
    if (!choice.notice.empty()) outcome->notices.push_back(choice.notice);
    comparison.outcomes.push_back(report::measured(comparison.problem, *std::move(outcome)));
  }

  if (comparison.problem.running() && !is_named(mechanisms, "given")) {
    Result<Outcome> given = allocate(comparison.problem, "given");
    if (!given) return report_error(with_cluster_position(options.files, given.error()));
    comparison.outcomes.push_back(report::measured(comparison.problem, *std::move(given)));
  }
  if (none_named && shows_whole_tasks(comparison.problem)) {
    const FillOptions whole{.discipline = *choose_discipline("drf"),
                            .placement = *choose_placement("first-fit"),
                            .tie = read_tie(options.tie)};
    Result<Outcome> outcome = timed_fill(comparison.problem, whole, options.seed);
    if (!outcome) return report_error(with_cluster_position(options.files, outcome.error()));
    comparison.outcomes.push_back(report::measured(comparison.problem, *std::move(outcome)));
  }

  for (const report::MeasuredOutcome& each : comparison.outcomes)
    print_merged(options.output.format, comparison.problem, each.outcome);
  std::string page;
  if (!options.report.file.empty())
    page = report::report_html(report::page_template(), comparison,
                               {.command = options.report.command, .made = made_words(options.report.date)});
  if (steps != Steps::printed) drop_steps(comparison);
  std::vector<Text> texts{{options.output.file, formatted(comparison, options)}};
  if (!options.report.file.empty()) texts.push_back({options.report.file, std::move(page)});
  if (const Check failure = write_texts(texts)) return report_error(*failure, Exit::failed);
  return all_converged(comparison) ? Exit::done : Exit::not_converged;
}

struct AllocateFlags {
  CompareOptions comparing;
  std::vector<std::string> mechanisms;
  std::vector<std::string> fillings;
};

/// Reads `discipline[/placement]`.
Result<std::vector<FillChoice>> read_filling(const std::string& text) {
  const std::size_t slash = text.find('/');
  Result<Choice> discipline = read_choice(text.substr(0, slash), "--fill", choose_discipline);
  if (!discipline) return discipline.error();
  if (slash == std::string::npos) return fillings_of(*discipline, {});
  const Result<Choice> placement = read_choice(text.substr(slash + 1), "--fill", choose_placement);
  if (!placement) return placement.error();
  return fillings_of(*discipline, {*placement});
}

Exit run(const AllocateFlags& options) {
  const Result<std::vector<Choice>> mechanisms =
      read_choices(options.mechanisms, "--mechanism", choose_mechanism);
  if (!mechanisms) return report_error(mechanisms.error());
  std::vector<FillChoice> fillings;
  for (const std::string& text : options.fillings) {
    const Result<std::vector<FillChoice>> filling = read_filling(text);
    if (!filling) return report_error(filling.error());
    const auto is_same = [&](const FillChoice& other) {
      return same_choice(other.discipline, filling->front().discipline) &&
             same_choice(other.placement, filling->front().placement);
    };
    if (std::any_of(fillings.begin(), fillings.end(), is_same))
      return report_error({.message = fmt::format("'{}' is given twice", text), .key = "--fill"});
    fillings.insert(fillings.end(), filling->begin(), filling->end());
  }
  return compare(options.comparing, *mechanisms, fillings,
                 options.comparing.report.file.empty() ? Steps::dropped : Steps::in_report);
}

}  // namespace

Command add_allocate(CLI::App& app) {
  auto options = std::make_shared<AllocateFlags>();
  CLI::App* command = app.add_subcommand("allocate", "Divide a cluster fairly among its users");
  add_list_option(
      *command, "-m,--mechanism", options->mechanisms,
      "How to divide, with options after a colon (alpha-fair:alpha=2); repeat to compare; default: "
      "what 'mirab mechanisms --for CLUSTER' recommends",
      "MECHANISM");
  add_list_option(*command, "--fill", options->fillings,
                  "Also place whole tasks one by one, as another column: DISCIPLINE[/PLACEMENT] (default "
                  "first-fit); may be repeated",
                  "FILLING");
  add_compare_options(*command, options->comparing);
  add_threads_option(*command, options->comparing.threads);

  Manual manual;
  manual.paragraphs = {
      "Computes what every user of the cluster gets under each mechanism and compares the outcomes in "
      "columns: the tasks that a user can run (a real number: tasks are divisible here) and its dominant "
      "share, the largest part of any one resource of the cluster that it holds. ✓ marks users who get all "
      "tasks that they ask for. Measures of fairness over the users who are short of tasks, and the use of "
      "each resource, follow.",
      "Without --mechanism and --fill it takes the mechanism that suits the cluster, and says which and why. "
      "Where the cluster file has `running`, or --allocation says what runs now, this is another column, "
      "'given'; then whole tasks, placed one by one, are a third, since no part of a pod can run. Where "
      "users "
      "have task shapes the table has a row a team, and those who are short stand first. Where users are in "
      "groups, a table with a row for each group stands above, each below the group around it."};
  manual.exits = {{3, kNotConverged}};
  manual.examples = {
      {"mirab allocate cluster.yaml", "By the mechanism that suits the cluster"},
      {"mirab allocate examples/textbook.yaml -m drf", "Dominant Resource Fairness on the textbook example"},
      {"mirab allocate cluster.yaml -m drf -m asset -m pf --report shares.html",
       "Compare three mechanisms, with pictures"},
      {"mirab allocate cluster.yaml -m drf --fill drf/best-fit --fill fifo",
       "Divisible shares and whole tasks"},
      {"mirab allocate cluster.yaml -m pf --format json | jq '.outcomes[0].users'", "For other programs"},
  };
  return {command, std::move(manual), [options](const std::string& line) {
            options->comparing.report.command = line;
            return run(*options);
          }};
}

namespace {

struct FillFlags {
  CompareOptions comparing;
  std::vector<std::string> disciplines;
  std::vector<std::string> placements;
  bool trace = false;
};

/// `drf/best-fit` is how outcomes are called and what `allocate --fill` takes; here these are two options.
Check check_slashes(const std::vector<std::string>& disciplines) {
  for (const std::string& text : disciplines) {
    const std::size_t slash = text.find('/');
    if (slash == std::string::npos) continue;
    return Error{.message = fmt::format("'{}' is a discipline and a placement; give them as -d {} -p {}",
                                        text, text.substr(0, slash), text.substr(slash + 1)),
                 .key = "--discipline"};
  }
  return {};
}

Exit run(const FillFlags& options) {
  if (options.trace && options.comparing.output.format == "csv") {
    return report_error(
        {.message = "CSV has no place for steps; take --format table or json", .key = "--trace"});
  }
  if (const Check slash = check_slashes(options.disciplines)) return report_error(*slash);
  Result<std::vector<Choice>> disciplines =
      read_choices(options.disciplines, "--discipline", choose_discipline);
  if (!disciplines) return report_error(disciplines.error());
  const bool none_named = disciplines->empty();
  if (none_named) disciplines->push_back(*choose_discipline("drf"));
  const Result<std::vector<Choice>> placements =
      read_choices(options.placements, "--placement", choose_placement);
  if (!placements) return report_error(placements.error());

  std::vector<FillChoice> fillings;
  for (const Choice& discipline : *disciplines) {
    for (FillChoice& filling : fillings_of(discipline, *placements)) fillings.push_back(std::move(filling));
  }
  if (none_named)
    fillings.front().notice = fmt::format(
        "{}: the user with the lowest dominant share for its weight is served next; -d names another, and "
        "'mirab "
        "mechanisms' lists them",
        report::kTakenDiscipline);
  const Steps unprinted = options.comparing.report.file.empty() ? Steps::dropped : Steps::in_report;
  return compare(options.comparing, {}, fillings, options.trace ? Steps::printed : unprinted);
}

}  // namespace

Command add_fill(CLI::App& app) {
  auto options = std::make_shared<FillFlags>();
  CLI::App* command =
      app.add_subcommand("fill", "Place whole tasks, one after the other, until nothing fits");
  add_list_option(*command, "-d,--discipline", options->disciplines,
                  "Which user to serve next; repeat to compare", "DISCIPLINE")
      ->default_str("drf");
  add_list_option(*command, "-p,--placement", options->placements,
                  "On which server its task goes; repeat to compare", "PLACEMENT")
      ->default_str("first-fit");
  command->add_flag(
      "--trace", options->trace,
      "Print every placement in order, with the user's share per weight after it (table and json)");
  add_compare_options(*command, options->comparing);

  Manual manual;
  manual.paragraphs = {
      "Starts from an empty cluster and places one task at a time: the discipline picks the user, "
      "the placement picks the server. Stops when no task of any user fits. Amounts are counted in "
      "integers and shares compared exactly.",
      "Weights count in every discipline but fifo, mlf-drs and mrfs.",
      "Several disciplines and placements are combined, each discipline with each placement; only mrfs "
      "chooses the servers itself, and is run once.",
  };
  manual.examples = {
      {"mirab fill cluster.yaml", "Whole tasks by dominant resource fairness"},
      {"mirab fill examples/textbook.yaml -d drf --tie last --trace",
       "DRF task by task, as in a textbook table"},
      {"mirab fill cluster.yaml -d fifo -d drf -p first-fit -p best-fit", "Four fillings side by side"},
  };
  return {command, std::move(manual), [options](const std::string& line) {
            options->comparing.report.command = line;
            return run(*options);
          }};
}

}  // namespace mirab::cli
