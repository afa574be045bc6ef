#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <mirab/model/cluster_file.hpp>

#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "report/comparison.hpp"
#include "report/figures.hpp"

namespace mirab::cli {
namespace {

Exit run(const std::vector<std::string>& files) {
  std::string good;
  Exit exit = Exit::done;
  for (const std::string& file : files) {
    const Result<Problem> problem = read_cluster_file(file);
    if (!problem) {
      exit = complain(problem.error());
      continue;
    }
    good += fmt::format("{}: ok, {}, {}, {}\n", file, report::counted(problem->user_count(), "user"),
                        report::counted(static_cast<std::size_t>(report::total_servers(*problem)), "server"),
                        report::counted(problem->resource_count(), "resource"));
  }
  if (exit != Exit::done) return exit;
  if (const Check failure = write_text(kStandardOutput, good)) return complain(*failure, Exit::failed);
  return Exit::done;
}

}  // namespace

Command add_validate(CLI::App& app) {
  auto files = std::make_shared<std::vector<std::string>>();
  CLI::App* command = app.add_subcommand("validate", "Check cluster files");
  command->add_option("FILE", *files, "Cluster files, in YAML or JSON; - reads one from standard input")
      ->required()
      ->type_name("FILE");

  Manual manual;
  manual.paragraphs = {
      "Reads every file and prints one line for each. Checks everything that the schema of cluster files "
      "says, and more: that names are unique and known, that amounts can be counted, that every user fits "
      "on a server. When a file is wrong, only the errors are "
      "printed, each with file, line and key, for all the files that are wrong."};
  manual.examples = {{"mirab validate examples/*.yaml", "Check them all"}};
  return {command, std::move(manual), [files](const std::string&) { return run(*files); }};
}

}  // namespace mirab::cli
