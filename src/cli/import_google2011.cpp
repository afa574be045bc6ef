#include <CLI/CLI.hpp>

#include <mirab/model/random.hpp>
#include <mirab/traces/google2011.hpp>
#include <mirab/traces/google2011_workload.hpp>

#include "cli/importing.hpp"
#include "cli/options.hpp"

namespace mirab::cli {
namespace {

struct Google2011 {
  std::vector<std::string> inputs;
  ImportFiles files;
  traces::Google2011Options part;
  bool confine_users = false;
  double sample_jobs = 1;
  std::uint64_t seed = 1;
};

Exit run_workload(const Google2011& options, const std::string& command_line) {
  Random random(options.seed);
  const traces::Google2011WorkloadOptions part{.sample_machines = options.part.sample_machines,
                                               .sample_users = options.part.sample_users,
                                               .sample_jobs = options.sample_jobs};
  const Result<traces::WorkloadImport> import =
      traces::import_google2011_workload(options.inputs, part, random, reading_line());
  if (!import) return complain(import.error());
  return write_import(*import, options.files, command_line);
}

Exit run(const Google2011& options, const std::string& command_line) {
  if (const auto wrong = check_files(options.files, options.inputs)) return complain(*wrong);
  if (!options.files.workload.empty()) return run_workload(options, command_line);
  Random random(options.seed);
  traces::Google2011Options part = options.part;
  if (options.confine_users) part.confinement = traces::Confinement::drawn_platforms;
  const Result<traces::Google2011Import> import =
      traces::import_google2011(options.inputs, part, random, reading_line());
  if (!import) return complain(import.error());
  say(import->notices);
  return write_cluster(import->cluster, import->provenance, options.files, command_line);
}

}  // namespace

Command add_import_google2011(CLI::App& import) {
  auto options = std::make_shared<Google2011>();
  CLI::App* command =
      import.add_subcommand("google2011", "Make a cluster file from the Google cluster trace of 2011");
  command
      ->add_option("INPUT", options->inputs,
                   "Part files of machine_events and task_events, gzipped or plain, or their folders")
      ->required()
      ->type_name("FILE");
  add_cluster_file(*command, options->files);
  CLI::Option* workload = add_workload_file(*command, options->files);
  take_whole_number(command->add_option("--sample-machines", options->part.sample_machines,
                                        "Draw so many of the machines, instead of taking all"),
                    1);
  take_whole_number(command->add_option("--sample-users", options->part.sample_users,
                                        "Draw so many of the users, instead of taking all"),
                    1);
  command
      ->add_flag("--confine-users", options->confine_users,
                 "Confine each user to one, two or all three of the platforms, drawn at random")
      ->excludes(workload);
  CLI::Option* jobs = command->add_option("--sample-jobs", options->sample_jobs,
                                          "Keep each job of the workload with this probability");
  take_part(jobs);
  jobs->needs(workload);
  add_seed_option(*command, options->seed);

  Manual manual;
  manual.paragraphs = {
      "Reads the raw files of ClusterData2011_2. Servers are the machines present at time 0, in "
      "full as one entry for each platform and capacity, in a sample one by one. Every user has "
      "endless demand for the request of one of its tasks, drawn at random. The head of the file "
      "says where it comes from; what was left out is said on standard error.",
      "With --workload, every submission of a task becomes a job at its time, and machines come and go as in "
      "the trace. Runtimes that the trace cuts off are drawn from those that it shows.",
  };
  manual.examples = {
      {"mirab import google2011 machine_events/ task_events/ -o google2011.yaml", "The whole machine park"},
      {"mirab import google2011 clusterdata-2011-2/ --sample-machines 100 --sample-users 20 --seed 7 -o "
       "sample.yaml",
       "A sample to try things on, from a folder with the tables' folders in it; other tables are passed "
       "over"},
      {"mirab import google2011 machine_events/ task_events/ -o google2011.yaml --workload "
       "google2011.workload.gz",
       "What was submitted over time, for a replay"},
  };
  return {command, std::move(manual), [options](const std::string& line) { return run(*options, line); }};
}

}  // namespace mirab::cli
