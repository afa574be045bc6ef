#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <mirab/model/cluster_file.hpp>
#include <mirab/model/random.hpp>
#include <mirab/traces/google2011.hpp>

#include "cli/commands.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "cli/terminal.hpp"
#include "report/text_width.hpp"

namespace mirab::cli {
namespace {

struct Google2011 {
  std::vector<std::string> inputs;
  std::string file = kStandardOutput;
  traces::Google2011Options part;
  std::uint64_t seed = 1;
};

/// A line that counts up, when somebody is there to see it.
traces::ReadProgress progress_line() {
  if (!shows_progress()) return {};
  return [](std::uint64_t done, std::uint64_t total) {
    const std::uint64_t percent = total == 0 ? 100 : 100 * done / total;
    const bool over = done >= total;
    show_progress(over ? "" : fmt::format("mirab: read {} % of {} MB", percent, total / 1'000'000));
  };
}

Exit run(const Google2011& options, const std::string& command_line) {
  for (const std::string& input : options.inputs) {
    if (!would_replace(options.file, input)) continue;
    return complain(
        {.message = fmt::format("'{}' is an input, which would be replaced", options.file), .key = "-o"});
  }
  Random random(options.seed);
  const Result<traces::Google2011Import> import =
      traces::import_google2011(options.inputs, options.part, random, progress_line());
  if (!import) return complain(import.error());
  for (const std::string& notice : import->notices) {
    fmt::print(stderr, "mirab: note: {}\n", report::printable(notice));
  }

  std::vector<std::string> comment = import->provenance;
  comment.push_back("Made by: " + command_line);
  if (const Check failure = write_text(options.file, write_cluster_yaml(import->cluster, comment))) {
    return complain(*failure, Exit::failed);
  }
  return Exit::done;
}

Command add_google2011(CLI::App& import) {
  auto options = std::make_shared<Google2011>();
  CLI::App* command =
      import.add_subcommand("google2011", "Make a cluster file from the Google cluster trace of 2011");
  command
      ->add_option("INPUT", options->inputs,
                   "Part files of machine_events and task_events, gzipped or plain, or their folders")
      ->required()
      ->type_name("FILE");
  command->add_option("-o", options->file, "Write the cluster file to FILE instead of standard output")
      ->type_name("FILE");
  take_whole_number(command->add_option("--sample-machines", options->part.sample_machines,
                                        "Draw so many of the machines, instead of taking all"),
                    1);
  take_whole_number(command->add_option("--sample-users", options->part.sample_users,
                                        "Draw so many of the users, instead of taking all"),
                    1);
  add_seed_option(*command, options->seed);

  Manual manual;
  manual.paragraphs = {
      "Reads the raw files of ClusterData2011_2. Servers are the machines present at time 0, in "
      "full as one entry for each platform and capacity, in a sample one by one. Every user has "
      "endless demand for the request of one of its tasks, drawn at random. The head of the file "
      "says where it comes from; what was left out is said on standard error.",
  };
  manual.examples = {
      {"mirab import google2011 machine_events/ task_events/ -o google2011.yaml", "The whole machine park"},
      {"mirab import google2011 clusterdata-2011-2/ --sample-machines 100 --sample-users 20 --seed 7 -o "
       "sample.yaml",
       "A sample to try things on, from a folder with the tables' folders in it; other tables are passed "
       "over"},
  };
  return {command, std::move(manual), [options](const std::string& line) { return run(*options, line); }};
}

}  // namespace

std::vector<Command> add_import(CLI::App& app) {
  CLI::App* import = app.add_subcommand("import", "Make cluster files from public traces");
  import->require_subcommand(1);
  return {add_google2011(*import)};
}

}  // namespace mirab::cli
