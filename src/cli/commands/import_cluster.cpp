// `mirab import` of a cluster that runs: Kubernetes, Slurm, tables of one's own.
#include <CLI/CLI.hpp>
#include <array>
#include <fmt/format.h>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include <mirab/model/cluster_file.hpp>

#include "cli/commands/import_files.hpp"
#include "cli/io/alike.hpp"
#include "cli/io/cluster_notices.hpp"
#include "cli/io/input.hpp"
#include "cli/io/output.hpp"
#include "cli/options.hpp"
#include "cli/program.hpp"
#include "kubernetes/cluster_import.hpp"
#include "kubernetes/objects.hpp"
#include "lab/traces/csv_cluster.hpp"
#include "slurm/cluster_import.hpp"
#ifdef MIRAB_HAS_SERVICE
#include "cli/io/live_cluster.hpp"
#include "kube/access.hpp"
#endif

namespace mirab::cli {
namespace {

/// What every importer of a cluster has made.
struct ImportedCluster {
  const Cluster& cluster;
  std::vector<std::string> provenance;
  const std::vector<std::string>& notices;
  std::string teams = {};  ///< a teams file for it; empty: none
};

void add_cluster_destination(CLI::App& command, std::string& file) {
  command.add_option("-o", file, "Write the cluster file to FILE instead of standard output")
      ->type_name("FILE");
}

/// The notices stand in the head of the file too.
Exit write_imported(const ImportedCluster& imported, const std::string& destination,
                    const std::string& command_line) {
  std::vector<std::string> notices = imported.notices;
  Result<Problem> problem = Problem::from(imported.cluster);
  if (!imported.teams.empty()) {
    if (problem) problem = with_teams(*problem, {.cluster = "what is imported", .teams = imported.teams});
    if (!problem) return report_error(problem.error());
  }
  if (problem) {
    const std::vector<std::string> large = first_notices(unplaceable_tasks(*problem));
    notices.insert(notices.end(), large.begin(), large.end());
  }
  report_notes(notices);
  std::vector<std::string> head = imported.provenance;
  for (const std::string& notice : notices) head.push_back("Note: " + notice);
  head.push_back("Made by: " + command_line);
  const Check failure =
      write_text(destination, write_cluster_yaml(problem ? problem->cluster() : imported.cluster, head));
  return failure ? report_error(*failure, Exit::failed) : Exit::done;
}

/// Which nodes make one entry.
struct SameNodes {
  bool are_exact = false;
  std::string alike;  ///< in percent; empty: 1
};

/// Adds --exact-nodes and --alike.
void add_same_nodes(CLI::App& command, SameNodes& same) {
  CLI::Option* exact = command.add_flag(
      "--exact-nodes", same.are_exact,
      "Put nodes into one entry only where they are equal, not where they differ by up to 1 % too");
  CLI::Option* alike = command.add_option(
      "--alike", same.alike,
      "Put nodes into one entry that differ by at most this percentage, each with the least that "
      "one of them has; default: 1");
  take_percent(alike->excludes(exact));
}

/// The tolerance that was asked for; without a value: the importer's own.
Result<std::optional<mpq_class>> read_tolerance(const SameNodes& same) {
  if (same.are_exact) return std::optional(mpq_class(0));
  if (same.alike.empty()) return std::optional<mpq_class>();
  const Result<mpq_class> tolerance = read_alike(same.alike);
  if (!tolerance) return tolerance.error();
  return std::optional(*tolerance);
}

struct Kubernetes {
  std::vector<std::string> inputs;
  std::string output = kStandardOutput;
  std::string team = "namespace";
  std::string teams;
  std::string default_request;
  std::vector<std::string> resources;
  SameNodes same_nodes;
#ifdef MIRAB_HAS_SERVICE
  bool is_live = false;
  LiveClusterOptions live;
#endif
};

Result<kubernetes::ClusterImportOptions> read_kubernetes_options(const Kubernetes& options) {
  kubernetes::ClusterImportOptions read{.resources = options.resources};
  const Result<std::optional<mpq_class>> tolerance = read_tolerance(options.same_nodes);
  if (!tolerance) return tolerance.error();
  if (*tolerance) read.tolerance = **tolerance;
  constexpr std::string_view kLabel = "label=";
  if (options.team.starts_with(kLabel) && options.team.size() > kLabel.size()) {
    read.team_label = options.team.substr(kLabel.size());
  } else if (options.team != "namespace") {
    return Error{.message = fmt::format("must be namespace, or label=KEY with the key of a label, not '{}'",
                                        options.team),
                 .key = "--team"};
  }
  if (options.default_request.empty()) return read;
  Result<std::vector<kubernetes::Amount>> amounts =
      kubernetes::read_amounts(options.default_request, Rounding::up);
  if (!amounts) return Error{.message = amounts.error().message, .key = "--default-request"};
  read.default_request = *std::move(amounts);
  return read;
}

Result<kubernetes::ClusterImport> import_objects(const std::vector<InputText>& inputs,
                                                 const kubernetes::ClusterImportOptions& options) {
  const Result<std::vector<kubernetes::ObjectText>> texts = read_objects(inputs);
  return texts ? kubernetes::import_cluster(*texts, options) : texts.error();
}

Exit write_import(const kubernetes::ClusterImport& import, const Kubernetes& options,
                  const std::string& command_line) {
  return write_imported({import.cluster, import.provenance, import.notices, options.teams}, options.output,
                        command_line);
}

#ifdef MIRAB_HAS_SERVICE
Exit run_live(const Kubernetes& options, const kubernetes::ClusterImportOptions& read,
              const std::string& command_line) {
  if (!options.inputs.empty())
    return report_error({.message = "reads from the API server, and no file", .key = "--live"});
  const Result<kube::Access> access = kube::find_access(options.live.kubeconfig, options.live.context);
  if (!access) return report_error(access.error());
  const Result<std::vector<kubernetes::ObjectText>> texts =
      read_live_cluster(*access, !read.team_label.empty());
  if (!texts) return report_error(texts.error(), Exit::failed);
  const Result<kubernetes::ClusterImport> import = kubernetes::import_cluster(*texts, read);
  return import ? write_import(*import, options, command_line) : report_error(import.error());
}

void add_live_options(CLI::App& command, Kubernetes& options) {
  constexpr const char* kGroup = "Options of --live";
  CLI::Option* const live = command.add_flag(
      "--live", options.is_live, "Read nodes and pods from the API server of the cluster, and no file");
  command
      .add_option(
          "--kubeconfig", options.live.kubeconfig,
          "How to reach it; default: the files of $KUBECONFIG, else ~/.kube/config, else what a pod is given")
      ->type_name("FILE")
      ->needs(live)
      ->group(kGroup);
  command.add_option("--context", options.live.context, "The context; default: the current one of the file")
      ->type_name("NAME")
      ->needs(live)
      ->group(kGroup);
}
#endif

Exit run(const Kubernetes& options, const std::string& command_line) {
  std::vector<std::string> read_files = options.inputs;
  if (!options.teams.empty()) read_files.push_back(options.teams);
  if (const Check wrong = check_import_files(options.output, read_files)) return report_error(*wrong);
  const Result<kubernetes::ClusterImportOptions> read = read_kubernetes_options(options);
  if (!read) return report_error(read.error());
#ifdef MIRAB_HAS_SERVICE
  if (options.is_live) return run_live(options, *read, command_line);
#endif
  if (options.inputs.empty()) return report_error({.message = "missing", .key = "NODES_AND_PODS"});
  const Result<std::vector<InputText>> inputs = read_inputs(options.inputs);
  if (!inputs) return report_error(inputs.error());
  const Result<kubernetes::ClusterImport> import = import_objects(*inputs, *read);
  if (!import)
    return report_error(
        explain_wrong_import(import.error(), *inputs, std::array<std::string_view, 1>{"kubernetes"}));
  return write_import(*import, options, command_line);
}

Command add_import_kubernetes(CLI::App& import) {
  auto options = std::make_shared<Kubernetes>();
  CLI::App* command = import.add_subcommand(
      "kubernetes", "Make a cluster file from the nodes and pods of a Kubernetes cluster");
  command
      ->add_option(
          "NODES_AND_PODS", options->inputs,
          "What kubectl get nodes and kubectl get pods -A print with -o json or yaml, in one file or "
          "several; namespaces too; - reads standard input")
      ->type_name("FILE");
#ifdef MIRAB_HAS_SERVICE
  add_live_options(*command, *options);
#endif
  command
      ->add_option("--team", options->team,
                   "What a user of the cluster file is: namespace, or label=KEY for the values of a label")
      ->type_name("TEAM")
      ->capture_default_str();
  command
      ->add_option("--default-request", options->default_request,
                   "What containers ask for whose request and limit are missing or 0: cpu=100m,memory=64Mi")
      ->type_name("AMOUNTS");
  add_list_option(*command, "--resource", options->resources,
                  "Keep this resource too, which no pod asks for; pods counts the pods of a node", "NAME");
  add_teams_option(*command, options->teams);
  add_same_nodes(*command, options->same_nodes);
  add_cluster_destination(*command, options->output);

  Manual manual;
  manual.paragraphs = {
      "Nodes on which the same pods may run become one server entry with a count; their capacity is what "
      "daemon sets and static pods leave of what is allocatable. Nodes of one type that differ by up to 1 % "
      "count as alike, each with the least of them. A namespace becomes a user; its pods that "
      "request the same and may run on the same nodes are one shape. What runs now stands under `running`.",
      "Requests of init containers, sidecars and overhead count as Kubernetes counts them. Node selectors, "
      "required node affinity, taints and tolerations become `select` or `servers`. What cannot be kept, "
      "such "
      "as pod affinity, is named on standard error and in the head of the file.",
  };
  manual.examples = {
      {"mirab import kubernetes nodes.json pods.json -o cluster.yaml", "From two files"},
      {"kubectl get nodes,pods,namespaces -A -o json | mirab import kubernetes - --team label=team -o "
       "cluster.yaml",
       "Teams by a label of pods or of their namespaces"},
  };
#ifdef MIRAB_HAS_SERVICE
  manual.paragraphs.emplace_back(
      "With --live the nodes and pods come from the API server, with what the kubeconfig gives: a client "
      "certificate, a token, or a command that prints one (`exec`). It needs the permission to list nodes "
      "and pods, and with --team label=KEY namespaces. Nothing is changed.");
  manual.examples.push_back({"mirab import kubernetes --live --context prod -o cluster.yaml",
                             "From the API server of the context prod"});
#endif
  return {command, std::move(manual), [options](const std::string& line) { return run(*options, line); }};
}

struct Slurm {
  std::string nodes;
  std::string jobs;
  std::string output = kStandardOutput;
  std::string team = "account";
  std::string teams;
  SameNodes same_nodes;
};

Exit run(const Slurm& options, const std::string& command_line) {
  if (const Check wrong = check_import_files(options.output, {options.nodes, options.jobs, options.teams}))
    return report_error(*wrong);
  const Result<std::vector<InputText>> inputs = read_inputs({options.nodes, options.jobs});
  if (!inputs) return report_error(inputs.error());
  const InputText &nodes = (*inputs)[0], &jobs = (*inputs)[1];
  slurm::ClusterImportOptions read{.team = options.team == "user"        ? slurm::Team::user
                                           : options.team == "partition" ? slurm::Team::partition
                                                                         : slurm::Team::account};
  const Result<std::optional<mpq_class>> tolerance = read_tolerance(options.same_nodes);
  if (!tolerance) return report_error(tolerance.error());
  if (*tolerance) read.tolerance = **tolerance;
  const Result<slurm::ClusterImport> import =
      slurm::import_cluster({nodes.name, nodes.text}, {jobs.name, jobs.text}, read);
  if (!import)
    return report_error(
        explain_wrong_import(import.error(), *inputs, std::array<std::string_view, 1>{"slurm"}));
  return write_imported({import->cluster, import->provenance, import->notices, options.teams}, options.output,
                        command_line);
}

Command add_import_slurm(CLI::App& import) {
  auto options = std::make_shared<Slurm>();
  CLI::App* command =
      import.add_subcommand("slurm", "Make a cluster file from the nodes and jobs of a Slurm cluster");
  command
      ->add_option("NODES", options->nodes,
                   "What scontrol show node -o, or with --json, prints; - reads standard input")
      ->required()
      ->type_name("FILE");
  command
      ->add_option(
          "JOBS", options->jobs,
          "What scontrol show job -d -o, sacct -P, squeue with | between its columns, or any of them "
          "with --json prints")
      ->required()
      ->type_name("FILE");
  take_one_of(command->add_option("--team", options->team, "What a user of the cluster file is")
                  ->capture_default_str(),
              {"account", "user", "partition"});
  add_teams_option(*command, options->teams);
  add_same_nodes(*command, options->same_nodes);
  add_cluster_destination(*command, options->output);

  Manual manual;
  manual.paragraphs = {
      "Nodes on which the same jobs may run become one server entry with a count; where they differ by up to "
      "1 % they count as alike, each with the least of them. An account becomes a user, "
      "and a job on N nodes N of its tasks. Partitions and features become labels, generic resources such as "
      "GPUs resources. What runs now stands under `running`. What cannot be kept, such as that the tasks of "
      "a "
      "job start together, is named on standard error and in the head of the file.",
  };
  manual.examples = {
      {"mirab import slurm nodes.txt jobs.txt -o cluster.yaml",
       "After scontrol show node -o >nodes.txt; scontrol show job -d -o >jobs.txt"},
  };
  return {command, std::move(manual), [options](const std::string& line) { return run(*options, line); }};
}

struct Csv {
  std::string servers;
  std::string users;
  std::string output = kStandardOutput;
  traces::CsvClusterOptions options;
};

Exit run(const Csv& options, const std::string& command_line) {
  if (const Check wrong = check_import_files(options.output, {options.servers, options.users}))
    return report_error(*wrong);
  const Result<std::vector<InputText>> inputs = read_inputs({options.servers, options.users});
  if (!inputs) return report_error(inputs.error());
  const InputText &servers = (*inputs)[0], &users = (*inputs)[1];
  const Result<traces::CsvCluster> import =
      traces::import_csv({servers.name, servers.text}, {users.name, users.text}, options.options);
  if (!import)
    return report_error(
        explain_wrong_import(import.error(), *inputs, std::array<std::string_view, 1>{"csv"}));
  return write_imported({import->cluster, import->provenance, import->notices}, options.output, command_line);
}

Command add_import_csv(CLI::App& import) {
  auto options = std::make_shared<Csv>();
  CLI::App* command = import.add_subcommand("csv", "Make a cluster file from tables of servers and users");
  command->add_option("SERVERS", options->servers, "A table of servers with a head; - reads standard input")
      ->required()
      ->type_name("FILE");
  command->add_option("USERS", options->users, "A table of users or tasks with a head")
      ->required()
      ->type_name("FILE");
  add_list_option(
      *command, "--map", options->options.map,
      "Read FIELD from COLUMN, in both tables or, as servers.FIELD or users.FIELD, in one; *AMOUNT "
      "multiplies its numbers: memory=ram_gb*1Gi",
      "FIELD=COLUMN[*AMOUNT]");
  command->add_flag("--row-per-task", options->options.row_per_task, "Every row of USERS is one task");
  add_cluster_destination(*command, options->output);

  Manual manual;
  manual.paragraphs = {
      "Fields of servers are name, count and label.KEY; of users name, shape, tasks, weight, select.KEY and "
      "server, on which the tasks run now. A column that is called like a field is that field. Resources are "
      "the other fields that --map names, and the other columns that both tables have.",
      "Rows of one user with different demands become its shapes; an empty number of tasks is no limit.",
  };
  manual.examples = {
      {"mirab import csv servers.csv users.csv -o cluster.yaml", "Columns are called like the fields"},
      {"mirab import csv hosts.csv jobs.csv --map name=host --map users.name=team --map cpu=cores --map "
       "memory=ram_gb*1Gi --row-per-task -o cluster.yaml",
       "Columns have names of their own, and a row is a job"},
  };
  return {command, std::move(manual), [options](const std::string& line) { return run(*options, line); }};
}

}  // namespace

std::vector<Command> add_cluster_imports(CLI::App& import) {
  return {add_import_kubernetes(import), add_import_slurm(import), add_import_csv(import)};
}

}  // namespace mirab::cli
