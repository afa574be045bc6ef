#include <CLI/CLI.hpp>

#include <mirab/traces/bitbrains.hpp>

#include "cli/importing.hpp"
#include "cli/options.hpp"

namespace mirab::cli {
namespace {

struct Bitbrains {
  std::string table;
  ImportFiles files;
  traces::BitbrainsOptions hosts;
  std::string cpus = "64";
  std::string memory = "512Gi";
};

Check read_amount(const std::string& text, const std::string& option, Quantity& amount) {
  const Result<Quantity> read = Quantity::parse(text);
  if (!read) return Error{.message = read.error().message, .key = option};
  if (read->is_zero()) return Error{.message = "must be more than 0", .key = option};
  amount = *read;
  return {};
}

Exit run(Bitbrains options, const std::string& command_line) {
  if (const auto wrong = check_files(options.files, {options.table})) return complain(*wrong);
  for (const auto& wrong : {read_amount(options.cpus, "--host-cpus", options.hosts.host_cpus),
                            read_amount(options.memory, "--host-memory", options.hosts.host_memory)}) {
    if (wrong) return complain(*wrong);
  }
  const Result<traces::WorkloadImport> import = traces::import_bitbrains(options.table, options.hosts);
  if (!import) return complain(import.error());
  return write_import(*import, options.files, command_line);
}

}  // namespace

Command add_import_bitbrains(CLI::App& import) {
  auto options = std::make_shared<Bitbrains>();
  CLI::App* command =
      import.add_subcommand("bitbrains", "Make a workload file from the virtual machines of Bitbrains");
  command->add_option("TABLE", options->table, "Their rows in one table (CSV), gzipped or plain")
      ->required()
      ->type_name("FILE");
  add_cluster_file(*command, options->files);
  add_workload_file(*command, options->files)->required();
  take_whole_number(command->add_option("--hosts", options->hosts.hosts,
                                        "So many hosts, instead of as many as hold what is asked for"),
                    1, INT32_MAX);
  command->add_option("--host-cpus", options->cpus, "CPUs of a host")
      ->type_name("AMOUNT")
      ->capture_default_str();
  command->add_option("--host-memory", options->memory, "Memory of a host, in bytes")
      ->type_name("AMOUNT")
      ->capture_default_str();

  Manual manual;
  manual.paragraphs = {
      "Every virtual machine is a user with one job: it asks for what it is provisioned with, and uses what "
      "was measured every five minutes. The trace tells no hosts; they are chosen, and the head of the files "
      "says so.",
  };
  manual.examples = {
      {"mirab import bitbrains rnd-2013-7.csv.gz -o bitbrains.yaml --workload bitbrains.workload.gz",
       "Hosts enough for all that is asked for"},
      {"mirab import bitbrains rnd-2013-7.csv.gz --hosts 10 -o bitbrains.yaml --workload "
       "bitbrains.workload.gz",
       "Fewer hosts, so that the machines have to share"},
  };
  return {command, std::move(manual), [options](const std::string& line) { return run(*options, line); }};
}

}  // namespace mirab::cli
