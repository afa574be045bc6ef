#pragma once

#include <span>
#include <string>
#include <vector>

#include <mirab/kubernetes/amounts.hpp>
#include <mirab/model/problem.hpp>
#include <mirab/model/result.hpp>

#include "model/alike_servers.hpp"
#include "model/document.hpp"

namespace mirab::kubernetes {

/// A file of API objects, or an answer of the API server.
struct ObjectText {
  std::string file;  ///< as errors call it
  std::vector<Node> documents;
};

struct ClusterImportOptions {
  std::string team_label = {};               ///< a team is a value of this label; empty: a namespace
  std::vector<Amount> default_request = {};  ///< of containers that write neither request nor limit, or 0
  std::vector<std::string> resources = {};   ///< to be kept besides those that are asked for; `pods` too
  mpq_class tolerance = kAlike;              ///< by which nodes that count as alike may differ
};

/// A cluster of Kubernetes as a cluster file describes it.
struct ClusterImport {
  Cluster cluster;
  std::vector<std::vector<std::string>> nodes;  ///< of each server entry, by name
  std::vector<std::string> provenance;          ///< lines for the head of a file: what is a user, what a task
  std::vector<std::string> notices;             ///< what is left out or cannot be said, a sentence each
};

/// Nodes and pods, as `kubectl get nodes,pods,namespaces -A -o json` or `-o yaml` prints them, in one text or
/// several and in any order, become servers, users and what runs (docs/how-to/import-kubernetes.md).
///
/// Servers: nodes of alike allocatable resources on which the same pods may run are one entry. What daemon
/// sets and static pods request is taken off their nodes: it is there on every node, and no team shares it.
///
/// Users: a team is a namespace, or the value of a label of the pod or else of its namespace. Pods that
/// request the same and may run on the same nodes are one shape. Pods that are done are left out.
///
/// Errors name file, line and key, or the object: no node, no pod; two of a name; what is no amount; a rule
/// of placement that there is not. Pure: nothing is read but the arguments. O(values + nodes · rules).
Result<ClusterImport> import_cluster(std::span<const ObjectText> texts, const ClusterImportOptions& options);

}  // namespace mirab::kubernetes
