#include "cli/io/input.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cerrno>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fstream>
#include <optional>
#include <system_error>

#include <mirab/model/assert.hpp>
#include <mirab/model/cluster_file.hpp>

#include "cli/io/output.hpp"
#include "model/document.hpp"
#include "model/exact.hpp"
#include "model/names.hpp"
#include "model/packing.hpp"
#include "report/text/format.hpp"

namespace mirab::cli {

void add_cluster_argument(CLI::App& app, std::string& cluster) {
  app.add_option("CLUSTER", cluster, "The cluster file, in YAML or JSON; - reads it from standard input")
      ->required()
      ->type_name("FILE");
}

void add_allocation_option(CLI::App& app, std::string& allocation) {
  app.add_option(
         "--allocation", allocation,
         "What runs now, for the mechanism 'given': CSV with the header user,shape,server,tasks, or the "
         "list `running` of a cluster file; it goes before that of the cluster file; - reads standard input")
      ->type_name("FILE");
}

void add_teams_option(CLI::App& app, std::string& teams) {
  app.add_option(
         "--teams", teams,
         "The groups, with weights, guarantees and limits, of a cluster file that has none: a file as "
         "mirab kube --teams reads it, with the users or namespaces of each group")
      ->type_name("FILE");
}

std::string title_of(const std::string& cluster) {
  return cluster == kStandardInput ? "standard input" : cluster;
}

Result<std::size_t> find_user(const Problem& problem, const std::string& name, const std::string& cluster,
                              const std::string& key) {
  std::vector<std::string_view> names;  // of whole users first
  std::vector<std::string_view> shapes;
  for (const Group& group : problem.groups()) {
    if (group.is_user) names.push_back(group.name);
  }
  for (std::size_t n = 0; n < problem.user_count(); ++n) {
    const User& user = problem.users()[n];
    if (user.name == name) return n;
    names.push_back(user.name);
    if (user.shape && user.group == name) shapes.push_back(user.name);
  }
  if (!shapes.empty())
    return Error{.message = fmt::format("'{}' has several task shapes; name one of them: {}", name,
                                        fmt::join(shapes, ", ")),
                 .key = key};
  return Error{
      .message = fmt::format("{} has no user '{}'{}", title_of(cluster), name, known_names(name, names)),
      .key = key};
}

Error with_cluster_position(const ClusterFiles& files, Error error) {
  if (!error.file.empty()) return error;
  error.file = title_of(files.cluster);
  if (error.key.empty()) return error;
  FilePosition position = position_in_files(files.cluster, files.teams, error.key);
  if (!position.file.empty()) error.file = std::move(position.file);
  const bool is_of_group = !files.teams.empty() && position.line == 0 && error.key.starts_with("groups[");
  if (is_of_group)
    error.file += fmt::format(" and {}", title_of(files.teams));  // one of them, read from a pipe
  error.key = std::move(position.key);
  error.line = position.line;
  return error;
}

namespace {

/// No two of these can come from standard input.
Check check_one_standard_input(const ClusterFiles& files) {
  const std::array<std::pair<std::string_view, std::string_view>, 2> others = {
      {{files.allocation, "--allocation"}, {files.teams, "--teams"}}};
  bool is_read = files.cluster == kStandardInput;
  for (const auto& [file, option] : others) {
    if (file != kStandardInput) continue;
    if (is_read)
      return Error{.message = "only one file can be read from standard input", .key = std::string(option)};
    is_read = true;
  }
  return {};
}

void note_absent(const ClusterFiles& files, const std::vector<std::string>& absent) {
  constexpr std::size_t kShown = 5;
  if (absent.empty()) return;
  const std::vector<std::string> first(
      absent.begin(), absent.begin() + static_cast<std::ptrdiff_t>(std::min(kShown, absent.size())));
  std::string names = fmt::format("{}", fmt::join(first, ", "));
  if (absent.size() > kShown) names += fmt::format(" and {} more", absent.size() - kShown);
  fmt::print(stderr, "mirab: note: {}: no user of {} has the name {}\n", title_of(files.teams),
             title_of(files.cluster), report::printable(names));
}

}  // namespace

Result<Problem> with_teams(const Problem& problem, const ClusterFiles& files) {
  std::vector<std::string> absent;
  Result<Problem> grouped = with_teams_file(problem, files.teams, absent);
  if (!grouped) return with_cluster_position(files, grouped.error());
  note_absent(files, absent);
  return grouped;
}

Result<Problem> read_problem(const ClusterFiles& files) {
  if (Check wrong = check_one_standard_input(files)) return *std::move(wrong);
  Result<Problem> problem = files.allocation.empty() ? read_cluster_file(files.cluster)
                                                     : read_cluster_file(files.cluster, files.allocation);
  if (!problem)
    return problem.error().file != title_of(files.cluster)
               ? std::move(problem)
               : Result<Problem>(explain_wrong_kind(problem.error(), FileKind::cluster));
  return files.teams.empty() ? problem : with_teams(*problem, files);
}

namespace {

constexpr std::string_view kGzipped = "gzip";

/// What tells what a text is: its first bytes, unpacked.
std::string beginning_of(std::string_view text) {
  constexpr std::size_t kBeginning = 4096;
  return packing_of(text) == kGzipped ? unpacked_beginning(text, kBeginning)
                                      : std::string(text.substr(0, kBeginning));
}

/// `nodes.json` for nodes.json.gz.
std::string_view without_gz(std::string_view name) {
  constexpr std::string_view kEnd = ".gz";
  if (name.ends_with(kEnd)) name.remove_suffix(kEnd.size());
  return name;
}

}  // namespace

Check check_unpacked(const InputText& input) {
  const std::optional<std::string_view> packing = packing_of(input.text);
  if (!packing) return {};
  return Error{.message = fmt::format("is compressed with {}; decompress it first", *packing),
               .file = input.name};
}

Result<InputText> read_foreign_input(const std::string& path) {
  Result<InputText> input = read_input(path);
  if (!input) return input;
  if (packing_of(input->text) != kGzipped) {
    if (Check packed = check_unpacked(*input)) return *std::move(packed);
    return input;
  }
  Result<std::string> text = unpacked(input->text, kMaxTextBytes);
  if (!text) return Error{.message = text.error().message, .file = input->name};
  input->text = *std::move(text);
  if (without_gz(path).ends_with(".json")) input->syntax = Syntax::json;
  return input;
}

namespace {

// By its first bytes or by the keys that only this kind has.
std::optional<FileKind> kind_of(const InputText& input) {
  if (is_workload(input.text)) return FileKind::workload;
  const Result<Node> document = read_document(input.text, input.syntax, input.name);
  if (!document) return {};
  const bool is_manifest = document->find("apiVersion") != nullptr || document->find("metadata") != nullptr;
  if (is_manifest) return {};  // of Kubernetes, which has `kind` too
  if (const Node* const kind = document->find("kind"); kind != nullptr) {
    const bool is_list_of_kubernetes = kind->text.ends_with("List");
    return is_list_of_kubernetes ? std::nullopt : std::optional(FileKind::scenario);
  }
  if (document->find("servers") != nullptr) return FileKind::cluster;
  return {};
}

std::string_view name_of(FileKind kind) {
  switch (kind) {
    case FileKind::cluster:
      return "a cluster file";
    case FileKind::workload:
      return "a workload file";
    case FileKind::scenario:
      return "a scenario";
  }
  return {};
}

std::string_view place_of(FileKind kind) {
  switch (kind) {
    case FileKind::cluster:
      return "`mirab allocate` takes it, and a scenario names it under `cluster`";
    case FileKind::workload:
      return "a scenario names it under `workload`, and `mirab simulate` takes the scenario";
    case FileKind::scenario:
      return "`mirab simulate` takes it";
  }
  return {};
}

}  // namespace

bool is_workload(std::string_view whole) {
  const std::string beginning = beginning_of(whole);
  std::string_view text = beginning;
  for (const std::string_view next : {"{", "\"mirab\""}) {
    text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
    if (!text.starts_with(next)) return false;
    text.remove_prefix(next.size());
  }
  return true;
}

namespace {

// Does a line of the text begin with this key, in YAML or JSON?
bool has_line_with_key(std::string_view text, std::string_view key) {
  for (std::size_t at = text.find(key); at != std::string_view::npos; at = text.find(key, at + 1)) {
    const std::size_t line = text.rfind('\n', at) + 1;  // npos + 1 is 0
    const std::string_view before = text.substr(line, at - line);
    const std::string_view after = text.substr(at + key.size());
    if (before.find_first_not_of(" \t{\"-") == std::string_view::npos &&
        (after.starts_with(':') || after.starts_with("\":")))
      return true;
  }
  return false;
}

// Has the beginning of a JSON text fields of nodes of scontrol, jobs of squeue or sacct, or what is above
// them?
bool is_json_of_slurm(std::string_view text) {
  constexpr auto kFields = std::to_array<std::string_view>(
      {"\"real_memory\"", "\"job_state\"", "\"allocation_nodes\"", "\"data_parser\""});
  const bool is_json = trimmed(text).starts_with('{');
  return is_json && std::any_of(kFields.begin(), kFields.end(), [&](std::string_view field) {
           return text.find(field) != std::string_view::npos;
         });
}

// Has an object of Kubernetes in the text, in YAML or JSON, this key with a value that begins so?
bool has_value(std::string_view text, std::string_view key, std::string_view beginning) {
  for (std::size_t at = text.find(key); at != std::string_view::npos; at = text.find(key, at + 1)) {
    std::string_view value = text.substr(at + key.size());
    value.remove_prefix(std::min(value.find_first_not_of("\"': "), value.size()));
    if (value.starts_with(beginning)) return true;
  }
  return false;
}

// Are there objects of this group of Kubernetes' APIs, and no nodes and workloads?
bool has_only_objects_of(std::string_view text, std::string_view api_group) {
  return has_value(text, "apiVersion", api_group) && !has_value(text, "apiVersion", "apps/") &&
         !has_value(text, "kind", "Node") && !has_value(text, "kind", "Pod\n") &&
         !has_value(text, "kind", "Pod\"");
}

// Is it the head of the table that sacctmgr prints?
bool is_head_of_sacctmgr(std::string_view first) {
  const auto has = [&](std::string_view column) { return first.find(column) != std::string_view::npos; };
  return has("|") && has("Account") && (has("ParentName") || has("Par Name") || has("Share"));
}

// The queues of other schedulers, of which a teams file can be made.
std::optional<ForeignKind> kind_of_queues(std::string_view text, std::string_view first) {
  const auto queues = [](std::string_view importer, std::string_view what) {
    return ForeignKind{.importer = importer,
                       .description = fmt::format(
                           "a file with {}; `mirab import {}` makes a teams file of it", what, importer)};
  };
  if (has_only_objects_of(text, "kueue.x-k8s.io/")) return queues("kueue", "queues of Kueue");
  if (has_only_objects_of(text, "scheduling.volcano.sh/")) return queues("volcano", "queues of Volcano");
  const bool has_partitions = has_line_with_key(text, "partitions") && has_line_with_key(text, "queues");
  if (has_partitions || has_line_with_key(text, "queues.yaml"))
    return queues("yunikorn", "queues of YuniKorn");
  if (first.starts_with('<') && text.find("yarn.scheduler.capacity.") != std::string_view::npos)
    return queues("yarn", "queues of YARN's CapacityScheduler");
  if (is_head_of_sacctmgr(first)) return queues("slurm-accounts", "accounts of Slurm");
  return {};
}

// Is the line 18 numbers, as every job of such a log?
bool is_swf_job(std::string_view line) {
  constexpr int kFields = 18;
  int fields = 0;
  while (!line.empty()) {
    const std::size_t first = line.find_first_not_of(" \t\r");
    if (first == std::string_view::npos) break;
    line.remove_prefix(first);
    const std::size_t end = std::min(line.find_first_of(" \t\r"), line.size());
    if (line.substr(0, end).find_first_not_of("-0123456789.") != std::string_view::npos) return false;
    line.remove_prefix(end);
    ++fields;
  }
  return fields == kFields;
}

// As `kubectl get`, `kubectl top` and `kubectl describe` print for people.
bool is_for_people_of_kubectl(std::string_view text, std::string_view first) {
  const bool is_table = first.starts_with("NAME   ") || first.starts_with("NAMESPACE   ");
  return is_table || (first.starts_with("Name:   ") && text.find("\nLabels:   ") != std::string_view::npos);
}

}  // namespace

std::optional<ForeignKind> foreign_kind(const InputText& input) {
  const std::string beginning = beginning_of(input.text);
  const std::string_view text = beginning, name = without_gz(input.name);
  const std::size_t start = std::min(text.find_first_not_of(" \t\r\n"), text.size());
  const std::string_view first = text.substr(start, text.find('\n', start) - start);
  if (std::optional<ForeignKind> queues = kind_of_queues(text, first)) return queues;
  if (has_line_with_key(text, "apiVersion")) {
    return ForeignKind{.importer = "kubernetes",
                       .description =
                           "Kubernetes objects; `mirab import kubernetes` makes a cluster file of "
                           "nodes and pods, `mirab limits` gives pods limits"};
  }
  if (is_for_people_of_kubectl(text, first)) {
    return ForeignKind{.importer = {},
                       .description =
                           "what kubectl prints for people to read; `kubectl get nodes -o json` and "
                           "`kubectl get pods -A -o json` print what is read"};
  }
  if (first.starts_with(";") || is_swf_job(first) || name.ends_with(".swf"))
    return ForeignKind{.importer = "swf",
                       .description =
                           "a log in the Standard Workload Format; `mirab import swf` makes a "
                           "workload file of it"};
  const bool is_table_of_slurm = first.starts_with("JobID|") || first.starts_with("JOBID|");
  if (first.starts_with("NodeName=") || first.starts_with("JobId=") || is_table_of_slurm ||
      is_json_of_slurm(text))
    return ForeignKind{
        .importer = "slurm",
        .description = "what Slurm prints; `mirab import slurm` makes a cluster file of nodes and jobs",
        .is_table = is_table_of_slurm};
  if (name.ends_with(".csv"))
    return ForeignKind{.importer = "csv",
                       .description =
                           "a table; `mirab import csv` makes a cluster file of tables of servers and users, "
                           "`mirab import jobs` a workload file of a table of jobs",
                       .is_table = true};
  return {};
}

Error explain_wrong_import(Error error, std::span<const InputText> inputs,
                           std::span<const std::string_view> like) {
  for (const InputText& input : inputs) {
    const std::optional<ForeignKind> foreign = foreign_kind(input);
    const auto is_like = [&](std::string_view importer) {
      return foreign->importer == importer || (foreign->is_table && importer == "jobs");
    };
    if (foreign && std::any_of(like.begin(), like.end(), is_like)) continue;
    if (foreign) return {.message = fmt::format("this is {}", foreign->description), .file = input.name};
    if (const std::optional<FileKind> own = kind_of(input)) {
      return {.message = fmt::format("this is {}, which needs no import; {}", name_of(*own), place_of(*own)),
              .file = input.name};
    }
  }
  return error;
}

Error explain_wrong_trace(Error error, std::string_view like) {
  if (error.file.empty() || error.line > 1) return error;
  const Result<InputText> input = read_input(error.file);
  if (!input) return error;
  if (packing_of(input->text) != kGzipped) {  // that is read
    if (Check packed = check_unpacked(*input)) return *std::move(packed);
  }
  return explain_wrong_import(std::move(error), {&*input, 1}, {&like, 1});
}

Error explain_wrong_manifests(Error error, const InputText& input) {
  constexpr std::string_view kBelong = "manifests of Kubernetes belong here";
  if (const std::optional<ForeignKind> foreign = foreign_kind(input)) {
    if (foreign->importer == "kubernetes") return error;
    return {.message = fmt::format("{}, and this is {}", kBelong, foreign->description), .file = input.name};
  }
  const std::optional<FileKind> own = kind_of(input);
  if (!own) return error;
  return {.message = fmt::format("{}, and this is {}; {}", kBelong, name_of(*own), place_of(*own)),
          .file = input.name};
}

Error explain_wrong_kind(Error error, FileKind wanted) {
  if (error.file.empty()) return error;
  const Result<InputText> input = read_input(error.file);
  if (!input || (wanted == FileKind::workload && packing_of(input->text) == kGzipped)) return error;
  if (const std::optional<ForeignKind> foreign = foreign_kind(*input))
    return {.message = fmt::format("{} belongs here, and this is {}", name_of(wanted), foreign->description),
            .file = error.file};
  const std::optional<FileKind> kind = kind_of(*input);
  if (!kind) {
    if (Check packed = check_unpacked(*input)) return *std::move(packed);
  }
  if (!kind || *kind == wanted) return error;
  return {.message = fmt::format("this is {}, where {} belongs; {}", name_of(*kind), name_of(wanted),
                                 place_of(*kind)),
          .file = error.file};
}

}  // namespace mirab::cli
