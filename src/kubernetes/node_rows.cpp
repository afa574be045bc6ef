// Nodes of a cluster: what pods may use of them, and which pods.
#include "kubernetes/node_rows.hpp"

#include <algorithm>
#include <array>

#include "model/names.hpp"

namespace mirab::kubernetes {
namespace {

/// By what people call a kind of nodes, the first that there is.
constexpr std::array<std::string_view, 6> kPoolLabels = {
    "eks.amazonaws.com/nodegroup",    "cloud.google.com/gke-nodepool",
    "kubernetes.azure.com/agentpool", "agentpool",
    "karpenter.sh/nodepool",          "node.kubernetes.io/instance-type"};

constexpr std::array<std::string_view, 2> kControlPlane = {"node-role.kubernetes.io/control-plane",
                                                           "node-role.kubernetes.io/master"};

// Cordoned, not ready, or of the control plane. The first two have taints, which the node's controller adds a
// moment later.
void find_closed(const Object& object, NodeRow& node) {
  const auto close = [&](std::string key) {
    node.is_closed = true;
    node.taints.push_back({.key = std::move(key), .effect = "NoSchedule"});
  };
  const Node* cordoned = value_at(*object.root, "/spec/unschedulable");
  if (cordoned != nullptr && cordoned->text == "true") close("node.kubernetes.io/unschedulable");
  const Node* conditions = value_at(*object.root, "/status/conditions");
  for (const Node::Entry& each : conditions == nullptr ? std::vector<Node::Entry>() : conditions->entries) {
    const Node* type = each.value.find("type");
    const Node* status = each.value.find("status");
    const bool is_ready = status != nullptr && lower_case(status->text) == "true";
    if (type != nullptr && type->text == "Ready" && !is_ready) close("node.kubernetes.io/not-ready");
  }
  for (const Taint& taint : node.taints) {
    node.is_control_plane = node.is_control_plane || std::find(kControlPlane.begin(), kControlPlane.end(),
                                                               taint.key) != kControlPlane.end();
  }
}

}  // namespace

NodeLabels labels_of(const Object& object) {
  NodeLabels labels;
  const Node* map = value_at(*object.root, "/metadata/labels");
  if (map == nullptr || map->kind != Node::Kind::map) return labels;
  for (const Node::Entry& each : map->entries) labels.emplace(each.key, each.value.text);
  return labels;
}

Result<NodeRow> read_node_row(const Object& object, const std::string& file) {
  NodeRow node{.name = std::string(object.name()), .labels = labels_of(object)};
  const Node* allocatable = value_at(*object.root, "/status/allocatable");
  if (allocatable == nullptr || allocatable->kind != Node::Kind::map) {
    return Error{.message = "missing: what pods may use of the node",
                 .key = object.key("status.allocatable"),
                 .file = file,
                 .line = object.root->line};
  }
  for (const Node::Entry& each : allocatable->entries) {
    const Result<Units> units = read_capped_units(each.key, each.value.text, Rounding::down);
    if (!units) {
      return Error{.message = units.error().message,
                   .key = object.key("status.allocatable." + each.key),
                   .file = file,
                   .line = each.line};
    }
    node.allocatable.emplace(each.key, *units);
  }
  Result<std::vector<Taint>> taints = read_taints(object, file);
  if (!taints) return std::move(taints).error();
  node.taints = *std::move(taints);
  find_closed(object, node);
  return node;
}

std::string kind_of(const NodeRow& node) {
  for (const std::string_view label : kPoolLabels) {
    const auto found = node.labels.find(std::string(label));
    if (found != node.labels.end() && !found->second.empty()) return found->second;
  }
  return {};
}

}  // namespace mirab::kubernetes
