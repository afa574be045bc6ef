#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <numeric>
#include <sstream>
#include <utility>

#include <mirab/simulation/scenario.hpp>

#include "cli/commands.hpp"
#include "cli/destinations.hpp"
#include "cli/file_kind.hpp"
#include "cli/input.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "cli/scenario_inputs.hpp"
#include "cli/terminal.hpp"
#include "model/document.hpp"
#include "report/outcome_json.hpp"
#include "report/page/page.hpp"
#include "report/replications.hpp"
#include "report/simulation.hpp"
#include "report/text_width.hpp"
#include "simulation/replications.hpp"

namespace mirab::cli {
namespace {

using simulation::DemandSeriesOutcome;
using simulation::DemandSeriesScenario;
using simulation::Outputs;
using simulation::ReallocationOutcome;
using simulation::ReallocationScenario;
using simulation::ReplayOutcome;
using simulation::Scenario;
using simulation::TraceScenario;
using simulation::TrafficOutcome;
using simulation::TrafficScenario;

struct Options {
  std::string command;  ///< the command line, for the page
  std::string scenario;
  OutputOptions output;
  std::string report;                 ///< the page's file; empty: as the scenario says
  std::optional<std::uint64_t> seed;  ///< without one: as the scenario says, else 1
  int threads = 1;
};

/// Those of the scenario; as many from --seed on, where that is given.
std::vector<std::uint64_t> seeds_for(const Options& options, const Scenario& scenario) {
  std::vector<std::uint64_t> seeds = scenario.seeds;
  if (seeds.empty()) seeds = {1};
  if (options.seed) std::iota(seeds.begin(), seeds.end(), *options.seed);
  return seeds;
}

/// A line that counts per cents, when somebody is there to see it.
simulation::Progress progress_line(const std::string& title) {
  if (!shows_progress()) return {};
  return [title, shown = -1](double part) mutable {
    const int percent = static_cast<int>(100 * part);
    if (percent != std::exchange(shown, percent)) {
      show_progress(part < 1 ? fmt::format("mirab: {}: {} %", title, percent) : "");
    }
  };
}

/// Every file that is written, with the option or key that names it.
std::vector<Destination> destinations(const Options& options, const Outputs& outputs) {
  std::vector<Destination> all = {{"-o", options.output.file},      {"--report", options.report},
                                  {"outputs.table", outputs.table}, {"outputs.json", outputs.json},
                                  {"outputs.csv", outputs.csv},     {"outputs.report", outputs.report}};
  std::erase_if(all, [](const Destination& destination) { return destination.file.empty(); });
  return all;
}

/// Destinations that would harm each other or what is read, or cannot be written.
Check check_outputs(const Options& options, const InputText& input, const Scenario& scenario) {
  std::vector<std::string> inputs = {options.scenario};
  std::visit(
      [&](const auto& what) {
        if constexpr (requires { what.workload; }) inputs.insert(inputs.end(), {what.cluster, what.workload});
      },
      scenario.what);
  Check wrong = check_destinations(destinations(options, scenario.outputs), inputs);
  if (!wrong || !wrong->key.starts_with("outputs.")) return wrong;
  wrong->file = scenario.name;
  std::istringstream text(input.text);
  if (const Result<Node> root = read_document(text, input.syntax, input.name))
    wrong->line = line_of(*root, wrong->key);
  return wrong;
}

template <class Run>
std::string formatted(const Run& run, const std::string& format, const std::string& file) {
  if (format == "json") return report::json_text(report::simulation_json(run), 2) + "\n";
  if (format == "csv") return report::simulation_csv(run);
  return report::simulation_table(run, columns_of(file));
}

/// One run as it is, several with what they come to together.
template <class Run>
std::string formatted(const std::vector<Run>& runs, const std::string& format, const std::string& file) {
  if (runs.size() == 1) return formatted(runs.front(), format, file);
  if (format == "json") return report::json_text(report::replications_json(runs), 2) + "\n";
  if (format == "csv") return report::replications_csv(runs);
  return report::replications_table(runs, columns_of(file));
}

template <class Run>
const Run& first_of(const Run& run) {
  return run;
}

template <class Run>
const Run& first_of(const std::vector<Run>& runs) {
  return runs.front();
}

/// What the scenario wants written first, then the page of the first run, then the result.
template <class RunOrRuns>
Exit show(const Options& options, const Outputs& outputs, const RunOrRuns& run) {
  for (const auto& [format, file] :
       {std::pair("table", outputs.table), std::pair("json", outputs.json), std::pair("csv", outputs.csv)}) {
    if (file.empty()) continue;
    if (const Check failure = write_text(file, formatted(run, format, file)))
      return complain(*failure, Exit::failed);
  }
  const std::string& page = options.report.empty() ? outputs.report : options.report;
  if (!page.empty()) {
    const std::string html = report::simulation_html(report::page_template(), first_of(run), options.command);
    if (const Check failure = write_text(page, html)) return complain(*failure, Exit::failed);
  }
  const std::string result = formatted(run, options.output.format, options.output.file);
  if (const Check failure = write_text(options.output.file, result)) return complain(*failure, Exit::failed);
  return Exit::done;
}

bool every_division_converged(const TrafficOutcome& outcome) {
  const auto none = [](std::int64_t divisions) { return divisions == 0; };
  return std::all_of(outcome.not_converged.begin(), outcome.not_converged.end(), none);
}

Exit run(const Options& options, const Scenario& scenario, const TrafficScenario& traffic) {
  const auto once = [&](std::uint64_t seed, int threads, const simulation::Progress& progress) {
    return simulation::simulate_traffic(traffic, seed, threads, progress);
  };
  const auto outcomes = simulation::replicate<TrafficOutcome>(seeds_for(options, scenario), options.threads,
                                                              once, progress_line(scenario.name));
  if (!outcomes) return complain(in_its_file(outcomes.error(), {scenario.name}));
  std::vector<report::TrafficRun> runs;
  for (const TrafficOutcome& outcome : *outcomes) runs.push_back({scenario.name, traffic, outcome});
  const Exit shown = show(options, scenario.outputs, runs);
  const bool converged = std::all_of(outcomes->begin(), outcomes->end(), every_division_converged);
  return shown == Exit::done && !converged ? Exit::not_converged : shown;
}

/// When most of the tasks fit nowhere, cluster and workload hardly belong together.
void note_misfits(const TraceScenario& trace, const ReplayOutcome& outcome) {
  const std::int64_t all = outcome.submitted + outcome.oversized;
  if (2 * outcome.oversized <= all) return;
  fmt::print(
      stderr,
      "mirab: note: {} of {} tasks of {} fit on no server of {}, even an empty one, and are left out; do "
      "both files measure their resources in the same units?\n",
      outcome.oversized, all, report::printable(trace.workload), report::printable(trace.cluster));
}

Exit run(const Options& options, const Scenario& scenario, const TraceScenario& trace) {
  const InputFiles files{scenario.name, trace.cluster, trace.workload};
  const Result<Inputs> inputs = read_inputs(files, trace.duration);
  if (!inputs) return complain(inputs.error());
  const auto once = [&](std::uint64_t seed, int threads, const simulation::Progress& progress) {
    return simulation::replay(inputs->cluster, inputs->workload, trace.options, seed, threads, progress);
  };
  const std::vector<std::uint64_t> seeds = seeds_for(options, scenario);
  const auto outcomes = simulation::replicate<std::vector<ReplayOutcome>>(seeds, options.threads, once,
                                                                          progress_line(scenario.name));
  if (!outcomes) return complain(in_its_file(outcomes.error(), files));
  note_misfits(trace, outcomes->front().front());
  std::vector<report::ReplayRun> runs;
  for (const std::vector<ReplayOutcome>& outcome : *outcomes) {
    runs.push_back({scenario.name, seeds[runs.size()], trace, outcome.front().resources, outcome});
  }
  return show(options, scenario.outputs, runs);
}

Exit run(const Options& options, const Scenario& scenario, const ReallocationScenario& reallocation) {
  const InputFiles files{scenario.name, reallocation.cluster, reallocation.workload};
  const Result<Inputs> inputs = read_inputs(files, reallocation.duration);
  if (!inputs) return complain(inputs.error());
  const Result<std::vector<ReallocationOutcome>> outcomes = simulation::reallocate(
      inputs->cluster, inputs->workload, reallocation.options, options.threads, progress_line(scenario.name));
  if (!outcomes) return complain(in_its_file(outcomes.error(), files));
  const Exit shown = show(
      options, scenario.outputs,
      report::ReallocationRun{scenario.name, reallocation, inputs->cluster, inputs->workload, *outcomes});
  const bool converged = std::all_of(outcomes->begin(), outcomes->end(),
                                     [](const auto& outcome) { return outcome.not_converged == 0; });
  return shown == Exit::done && !converged ? Exit::not_converged : shown;
}

Exit run(const Options& options, const Scenario& scenario, const DemandSeriesScenario& demands) {
  const auto once = [&](std::uint64_t seed, int threads, const simulation::Progress& progress) {
    return simulation::simulate_demands(demands, seed, threads, progress);
  };
  const auto outcomes = simulation::replicate<DemandSeriesOutcome>(
      seeds_for(options, scenario), options.threads, once, progress_line(scenario.name));
  if (!outcomes) return complain(in_its_file(outcomes.error(), {scenario.name}));
  std::vector<report::DemandsRun> runs;
  for (const DemandSeriesOutcome& outcome : *outcomes) runs.push_back({scenario.name, demands, outcome});
  return show(options, scenario.outputs, runs);
}

Exit run(const Options& options) {
  const Result<InputText> input = read_input(options.scenario);
  if (!input) return complain(input.error());
  const Result<Scenario> scenario = simulation::read_scenario_text(input->text, input->syntax, input->name);
  if (!scenario) return complain(of_wrong_kind(scenario.error(), FileKind::scenario));
  if (const Check clash = check_outputs(options, *input, *scenario)) return complain(*clash);
  return std::visit([&](const auto& what) { return run(options, *scenario, what); }, scenario->what);
}

}  // namespace

Command add_simulate(CLI::App& app) {
  auto options = std::make_shared<Options>();
  CLI::App* command =
      app.add_subcommand("simulate", "Play random traffic or a trace, under several policies side by side");
  command
      ->add_option("SCENARIO", options->scenario,
                   "The scenario file, in YAML or JSON; - reads it from standard input")
      ->required()
      ->type_name("FILE");
  CLI::Option* seed = command->add_option(
      "--seed", options->seed,
      "Start of everything drawn at random, instead of the scenario's own; of several runs the first");
  take_whole_number(seed->default_str("1"), 0);
  add_threads_option(*command, options->threads, "Simulate on so many threads at a time");
  add_output_options(*command, options->output, {"table", "json", "csv"});
  command
      ->add_option("--report", options->report,
                   "Also write a page with pictures, which needs no network, to FILE")
      ->type_name("FILE");

  Manual manual;
  manual.paragraphs = {
      "Answers what would have happened: plays what the scenario file says through the same code that "
      "divides and fills, once for each policy on the same arrivals, and lays the outcomes side by side.",
      "A scenario of the kind traffic is random: classes of jobs that arrive and leave, at several loads. "
      "One "
      "of the kind trace plays a workload file, such as `mirab import` writes, on a cluster file, task by "
      "task; "
      "one of the kind reallocation does so with divisible jobs; one of the kind demands draws users whose "
      "demands change. docs/simulate.md describes them. Paths in a scenario are relative to it.",
      "The same scenario and seed give the same bytes, whatever the number of threads, except for what a "
      "clock "
      "says: the solver's time in the table of a reallocation, and `seconds` in its JSON. With several seeds "
      "in "
      "the scenario, every one is a run, and the result is how the figures are spread over the runs.",
  };
  manual.examples = {
      {"mirab simulate examples/traffic-two-classes.yaml --threads 2", "DRF and PF under random traffic"},
      {"mirab simulate scenario.yaml --seed 2 --format json -o out.json",
       "The same with other random numbers"},
  };
  return {command, std::move(manual), [options](const std::string& line) {
            options->command = line;
            return run(*options);
          }};
}

}  // namespace mirab::cli
