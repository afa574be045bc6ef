// `mirab kube`: schedule the pods of a Kubernetes cluster; `mirab kube manifest`: what it needs there.
#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <memory>
#include <random>
#include <unistd.h>

#include "cli/io/live_cluster.hpp"
#include "cli/io/output.hpp"
#include "cli/options.hpp"
#include "cli/program.hpp"
#include "kube/access.hpp"
#include "kube/scheduling.hpp"
#include "kubernetes/scheduler/permissions.hpp"
#include "model/document.hpp"
#include "model/names.hpp"
#include "service/metrics.hpp"

namespace mirab::cli {
namespace {

struct KubeFlags {
  LiveClusterOptions live = {};
  std::string scheduler = "mirab";
  std::string discipline = "drf";
  std::string placement = "best-fit";
  std::vector<std::string> share_scale = {};
  std::string team = "namespace";
  std::string teams = {};
  bool is_dry_run = false;
  bool preempts = false;
  std::uint64_t evictions_per_min = 60;
  bool elects = true;
  std::string lease_space = "kube-system";
  std::string lease_name = "mirab";
  std::uint64_t lease_s = 15;
  std::string listen = {};
  std::uint64_t connections = kube::SchedulingOptions{}.connections;
  std::uint64_t binds_per_s = 0;
  std::string event_logs = {};
  std::uint64_t seed = 1;
};

/// `HOST_5f3a…`: of this process alone.
std::string own_identity() {
  std::array<char, 256> host{};
  if (::gethostname(host.data(), host.size() - 1) != 0) host[0] = '\0';
  std::random_device device;
  return fmt::format("{}_{:08x}{:08x}", host[0] == '\0' ? "mirab" : host.data(), device(), device());
}

/// `memory=0.5`, each.
Check read_share_scale(const std::vector<std::string>& texts, std::map<std::string, Quantity>& scale) {
  for (const std::string& text : texts) {
    const std::size_t equals = text.find('=');
    const Result<Quantity> factor =
        equals == std::string::npos ? Error{} : Quantity::parse(text.substr(equals + 1));
    if (!factor || equals == 0) {
      return Error{
          .message = fmt::format("'{}' is not of the form RESOURCE=FACTOR, such as memory=0.5", text),
          .key = "--share-scale"};
    }
    if (!scale.emplace(text.substr(0, equals), *factor).second)
      return Error{.message = fmt::format("'{}' is given twice", text.substr(0, equals)),
                   .key = "--share-scale"};
  }
  return {};
}

/// The key of `label=KEY`; empty for `namespace`.
Result<std::string> read_team(const std::string& text) {
  constexpr std::string_view kLabel = "label=";
  if (text == "namespace") return std::string();
  if (text.starts_with(kLabel) && text.size() > kLabel.size()) return text.substr(kLabel.size());
  return Error{.message = fmt::format("must be namespace, or label=KEY with the key of a label of "
                                      "namespaces, not '{}'",
                                      text),
               .key = "--team"};
}

void add_team(CLI::App& command, std::string& team) {
  command
      .add_option("--team", team,
                  "What a team is: namespace, or label=KEY for the value of a label of its namespaces")
      ->type_name("TEAM")
      ->capture_default_str();
}

void add_teams(CLI::App& command, std::string& teams) {
  command
      .add_option("--teams", teams,
                  "The groups of a cluster file, with weights, guarantees and limits, and the namespaces of "
                  "each")
      ->type_name("FILE");
}

Result<kubernetes::Policy> read_policy(const KubeFlags& flags) {
  Result<Choice> discipline = read_choice(flags.discipline, "--discipline", choose_discipline);
  if (!discipline) return std::move(discipline).error();
  Result<Choice> placement = read_choice(flags.placement, "--placement", choose_placement);
  if (!placement) return std::move(placement).error();
  kubernetes::Policy policy{
      .discipline = *std::move(discipline), .placement = *std::move(placement), .scheduler = flags.scheduler};
  if (Check wrong = read_share_scale(flags.share_scale, policy.share_scale)) return *std::move(wrong);
  Result<std::string> label = read_team(flags.team);
  if (!label) return std::move(label).error();
  policy.teams.label = *std::move(label);
  if (!flags.teams.empty()) {
    Result<LiveTeams> teams = LiveTeams::read(flags.teams, "namespaces");
    if (!teams) return std::move(teams).error();
    policy.teams.file = *std::move(teams);
  }
  if (flags.preempts) {
    policy.preempting = scheduling::Preempting{.tasks = static_cast<std::int64_t>(flags.evictions_per_min),
                                               .per = std::chrono::minutes(1)};
  }
  // What the engine does not take is refused now, and not when the first node comes.
  const Result<kubernetes::KnownCluster> tried = kubernetes::KnownCluster::from(policy);
  if (!tried) return tried.error();
  return policy;
}

Exit run_kube(const KubeFlags& flags) {
  Result<kubernetes::Policy> policy = read_policy(flags);
  if (!policy) return report_error(policy.error());
  Result<kube::Access> access = kube::find_access(flags.live.kubeconfig, flags.live.context);
  if (!access) return report_error(access.error());
  kube::SchedulingOptions options{.access = *std::move(access), .connections = flags.connections};
  options.say = [](std::string_view level, std::string_view what, const nlohmann::json& more) {
    service::journal(level, what, more);
  };
  options.version = MIRAB_VERSION;
  options.scheduler.policy = *std::move(policy);
  options.scheduler.holder = own_identity();
  options.scheduler.seed = flags.seed;
  options.event_logs = flags.event_logs;
  options.scheduler.is_dry_run = flags.is_dry_run;
  options.scheduler.binds_per_s = static_cast<double>(flags.binds_per_s);
  if (flags.elects && !flags.is_dry_run) {
    options.election = kubernetes::Election::Options{
        .space = flags.lease_space,
        .name = flags.lease_name,
        .holder = options.scheduler.holder,
        .duration = std::chrono::seconds(static_cast<std::int64_t>(flags.lease_s))};
  }
  if (!flags.listen.empty()) {
    const Result<net::Endpoint> endpoint = net::read_endpoint(flags.listen, "--listen");
    if (!endpoint) return report_error(endpoint.error());
    options.listen = *endpoint;
  }
  const Result<int> status = kube::schedule(options);
  if (!status) return report_error(status.error(), Exit::failed);
  return static_cast<Exit>(*status);
}

void add_scheduler_name(CLI::App& command, std::string& name) {
  command.add_option("--scheduler-name", name, "Schedule the pods whose spec.schedulerName is this")
      ->type_name("NAME")
      ->capture_default_str();
}

void add_preempt(CLI::App& command, bool& preempts) {
  command.add_flag(
      "--preempt", preempts,
      "Evict pods for others: those of namespaces above their share, of a lower priority in the same "
      "namespace, or on room that a team is guaranteed; never bare pods");
}

struct ManifestFlags {
  kubernetes::ManifestOptions manifest = {};
  std::string team = "namespace";
  std::string teams = {};
};

Exit run_manifest(const ManifestFlags& flags) {
  kubernetes::ManifestOptions options = flags.manifest;
  Result<std::string> label = read_team(flags.team);
  if (!label) return report_error(label.error());
  options.team_label = *std::move(label);
  if (!flags.teams.empty()) {
    const Result<LiveTeams> teams = LiveTeams::read(flags.teams, "namespaces");
    if (!teams) return report_error(teams.error());
    Result<InputText> text = read_input(flags.teams);
    if (!text) return report_error(text.error());
    if (!is_utf8(text->text))
      return report_error(
          {.message = "is not UTF-8, as the text of a ConfigMap has to be", .file = text->name});
    if (text->text.starts_with(kByteOrderMark)) text->text.erase(0, kByteOrderMark.size());
    options.teams_file = std::move(text->text);
  }
  if (const Check wrong = kubernetes::check_manifest(options)) return report_error(*wrong);
  const Check failure = write_text(kStandardOutput, kubernetes::manifest(options));
  return failure ? report_error(*failure, Exit::failed) : Exit::done;
}

Command add_manifest(CLI::App& kube) {
  auto flags = std::make_shared<ManifestFlags>();
  CLI::App* command =
      kube.add_subcommand("manifest", "Print what it needs in the cluster, for kubectl apply");
  command->add_option("--namespace", flags->manifest.space, "Where it runs")
      ->type_name("NAME")
      ->capture_default_str();
  command->add_option("--image", flags->manifest.image, "The image with the program")
      ->type_name("IMAGE")
      ->capture_default_str();
  add_scheduler_name(*command, flags->manifest.scheduler);
  add_team(*command, flags->team);
  add_teams(*command, flags->teams);
  add_preempt(*command, flags->manifest.preempts);
  take_one_of(command
                  ->add_option("--flow-schema", flags->manifest.flow_schema,
                               "The version of FlowSchema: v1 from Kubernetes 1.29 on, v1beta3 from 1.26, "
                               "v1beta2 from 1.23, v1beta1 from 1.20; none: leave it out")
                  ->capture_default_str(),
              {"v1", "v1beta3", "v1beta2", "v1beta1", "none"});
  Manual manual;
  manual.paragraphs = {
      "Prints a namespace, a service account, the rules of what it may do (RBAC), a class of requests "
      "(FlowSchema), and a deployment of two replicas, of which one acts."};
  manual.examples = {{"mirab kube manifest --image registry.example/mirab:0.1.0 | kubectl apply -f -",
                      "Run the scheduler in the cluster"}};
  return {command, std::move(manual), [flags](const std::string&) { return run_manifest(*flags); }};
}

}  // namespace

std::vector<Command> add_kube(CLI::App& app) {
  auto flags = std::make_shared<KubeFlags>();
  CLI::App* kube = app.add_subcommand("kube", "Schedule the pods of a Kubernetes cluster");
  kube->require_subcommand(0, 1);
  kube->add_option(
          "--kubeconfig", flags->live.kubeconfig,
          "How to reach it; default: the files of $KUBECONFIG, else ~/.kube/config, else what a pod is given")
      ->type_name("FILE");
  kube->add_option("--context", flags->live.context, "The context; default: the current one of the file")
      ->type_name("NAME");
  kube->add_flag("--dry-run", flags->is_dry_run, "Decide and report; bind nothing, write nothing");
  add_scheduler_name(*kube, flags->scheduler);
  kube->add_option("--discipline", flags->discipline, "Which namespace is next")
      ->type_name("DISCIPLINE")
      ->capture_default_str();
  kube->add_option("--placement", flags->placement, "On which node a pod goes")
      ->type_name("PLACEMENT")
      ->capture_default_str();
  add_list_option(*kube, "--share-scale", flags->share_scale,
                  "How much a resource counts in a share; 0: not at all", "RESOURCE=FACTOR");
  add_team(*kube, flags->team);
  add_teams(*kube, flags->teams);
  add_preempt(*kube, flags->preempts);
  take_whole_number(kube->add_option("--evictions-per-minute", flags->evictions_per_min,
                                     "How many pods --preempt may evict in a minute")
                        ->type_name("N")
                        ->capture_default_str(),
                    1, 1'000'000);
  kube->add_flag("--leader-elect,!--no-leader-elect", flags->elects,
                 "Act only while this process holds the lease, so that several may run; the default");
  kube->add_option("--lease-namespace", flags->lease_space, "Where the lease is")
      ->type_name("NAME")
      ->capture_default_str();
  kube->add_option("--lease-name", flags->lease_name, "What it is called")
      ->type_name("NAME")
      ->capture_default_str();
  take_whole_number(
      kube->add_option("--lease-duration", flags->lease_s,
                       "Another takes it when it was not renewed for this long; the same for all of them")
          ->type_name("SECONDS")
          ->capture_default_str(),
      3, 3600);
  kube->add_option("--listen", flags->listen,
                   "Where to answer: metrics and health to everybody, the API and the page to this machine")
      ->type_name("ADDR:PORT");
  take_whole_number(kube->add_option("--connections", flags->connections, "Requests at a time, at most")
                        ->type_name("N")
                        ->capture_default_str(),
                    1, 256);
  take_whole_number(kube->add_option("--binds-per-second", flags->binds_per_s, "At most; 0: no limit")
                        ->type_name("N")
                        ->capture_default_str(),
                    0, 1'000'000);
  kube->add_option("--event-logs", flags->event_logs,
                   "Write what the engine learns and decides into this folder, a file for each engine; "
                   "`mirab validate` decides all of it again")
      ->type_name("FOLDER");
  add_seed_option(*kube, flags->seed);
  Manual manual;
  manual.paragraphs = {
      "Places the pods that name it in spec.schedulerName. A namespace is a user: who is next is decided by "
      "the dominant share of what the pods of a namespace request, or by another discipline. A pod that "
      "wants what Mirab cannot honour yet waits, and an event names the field.",
      "With --teams, or --team label=KEY, namespaces are members of groups, which share first; a guarantee "
      "decides who is next. Namespaces without a group stand next to the groups.",
      "The pods of a gang, with the labels mirab.io/gang and mirab.io/gang-size, start together. With "
      "--preempt pods are evicted for others, within disruption budgets.",
      "Each waiting pod has the reason in its condition PodScheduled and in events. Standard error has a "
      "line "
      "of JSON for each bind. SIGTERM ends it; it keeps no file, and reads the cluster again at each start."};
  manual.paragraphs.emplace_back(
      "At the address of --listen it answers what `mirab why`, `whatif`, `queues`, `jobs`, `history` and "
      "`watch` ask "
      "with "
      "--server, and shows the live page, to those on its machine: `kubectl port-forward` and ssh reach it.");
  manual.exits = {{1, "the API server cannot be reached or refuses, or the lease went to another process"}};
  manual.examples = {
      {"mirab kube --dry-run --scheduler-name default-scheduler",
       "Show where it would place the pods of your scheduler"},
      {"mirab kube --discipline tsf --listen 127.0.0.1:7418", "Schedule, with metrics on this machine"}};
  std::vector<Command> commands;
  commands.push_back({kube, std::move(manual), [flags](const std::string&) { return run_kube(*flags); }});
  commands.push_back(add_manifest(*kube));
  return commands;
}

}  // namespace mirab::cli
