// How to reach an API server, and as whom: a kubeconfig as kubectl writes it, or what a pod is given.
#pragma once

#include <cstdint>
#include <string>

#include <mirab/model/result.hpp>

#include "model/document.hpp"

namespace mirab::kubernetes {

/// A certificate or key in PEM: a file, or the text itself. Neither: there is none.
struct Pem {
  std::string file = {};
  std::string text = {};
  FilePosition named = {};  ///< where the kubeconfig names the file

  bool is_there() const { return !file.empty() || !text.empty(); }
};

/// An API server and who asks it. Files are not read yet: they may change while a program runs.
struct ApiAccess {
  std::string server;    ///< URL
  Pem ca = {};           ///< none: what the system trusts
  Pem certificate = {};  ///< of the client; with its key
  Pem key = {};
  std::string token = {};        ///< bearer token
  std::string token_file = {};   ///< comes before `token`
  std::string server_name = {};  ///< that the certificate of the server must have; empty: the URL's host
  std::string proxy_url = {};    ///< empty: what the environment says
  bool is_insecure = false;      ///< the certificate of the server is not checked
  std::string name_space = {};   ///< of the context; may be empty

  std::string kubeconfig = {};  ///< for errors: the file that says so; empty in a pod
  FilePosition server_named = {.key = "server"};
  FilePosition token_file_named = {};
};

/// One context of a kubeconfig, YAML or JSON; `context` empty: its current one. Relative paths become
/// relative to the folder of the file. Errors name file, line and key: no such context, cluster or user; no
/// server; data that is not base64; a certificate without a key; what is not supported (`exec`,
/// `auth-provider`, impersonation) and basic authentication, which is refused. Pure.
Result<ApiAccess> read_kubeconfig(const InputText& input, const std::string& context);

/// What a pod has: the service account's token and certificate in `folder`, host and port of the environment.
ApiAccess in_cluster_access(const std::string& host, const std::string& port,
                            const std::string& folder = "/var/run/secrets/kubernetes.io/serviceaccount");

}  // namespace mirab::kubernetes
