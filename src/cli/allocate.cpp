#include <CLI/CLI.hpp>

#include "cli/commands.hpp"
#include "cli/comparing.hpp"

namespace mirab::cli {
namespace {

struct Options {
  ComparingOptions comparing;
  std::vector<std::string> mechanisms;
  std::vector<std::string> fillings;
};

/// Reads `discipline[/placement]`.
Result<std::vector<FillChoice>> read_filling(const std::string& text) {
  const std::size_t slash = text.find('/');
  Result<Choice> discipline = read_choice(text.substr(0, slash), "--fill", choose_discipline);
  if (!discipline) return discipline.error();
  if (slash == std::string::npos) return fillings_of(*discipline, {});
  const Result<Choice> placement = read_choice(text.substr(slash + 1), "--fill", choose_placement);
  if (!placement) return placement.error();
  return fillings_of(*discipline, {*placement});
}

Exit run(const Options& options) {
  if (options.mechanisms.empty() && options.fillings.empty()) {
    return complain({.message = "name at least one; 'mirab mechanisms' lists them", .key = "--mechanism"});
  }
  const Result<std::vector<Choice>> mechanisms =
      read_choices(options.mechanisms, "--mechanism", choose_mechanism);
  if (!mechanisms) return complain(mechanisms.error());
  std::vector<FillChoice> fillings;
  for (const std::string& text : options.fillings) {
    const Result<std::vector<FillChoice>> filling = read_filling(text);
    if (!filling) return complain(filling.error());
    fillings.insert(fillings.end(), filling->begin(), filling->end());
  }
  return compare(options.comparing, *mechanisms, fillings,
                 options.comparing.report.empty() ? Steps::dropped : Steps::in_report);
}

}  // namespace

Command add_allocate(CLI::App& app) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("allocate", "Divide a cluster fairly among its users");
  add_list_option(*command, "-m,--mechanism", options->mechanisms,
                  "How to divide, with options after a colon (alpha-fair:alpha=2); repeat to compare",
                  "MECHANISM");
  add_list_option(*command, "--fill", options->fillings,
                  "Lay a task-by-task filling beside the mechanisms: a discipline, and after a slash a "
                  "placement (default first-fit); may be repeated",
                  "FILLING");
  add_comparing_options(*command, options->comparing);
  add_threads_option(*command, options->comparing.threads);

  Manual manual;
  manual.paragraphs = {
      "Computes what every user of the cluster gets under each mechanism and shows the outcomes "
      "side by side: the tasks that a user can run (a real number: tasks are divisible here) and "
      "its dominant share, the largest part of any one resource of the cluster that it holds. "
      "Below stand measures of fairness and how much of each resource is used.",
  };
  manual.examples = {
      {"mirab allocate examples/slides.yaml -m drf", "Dominant Resource Fairness on the textbook example"},
      {"mirab allocate cluster.yaml -m drf -m asset -m pf --report shares.html",
       "Compare three mechanisms, with pictures"},
      {"mirab allocate cluster.yaml -m drf --fill drf/best-fit --fill fifo",
       "Divisible shares beside whole tasks"},
      {"mirab allocate cluster.yaml -m pf --format json | jq '.outcomes[0].users'", "For other programs"},
  };
  return {command, std::move(manual), [options](const std::string& line) {
            options->comparing.command = line;
            return run(*options);
          }};
}

}  // namespace mirab::cli
