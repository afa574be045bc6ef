#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <optional>

#include <mirab/kubernetes/limits.hpp>
#include <mirab/kubernetes/manifests.hpp>

#include "cli/io/input.hpp"
#include "cli/io/output.hpp"
#include "cli/options.hpp"
#include "cli/program.hpp"
#include "report/outcome/comparison.hpp"
#include "report/outcome/pod_limits.hpp"
#include "report/text/json.hpp"

namespace mirab::cli {
namespace {

struct LimitsFlags {
  std::string pods;
  std::string capacity;
  std::string node_file;
  std::string node_name;
  std::optional<std::string> space;
  std::string mechanism = "drf";
  std::string default_request;
  std::vector<std::string> weights;
  std::vector<std::string> resource_weights;
  std::string at_most;
  bool only_when_exceeded = false;
  bool patch = false;
  int threads = 1;
  OutputOptions output;
  ReportOptions report;
};

Error in_option(Error error, const std::string& option) {
  if (error.file.empty() && error.key.empty()) error.key = option;
  return error;
}

Check check_limits_flags(const LimitsFlags& options) {
  if (options.capacity.empty() == options.node_file.empty()) {
    return Error{
        .message = options.capacity.empty()
                       ? "say what the pods may have: cpu=2,memory=1800Mi, or a node's file with --node"
                       : "give this or --node, not both",
        .key = "--capacity"};
  }
  if (options.patch && options.output.format != "table" && options.output.format != "patch")
    return Error{.message = "prints kubectl's commands; leave out --format", .key = "--patch"};
  if (!options.node_name.empty() && options.node_file.empty())
    return Error{.message = "goes with --node", .key = "--node-name"};
  if (options.space && options.space->empty())
    return Error{.message = "must be the name of a namespace", .key = "--namespace"};
  const bool in_place = options.output.format == "manifest";  // meant to take the old one's place
  if (Check wrong = check_destinations({{"-o", options.output.file}, {"--report", options.report.file}},
                                       {in_place ? "" : options.pods, options.node_file}))
    return wrong;
  if (options.pods == kStandardInput && options.node_file == kStandardInput)
    return Error{.message = "pods and node cannot both be read from standard input", .key = "--node"};
  return {};
}

/// One node, or all that the file has.
using Nodes = std::vector<kubernetes::Allocatable>;

Result<Nodes> read_allocatable(const LimitsFlags& options) {
  if (!options.capacity.empty()) {
    Result<kubernetes::Allocatable> capacity = kubernetes::read_capacity(options.capacity);
    if (!capacity) return in_option(capacity.error(), "--capacity");
    return Nodes{*std::move(capacity)};
  }
  const Result<InputText> text = read_foreign_input(options.node_file);
  if (!text) return text.error();
  if (options.node_name.empty()) return kubernetes::read_nodes(text->text, text->syntax, text->name);
  Result<kubernetes::Allocatable> node =
      kubernetes::read_node(text->text, text->syntax, text->name, options.node_name);
  if (!node) return std::move(node).error();
  return Nodes{*std::move(node)};
}

// `4x` or `4`.
Result<Quantity> read_multiple(std::string_view text) {
  if (text.ends_with('x')) text.remove_suffix(1);
  const Result<Quantity> multiple = Quantity::parse(text);
  if (multiple && *multiple >= Quantity(1)) return multiple;
  return Error{
      .message = fmt::format("must be a multiple of the request from 1x, such as 4x, not '{}'", text),
      .key = "--at-most"};
}

// `name=weight`, the name up to the last equals sign.
Result<std::pair<std::string, Quantity>> read_weight(const std::string& text, const std::string& option) {
  const std::size_t equals = text.rfind('=');
  if (equals == std::string::npos || equals == 0)
    return Error{.message = fmt::format("'{}' is not of the form NAME=NUMBER", text), .key = option};
  const Result<Quantity> weight = Quantity::parse(text.substr(equals + 1));
  if (!weight) return Error{.message = weight.error().message, .key = option};
  if (weight->is_zero())
    return Error{.message = fmt::format("'{}' must be more than 0", text), .key = option};
  return std::pair(text.substr(0, equals), *weight);
}

Result<kubernetes::LimitOptions> read_limit_options(const LimitsFlags& options) {
  const Result<Choice> mechanism = read_choice(options.mechanism, "--mechanism", choose_mechanism);
  if (!mechanism) return mechanism.error();
  kubernetes::LimitOptions read{.mechanism = *mechanism,
                                .recalculate = options.only_when_exceeded
                                                   ? kubernetes::Recalculate::when_exceeded
                                                   : kubernetes::Recalculate::always,
                                .execution = {.threads = options.threads}};
  if (!options.at_most.empty()) {
    const Result<Quantity> multiple = read_multiple(options.at_most);
    if (!multiple) return multiple.error();
    read.at_most = *multiple;
  }
  for (const std::string& text : options.weights) {
    const auto weight = read_weight(text, "--weight");
    if (!weight) return weight.error();
    read.weights.push_back({weight->first, weight->second});
  }
  for (const std::string& text : options.resource_weights) {
    const auto weight = read_weight(text, "--resource-weight");
    if (!weight) return weight.error();
    read.resource_weights.push_back({weight->first, weight->second});
  }
  return read;
}

Result<kubernetes::PodReading> read_pod_reading(const LimitsFlags& options, const Nodes& nodes) {
  const bool is_cluster = nodes.size() > 1;
  kubernetes::PodReading reading{.resources = nodes[0].resources,
                                 .default_request = {},
                                 .node = is_cluster ? "" : nodes[0].node,
                                 .only_pods = is_cluster};
  if (options.default_request.empty()) return reading;
  Result<std::vector<kubernetes::Amount>> amounts =
      kubernetes::read_amounts(options.default_request, Rounding::up);
  if (!amounts) return in_option(amounts.error(), "--default-request");
  reading.default_request = *std::move(amounts);
  return reading;
}

Result<std::string> formatted(const report::PodLimits& all, const InputText& input,
                              const LimitsFlags& options) {
  const std::string& format = options.output.format;
  if (options.patch || format == "patch") return kubernetes::patch_commands(all.pods, all.limits);
  if (format == "manifest")
    return kubernetes::with_limits(input.text, input.syntax, input.name, all.pods, all.limits);
  if (format == "json") return report::json_text(report::limits_json(all), 2) + "\n";
  if (format == "csv") return report::limits_csv(all);
  return report::limits_table(all, columns_of(options.output.file));
}

Exit print_limits(const report::PodLimits& all, const InputText& input, const LimitsFlags& options) {
  const Result<std::string> text = formatted(all, input, options);
  if (!text) return report_error(text.error());
  const Exit written =
      write_answer(options.output, options.report, "limits", all.title, *text, report::limits_json(all));
  if (written != Exit::done) return written;
  return all.limits.status == Status::not_converged ? Exit::not_converged : Exit::done;
}

std::string title_on(const LimitsFlags& options, const InputText& input) {
  return options.report.title.empty() ? input.name : options.report.title;
}

Error in_pods_file(Error error, const InputText& input) {
  if (error.key.empty()) error.file = input.name;
  return error;
}

Error in_namespace(Error error, const InputText& input) {
  error.file = input.name;
  error.key = "--namespace";
  return error;
}

Exit run_limits(const LimitsFlags& options) {
  if (const Check wrong = check_limits_flags(options)) return report_error(*wrong);
  const Result<kubernetes::LimitOptions> limit_options = read_limit_options(options);
  if (!limit_options) return report_error(limit_options.error());
  const Result<Nodes> nodes = read_allocatable(options);
  if (!nodes) return report_error(nodes.error());
  if (nodes->size() > 1 && options.output.format == "manifest") {
    return report_error(
        {.message = "manifest writes into manifests, and limits of a cluster are of templates that its "
                    "pods do not show; print patches, or choose a node with --node-name",
         .key = "--format"});
  }
  const Result<kubernetes::PodReading> reading = read_pod_reading(options, *nodes);
  if (!reading) return report_error(reading.error());
  const Result<InputText> input = read_foreign_input(options.pods);
  if (!input) return report_error(input.error());
  Result<kubernetes::Pods> pods = kubernetes::read_pods(input->text, input->syntax, input->name, *reading);
  if (!pods) return report_error(explain_wrong_manifests(pods.error(), *input));
  if (nodes->size() > 1) {
    Result<kubernetes::ClusterLimits> cluster =
        kubernetes::fair_limits_of_cluster(*pods, *nodes, *limit_options);
    if (!cluster) return report_error(in_pods_file(cluster.error(), *input));
    if (options.space) {
      if (Check wrong = keep_namespace(*options.space, *cluster))
        return report_error(in_namespace(*wrong, *input));
    }
    return print_limits({title_on(options, *input), cluster->templates, cluster->all, cluster->limits,
                         options.space.value_or(""), cluster->nodes, cluster->on_nodes},
                        *input, options);
  }
  Result<kubernetes::Limits> limits = kubernetes::fair_limits(*pods, nodes->front(), *limit_options);
  if (!limits) return report_error(in_pods_file(limits.error(), *input));
  if (options.space) {
    if (Check wrong = keep_namespace(*options.space, *pods, *limits))
      return report_error(in_namespace(*wrong, *input));
  }
  return print_limits({title_on(options, *input), *pods, nodes->front(), *limits, options.space.value_or("")},
                      *input, options);
}

}  // namespace

Command add_limits(CLI::App& app) {
  auto options = std::make_shared<LimitsFlags>();
  CLI::App* command = app.add_subcommand("limits", "Give Kubernetes pods fair resource limits");
  command
      ->add_option("PODS", options->pods,
                   "Manifests, or what kubectl get pods -o yaml or json prints; - reads standard input")
      ->required()
      ->type_name("FILE");
  command->add_option("--capacity", options->capacity, "What the pods may have together: cpu=2,memory=1800Mi")
      ->type_name("AMOUNTS");
  command
      ->add_option(
          "--node", options->node_file,
          "Take status.allocatable of this file, from kubectl get nodes -o yaml or json; of several nodes "
          "each divides what it has among the pods that run there")
      ->type_name("FILE");
  command->add_option("--node-name", options->node_name, "Only this one of the nodes in that file")
      ->type_name("NAME");
  command
      ->add_option("--namespace", options->space,
                   "Show and patch only the pods of this namespace; all the others are counted as they are")
      ->type_name("NAME");
  command->add_option("-m,--mechanism", options->mechanism, "How to divide, with options after a colon")
      ->type_name("MECHANISM")
      ->capture_default_str();
  add_list_option(
      *command, "--weight", options->weights,
      "Multiply the weight of each pod of this name by NUMBER; namespace/NAME: of each pod of a namespace",
      "POD=NUMBER");
  add_list_option(*command, "--resource-weight", options->resource_weights,
                  "Count this resource less: its share is divided by NUMBER", "RESOURCE=NUMBER");
  command
      ->add_option("--default-request", options->default_request,
                   "What containers ask for whose request and limit are missing or 0: cpu=100m,memory=64Mi")
      ->type_name("AMOUNTS");
  command->add_option("--at-most", options->at_most, "No limit is more than this multiple of its request: 4x")
      ->type_name("MULTIPLE");
  command->add_flag("--only-when-exceeded", options->only_when_exceeded,
                    "Keep the present limits unless their sum exceeds the node");
  command->add_flag("--patch", options->patch, "Print commands of kubectl patch; the same as --format patch");
  add_threads_option(*command, options->threads);
  add_output_options(*command, options->output, {"table", "json", "csv", "manifest", "patch"});
  add_report_options(*command, options->report);

  Manual manual;
  manual.paragraphs = {
      "Takes what containers request for their demand and divides what the node has among the pods, none of "
      "which gets less than its request. A pod's part is split over its containers in proportion to their "
      "requests, for init containers and the others each, and rounded down. So the limits together are never "
      "more than the node has.",
      "Reads Pods, Deployments, StatefulSets, DaemonSets, ReplicaSets, Jobs and CronJobs, in lists and in "
      "several documents; a template counts as one pod for each replica, a Job as the pods that "
      "it may still run at once. --format manifest prints "
      "the file with the new limits in it, comments and order kept; -o may then name the same file.",
      "With several nodes the pods are those that run on them, and each Deployment, StatefulSet or other "
      "owner has "
      "one limit for all of its pods: the least that any of them gets on its node.",
      "Also says which pods Kubernetes would evict if all used what the old limits allow."};
  manual.exits = {{3, kNotConverged}};
  manual.examples = {
      {"mirab limits pods.yaml --capacity cpu=2,memory=1800Mi", "Who gets which limits"},
      {"kubectl get pods -o json | mirab limits - --node node.json --patch | sh",
       "Give them to running pods"},
      {"mirab limits pods.json --node nodes.json --weight namespace/payments=3 --at-most 4x --patch",
       "One limit for each template of a cluster"},
      {"mirab limits pods.json --node nodes.json --namespace payments --patch",
       "The same for one namespace, with the other pods taken into account"},
      {"mirab limits pods.yaml --node node.yaml --format manifest -o pods.yaml",
       "Write them into the manifests"},
  };
  return {command, std::move(manual), [options](const std::string& line) {
            options->report.command = line;
            return run_limits(*options);
          }};
}

}  // namespace mirab::cli
