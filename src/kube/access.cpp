#include "kube/access.hpp"

#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "model/document.hpp"

namespace mirab::kube {
namespace {

std::string environment(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

Result<kubernetes::ApiAccess> access_of_file(const std::string& file, const std::string& context) {
  Result<InputText> input = read_input(file);
  if (!input) return std::move(input).error();
  return kubernetes::read_kubeconfig(*input, context);
}

}  // namespace

Result<kubernetes::ApiAccess> find_access(const std::string& file, const std::string& context) {
  if (!file.empty()) return access_of_file(file, context);
  if (const std::string named = environment("KUBECONFIG"); !named.empty()) {
    if (named.find(':') != std::string::npos)
      return Error{.message = "names several files; give one with --kubeconfig", .key = "KUBECONFIG"};
    return access_of_file(named, context);
  }
  const std::string of_home = environment("HOME") + "/.kube/config";
  std::error_code ignored;
  if (std::filesystem::exists(of_home, ignored)) return access_of_file(of_home, context);
  const std::string host = environment("KUBERNETES_SERVICE_HOST");
  const std::string port = environment("KUBERNETES_SERVICE_PORT");
  if (host.empty() || port.empty())
    return Error{.message = "there is no kubeconfig: give one with --kubeconfig or $KUBECONFIG",
                 .file = of_home};
  return kubernetes::in_cluster_access(host, port);
}

}  // namespace mirab::kube
