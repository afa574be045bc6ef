#include <CLI/CLI.hpp>

#include <mirab/mechanisms/mechanism.hpp>

#include "cli/commands.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "report/registry.hpp"

namespace mirab::cli {
namespace {

struct Options {
  OutputOptions output;
  std::string name;
};

std::string formatted(const report::Registry& registry, const Options& options) {
  if (options.output.format == "json") return report::registry_json(registry);
  if (options.output.format == "csv") return report::registry_csv(registry);
  if (options.output.format == "markdown") return report::registry_markdown(registry);
  return options.name.empty() ? report::registry_table(registry) : report::registry_details(registry);
}

Exit run(const Options& options) {
  Result<report::Registry> registry =
      options.name.empty() ? report::whole_registry() : report::named(options.name);
  if (!registry) return complain(registry.error());
  if (const Check failure = write_text(options.output.file, formatted(*registry, options))) {
    return complain(*failure, Exit::failed);
  }
  return Exit::done;
}

}  // namespace

Command add_mechanisms(CLI::App& app) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("mechanisms", "List the mechanisms, disciplines and placements");
  command->add_option("NAME", options->name, "Say everything about this one")->type_name("NAME");
  add_output_options(*command, options->output, {"table", "json", "csv", "markdown"});

  Manual manual;
  manual.paragraphs = {
      "Lists what allocate takes as a mechanism and what fill takes as a discipline and a placement. With a "
      "name, says "
      "of each that bears it what it maximises, which options and input it takes, which fairness properties "
      "are claimed "
      "for it, and by whom."};
  manual.examples = {{"mirab mechanisms", "The list"},
                     {"mirab mechanisms pf", "All about proportional fairness"}};
  return {command, std::move(manual), [options](const std::string&) { return run(*options); }};
}

}  // namespace mirab::cli
