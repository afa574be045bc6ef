#include "cli/simulating.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <numeric>
#include <utility>

#include "cli/destinations.hpp"
#include "cli/output.hpp"
#include "cli/scenario_inputs.hpp"
#include "cli/terminal.hpp"
#include "report/outcome_json.hpp"
#include "report/page/page.hpp"
#include "report/replications.hpp"
#include "report/simulation.hpp"

namespace mirab::cli {
namespace {

using simulation::Outputs;
using simulation::Scenario;

/// Every file that is written, with the option or key that names it.
std::vector<Destination> destinations(const SimulateOptions& options, const Outputs& outputs) {
  std::vector<Destination> all = {{"-o", options.output.file},      {"--report", options.report},
                                  {"outputs.table", outputs.table}, {"outputs.json", outputs.json},
                                  {"outputs.csv", outputs.csv},     {"outputs.report", outputs.report}};
  std::erase_if(all, [](const Destination& destination) { return destination.file.empty(); });
  return all;
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
const Run& first_of(const Run& run) {
  return run;
}

template <class Run>
const Run& first_of(const std::vector<Run>& runs) {
  return runs.front();
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

const std::string& page_of(const Asked& asked) {
  return asked.options.report.empty() ? asked.scenario.outputs.report : asked.options.report;
}

simulation::Progress progress_line(const std::string& title) {
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
  return at_its_line(*std::move(wrong), asked.input);
}

template <class RunOrRuns>
Exit show(const Asked& asked, const RunOrRuns& run) {
  const Outputs& outputs = asked.scenario.outputs;
  const OutputOptions& output = asked.options.output;
  for (const auto& [format, file] :
       {std::pair("table", outputs.table), std::pair("json", outputs.json), std::pair("csv", outputs.csv)}) {
    if (file.empty()) continue;
    if (const Check failure = write_text(file, formatted(run, format, file)))
      return complain(*failure, Exit::failed);
  }
  if (const std::string& page = page_of(asked); !page.empty()) {
    const std::string html =
        report::simulation_html(report::page_template(), first_of(run), asked.options.command);
    if (const Check failure = write_text(page, html)) return complain(*failure, Exit::failed);
  }
  const std::string result = formatted(run, output.format, output.file);
  if (const Check failure = write_text(output.file, result)) return complain(*failure, Exit::failed);
  return Exit::done;
}

template Exit show(const Asked&, const std::vector<report::TrafficRun>&);
template Exit show(const Asked&, const std::vector<report::ReplayRun>&);
template Exit show(const Asked&, const report::ReallocationRun&);
template Exit show(const Asked&, const std::vector<report::DemandsRun>&);
template Exit show(const Asked&, const std::vector<report::OverlayRuns>&);

}  // namespace mirab::cli
