// Which fields of a pod Mirab honours, as a list of those that are allowed.
//
// Source: the Kubernetes API, core/v1, PodSpec, Container, Volume and Affinity, 1.20 to 1.35.
#include "kubernetes/scheduler/pod_fields.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <span>

namespace mirab::kubernetes {
namespace {

using Names = std::span<const std::string_view>;

/// Fields that say how a pod runs, not where; or that are read by the scheduler; or that are looked into
/// below.
constexpr std::array<std::string_view, 39> kSpecFields = {"activeDeadlineSeconds",
                                                          "affinity",
                                                          "automountServiceAccountToken",
                                                          "containers",
                                                          "dnsConfig",
                                                          "dnsPolicy",
                                                          "enableServiceLinks",
                                                          "ephemeralContainers",
                                                          "hostAliases",
                                                          "hostIPC",
                                                          "hostNetwork",
                                                          "hostPID",
                                                          "hostUsers",
                                                          "hostname",
                                                          "hostnameOverride",
                                                          "imagePullSecrets",
                                                          "initContainers",
                                                          "nodeName",
                                                          "nodeSelector",
                                                          "os",
                                                          "overhead",
                                                          "preemptionPolicy",
                                                          "priority",
                                                          "priorityClassName",
                                                          "readinessGates",
                                                          "restartPolicy",
                                                          "runtimeClassName",
                                                          "schedulerName",
                                                          "schedulingGates",
                                                          "securityContext",
                                                          "serviceAccount",
                                                          "serviceAccountName",
                                                          "setHostnameAsFQDN",
                                                          "shareProcessNamespace",
                                                          "subdomain",
                                                          "terminationGracePeriodSeconds",
                                                          "tolerations",
                                                          "topologySpreadConstraints",
                                                          "volumes"};

constexpr std::array<std::string_view, 24> kContainerFields = {"args",
                                                               "command",
                                                               "env",
                                                               "envFrom",
                                                               "image",
                                                               "imagePullPolicy",
                                                               "lifecycle",
                                                               "livenessProbe",
                                                               "name",
                                                               "ports",
                                                               "readinessProbe",
                                                               "resizePolicy",
                                                               "resources",
                                                               "restartPolicy",
                                                               "restartPolicyRules",
                                                               "securityContext",
                                                               "startupProbe",
                                                               "stdin",
                                                               "stdinOnce",
                                                               "terminationMessagePath",
                                                               "terminationMessagePolicy",
                                                               "tty",
                                                               "volumeMounts",
                                                               "workingDir"};

/// Of containers that are added to a running pod there is a further one.
constexpr std::string_view kTarget = "targetContainerName";

constexpr std::array<std::string_view, 2> kResourceFields = {"limits", "requests"};

/// Volumes that are there on every node.
constexpr std::array<std::string_view, 8> kVolumes = {"configMap", "downwardAPI", "emptyDir",  "hostPath",
                                                      "name",      "nfs",         "projected", "secret"};

constexpr std::string_view kPreferred = "preferredDuringSchedulingIgnoredDuringExecution";
constexpr std::string_view kNodeRequired = "requiredDuringSchedulingIgnoredDuringExecution";
constexpr std::array<std::string_view, 2> kNodeAffinity = {kPreferred, kNodeRequired};
constexpr std::array<std::string_view, 1> kPodAffinity = {kPreferred};
constexpr std::array<std::string_view, 3> kAffinities = {"nodeAffinity", "podAffinity", "podAntiAffinity"};

bool says_nothing(const Node& node) {
  switch (node.kind) {
    case Node::Kind::null:
      return true;
    case Node::Kind::scalar:
      return node.text.empty();
    case Node::Kind::list:
    case Node::Kind::map:
      return node.entries.empty();
  }
  return true;
}

const std::vector<Node::Entry>& entries_at(const Node& node, std::string_view key) {
  static const std::vector<Node::Entry> kNone;
  const Node* found = node.find(key);
  return found == nullptr ? kNone : found->entries;
}

// The first key of a map that is not among the names.
std::optional<std::string> other_than(Names names, const Node& map, const std::string& key) {
  for (const Node::Entry& each : map.entries) {
    if (!says_nothing(each.value) && std::find(names.begin(), names.end(), each.key) == names.end())
      return fmt::format("{}.{}", key, each.key);
  }
  return {};
}

std::optional<std::string> unsupported_in_container(const Node& container, const std::string& key) {
  if (std::optional<std::string> field = other_than(kContainerFields, container, key);
      field && !field->ends_with(kTarget))
    return field;
  std::size_t number = 0;
  for (const Node::Entry& port : entries_at(container, "ports")) {
    const Node* host = port.value.find("hostPort");
    if (host != nullptr && host->text != "0" && !says_nothing(*host))
      return fmt::format("{}.ports[{}].hostPort", key, number);
    ++number;
  }
  const Node* resources = container.find("resources");
  return resources == nullptr ? std::nullopt : other_than(kResourceFields, *resources, key + ".resources");
}

std::optional<std::string> unsupported_in_affinity(const Node& affinity) {
  const std::string key = "spec.affinity";
  if (auto field = other_than(kAffinities, affinity, key)) return field;
  for (const Node::Entry& each : affinity.entries) {
    const bool of_nodes = each.key == "nodeAffinity";
    const Names known = of_nodes ? Names(kNodeAffinity) : Names(kPodAffinity);
    // Of pod affinity the kind as a whole is meant: all that is required in it.
    if (auto field = other_than(known, each.value, fmt::format("{}.{}", key, each.key)))
      return of_nodes ? field : fmt::format("{}.{}", key, each.key);
  }
  return {};
}

bool is_preference(const Node& constraint) {
  const Node* otherwise = constraint.find("whenUnsatisfiable");
  return otherwise != nullptr && otherwise->text == "ScheduleAnyway";
}

}  // namespace

std::optional<std::string> unsupported_field(const Object& pod) {
  const Node* spec = value_at(*pod.root, "/spec");
  if (spec == nullptr) return "spec";
  if (auto field = other_than(kSpecFields, *spec, "spec")) return field;
  for (const std::string_view list : {"initContainers", "containers", "ephemeralContainers"}) {
    std::size_t number = 0;
    for (const Node::Entry& each : entries_at(*spec, list)) {
      if (auto field = unsupported_in_container(each.value, fmt::format("spec.{}[{}]", list, number++)))
        return field;
    }
  }
  if (const Node* affinity = spec->find("affinity")) {
    if (auto field = unsupported_in_affinity(*affinity)) return field;
  }
  std::size_t number = 0;
  for (const Node::Entry& each : entries_at(*spec, "topologySpreadConstraints")) {
    if (!is_preference(each.value)) return fmt::format("spec.topologySpreadConstraints[{}]", number);
    ++number;
  }
  number = 0;
  for (const Node::Entry& each : entries_at(*spec, "volumes")) {
    if (auto field = other_than(kVolumes, each.value, fmt::format("spec.volumes[{}]", number++)))
      return field;
  }
  return {};
}

int preferences_of(const Object& pod) {
  int count = 0;
  for (const std::string_view kind : kAffinities) {
    const Node* preferred = value_at(*pod.root, fmt::format("/spec/affinity/{}/{}", kind, kPreferred));
    if (preferred != nullptr) count += static_cast<int>(preferred->entries.size());
  }
  const Node* spread = value_at(*pod.root, "/spec/topologySpreadConstraints");
  for (const Node::Entry& each : spread == nullptr ? std::vector<Node::Entry>() : spread->entries)
    count += is_preference(each.value) ? 1 : 0;
  return count;
}

}  // namespace mirab::kubernetes
