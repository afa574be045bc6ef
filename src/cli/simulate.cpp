#include <CLI/CLI.hpp>

#include "cli/commands.hpp"
#include "cli/file_kind.hpp"
#include "cli/searching.hpp"
#include "cli/simulating.hpp"

namespace mirab::cli {
namespace {

using simulation::Scenario;

Exit run(const SimulateOptions& options) {
  if (options.scenario.empty())
    return complain(
        {.message = "name a scenario file, or search for faults with --search", .key = "SCENARIO"});
  const Result<InputText> input = read_input(options.scenario);
  if (!input) return complain(input.error());
  const Result<Scenario> scenario = simulation::read_scenario_text(input->text, input->syntax, input->name);
  if (!scenario) return complain(of_wrong_kind(scenario.error(), FileKind::scenario));
  const Asked asked{options, *input, *scenario};
  if (const Check wrong = check_seeds(options.seed.value_or(0), scenario->seeds.size()))
    return complain(*wrong);
  if (const Check clash = check_outputs(asked)) return complain(*clash);
  return std::visit([&](const auto& what) { return play(asked, what); }, scenario->what);
}

}  // namespace

Command add_simulate(CLI::App& app) {
  auto options = std::make_shared<SimulateOptions>();
  auto flags = std::make_shared<SearchFlags>();
  CLI::App* command =
      app.add_subcommand("simulate", "Play random traffic or a trace, under several policies side by side");
  command
      ->add_option("SCENARIO", options->scenario,
                   "The scenario file, in YAML or JSON; - reads it from standard input")
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

  add_search_options(*command, *flags);

  Manual manual;
  manual.paragraphs = {
      "Answers what would have happened: plays what the scenario file says through the same code that "
      "divides and fills, once for each policy on the same arrivals, and lays the outcomes side by side.",
      "A scenario of the kind traffic is random: classes of jobs that arrive and leave, at several loads. "
      "One "
      "of the kind trace plays a workload file, such as `mirab import` writes, on a cluster file, task by "
      "task; "
      "one of the kind reallocation does so with divisible jobs; one of the kind demands draws users whose "
      "demands change; one of the kind overlay lets servers gossip over a network that may fail. "
      "docs/simulate.md describes them. Paths in a scenario are relative to it.",
      "The same scenario and seed give the same bytes, whatever the number of threads, except for what a "
      "clock "
      "says: the solver's time in the table of a reallocation, and `seconds` in its JSON. With several seeds "
      "in "
      "the scenario, every one is a run, and the result is how the figures are spread over the runs.",
      "With --search, no scenario is played: from each seed a cluster and a plan of faults are drawn "
      "(messages "
      "lost, doubled, late and garbled, partitions, crashes, slow servers, servers that join and leave), and "
      "the promises of docs/overlay-faults.md are checked after every event. The first run that breaks one "
      "is "
      "made as small as can be; the exit status is then 1.",
  };
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
