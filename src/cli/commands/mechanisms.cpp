#include <CLI/CLI.hpp>

#include <mirab/mechanisms/mechanism.hpp>

#include "cli/io/output.hpp"
#include "cli/options.hpp"
#include "cli/program.hpp"
#include "report/audit/registry.hpp"

namespace mirab::cli {
namespace {

struct MechanismsFlags {
  OutputOptions output;
  std::string name;
};

std::string formatted(const report::Registry& registry, const MechanismsFlags& options) {
  if (options.output.format == "json") return report::registry_json(registry);
  if (options.output.format == "csv") return report::registry_csv(registry);
  if (options.output.format == "markdown") return report::registry_markdown(registry);
  const std::size_t width = columns_of(options.output.file);
  return options.name.empty() ? report::registry_table(registry, width)
                              : report::registry_details(registry, width);
}

Exit run_mechanisms(const MechanismsFlags& options) {
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
  add_output_options(*command, options->output, {"table", "json", "csv", "markdown"});

  Manual manual;
  manual.paragraphs = {
      "Lists the mechanisms that allocate accepts, and the disciplines and placements that fill accepts. "
      "With a name, describes each entry of that name: what it maximises, which options and input it "
      "accepts, and which fairness properties are claimed for it, and by whom."};
  manual.examples = {{"mirab mechanisms", "The list"},
                     {"mirab mechanisms pf", "All about proportional fairness"}};
  return {command, std::move(manual), [options](const std::string&) { return run_mechanisms(*options); }};
}

}  // namespace mirab::cli
