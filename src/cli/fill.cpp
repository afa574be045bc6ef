#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "cli/commands.hpp"
#include "cli/comparing.hpp"

namespace mirab::cli {
namespace {

struct Options {
  ComparingOptions comparing;
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

Exit run(const Options& options) {
  if (options.trace && options.comparing.output.format == "csv") {
    return complain({.message = "CSV has no place for steps; take --format table or json", .key = "--trace"});
  }
  if (const Check slash = check_slashes(options.disciplines)) return complain(*slash);
  const Result<std::vector<Choice>> disciplines =
      read_choices(options.disciplines, "--discipline", choose_discipline);
  if (!disciplines) return complain(disciplines.error());
  const Result<std::vector<Choice>> placements =
      read_choices(options.placements, "--placement", choose_placement);
  if (!placements) return complain(placements.error());

  std::vector<FillChoice> fillings;
  for (const Choice& discipline : *disciplines) {
    for (FillChoice& filling : fillings_of(discipline, *placements)) fillings.push_back(std::move(filling));
  }
  const Steps unprinted = options.comparing.report.empty() ? Steps::dropped : Steps::in_report;
  return compare(options.comparing, {}, fillings, options.trace ? Steps::printed : unprinted);
}

}  // namespace

Command add_fill(CLI::App& app) {
  auto options = std::make_shared<Options>();
  CLI::App* command =
      app.add_subcommand("fill", "Place whole tasks, one after the other, until nothing fits");
  add_list_option(*command, "-d,--discipline", options->disciplines, "Whom to serve next; repeat to compare",
                  "DISCIPLINE")
      ->required();
  add_list_option(*command, "-p,--placement", options->placements,
                  "On which server its task goes; repeat to compare", "PLACEMENT")
      ->default_str("first-fit");
  command->add_flag(
      "--trace", options->trace,
      "Print every placement in order, with the user's share per weight after it (table and json)");
  add_comparing_options(*command, options->comparing);

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
      {"mirab fill examples/slides.yaml -d drf --tie last --trace",
       "DRF task by task, as in a textbook table"},
      {"mirab fill cluster.yaml -d fifo -d drf -p first-fit -p best-fit", "Four fillings side by side"},
  };
  return {command, std::move(manual), [options](const std::string& line) {
            options->comparing.command = line;
            return run(*options);
          }};
}

}  // namespace mirab::cli
