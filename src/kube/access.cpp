#include "kube/access.hpp"

#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <string_view>
#include <system_error>
#include <utility>

#include "model/document.hpp"
#include "net/credentials.hpp"

namespace mirab::kube {
namespace {

std::string environment(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

/// An error where the kubeconfig names what is wrong.
Error named_error(const kubernetes::ApiAccess& access, const FilePosition& where, std::string message) {
  return {.message = std::move(message), .key = where.key, .file = access.kubeconfig, .line = where.line};
}

Check check_files(const kubernetes::ApiAccess& access) {
  const auto at = [&](const FilePosition& where, const Error& wrong) {
    return named_error(access, where, fmt::format("{}: {}", wrong.file, wrong.message));
  };
  for (const kubernetes::Pem* pem : {&access.ca, &access.certificate, &access.key}) {
    if (const Check wrong = net::check_readable(pem->file)) return at(pem->named, *wrong);
  }
  if (access.token_file.empty()) return {};
  if (const Check wrong = net::check_readable(access.token_file)) return at(access.token_file_named, *wrong);
  const Result<std::string> token = net::read_token(access.token_file);
  return token ? Check{} : at(access.token_file_named, token.error());
}

Result<kubernetes::ApiAccess> access_of_file(const std::string& file, const std::string& context) {
  Result<InputText> input = read_input(file);
  if (!input) return std::move(input).error();
  Result<kubernetes::ApiAccess> access = kubernetes::read_kubeconfig(*input, context);
  if (!access) return access;
  if (const Result<net::Url> server = read_server(*access); !server) return server.error();
  if (Check wrong = check_files(*access)) return *std::move(wrong);
  return access;
}

}  // namespace

Result<net::Url> read_server(const kubernetes::ApiAccess& access) {
  Result<net::Url> url = net::read_url(access.server, access.server_named.key);
  if (!url) return named_error(access, access.server_named, url.error().message);
  const bool has_token = !access.token.empty() || !access.token_file.empty();
  if (has_token && net::is_readable_on_the_way(*url)) {
    return named_error(
        access, access.server_named,
        fmt::format("{} would send the token beyond this machine without TLS; take https", url->text));
  }
  return url;
}

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
