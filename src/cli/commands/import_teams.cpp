// `mirab import` of the queues of other schedulers: each becomes a teams file.
#include <CLI/CLI.hpp>
#include <array>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/commands/import_files.hpp"
#include "cli/io/input.hpp"
#include "cli/io/output.hpp"
#include "cli/options.hpp"
#include "cli/program.hpp"
#include "teams/imported_teams.hpp"
#include "teams/kueue.hpp"
#include "teams/slurm_accounts.hpp"
#include "teams/volcano.hpp"
#include "teams/yarn.hpp"
#include "teams/yunikorn.hpp"

namespace mirab::cli {
namespace {

struct TeamsFiles {
  std::vector<std::string> inputs;
  std::string output = kStandardOutput;
  std::string team = "account";  ///< of Slurm
};

using MakeTeams = std::function<Result<teams::ImportedTeams>(const std::vector<InputText>& inputs)>;

/// The notices stand in the head of the file too. `like`: the importers of files that look like those of this
/// one.
Exit run(const TeamsFiles& files, std::span<const std::string_view> like, const MakeTeams& make,
         const std::string& command_line) {
  if (const Check wrong = check_import_files(files.output, files.inputs)) return report_error(*wrong);
  const Result<std::vector<InputText>> inputs = read_inputs(files.inputs);
  if (!inputs) return report_error(inputs.error());
  const Result<teams::ImportedTeams> import = make(*inputs);
  if (!import) return report_error(explain_wrong_import(import.error(), *inputs, like));
  report_notes(import->notices);
  std::vector<std::string> head = import->provenance;
  for (const std::string& notice : import->notices) head.push_back("Note: " + notice);
  head.push_back("Made by: " + command_line);
  const Check failure = write_text(files.output, teams::write_teams_yaml(*import, head));
  return failure ? report_error(*failure, Exit::failed) : Exit::done;
}

void add_teams_destination(CLI::App& command, std::string& file) {
  command.add_option("-o", file, "Write the teams file to FILE instead of standard output")
      ->type_name("FILE");
}

/// Where the teams file goes is the same for all: what `--teams` of other commands reads.
Manual manual_of(std::vector<std::string> paragraphs, std::vector<Example> examples) {
  paragraphs.emplace_back(
      "The teams file is for --teams of allocate, fill, explain, diff, plan, audit, import kubernetes and "
      "kube. "
      "What cannot be kept is named on standard error and in the head of the file.");
  return {.paragraphs = std::move(paragraphs), .examples = std::move(examples)};
}

/// An importer of objects of Kubernetes, in one file or several.
Command add_objects_import(CLI::App& import, const char* name, const char* meaning,
                           const char* inputs_meaning,
                           Result<teams::ImportedTeams> (*make)(std::span<const kubernetes::ObjectText>),
                           Manual manual) {
  auto files = std::make_shared<TeamsFiles>();
  CLI::App* command = import.add_subcommand(name, meaning);
  command->add_option("QUEUES", files->inputs, inputs_meaning)->required()->type_name("FILE");
  add_teams_destination(*command, files->output);
  const MakeTeams of_objects = [make](const std::vector<InputText>& inputs) -> Result<teams::ImportedTeams> {
    const Result<std::vector<kubernetes::ObjectText>> texts = read_objects(inputs);
    return texts ? make(*texts) : texts.error();
  };
  return {command, std::move(manual), [files, name, of_objects](const std::string& line) {
            return run(*files, std::array<std::string_view, 2>{name, "kubernetes"}, of_objects, line);
          }};
}

Command add_import_kueue(CLI::App& import) {
  return add_objects_import(
      import, "kueue", "Make a teams file from the queues of Kueue",
      "What kubectl get clusterqueues,cohorts,localqueues,resourceflavors -A prints with -o json or yaml, in "
      "one "
      "file or several; - reads standard input",
      teams::import_kueue,
      manual_of(
          {"A ClusterQueue becomes a group with the namespaces of its LocalQueues, a Cohort a group around "
           "its queues. Nominal quotas, summed over flavors, are guarantees; borrowing and lending limits "
           "become limits and reserves, and fairSharing.weight the weight."},
          {{"mirab import kueue queues.yaml -o teams.yaml",
            "After kubectl get clusterqueues,cohorts,localqueues,resourceflavors -A -o yaml >queues.yaml"}}));
}

Command add_import_volcano(CLI::App& import) {
  return add_objects_import(
      import, "volcano", "Make a teams file from the queues of Volcano",
      "What kubectl get queues.scheduling.volcano.sh,namespaces prints with -o json or yaml, in one file or "
      "several; - reads standard input",
      teams::import_volcano,
      manual_of({"A Queue becomes a group in the group of its parent. What it deserves is its guarantee, its "
                 "guarantee is reserved, and its capability is the limit. Namespaces belong to the queue "
                 "that their "
                 "annotation scheduling.volcano.sh/queue-name names."},
                {{"mirab import volcano queues.yaml -o teams.yaml",
                  "After kubectl get queues.scheduling.volcano.sh,namespaces -o yaml >queues.yaml"}}));
}

Command add_import_yunikorn(CLI::App& import) {
  return add_objects_import(
      import, "yunikorn", "Make a teams file from the queues of YuniKorn",
      "A queues.yaml, or the ConfigMap that holds it as kubectl prints it with -o json or yaml; - reads "
      "standard "
      "input",
      teams::import_yunikorn,
      manual_of(
          {"A queue below root becomes a group, with what it is guaranteed and its maximum as the limit. "
           "Where a placement rule takes the queue from the namespace, the queue has the namespace of its "
           "name."},
          {{"mirab import yunikorn queues.yaml -o teams.yaml", "From the file itself"},
           {"kubectl get configmap yunikorn-configs -n yunikorn -o yaml | mirab import yunikorn - -o "
            "teams.yaml",
            "From the cluster"}}));
}

Command add_import_slurm_accounts(CLI::App& import) {
  auto files = std::make_shared<TeamsFiles>();
  CLI::App* command =
      import.add_subcommand("slurm-accounts", "Make a teams file from the accounts of a Slurm cluster");
  command
      ->add_option("ASSOCIATIONS", files->inputs,
                   "What sacctmgr show assoc -P prints, with the column ParentName; - reads standard input")
      ->required()
      ->expected(1)
      ->type_name("FILE");
  take_one_of(
      command->add_option("--team", files->team, "What a user of the cluster file is")->capture_default_str(),
      {"account", "user"});
  add_teams_destination(*command, files->output);
  const auto make = [files](const std::vector<InputText>& inputs) {
    return teams::import_slurm_accounts({inputs[0].name, inputs[0].text}, files->team == "user"
                                                                              ? teams::SlurmTeam::user
                                                                              : teams::SlurmTeam::account);
  };
  return {command,
          manual_of(
              {"An account becomes a group in the group of its parent; its fairshare is the weight, and "
               "GrpTRES the limit. With --team user the users of an account are its members, and one with a "
               "share of its own is a group in it."},
              {{"mirab import slurm-accounts assoc.txt -o teams.yaml",
                "After sacctmgr show assoc -P format=Cluster,Account,ParentName,User,Partition,Share,GrpTRES "
                ">assoc.txt"}}),
          [files, make](const std::string& line) {
            return run(*files, std::array<std::string_view, 2>{"slurm-accounts", "slurm"}, make, line);
          }};
}

Command add_import_yarn(CLI::App& import) {
  auto files = std::make_shared<TeamsFiles>();
  CLI::App* command =
      import.add_subcommand("yarn", "Make a teams file from the queues of YARN's CapacityScheduler");
  command->add_option("CONFIGURATION", files->inputs, "A capacity-scheduler.xml; - reads standard input")
      ->required()
      ->expected(1)
      ->type_name("FILE");
  add_teams_destination(*command, files->output);
  const auto make = [](const std::vector<InputText>& inputs) {
    return teams::import_yarn({inputs[0].name, inputs[0].text});
  };
  return {command,
          manual_of(
              {"A queue becomes a group in the group of its parent. Its capacity, in percent, as a weight or "
               "in amounts, is a guarantee of the whole cluster, its maximum-capacity the limit. Users are "
               "those of `u:` in queue-mappings."},
              {{"mirab import yarn capacity-scheduler.xml -o teams.yaml", "From the file of Hadoop"}}),
          [files, make](const std::string& line) {
            return run(*files, std::array<std::string_view, 1>{"yarn"}, make, line);
          }};
}

}  // namespace

std::vector<Command> add_teams_imports(CLI::App& import) {
  return {add_import_kueue(import), add_import_volcano(import), add_import_yunikorn(import),
          add_import_slurm_accounts(import), add_import_yarn(import)};
}

}  // namespace mirab::cli
