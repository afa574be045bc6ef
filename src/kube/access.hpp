#pragma once

#include <string>

#include <mirab/model/result.hpp>

#include "kubernetes/api/kubeconfig.hpp"
#include "net/http_client.hpp"

namespace mirab::kube {

/// The kubeconfig of `file`, or else of $KUBECONFIG, or else ~/.kube/config where there is one, or else what
/// a pod is given. `context` empty: the current one. Errors: those of read_kubeconfig and read_server, and
/// files that it names and that cannot be read, with its line and key; $KUBECONFIG names several files; no
/// file, and not in a pod.
Result<kubernetes::ApiAccess> find_access(const std::string& file, const std::string& context);

/// The URL of the API server. Errors, with the place in the kubeconfig: it is none; the token would leave
/// this machine without TLS.
Result<net::Url> read_server(const kubernetes::ApiAccess& access);

}  // namespace mirab::kube
