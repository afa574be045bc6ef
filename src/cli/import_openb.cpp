#include <CLI/CLI.hpp>

#include <mirab/traces/openb.hpp>

#include "cli/importing.hpp"
#include "cli/options.hpp"

namespace mirab::cli {
namespace {

struct Openb {
  std::string nodes;
  std::string pods;
  ImportFiles files;
  std::uint64_t seed = 1;
};

Exit run_workload(const Openb& options, const std::string& command_line) {
  Random random(options.seed);
  const Result<traces::WorkloadImport> import =
      traces::import_openb_workload(options.nodes, options.pods, random);
  if (!import) return complain(import.error());
  return write_import(*import, options.files, command_line);
}

Exit run(const Openb& options, const std::string& command_line) {
  if (const auto wrong = check_files(options.files, {options.nodes, options.pods})) return complain(*wrong);
  if (!options.files.workload.empty()) return run_workload(options, command_line);
  const Result<traces::OpenbImport> import = traces::import_openb(options.nodes, options.pods);
  if (!import) return complain(import.error());
  say(import->notices);
  return write_cluster(import->cluster, import->provenance, options.files, command_line);
}

}  // namespace

Command add_import_openb(CLI::App& import) {
  auto options = std::make_shared<Openb>();
  CLI::App* command =
      import.add_subcommand("openb", "Make a cluster file from Alibaba's GPU cluster trace of 2023");
  command->add_option("NODES", options->nodes, "The list of nodes, openb_node_list_….csv, gzipped or plain")
      ->required()
      ->type_name("FILE");
  command->add_option("PODS", options->pods, "A list of pods, openb_pod_list_….csv, gzipped or plain")
      ->required()
      ->type_name("FILE");
  add_cluster_file(*command, options->files);
  add_workload_file(*command, options->files);
  add_seed_option(*command, options->seed);

  Manual manual;
  manual.paragraphs = {
      "Reads the node list and one of the pod lists of cluster-trace-gpu-v2023. Servers are the "
      "nodes, one entry for each GPU model and capacity. The trace names no users: pods of the "
      "same QoS class, GPU models and request are the tasks of one user. The head of the file "
      "says where it comes from; what was left out is said on standard error.",
      "With --workload, every pod becomes a job at its creation. The lives of pods that outlive the trace "
      "are "
      "drawn from those that it shows.",
  };
  manual.examples = {
      {"mirab import openb openb_node_list_all_node.csv openb_pod_list_default.csv -o openb.yaml",
       "The whole cluster; its pods accept any GPU"},
      {"mirab import openb openb_node_list_all_node.csv openb_pod_list_gpuspec33.csv -o openb33.yaml",
       "A third of the pods with GPUs name the models that they accept"},
      {"mirab import openb openb_node_list_all_node.csv openb_pod_list_default.csv -o openb.yaml --workload "
       "openb.workload.gz",
       "What was submitted over time, for a replay"},
  };
  return {command, std::move(manual), [options](const std::string& line) { return run(*options, line); }};
}

}  // namespace mirab::cli
