#include <CLI/CLI.hpp>

#include <mirab/traces/swf.hpp>

#include "cli/importing.hpp"
#include "cli/options.hpp"

namespace mirab::cli {
namespace {

constexpr std::uint64_t kMostDays = 36'500;

struct Swf {
  std::string log;
  ImportFiles files;
  traces::SwfOptions options;
};

Exit run(const Swf& options, const std::string& command_line) {
  if (const auto wrong = check_files(options.files, {options.log})) return complain(*wrong);
  const Result<traces::WorkloadImport> import = traces::import_swf(options.log, options.options);
  if (!import) return complain(import.error());
  return write_import(*import, options.files, command_line);
}

}  // namespace

Command add_import_swf(CLI::App& import) {
  auto options = std::make_shared<Swf>();
  CLI::App* command =
      import.add_subcommand("swf", "Make a workload file from a Standard Workload Format log");
  command->add_option("LOG", options->log, "A log of the Parallel Workloads Archive, gzipped or plain")
      ->required()
      ->type_name("FILE");
  add_cluster_file(*command, options->files);
  add_workload_file(*command, options->files)->required();
  take_whole_number(command->add_option("--processors", options->options.processors,
                                        "So many single processors, whatever the head of the log says"),
                    1, INT32_MAX);

  take_whole_number(
      command->add_option("--days", options->options.days, "Only the jobs submitted within the first N days"),
      1, kMostDays);

  Manual manual;
  manual.paragraphs = {
      "Reads a log of 18 fields a job. A job becomes a task of one CPU for each of its processors, all of "
      "which start together. The servers are the nodes that the head of the log names, with their memory "
      "where it tells it.",
  };
  manual.examples = {
      {"mirab import swf CTC-SP2-1996-3.1-cln.swf.gz -o ctc.yaml --workload ctc.workload.gz",
       "The jobs of a year"},
  };
  return {command, std::move(manual), [options](const std::string& line) { return run(*options, line); }};
}

}  // namespace mirab::cli
