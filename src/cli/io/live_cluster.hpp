// The objects of a Kubernetes cluster that runs, read from its API server.
#pragma once

#include <string>
#include <vector>

#include <mirab/model/result.hpp>

#include "kube/access.hpp"
#include "kubernetes/cluster_import.hpp"

namespace mirab::cli {

/// Where the API server is, as kubectl finds it.
struct LiveClusterOptions {
  std::string kubeconfig;  ///< empty: those of $KUBECONFIG, else ~/.kube/config, else what a pod is given
  std::string context;     ///< empty: the current one
};

/// Nodes and the pods that have not come to their end; namespaces too where `with_namespaces`. A collection
/// is a text, called by its URL. Errors: a server that is not reached or refuses, with the permission that is
/// missing as key.
Result<std::vector<kubernetes::ObjectText>> read_live_cluster(const kube::Access& access,
                                                              bool with_namespaces);

}  // namespace mirab::cli
