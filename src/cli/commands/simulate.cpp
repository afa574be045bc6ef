// The command `simulate`: outputs of a run, then how each kind of scenario is played.
#include "cli/commands/simulate.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <numeric>
#include <utility>

#include "cli/io/input.hpp"
#include "cli/io/output.hpp"
#include "cli/io/scenario_input.hpp"
#include "cli/program.hpp"
#include "lab/simulation/base/replications.hpp"
#include "report/outcome/comparison.hpp"
#include "report/page/page.hpp"
#include "report/simulation/runs.hpp"
#include "report/text/json.hpp"
#include "report/text/width.hpp"

namespace mirab::cli {
namespace {

using simulation::Outputs;
using simulation::Scenario;

/// Every file that is written, with the option or key that names it.
std::vector<Destination> destinations(const SimulateOptions& options, const Outputs& outputs) {
  return {{"-o", options.output.file},      {"--report", options.page.report},
          {"outputs.table", outputs.table}, {"outputs.json", outputs.json},
          {"outputs.csv", outputs.csv},     {"outputs.report", outputs.report},
          {"outputs.jobs", outputs.jobs}};
}

/// The scenario and the files that it names.
std::vector<std::string> inputs_of(const SimulateOptions& options, const Scenario& scenario) {
  std::vector<std::string> inputs = {options.scenario};
  std::visit(
      [&](const auto& what) {
        if constexpr (requires { what.cluster; }) inputs.push_back(what.cluster);
        if constexpr (requires { what.workload; }) inputs.push_back(what.workload);
      },
      scenario.what);
  return inputs;
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
std::string page_of_runs(const Run& run, const report::PageOrigin& origin) {
  return report::simulation_html(report::page_template(), run, origin);
}

template <class Run>
std::string page_of_runs(const std::vector<Run>& runs, const report::PageOrigin& origin) {
  return report::replications_html(report::page_template(), runs, origin);
}

}  // namespace

std::vector<std::uint64_t> seeds_for(const Asked& asked) {
  std::vector<std::uint64_t> seeds = asked.scenario.seeds;
  if (seeds.empty()) seeds = {1};
  if (asked.options.seed) std::iota(seeds.begin(), seeds.end(), *asked.options.seed);
  return seeds;
}

Check check_seeds(std::uint64_t first, std::uint64_t count) {
  if (count <= 1 || count - 1 <= UINT64_MAX - first) return {};
  return Error{
      .message = fmt::format("there are no {} seeds from {} on: the last is {}", count, first, UINT64_MAX),
      .key = "--seed"};
}

const std::string& title_of(const Asked& asked) {
  if (!asked.options.page.title.empty()) return asked.options.page.title;
  return asked.scenario.title.empty() ? asked.scenario.name : asked.scenario.title;
}

const std::string& page_of(const Asked& asked) {
  return asked.options.page.report.empty() ? asked.scenario.outputs.report : asked.options.page.report;
}

simulation::Progress percent_progress(const std::string& title) {
  if (!shows_progress()) return {};
  return [title, shown = -1](double part) mutable {
    const int percent = static_cast<int>(100 * part);
    if (percent != std::exchange(shown, percent)) {
      show_progress(part < 1 ? fmt::format("mirab: {}: {} %", title, percent) : "");
    }
  };
}

Check check_outputs(const Asked& asked) {
  const Scenario& scenario = asked.scenario;
  Check wrong =
      check_destinations(destinations(asked.options, scenario.outputs), inputs_of(asked.options, scenario));
  if (!wrong || !wrong->key.starts_with("outputs.")) return wrong;
  wrong->file = scenario.name;
  return with_line(*std::move(wrong), asked.input);
}

template <class RunOrRuns>
Exit show(const Asked& asked, const RunOrRuns& run) {
  const Outputs& outputs = asked.scenario.outputs;
  const OutputOptions& output = asked.options.output;
  std::vector<Text> made;
  for (const auto& [format, file] :
       {std::pair("table", outputs.table), std::pair("json", outputs.json), std::pair("csv", outputs.csv)}) {
    if (!file.empty()) made.push_back({file, formatted(run, format, file)});
  }
  if constexpr (std::is_same_v<RunOrRuns, std::vector<report::ReplayRun>>) {
    if (!outputs.jobs.empty()) made.push_back({outputs.jobs, report::jobs_csv(run)});
  }
  if (const std::string& page = page_of(asked); !page.empty()) {
    made.push_back({page, page_of_runs(run, {.command = asked.options.command,
                                             .made = made_words(asked.options.page.date)})});
  }
  made.push_back({output.file, formatted(run, output.format, output.file)});
  if (const Check failure = write_texts(made)) return report_error(*failure, Exit::failed);
  return Exit::done;
}

template Exit show(const Asked&, const std::vector<report::TrafficRun>&);
template Exit show(const Asked&, const std::vector<report::ReplayRun>&);
template Exit show(const Asked&, const report::ReallocationRun&);
template Exit show(const Asked&, const std::vector<report::DemandsRun>&);
template Exit show(const Asked&, const std::vector<report::OverlayRuns>&);

// How each kind of scenario is played.

namespace {

using simulation::DemandSeriesOutcome;
using simulation::DemandSeriesScenario;
using simulation::OverlayRun;
using simulation::OverlayScenario;
using simulation::ReallocationOutcome;
using simulation::ReallocationScenario;
using simulation::ReplayOutcome;
using simulation::TraceScenario;
using simulation::TrafficOutcome;
using simulation::TrafficScenario;

constexpr std::uint32_t kFramesOfAPage = 60;
constexpr std::int64_t kServersOfAPage = 1000;  // more are not drawn

bool every_division_converged(const TrafficOutcome& outcome) {
  const auto none = [](std::int64_t divisions) { return divisions == 0; };
  return std::all_of(outcome.not_converged.begin(), outcome.not_converged.end(), none);
}

bool every_iteration_converged(const DemandSeriesOutcome& outcome) {
  return std::all_of(outcome.mechanisms.begin(), outcome.mechanisms.end(),
                     [](const simulation::MechanismCourse& course) { return course.not_converged == 0; });
}

/// When most of the tasks fit nowhere, cluster and workload hardly belong together.
void note_oversized_tasks(const TraceScenario& trace, const ReplayOutcome& outcome) {
  const std::int64_t all = outcome.submitted + outcome.oversized;
  if (2 * outcome.oversized <= all) return;
  fmt::print(
      stderr,
      "mirab: note: {} of {} tasks of {} fit on no server of {}, even an empty one, and are left out; do "
      "both files measure their resources in the same units?\n",
      outcome.oversized, all, report::printable(trace.workload), report::printable(trace.cluster));
}

bool all_promises_kept(const report::OverlayRuns& all) {
  return std::all_of(all.runs.begin(), all.runs.end(),
                     [](const OverlayRun& run) { return run.violation_count == 0; });
}

}  // namespace

Exit play(const Asked& asked, const TrafficScenario& traffic) {
  const auto once = [&](std::uint64_t seed, int threads, const simulation::Progress& progress) {
    return simulation::simulate_traffic(traffic, seed, threads, progress);
  };
  const auto outcomes = simulation::replicate<TrafficOutcome>(seeds_for(asked), asked.options.threads, once,
                                                              percent_progress(asked.scenario.name));
  if (!outcomes) return report_error(with_file(outcomes.error(), {asked.scenario.name}));
  std::vector<report::TrafficRun> runs;
  for (const TrafficOutcome& outcome : *outcomes) runs.push_back({title_of(asked), traffic, outcome});
  const Exit shown = show(asked, runs);
  const bool converged = std::all_of(outcomes->begin(), outcomes->end(), every_division_converged);
  return shown == Exit::done && !converged ? Exit::not_converged : shown;
}

Exit play(const Asked& asked, const TraceScenario& trace) {
  const InputFiles files{asked.scenario.name, trace.cluster, trace.workload, trace.teams};
  const Result<Inputs> inputs = read_inputs(files, trace.duration);
  if (!inputs) return report_error(with_line(inputs.error(), asked.input));
  simulation::ReplayOptions options = trace.options;
  options.teams = inputs->teams;
  options.keeps_jobs = !asked.scenario.outputs.jobs.empty();
  const auto once = [&](std::uint64_t seed, int threads, const simulation::Progress& progress) {
    return simulation::replay(inputs->cluster, inputs->workload, options, seed, threads, progress);
  };
  const std::vector<std::uint64_t> seeds = seeds_for(asked);
  const auto outcomes = simulation::replicate<std::vector<ReplayOutcome>>(
      seeds, asked.options.threads, once, percent_progress(asked.scenario.name));
  if (!outcomes)
    return report_error(
        with_workload_line(with_line(with_file(outcomes.error(), files), asked.input), files));
  note_oversized_tasks(trace, outcomes->front().front());
  std::vector<report::ReplayRun> runs;
  for (const std::vector<ReplayOutcome>& outcome : *outcomes) {
    runs.push_back({title_of(asked), seeds[runs.size()], trace, outcome.front().resources, outcome});
  }
  return show(asked, runs);
}

Exit play(const Asked& asked, const ReallocationScenario& reallocation) {
  const InputFiles files{asked.scenario.name, reallocation.cluster, reallocation.workload};
  const Result<Inputs> inputs = read_inputs(files, reallocation.duration);
  if (!inputs) return report_error(with_line(inputs.error(), asked.input));
  const Result<std::vector<ReallocationOutcome>> outcomes =
      simulation::reallocate(inputs->cluster, inputs->workload, reallocation.options, asked.options.threads,
                             percent_progress(asked.scenario.name));
  if (!outcomes)
    return report_error(
        with_workload_line(with_line(with_file(outcomes.error(), files), asked.input), files));
  const Exit shown = show(asked, report::ReallocationRun{title_of(asked), reallocation, inputs->cluster,
                                                         inputs->workload, *outcomes});
  const bool converged = std::all_of(outcomes->begin(), outcomes->end(),
                                     [](const auto& outcome) { return outcome.not_converged == 0; });
  return shown == Exit::done && !converged ? Exit::not_converged : shown;
}

Exit play(const Asked& asked, const DemandSeriesScenario& demands) {
  const auto once = [&](std::uint64_t seed, int threads, const simulation::Progress& progress) {
    return simulation::simulate_demands(demands, seed, threads, progress);
  };
  const auto outcomes = simulation::replicate<DemandSeriesOutcome>(
      seeds_for(asked), asked.options.threads, once, percent_progress(asked.scenario.name));
  if (!outcomes) return report_error(with_file(outcomes.error(), {asked.scenario.name}));
  std::vector<report::DemandsRun> runs;
  for (const DemandSeriesOutcome& outcome : *outcomes) runs.push_back({title_of(asked), demands, outcome});
  const Exit shown = show(asked, runs);
  const bool converged = std::all_of(outcomes->begin(), outcomes->end(), every_iteration_converged);
  return shown == Exit::done && !converged ? Exit::not_converged : shown;
}

Exit play(const Asked& asked, const OverlayScenario& overlay) {
  const Result<Problem> cluster = read_overlay_cluster(overlay, asked.input);
  if (!cluster) return report_error(cluster.error());
  OverlayScenario played = overlay;
  const bool pictured = !page_of(asked).empty() && report::total_servers(*cluster) <= kServersOfAPage;
  if (pictured && overlay.frames == 0) played.frames = kFramesOfAPage;
  const auto once = [&](std::uint64_t seed, int threads, const simulation::Progress& progress) {
    return simulation::run_overlay(*cluster, played, seed, threads, progress);
  };
  const std::vector<std::uint64_t> seeds = seeds_for(asked);
  const auto outcomes = simulation::replicate<std::vector<OverlayRun>>(seeds, asked.options.threads, once,
                                                                       percent_progress(asked.scenario.name));
  if (!outcomes) return report_error(with_file(outcomes.error(), {asked.scenario.name, overlay.cluster}));
  std::vector<report::OverlayRuns> runs;
  for (const std::vector<OverlayRun>& outcome : *outcomes) {
    runs.push_back({title_of(asked), seeds[runs.size()], overlay, *cluster, outcome});
  }
  const Exit shown = show(asked, runs);
  const bool kept = std::all_of(runs.begin(), runs.end(), all_promises_kept);
  return shown == Exit::done && !kept ? Exit::not_converged : shown;
}

namespace {

using simulation::Scenario;

Exit run(const SimulateOptions& options) {
  if (options.scenario.empty())
    return report_error(
        {.message = "name a scenario file, or search for faults with --search", .key = "SCENARIO"});
  const Result<InputText> input = read_input(options.scenario);
  if (!input) return report_error(input.error());
  const Result<Scenario> scenario = simulation::read_scenario_text(input->text, input->syntax, input->name);
  if (!scenario) return report_error(explain_wrong_kind(scenario.error(), FileKind::scenario));
  const Asked asked{options, *input, *scenario};
  if (const Check wrong = check_seeds(options.seed.value_or(0), scenario->seeds.size()))
    return report_error(*wrong);
  if (const Check clash = check_outputs(asked)) return report_error(*clash);
  return std::visit([&](const auto& what) { return play(asked, what); }, scenario->what);
}

}  // namespace

Command add_simulate(CLI::App& app) {
  auto options = std::make_shared<SimulateOptions>();
  auto flags = std::make_shared<SearchFlags>();
  CLI::App* command = app.add_subcommand(
      "simulate", "Simulate random traffic or a trace, under several policies side by side");
  command
      ->add_option("SCENARIO", options->scenario,
                   "The scenario file, in YAML or JSON; - reads it from standard input")
      ->type_name("FILE");
  CLI::Option* seed = command->add_option(
      "--seed", options->seed,
      "Seed of all random numbers, instead of the scenario's own; of several runs the first");
  take_whole_number(seed->default_str("1"), 0);
  add_threads_option(*command, options->threads, "Simulate on this many threads");
  add_output_options(*command, options->output, {"table", "json", "csv"});
  add_page_options(*command, options->page,
                   "What to call the scenario; default: `title` of its file, or the file");

  add_search_options(*command, *flags);

  Manual manual;
  manual.paragraphs = {
      "Runs a scenario once for each policy on the same arrivals, through the same code that divides and "
      "fills, and compares the outcomes.",
      "A scenario of the kind traffic is random: classes of jobs that arrive and leave, at several loads. "
      "One of the kind trace plays a workload file, such as `mirab import` writes, on a cluster file, task "
      "by task; one of the kind reallocation does so with divisible jobs; one of the kind demands draws "
      "users whose demands change; one of the kind overlay lets servers gossip over a network that may "
      "fail. docs/reference/simulate.md describes them. Paths in a scenario are relative to it.",
      "The same scenario and seed give the same bytes, for any number of threads, except for measured "
      "times: the solver's time in the table of a reallocation, and `seconds` in its JSON. With several "
      "seeds in the scenario, each is a run, and the result shows the spread of the figures over the runs.",
      "With --search, no scenario is run: from each seed a cluster and a plan of faults are drawn "
      "(messages lost, doubled, late and garbled, partitions, crashes, slow servers, servers that join and "
      "leave), and the promises of docs/explanation/overlay-faults.md are checked after every event. The "
      "first run that breaks one is made as small as can be; the exit status is then 1."};
  manual.exits = {{1, "a search found a broken promise, or something failed, such as a full disk"},
                  {3, "an outcome did not converge, or broke a promise; it is printed, and marked"}};
  manual.examples = {
      {"mirab simulate examples/traffic-two-classes.yaml --threads 2", "DRF and PF under random traffic"},
      {"mirab simulate scenario.yaml --seed 2 --format json -o out.json",
       "The same with other random numbers"},
      {"mirab simulate --search --seeds 10 --scheduler dgdrf", "Does any fault break what DGDRF promises?"},
  };
  return {command, std::move(manual), [options, flags](const std::string& line) {
            options->command = line;
            return flags->search ? search(*flags, *options) : run(*options);
          }};
}

}  // namespace mirab::cli
