#pragma once

#include <string>

#include <mirab/model/result.hpp>

#include "kubernetes/api/kubeconfig.hpp"
#include "net/http_client.hpp"

namespace mirab::kube {

/// An API server, and who asks it.
struct Access {
  kubernetes::ApiAccess api = {};
  net::Issuer issuer = {};  ///< what `exec` prints, for all connections; empty where there is none
};

/// The kubeconfig of `file`, or else the files of $KUBECONFIG, with a colon between them, that are there, or
/// else ~/.kube/config where there is one, or else what a pod is given. `context` empty: the current one. Its
/// `exec` has been run once. Errors: those of read_kubeconfig and read_server, and files that it names and
/// that cannot be read, with its line and key; what ExecCredentials says; no file, and not in a pod.
Result<Access> find_access(const std::string& file, const std::string& context);

/// The URL of the API server. Errors, with the place in the kubeconfig: it is none; the token would leave
/// this machine without TLS.
Result<net::Url> read_server(const kubernetes::ApiAccess& access);

}  // namespace mirab::kube
