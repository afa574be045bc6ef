// How to reach an API server, and as whom: a kubeconfig as kubectl writes it, or what a pod is given.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

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

/// A command that prints credentials: `exec` of a user.
struct ExecCommand {
  std::string version = {};  ///< `v1` or `v1beta1` of client.authentication.k8s.io
  std::string command = {};  ///< with a `/`: a path; else a name to look up in PATH
  std::vector<std::string> args = {};
  std::vector<std::pair<std::string, std::string>> environment = {};  ///< beside that of the process
  std::string install_hint = {};  ///< shown where the command is not found
  bool provides_cluster = false;  ///< the command learns which API server is meant
  /// JSON: what the cluster's extension `client.authentication.k8s.io/exec` holds, scalars as texts; may be
  /// empty.
  std::string cluster_config = {};
  FilePosition named = {};
};

/// An API server and who asks it. Files are not read yet: they may change while a program runs.
struct ApiAccess {
  std::string server;    ///< URL
  Pem ca = {};           ///< none: what the system trusts
  Pem certificate = {};  ///< of the client; with its key
  Pem key = {};
  std::string token = {};                ///< bearer token
  std::string token_file = {};           ///< comes before `token`
  std::optional<ExecCommand> exec = {};  ///< where there is neither of them
  std::string server_name = {};  ///< that the certificate of the server must have; empty: the URL's host
  std::string proxy_url = {};    ///< empty: what the environment says
  bool is_insecure = false;      ///< the certificate of the server is not checked
  std::string name_space = {};   ///< of the context; may be empty

  // Where the kubeconfig says so; without a file in a pod, which has none.
  FilePosition server_named = {.key = "server"};
  FilePosition token_file_named = {};
};

/// One context of kubeconfigs, YAML or JSON; `context` empty: the current one. Of several files the first
/// that has a context, cluster or user of a name gives all of it, and the first that sets the current
/// context. Relative paths become relative to the folder of the file in which they stand. Errors name file,
/// line and key: no such context, cluster or user; no server; data that is not base64; a certificate without
/// a key; an `exec` that cannot be run here; what is not supported (`auth-provider`, impersonation) and basic
/// authentication, which is refused. Pure. `files`: at least one.
Result<ApiAccess> read_kubeconfig(std::span<const InputText> files, const std::string& context);

/// What a pod has: the service account's token and certificate in `folder`, host and port of the environment.
ApiAccess in_cluster_access(const std::string& host, const std::string& port,
                            const std::string& folder = "/var/run/secrets/kubernetes.io/serviceaccount");

}  // namespace mirab::kubernetes
