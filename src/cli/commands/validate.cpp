#include <CLI/CLI.hpp>
#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sstream>

#include <mirab/mechanisms/mechanism.hpp>
#include <mirab/model/cluster_file.hpp>
#include <mirab/model/workload_file.hpp>
#include <mirab/scheduling/event_log.hpp>

#include "cli/io/alike.hpp"
#include "cli/io/cluster_notices.hpp"
#include "cli/io/input.hpp"
#include "cli/io/output.hpp"
#include "cli/io/scenario_input.hpp"
#include "cli/program.hpp"
#include "lab/simulation/reallocation/division.hpp"
#include "lab/simulation/replay/input.hpp"
#include "lab/simulation/scenario.hpp"
#include "model/teams_file.hpp"
#include "report/outcome/comparison.hpp"
#include "report/text/format.hpp"

namespace mirab::cli {
namespace {

using report::counted;
using simulation::DemandSeriesScenario;
using simulation::OverlayScenario;
using simulation::ReallocationScenario;
using simulation::TraceScenario;
using simulation::TrafficScenario;

/// What a file holds, in words; or the first thing that is wrong with it.
using Summary = Result<std::string>;

/// A line for each entry that --alike makes of several servers: `  node: node-1, node-2`; none where 'mirab
/// allocate' would divide all as they are.
Summary together_words(const Problem& problem, const std::string& alike) {
  const Recommendation taken = recommended(problem);
  const std::vector<Choice> mechanisms(taken.choice.name.empty() ? 0 : 1, taken.choice);
  const Result<Problem> divided = as_divided({.problem = problem, .mechanisms = mechanisms}, alike, {});
  if (!divided) return divided.error();
  if (divided->server_count() == problem.server_count())
    return std::string("; all servers are divided as they are");
  std::string words = ", of which count together:";
  for (const auto& [entry, servers] : servers_together(problem, alike))
    words += fmt::format("\n  {}: {}", entry, fmt::join(servers, ", "));
  return words;
}

Summary summary_of(const Problem& problem) {
  const std::vector<Group>& groups = problem.groups();
  const auto with_shapes = static_cast<std::size_t>(
      std::count_if(groups.begin(), groups.end(), [](const Group& group) { return group.is_user; }));
  const std::vector<User>& users = problem.users();
  const auto shapes = static_cast<std::size_t>(
      std::count_if(users.begin(), users.end(), [](const User& user) { return user.shape.has_value(); }));
  std::string summary = counted(users.size() - shapes + with_shapes, "user");
  if (shapes > 0) summary += fmt::format(" with {}", counted(shapes, "task shape"));
  if (groups.size() > with_shapes)
    summary += fmt::format(", {}", counted(groups.size() - with_shapes, "group"));
  return fmt::format("{}, {}, {}", summary,
                     counted(static_cast<std::size_t>(report::total_servers(problem)), "server"),
                     counted(problem.resource_count(), "resource"));
}

Summary summary_of(const Workload& workload) {
  return fmt::format("workload, {}, {}, {}", counted(workload.users.size(), "user"),
                     counted(workload.jobs.size(), "job"), counted(workload.resources.size(), "resource"));
}

Summary summary_of(const TrafficScenario& traffic) {
  const std::size_t classes = traffic.classes.size();
  return fmt::format("traffic, {} {}, {}, {}", classes, classes == 1 ? "class" : "classes",
                     counted(traffic.mechanisms.size(), "mechanism"), counted(traffic.loads.size(), "load"));
}

/// Whatever a run would refuse before it plays.
Check check_run(const Inputs& inputs, const TraceScenario& trace) {
  const auto played =
      simulation::replay_input(inputs.cluster, inputs.workload, trace.options.scale, 1, inputs.teams);
  return played ? Check{} : played.error();
}

Check check_run(const Inputs& inputs, const ReallocationScenario& reallocation) {
  return simulation::check_reallocation(inputs.cluster, inputs.workload, reallocation.options);
}

/// The files that a scenario names are read too, and held against each other.
template <class Run>
Check check_inputs(const Run& run) {
  InputFiles files{{}, run.cluster, run.workload};
  if constexpr (requires { run.teams; }) files.teams = run.teams;
  const Result<Inputs> inputs = read_inputs(files, run.duration);
  if (!inputs) return inputs.error();
  if (Check wrong = check_run(*inputs, run)) return with_file(*std::move(wrong), files);
  return {};
}

Summary summary_of(const TraceScenario& trace) {
  if (Check wrong = check_inputs(trace)) return *std::move(wrong);
  return fmt::format("trace, {}", counted(trace.options.contenders.size(), "contender"));
}

Summary summary_of(const ReallocationScenario& reallocation) {
  if (Check wrong = check_inputs(reallocation)) return *std::move(wrong);
  return fmt::format("reallocation, {}", counted(reallocation.options.mechanisms.size(), "mechanism"));
}

Summary summary_of(const DemandSeriesScenario& demands) {
  return fmt::format("demands, {}, {}", counted(demands.mechanisms.size(), "mechanism"),
                     counted(static_cast<std::size_t>(demands.iterations), "iteration"));
}

Summary summary_of(const OverlayScenario& overlay, const InputText& input) {
  const Result<Problem> cluster = read_overlay_cluster(overlay, input);
  if (!cluster) return cluster.error();
  return fmt::format("overlay, {}", counted(overlay.rules.size(), "scheduler"));
}

Summary check_scenario(const InputText& input) {
  const Result<simulation::Scenario> scenario =
      simulation::read_scenario_text(input.text, input.syntax, input.name);
  if (!scenario) return scenario.error();
  Summary summary = std::visit(
      [&](const auto& what) {
        if constexpr (requires { summary_of(what, input); }) {
          return summary_of(what, input);
        } else {
          return summary_of(what);
        }
      },
      scenario->what);
  if (summary) return summary;
  return with_line(with_file(summary.error(), {input.name}), input);
}

Summary check_workload(const std::string& file, const InputText& input) {
  const Result<Workload> workload =
      file == kStandardInput ? read_workload_text(input.text, input.name) : read_workload_file(file);
  if (!workload) return workload.error();
  return summary_of(*workload);
}

/// All of it is decided again.
Summary check_event_log(const InputText& input) {
  std::istringstream log(input.text);
  const Result<scheduling::Engine> engine = scheduling::replay(log, input.name);
  if (!engine) return engine.error();
  const auto lines = std::count(input.text.begin(), input.text.end(), '\n');
  return fmt::format("event log, {}, every decision as logged; in the end {}, {}, {}",
                     counted(static_cast<std::size_t>(lines), "line"),
                     counted(engine->server_count(), "server"), counted(engine->user_count(), "user"),
                     counted(engine->running_count(), "running task"));
}

Summary check_teams(const std::string& file, std::string_view members_key) {
  if (file == kStandardInput)
    return Error{.message = "a teams file is checked by its name, not from standard input"};
  const Result<LiveTeams> teams = LiveTeams::read(file, members_key);
  if (!teams) return teams.error();
  return fmt::format("teams, {}, {} of {}", counted(teams->group_count(), "group"),
                     counted(teams->name_count(), "name"), members_key);
}

/// What is no workload by its first bytes and no scenario by its key `kind` is held for a cluster.
Summary check(const std::string& file, const std::string& alike) {
  const Result<InputText> input = read_input(file);
  if (!input) return input.error();
  if (scheduling::is_event_log(input->text)) return check_event_log(*input);
  if (is_workload(input->text)) return check_workload(file, *input);
  const Result<Problem> problem = read_cluster_text(input->text, input->syntax, input->name);
  if (problem) {
    print_slips({.cluster = file}, *problem);
    if (alike.empty()) return summary_of(*problem);
    const Summary together = together_words(*problem, alike);
    return together ? *summary_of(*problem) + *together : together;
  }
  if (const std::optional<ForeignKind> foreign = foreign_kind(*input))
    return Error{.message = fmt::format("is no file of Mirab's own, but {}", foreign->description),
                 .file = input->name};
  if (Check packed = check_unpacked(*input)) return *std::move(packed);
  if (simulation::is_scenario(input->text, input->syntax)) return check_scenario(*input);
  if (const auto members_key = teams_members_key(input->text, input->syntax))
    return check_teams(file, *members_key);
  Error error = problem.error();
  if (error.key.empty() && error.message.starts_with("must be a map"))
    error.message = "is neither a cluster, a scenario nor a workload file: " + error.message;
  return error;
}

Exit run(const std::vector<std::string>& files, const std::string& alike) {
  std::string good;
  Exit exit = Exit::done;
  for (const std::string& file : files) {
    const Summary summary = check(file, alike);
    if (summary) {
      good += fmt::format("{}: ok, {}\n", file, *summary);
    } else {
      exit = report_error(summary.error());
    }
  }
  if (exit != Exit::done) return exit;
  if (const Check failure = write_text(kStandardOutput, good)) return report_error(*failure, Exit::failed);
  return Exit::done;
}

}  // namespace

Command add_validate(CLI::App& app) {
  auto files = std::make_shared<std::vector<std::string>>();
  auto alike = std::make_shared<std::string>();
  CLI::App* command =
      app.add_subcommand("validate", "Check cluster, workload, scenario and teams files, and event logs");
  command
      ->add_option("FILE", *files,
                   "Cluster, scenario and teams files, in YAML or JSON, workload files and event logs; - "
                   "reads one from "
                   "standard input")
      ->required()
      ->type_name("FILE");
  take_percent(command->add_option(
      "--alike", *alike,
      "Of a cluster, also print which servers count together under this option of 'mirab allocate', by the "
      "entry that stands for them; none where it would divide all servers as they are"));

  Manual manual;
  manual.paragraphs = {
      "Reads every file and prints one line for each. Checks everything that the schemas state, and more: "
      "that names are unique and known, that amounts can be counted, that every user may run on a server, "
      "that the arrivals of a scenario add up, that the files that it names can be read and go together. The "
      "kind of a file is detected: a scenario has the key `kind`, a workload and an event log their own "
      "first "
      "line, a teams file groups and no servers. An event log of an engine, as `mirab kube --event-logs` "
      "writes it, is decided again: every "
      "decision must be the one in the log. When a file "
      "is wrong, only the errors are printed, with file, line and key, for all wrong "
      "files. What is allowed but looks like a slip is noted on standard error: a user of whom no server "
      "holds one whole task, a demand without a unit where servers have many millions, a guarantee that "
      "covers "
      "no task or that the servers do not hold, a server on which no user may run, with what keeps users "
      "off."};
  manual.examples = {{"mirab validate examples/*.yaml", "Check them all"},
                     {"mirab validate cluster.yaml --alike 1", "Which servers would count together"}};
  return {command, std::move(manual), [files, alike](const std::string&) { return run(*files, *alike); }};
}

}  // namespace mirab::cli
