#include "kube/access.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <functional>
#include <memory>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "kube/exec_credential.hpp"
#include "model/document.hpp"
#include "model/wall.hpp"
#include "net/credentials.hpp"

namespace mirab::kube {
namespace {

std::string environment(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

Check check_files(const kubernetes::ApiAccess& access) {
  const auto at = [](const FilePosition& where, const Error& wrong) {
    return error_at(where, fmt::format("{}: {}", wrong.file, wrong.message));
  };
  for (const kubernetes::Pem* pem : {&access.ca, &access.certificate, &access.key}) {
    if (const Check wrong = net::check_readable(pem->file)) return at(pem->named, *wrong);
  }
  if (access.token_file.empty()) return {};
  if (const Check wrong = net::check_readable(access.token_file)) return at(access.token_file_named, *wrong);
  const Result<std::string> token = net::read_token(access.token_file);
  return token ? Check{} : at(access.token_file_named, token.error());
}

/// Runs what prints the credentials: what is wrong with it is known before anything begins.
Result<net::Issuer> issuer_of(const kubernetes::ApiAccess& access) {
  if (!access.exec) return net::Issuer{};
  const auto credentials = std::make_shared<ExecCredentials>(access, wall_now);
  if (const auto first = credentials->now(nullptr, {}); !first) return first.error();
  return net::Issuer([credentials](const net::Issued* refused, const std::function<bool()>& is_stopped) {
    return credentials->now(refused, is_stopped);
  });
}

Result<Access> access_of(const std::vector<std::string>& files, const std::string& context) {
  std::vector<InputText> inputs;
  for (const std::string& file : files) {
    Result<InputText> input = read_input(file);
    if (!input) return std::move(input).error();
    inputs.push_back(*std::move(input));
  }
  Result<kubernetes::ApiAccess> access = kubernetes::read_kubeconfig(inputs, context);
  if (!access) return std::move(access).error();
  if (const Result<net::Url> server = read_server(*access); !server) return server.error();
  if (Check wrong = check_files(*access)) return *std::move(wrong);
  Result<net::Issuer> issuer = issuer_of(*access);
  if (!issuer) return std::move(issuer).error();
  return Access{.api = *std::move(access), .issuer = *std::move(issuer)};
}

bool is_there(const std::string& file) {
  std::error_code unseen;
  return std::filesystem::exists(file, unseen);
}

/// Of several files those that are there; one alone, or all where none is there, so that the error names it.
std::vector<std::string> files_of(std::string_view named) {
  std::vector<std::string> files;
  std::vector<std::string> seen;
  while (!named.empty()) {
    const std::string file(named.substr(0, named.find(':')));
    named.remove_prefix(std::min(file.size() + 1, named.size()));
    if (file.empty()) continue;
    files.push_back(file);
    if (is_there(file)) seen.push_back(file);
  }
  return seen.empty() ? files : seen;
}

}  // namespace

Result<net::Url> read_server(const kubernetes::ApiAccess& access) {
  Result<net::Url> url = net::read_url(access.server, access.server_named.key);
  if (!url) return error_at(access.server_named, url.error().message);
  const bool has_token = !access.token.empty() || !access.token_file.empty() || access.exec;
  if (has_token && net::is_readable_on_the_way(*url)) {
    return error_at(
        access.server_named,
        fmt::format("{} would send the token beyond this machine without TLS; take https", url->text));
  }
  return url;
}

Result<Access> find_access(const std::string& file, const std::string& context) {
  if (!file.empty()) return access_of({file}, context);
  if (const auto named = files_of(environment("KUBECONFIG")); !named.empty())
    return access_of(named, context);
  const std::string of_home = environment("HOME") + "/.kube/config";
  if (is_there(of_home)) return access_of({of_home}, context);
  const std::string host = environment("KUBERNETES_SERVICE_HOST");
  const std::string port = environment("KUBERNETES_SERVICE_PORT");
  if (host.empty() || port.empty())
    return Error{.message = "there is no kubeconfig: give one with --kubeconfig or $KUBECONFIG",
                 .file = of_home};
  return Access{.api = kubernetes::in_cluster_access(host, port)};
}

}  // namespace mirab::kube
