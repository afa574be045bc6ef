#include <CLI/CLI.hpp>

#include <mirab/mechanisms/mechanism.hpp>

#include "cli/io/input.hpp"
#include "cli/io/output.hpp"
#include "cli/options.hpp"
#include "cli/program.hpp"
#include "report/audit/registry.hpp"

namespace mirab::cli {
namespace {

struct MechanismsFlags {
  OutputOptions output;
  std::string name;
  ClusterFiles files;  ///< of the cluster for which one is wanted; none: the list
};

std::string formatted(const report::Registry& registry, const MechanismsFlags& options) {
  if (options.output.format == "json") return report::registry_json(registry);
  if (options.output.format == "csv") return report::registry_csv(registry);
  if (options.output.format == "markdown") return report::registry_markdown(registry);
  const std::size_t width = columns_of(options.output.file);
  return options.name.empty() ? report::registry_table(registry, width)
                              : report::registry_details(registry, width);
}

Exit run_chooser(const MechanismsFlags& options) {
  if (!options.name.empty())
    return report_error({.message = "give a NAME or --for, not both", .key = "--for"});
  if (options.output.format != "table" && options.output.format != "json")
    return report_error({.message = "goes with --format table and json", .key = "--for"});
  if (const Check wrong =
          check_destinations({{"-o", options.output.file}}, {options.files.cluster, options.files.teams}))
    return report_error(*wrong);
  const Result<Problem> problem = read_problem(options.files);
  if (!problem) return report_error(problem.error());
  const report::ClusterChoice choice{title_of(options.files.cluster), *problem};
  const std::string text = options.output.format == "json"
                               ? report::chooser_json(choice)
                               : report::chooser_table(choice, columns_of(options.output.file));
  if (const Check failure = write_text(options.output.file, text))
    return report_error(*failure, Exit::failed);
  return Exit::done;
}

Exit run_mechanisms(const MechanismsFlags& options) {
  if (!options.files.cluster.empty()) return run_chooser(options);
  if (!options.files.teams.empty()) return report_error({.message = "goes with --for", .key = "--teams"});
  Result<report::Registry> registry =
      options.name.empty() ? report::whole_registry() : report::named(options.name);
  if (!registry) return report_error(registry.error());
  if (const Check wrong = check_destinations({{"-o", options.output.file}})) return report_error(*wrong);
  if (const Check failure = write_text(options.output.file, formatted(*registry, options))) {
    return report_error(*failure, Exit::failed);
  }
  return Exit::done;
}

}  // namespace

Command add_mechanisms(CLI::App& app) {
  auto options = std::make_shared<MechanismsFlags>();
  CLI::App* command = app.add_subcommand("mechanisms", "List the mechanisms, disciplines and placements");
  command->add_option("NAME", options->name, "Describe this one")->type_name("NAME");
  command
      ->add_option(
          "--for", options->files.cluster,
          "Say which mechanisms apply to this cluster file, what each ignores in it, and which one to "
          "take")
      ->type_name("FILE");
  add_teams_option(*command, options->files.teams);
  add_output_options(*command, options->output, {"table", "json", "csv", "markdown"});

  Manual manual;
  manual.paragraphs = {
      "Lists the mechanisms that allocate accepts, the disciplines and placements that fill accepts, and the "
      "disciplines that contenders of a replay (simulate) have in addition. "
      "With a name, describes each entry of that name: what it maximises, which options and input it "
      "accepts, and which fairness properties are claimed for it, and by whom."};
  manual.examples = {{"mirab mechanisms", "The list"},
                     {"mirab mechanisms --for cluster.yaml", "Which one to take for this cluster"},
                     {"mirab mechanisms pf", "All about proportional fairness"},
                     {"mirab mechanisms easy", "What a baseline of replays does, and its source"}};
  return {command, std::move(manual), [options](const std::string&) { return run_mechanisms(*options); }};
}

}  // namespace mirab::cli
