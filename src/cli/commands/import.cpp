// The command `import`: one subcommand for each trace format; those of clusters that run are in
// import_cluster.cpp, those of queues in import_teams.cpp.
#include "lab/traces/google2011/import.hpp"

#include <CLI/CLI.hpp>
#include <array>
#include <charconv>
#include <cstdint>
#include <fmt/format.h>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <mirab/model/cluster_file.hpp>
#include <mirab/model/random.hpp>
#include <mirab/model/workload_file.hpp>

#include "cli/commands/import_files.hpp"
#include "cli/io/input.hpp"
#include "cli/io/output.hpp"
#include "cli/options.hpp"
#include "cli/program.hpp"
#include "lab/traces/bitbrains.hpp"
#include "lab/traces/csv_jobs.hpp"
#include "lab/traces/openb.hpp"
#include "lab/traces/swf/swf.hpp"
#include "lab/traces/workload_import.hpp"

namespace mirab::cli {
namespace {

/// Where the files go that a trace becomes.
struct ImportFiles {
  std::string cluster = kStandardOutput;
  std::string workload = {};  ///< empty: none is asked for
};

/// Writes a cluster file with its head.
std::string cluster_text(const Cluster& cluster, std::vector<std::string> provenance,
                         const std::string& command_line) {
  provenance.push_back("Made by: " + command_line);
  return write_cluster_yaml(cluster, provenance);
}

/// Adds -o.
void add_cluster_file(CLI::App& command, ImportFiles& files) {
  command.add_option("-o", files.cluster, "Write the cluster file to FILE instead of standard output")
      ->type_name("FILE");
}

/// Adds --workload.
CLI::Option* add_workload_file(CLI::App& command, ImportFiles& files) {
  return command
      .add_option(
          "--workload", files.workload,
          "Write jobs over time to FILE, in gzip if its name ends in .gz; the cluster file then holds "
          "the servers of the beginning and every user of the jobs")
      ->type_name("FILE");
}

/// A trace is never replaced by what is made of it, nor one file that is made by the other.
Check check_files(const ImportFiles& files, const std::vector<std::string>& inputs) {
  return check_destinations({{"-o", files.cluster}, {"--workload", files.workload}}, inputs);
}

Exit write_cluster(const Cluster& cluster, std::vector<std::string> provenance, const ImportFiles& files,
                   const std::string& command_line) {
  const Check failure = write_text(files.cluster, cluster_text(cluster, std::move(provenance), command_line));
  return failure ? report_error(*failure, Exit::failed) : Exit::done;
}

/// Writes the workload, in gzip if its name ends in .gz, and the cluster; prints the notices.
Exit write_import(const traces::WorkloadImport& import, const ImportFiles& files,
                  const std::string& command_line) {
  report_notes(import.notices);
  std::vector<std::string> provenance = import.provenance;
  provenance.push_back("Made by: " + command_line);
  std::string text = write_workload(import.workload, provenance);
  if (files.workload.ends_with(".gz")) text = gzipped(text);
  const std::string cluster = cluster_text(import.cluster, import.provenance, command_line);
  const Check failure = write_texts(std::vector<Text>{{files.workload, text}, {files.cluster, cluster}});
  return failure ? report_error(*failure, Exit::failed) : Exit::done;
}

std::string bytes_done(std::uint64_t done, std::uint64_t of) {
  return fmt::format("mirab: read {} % of {} MB", 100 * done / of, of / 1'000'000);
}

/// The option takes a part of a whole: more than 0, at most 1.
void take_fraction(CLI::Option* option) {
  option->type_name("PART");
  option->check([](const std::string& written) -> std::string {
    double part = 0;
    const char* end = written.data() + written.size();
    const auto [stop, failure] = std::from_chars(written.data(), end, part);
    if (failure == std::errc{} && stop == end && part > 0 && part <= 1) return {};
    return fmt::format("'{}' is not a part of a whole, more than 0 and at most 1", written);
  });
}

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
  if (const auto wrong = check_files(options.files, {options.table})) return report_error(*wrong);
  for (const auto& wrong : {read_amount(options.cpus, "--host-cpus", options.hosts.host_cpus),
                            read_amount(options.memory, "--host-memory", options.hosts.host_memory)}) {
    if (wrong) return report_error(*wrong);
  }
  const Result<traces::WorkloadImport> import = traces::import_bitbrains(options.table, options.hosts);
  if (!import) return report_error(explain_wrong_trace(import.error(), "csv"));
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
                                        "Number of hosts, instead of as many as hold all demands"),
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
      "was measured every five minutes. The trace lists no hosts; they are chosen, and the head of the files "
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

namespace {

struct Jobs {
  std::string table;
  std::string servers;
  std::optional<std::int64_t> hosts;
  std::string host;
  std::vector<std::string> map;
  ImportFiles files;
};

/// The table of servers that is given, or that of equal hosts.
Result<traces::JobServers> read_servers(const Jobs& options, const std::vector<InputText>& inputs) {
  if (!options.servers.empty()) {
    Result<CsvTable> table = read_csv_table({inputs[1].name, inputs[1].text});
    if (!table) return std::move(table).error();
    return traces::JobServers{*std::move(table)};
  }
  if (!options.hosts)
    return Error{.message = "missing: a table of servers, or --hosts 10 --host cpus=64,memory=512Gi",
                 .key = "--servers"};
  Result<traces::JobServers> hosts = traces::equal_hosts(*options.hosts, options.host);
  return hosts ? std::move(hosts) : Error{.message = hosts.error().message, .key = "--host"};
}

Exit run(const Jobs& options, const std::string& command_line) {
  std::vector<std::string> paths{options.table};
  if (!options.servers.empty()) paths.push_back(options.servers);
  if (const Check wrong = check_import_files(options.files.cluster, paths)) return report_error(*wrong);
  if (const Check wrong = check_files(options.files, paths)) return report_error(*wrong);
  const Result<std::vector<InputText>> inputs = read_inputs(paths);
  if (!inputs) return report_error(inputs.error());
  const Result<traces::JobServers> servers = read_servers(options, *inputs);
  if (!servers)
    return report_error(
        explain_wrong_import(servers.error(), *inputs, std::array<std::string_view, 1>{"jobs"}));
  const Result<traces::WorkloadImport> import =
      traces::import_jobs({inputs->front().name, inputs->front().text}, *servers, options.map);
  if (!import)
    return report_error(
        explain_wrong_import(import.error(), *inputs, std::array<std::string_view, 1>{"jobs"}));
  return write_import(*import, options.files, command_line);
}

}  // namespace

Command add_import_jobs(CLI::App& import) {
  auto options = std::make_shared<Jobs>();
  CLI::App* command = import.add_subcommand("jobs", "Make a workload file from a table of jobs of your own");
  command
      ->add_option("TABLE", options->table,
                   "A table of jobs with a head (CSV), gzipped or plain; - reads standard input")
      ->required()
      ->type_name("FILE");
  CLI::Option* const servers =
      command
          ->add_option("--servers", options->servers, "A table of the servers on which they run, with a head")
          ->type_name("FILE");
  CLI::Option* const hosts = command->add_option("--hosts", options->hosts, "Number of equal hosts");
  take_whole_number(hosts, 1, INT32_MAX);
  CLI::Option* const host =
      command->add_option("--host", options->host, "What a host has: cpus=64,memory=512Gi")
          ->type_name("AMOUNTS");
  host->excludes(servers)->needs(hosts);
  hosts->excludes(servers)->needs(host);
  add_list_option(
      *command, "--map", options->map,
      "Read FIELD from COLUMN, in both tables or, as servers.FIELD or jobs.FIELD, in one; *AMOUNT "
      "multiplies its numbers: memory=ram_gb*1Gi",
      "FIELD=COLUMN[*AMOUNT]");
  add_cluster_file(*command, options->files);
  add_workload_file(*command, options->files)->required();

  Manual manual;
  manual.paragraphs = {
      "Every row is a job. Its fields are submit (seconds, or a date with a time), run (seconds, or 90s, "
      "45m, 1.5h, 2d) and user, and if there are such columns job (its name), tasks, gang (this number of "
      "them starts together), estimate (the runtime that was asked for), weight (of the user) and "
      "select.KEY. "
      "A column that is called like a field is that field. Resources are the other columns that the servers "
      "have too, and the other fields that --map names. All else is named on standard error.",
      "Fields of servers are name, count and label.KEY. Rows may be in any order. Jobs that do not fit on "
      "the "
      "servers are left out and counted.",
  };
  manual.examples = {
      {"mirab import jobs jobs.csv --servers servers.csv -o cluster.yaml --workload jobs.workload.gz",
       "Columns are called like the fields"},
      {"mirab import jobs trace.csv.gz --hosts 20 --host cpus=64,gpus=8 --map submit=submit_ms*0.001 --map "
       "run=duration --map cpus=num_cpu --map gpus=num_gpu -o cluster.yaml --workload jobs.workload.gz",
       "Columns have names of their own, times of submission are in milliseconds, and hosts are chosen"},
  };
  return {command, std::move(manual), [options](const std::string& line) { return run(*options, line); }};
}

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
      traces::import_google2011_workload(options.inputs, part, random, progress_line(bytes_done));
  if (!import) return report_error(explain_wrong_trace(import.error(), "csv"));
  return write_import(*import, options.files, command_line);
}

Exit run(const Google2011& options, const std::string& command_line) {
  if (const auto wrong = check_files(options.files, options.inputs)) return report_error(*wrong);
  if (!options.files.workload.empty()) return run_workload(options, command_line);
  Random random(options.seed);
  traces::Google2011Options part = options.part;
  if (options.confine_users) part.confinement = traces::Confinement::drawn_platforms;
  const Result<traces::Google2011Import> import =
      traces::import_google2011(options.inputs, part, random, progress_line(bytes_done));
  if (!import) return report_error(explain_wrong_trace(import.error(), "csv"));
  report_notes(import->notices);
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
                                        "Draw this many machines instead of taking all"),
                    1);
  take_whole_number(command->add_option("--sample-users", options->part.sample_users,
                                        "Draw this many users instead of taking all"),
                    1);
  command
      ->add_flag("--confine-users", options->confine_users,
                 "Confine each user to one, two or all three of the platforms, drawn at random")
      ->excludes(workload);
  CLI::Option* jobs = command->add_option("--sample-jobs", options->sample_jobs,
                                          "Keep each job of the workload with this probability");
  take_fraction(jobs);
  jobs->needs(workload);
  add_seed_option(*command, options->seed);

  Manual manual;
  manual.paragraphs = {
      "Reads the raw files of ClusterData2011_2. Servers are the machines present at time 0, in "
      "full as one entry for each platform and capacity, in a sample one by one. Every user has "
      "endless demand for the request of one of its tasks, drawn at random. The head of the file "
      "says where it comes from; what was left out is listed on standard error.",
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
  if (!import) return report_error(explain_wrong_trace(import.error(), "csv"));
  return write_import(*import, options.files, command_line);
}

Exit run(const Openb& options, const std::string& command_line) {
  if (const auto wrong = check_files(options.files, {options.nodes, options.pods}))
    return report_error(*wrong);
  if (!options.files.workload.empty()) return run_workload(options, command_line);
  const Result<traces::OpenbImport> import = traces::import_openb(options.nodes, options.pods);
  if (!import) return report_error(explain_wrong_trace(import.error(), "csv"));
  report_notes(import->notices);
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
      "says where it comes from; what was left out is listed on standard error.",
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

namespace {

constexpr std::uint64_t kMaxDays = 36'500;

struct Swf {
  std::string log;
  ImportFiles files;
  traces::SwfOptions options;
};

Exit run(const Swf& options, const std::string& command_line) {
  if (const auto wrong = check_files(options.files, {options.log})) return report_error(*wrong);
  const Result<traces::WorkloadImport> import = traces::import_swf(options.log, options.options);
  if (!import) return report_error(explain_wrong_trace(import.error(), "swf"));
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
                                        "Number of single processors, instead of the log's own"),
                    1, INT32_MAX);

  take_whole_number(
      command->add_option("--days", options->options.days, "Only the jobs submitted within the first N days"),
      1, kMaxDays);

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

namespace {

struct Wagap2013 {
  std::string log;
  std::string machines;
  ImportFiles files;
  traces::SwfOptions options;
};

Exit run(const Wagap2013& options, const std::string& command_line) {
  if (const auto wrong = check_files(options.files, {options.log, options.machines}))
    return report_error(*wrong);
  const Result<traces::WorkloadImport> import =
      traces::import_wagap2013(options.log, options.machines, options.options);
  if (!import) return report_error(explain_wrong_trace(import.error(), "swf"));
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
      1, kMaxDays);

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

std::vector<Command> add_import(CLI::App& app) {
  CLI::App* import = app.add_subcommand(
      "import", "Make cluster, teams and workload files from clusters that run, queues and public traces");
  import->require_subcommand(1);
  std::vector<Command> commands = add_cluster_imports(*import);
  for (Command& teams : add_teams_imports(*import)) commands.push_back(std::move(teams));
  for (Command& trace : std::vector<Command>{add_import_bitbrains(*import), add_import_google2011(*import),
                                             add_import_jobs(*import), add_import_openb(*import),
                                             add_import_swf(*import), add_import_wagap2013(*import)})
    commands.push_back(std::move(trace));
  return commands;
}

}  // namespace mirab::cli
