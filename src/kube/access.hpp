#pragma once

#include <string>

#include <mirab/model/result.hpp>

#include "kubernetes/api/kubeconfig.hpp"

namespace mirab::kube {

/// The kubeconfig of `file`, or else of $KUBECONFIG, or else ~/.kube/config where there is one, or else what
/// a pod is given. `context` empty: the current one. Errors: those of read_kubeconfig; $KUBECONFIG names
/// several files; no file, and not in a pod.
Result<kubernetes::ApiAccess> find_access(const std::string& file, const std::string& context);

}  // namespace mirab::kube
