#include <CLI/CLI.hpp>
#include <chrono>
#include <filesystem>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <optional>

#include "cli/io/output.hpp"
#include "cli/options.hpp"
#include "cli/program.hpp"
#include "lab/experiments/own_files.hpp"
#include "report/outcome/comparison.hpp"
#include "report/page/page.hpp"
#include "report/reproduction/reproduction.hpp"
#include "report/text/json.hpp"

namespace mirab::cli {
namespace {

using experiments::Experiment;

struct ReproduceFlags {
  std::string command;  ///< the command line, for the page
  std::vector<std::string> names;
  bool all = false;
  bool list = false;
  bool quick = false;
  bool times = false;
  bool scenario = false;
  std::optional<std::uint64_t> seed;
  int threads = 1;
  ReportOptions report;
  std::string images;  ///< the folder for the pictures of the Markdown page; empty for none
  OutputOptions output;
};

/// A list runs nothing: the first option that only a run has.
Check check_list(const ReproduceFlags& options) {
  for (const auto& [given, option] :
       {std::pair(options.quick, "--quick"), std::pair(options.times, "--times"),
        std::pair(options.seed.has_value(), "--seed"), std::pair(!options.report.file.empty(), "--report")}) {
    if (given) return Error{.message = "does not go with --list, which runs nothing", .key = option};
  }
  return {};
}

/// Files of one experiment, of which nothing is run.
Check check_scenario(const ReproduceFlags& options) {
  if (!options.scenario) return {};
  if (options.list || options.all || options.names.size() != 1)
    return Error{.message = "is for one experiment; name it", .key = "--scenario"};
  for (const auto& [given, option] :
       {std::pair(options.times, "--times"), std::pair(!options.report.file.empty(), "--report"),
        std::pair(options.output.format != "table", "--format")}) {
    if (given) return Error{.message = "does not go with --scenario, which runs nothing", .key = option};
  }
  return {};
}

Check check_reproduce(const ReproduceFlags& options) {
  if (options.names.empty() && !options.all && !options.list)
    return Error{.message = "name experiments, or take --all of them; 'mirab reproduce --list' lists them",
                 .key = "EXPERIMENT"};
  if (!options.names.empty() && options.all)
    return Error{.message = "give names or --all, not both", .key = "--all"};
  if (options.list) {
    if (Check wrong = check_list(options)) return wrong;
  }
  if (Check wrong = check_scenario(options)) return wrong;
  if (!options.images.empty() && (options.list || options.output.format != "markdown"))
    return Error{.message = "pictures go with --format markdown", .key = "--images"};
  if (!options.images.empty()) {
    if (Check wrong = check_folder({"--images", options.images})) return wrong;
  }
  return check_destinations({{"-o", options.output.file}, {"--report", options.report.file}});
}

Result<std::vector<Experiment>> chosen(const ReproduceFlags& options) {
  if (options.names.empty()) {
    const auto all = experiments::experiments();
    return std::vector<Experiment>(all.begin(), all.end());
  }
  return experiments::choose_experiments(options.names);
}

std::string formatted(std::span<const Experiment> list, const OutputOptions& output) {
  if (output.format == "json") return report::json_text(report::experiments_json(list), 2) + "\n";
  if (output.format == "csv") return report::experiments_csv(list);
  if (output.format == "markdown") return report::experiments_markdown(list);
  return report::experiments_table(list, columns_of(output.file));
}

/// The folder of the pictures as the Markdown file links to it.
std::string linked_images(const ReproduceFlags& options) {
  if (options.images.empty()) return {};
  const std::filesystem::path page = options.output.file == kStandardOutput ? "" : options.output.file;
  const std::filesystem::path from = page.has_parent_path() ? page.parent_path() : ".";
  return std::filesystem::proximate(options.images, from).string() + "/";
}

std::string formatted(const report::Reproductions& reproductions, const ReproduceFlags& options) {
  const OutputOptions& output = options.output;
  if (output.format == "json") return report::json_text(report::reproductions_json(reproductions), 2) + "\n";
  if (output.format == "csv") return report::reproductions_csv(reproductions);
  if (output.format == "markdown")
    return report::reproductions_markdown(reproductions, linked_images(options));
  return report::reproductions_table(reproductions, columns_of(output.file));
}

/// A line that shows which experiment runs, and how far it is, on a terminal.
std::function<void(double)> experiment_progress(std::string_view id, std::size_t place, std::size_t of) {
  if (!shows_progress()) return {};
  const std::string label = fmt::format("mirab: {} of {}: {}", place, of, id);
  show_progress(label);
  return [label](double part) { show_progress(fmt::format("{}, {:.0f} %", label, 100 * part)); };
}

/// reproduce() has no clock of its own.
experiments::Reproduction timed(const Experiment& experiment, const experiments::RunOptions& how) {
  const auto start = std::chrono::steady_clock::now();
  experiments::Reproduction result = experiments::reproduce(experiment, how);
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
  result.seconds = spent.count();
  return result;
}

report::Reproductions reproduced(const std::vector<Experiment>& list, const ReproduceFlags& options) {
  report::Reproductions reproductions{
      .seed = options.seed.value_or(1),
      .effort = options.quick ? experiments::Effort::quick : experiments::Effort::full,
      .times = options.times ? report::Times::shown : report::Times::hidden,
      .results = {}};
  const std::shared_ptr<experiments::SharedRuns> shared = experiments::no_runs_yet();
  for (const Experiment& experiment : list) {
    const std::size_t place = reproductions.results.size() + 1;
    const experiments::RunOptions how{.seed = reproductions.seed,
                                      .threads = options.threads,
                                      .effort = reproductions.effort,
                                      .progress = experiment_progress(experiment.id, place, list.size()),
                                      .shared = shared};
    reproductions.results.push_back({experiment, timed(experiment, how)});
  }
  if (shows_progress()) show_progress("");
  return reproductions;
}

/// The page, the pictures and the result, all or none.
Check write_outputs(const report::Reproductions& reproductions, const ReproduceFlags& options) {
  std::vector<Text> files;
  if (!options.report.file.empty())
    files.push_back(
        {options.report.file,
         report::reproductions_html(report::page_template(), reproductions, options.report.title,
                                    {.command = options.command, .made = made_words(options.report.date)})});
  if (!options.images.empty()) {
    if (Check failure = make_folder(options.images)) return failure;
    for (report::Picture& picture : report::reproduction_pictures(reproductions))
      files.push_back({options.images + "/" + picture.file, std::move(picture.svg)});
  }
  files.push_back({options.output.file, formatted(reproductions, options)});
  return write_texts(files);
}

/// The scenario to -o, and its cluster beside it; or the cluster alone.
Exit write_scenario(const Experiment& experiment, const ReproduceFlags& options) {
  if (experiment.own_files == nullptr)
    return report_error({.message = fmt::format("'{}' has no scenario and no cluster of its own: {}",
                                                experiment.id, experiments::why_no_files(experiment)),
                         .key = "--scenario"});
  const experiments::OwnFiles files = experiment.own_files(
      {.seed = options.seed.value_or(1),
       .effort = options.quick ? experiments::Effort::quick : experiments::Effort::full});
  const bool has_two = !files.scenario.empty() && !files.cluster.empty();
  if (has_two && options.output.file == kStandardOutput)
    return report_error(
        {.message = "name the scenario's file: the cluster that it names is written beside it", .key = "-o"});
  std::vector<Text> texts;
  if (!files.scenario.empty()) texts.push_back({options.output.file, files.scenario});
  if (!files.cluster.empty()) {
    const std::filesystem::path beside = std::filesystem::path(options.output.file).parent_path();
    texts.push_back(
        {has_two ? (beside / experiments::cluster_file_of(experiment.id)).string() : options.output.file,
         files.cluster});
  }
  if (const Check failure = write_texts(texts)) return report_error(*failure, Exit::failed);
  report_notes({fmt::format("{}: {}", experiment.id, files.note)});
  return Exit::done;
}

Exit run_reproduce(const ReproduceFlags& options) {
  if (const Check wrong = check_reproduce(options)) return report_error(*wrong);
  const Result<std::vector<Experiment>> list = chosen(options);
  if (!list) return report_error(list.error());
  if (options.scenario) {
    if (list->size() != 1)
      return report_error({.message = "is for one experiment; name it", .key = "--scenario"});
    return write_scenario(list->front(), options);
  }
  const Check failure = options.list ? write_text(options.output.file, formatted(*list, options.output))
                                     : write_outputs(reproduced(*list, options), options);
  return failure ? report_error(*failure, Exit::failed) : Exit::done;
}

void add_reproduce_options(CLI::App& command, ReproduceFlags& options) {
  command
      .add_option("EXPERIMENT", options.names, "Which experiments, by name or by a prefix with a * ('pf-*')")
      ->type_name("EXPERIMENT");
  command.add_flag("--all", options.all, "All experiments");
  command.add_flag("--list", options.list, "List the experiments, run none");
  command.add_flag("--quick", options.quick, "Simulate less: all experiments within a minute, on two cores");
  command.add_flag(
      "--scenario", options.scenario,
      "Run nothing: write the scenario of the experiment, with which mirab simulate gives the same "
      "figures, or its cluster file; with -o FILE, and beside it the cluster that the scenario names");
  command.add_flag("--times", options.times,
                   "Also report how long each experiment took, which differs from run to run");
  take_whole_number(
      command.add_option("--seed", options.seed, "Random seed; the same seed gives the same result")
          ->default_str("1"),
      0);
  add_threads_option(command, options.threads);
  add_output_options(command, options.output, {"table", "json", "csv", "markdown"});
  add_report_options(command, options.report, "What to call the page");
  command
      .add_option(
          "--images", options.images,
          "Also write the figures as SVG to FOLDER, and link them from the result (--format markdown)")
      ->type_name("FOLDER");
}

}  // namespace

Command add_reproduce(CLI::App& app) {
  auto options = std::make_shared<ReproduceFlags>();
  CLI::App* command =
      app.add_subcommand("reproduce", "Compare the papers' tables and figures with what is found here");
  add_reproduce_options(*command, *options);

  Manual manual;
  manual.paragraphs = {
      "Repeats the experiments of the papers on multi-resource fairness and compares what the papers print "
      "with what is found. The verdict is 'agrees' when every printed number is found on the paper's own "
      "data; 'shape agrees' when the claims hold but numbers cannot be compared (none is printed, the data "
      "were never published, or a printed number is wrong, with the reason); 'undecided' when nothing "
      "contradicts the paper but intervals leave some of it open; and 'differs' when something "
      "is not found. A verdict that differs is a finding, not a failure: the exit status is 0.",
      "The result depends on --seed and --quick, not on --threads; the seconds that psdsf-time measures, "
      "and those of --times, differ from run to run."};
  manual.exits = {{0, "done, whatever the verdicts"}};
  manual.examples = {
      {"mirab reproduce --list", "What there is"},
      {"mirab reproduce slides-table1", "The five steps of DRF on the textbook example"},
      {"mirab reproduce ostman-5.8 --scenario -o build/ostman-5.8.yaml",
       "What a run of your own begins with"},
      {"mirab reproduce 'pf-*' --threads 2 --report traffic.html", "Random traffic, with pictures"},
      {"mirab reproduce --all --quick --format json | jq '.results[] | {id, verdict}'", "All verdicts"},
  };
  return {command, std::move(manual), [options](const std::string& line) {
            options->command = line;
            return run_reproduce(*options);
          }};
}

}  // namespace mirab::cli
