#include <CLI/CLI.hpp>

#include <mirab/traces/swf.hpp>

#include "cli/importing.hpp"
#include "cli/options.hpp"

namespace mirab::cli {
namespace {

constexpr std::uint64_t kMostDays = 36'500;

struct Wagap2013 {
  std::string log;
  std::string machines;
  ImportFiles files;
  traces::SwfOptions options;
};

Exit run(const Wagap2013& options, const std::string& command_line) {
  if (const auto wrong = check_files(options.files, {options.log, options.machines})) return complain(*wrong);
  const Result<traces::WorkloadImport> import =
      traces::import_wagap2013(options.log, options.machines, options.options);
  if (!import) return complain(import.error());
  return write_import(*import, options.files, command_line);
}

}  // namespace

Command add_import_wagap2013(CLI::App& import) {
  auto options = std::make_shared<Wagap2013>();
  CLI::App* command =
      import.add_subcommand("wagap2013", "Make a workload file from MetaCentrum's log of 2013");
  command->add_option("LOG", options->log, "wagap-2013.swf, gzipped or plain")->required()->type_name("FILE");
  command->add_option("MACHINES", options->machines, "Its list of machines, wagap-2013.swf.machines")
      ->required()
      ->type_name("FILE");
  add_cluster_file(*command, options->files);
  add_workload_file(*command, options->files)->required();

  take_whole_number(
      command->add_option("--days", options->options.days, "Only the jobs submitted within the first N days"),
      1, kMostDays);

  Manual manual;
  manual.paragraphs = {
      "Reads the log with 21 fields a job, with memory and placement. A job becomes a task for each node "
      "that "
      "it asks for, all of which start together; the clusters that it wants or rejects become a selection "
      "by label. What else it asks for is counted on standard error.",
  };
  manual.examples = {
      {"mirab import wagap2013 wagap-2013.swf.gz wagap-2013.swf.machines -o wagap.yaml --workload "
       "wagap.workload.gz",
       "89 days of 75 users on 68 machines"},
  };
  return {command, std::move(manual), [options](const std::string& line) { return run(*options, line); }};
}

}  // namespace mirab::cli
