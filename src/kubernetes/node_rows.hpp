#pragma once

#include <string>
#include <vector>

#include <mirab/model/result.hpp>

#include "kubernetes/objects.hpp"
#include "kubernetes/placement_rules.hpp"
#include "kubernetes/pod_requests.hpp"

namespace mirab::kubernetes {

/// A node as the scheduler sees it.
struct NodeRow {
  std::string name;
  NodeLabels labels = {};
  std::vector<Taint> taints = {};  ///< with those of a node that is cordoned or not ready
  Amounts allocatable = {};
  bool is_closed = false;         ///< cordoned or not ready
  bool is_control_plane = false;  ///< open to pods that tolerate its taint
  friend bool operator==(const NodeRow&, const NodeRow&) = default;
};

/// Errors name file, line and key: no allocatable amounts, no amount, a taint that is none.
Result<NodeRow> read_node_row(const Object& object, const std::string& file);

/// metadata.labels.
NodeLabels labels_of(const Object& object);

/// What people call nodes like it: its node group, or else its instance type; empty when no label says so.
std::string kind_of(const NodeRow& node);

}  // namespace mirab::kubernetes
