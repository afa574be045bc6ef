#include "kube/exec_credential.hpp"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <openssl/evp.h>
#include <sstream>
#include <string_view>
#include <utility>
#include <vector>

#include "kube/command.hpp"
#include "model/document.hpp"
#include "model/names.hpp"

namespace mirab::kube {
namespace {

constexpr const char* kGroup = "client.authentication.k8s.io/";

std::string base64_of(const std::string& bytes) {
  std::string text(4 * ((bytes.size() + 2) / 3) + 1, '\0');  // and the end of a text of C
  const int size =
      EVP_EncodeBlock(reinterpret_cast<unsigned char*>(text.data()),
                      reinterpret_cast<const unsigned char*>(bytes.data()), static_cast<int>(bytes.size()));
  text.resize(static_cast<std::size_t>(size));
  return text;
}

/// `spec.cluster` of what the command gets to know.
Result<nlohmann::json> cluster_info(const kubernetes::ApiAccess& access) {
  nlohmann::json cluster{{"server", access.server}};
  if (!access.server_name.empty()) cluster["tls-server-name"] = access.server_name;
  if (!access.proxy_url.empty()) cluster["proxy-url"] = access.proxy_url;
  if (access.is_insecure) cluster["insecure-skip-tls-verify"] = true;
  std::string ca = access.ca.text;
  if (!access.ca.file.empty()) {
    Result<InputText> file = read_input(access.ca.file);
    if (!file) return std::move(file).error();
    ca = std::move(file->text);
  }
  if (!ca.empty()) cluster["certificate-authority-data"] = base64_of(ca);
  if (!access.exec->cluster_config.empty())
    cluster["config"] = nlohmann::json::parse(access.exec->cluster_config);
  return cluster;
}

/// The variable KUBERNETES_EXEC_INFO: an ExecCredential without a status.
Result<std::string> exec_info(const kubernetes::ApiAccess& access) {
  nlohmann::json spec{{"interactive", false}};
  if (access.exec->provides_cluster) {
    Result<nlohmann::json> cluster = cluster_info(access);
    if (!cluster) return std::move(cluster).error();
    spec["cluster"] = *std::move(cluster);
  }
  const nlohmann::json info{
      {"apiVersion", kGroup + access.exec->version}, {"kind", "ExecCredential"}, {"spec", std::move(spec)}};
  return info.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

/// A text of a map; empty where there is none.
std::string text_in(const Node& map, std::string_view name) {
  const Node* const found = map.find(name);
  return found == nullptr || found->kind != Node::Kind::scalar ? "" : found->text;
}

bool is_pem(const std::string& text) { return text.find("-----BEGIN ") != std::string::npos; }

/// Of a token in base64 or a JSON web token.
bool is_of_token(char byte) {
  return std::isalnum(static_cast<unsigned char>(byte)) != 0 ||
         std::string_view("-._~+=").find(byte) != std::string_view::npos;
}

/// May the run be a token? One of many letters and digits mixed, or longer than any name.
bool may_be_token(std::string_view run) {
  constexpr std::size_t kShortest = 32, kLongestName = 40;
  const auto is_digit = [](char byte) { return std::isdigit(static_cast<unsigned char>(byte)) != 0; };
  return run.size() > kLongestName ||
         (run.size() >= kShortest && std::any_of(run.begin(), run.end(), is_digit));
}

/// What may be a token is not shown.
std::string without_tokens(std::string_view line) {
  std::string shown;
  while (!line.empty()) {
    const auto end = std::find_if_not(line.begin(), line.end(), is_of_token);
    const std::string_view word = line.substr(0, static_cast<std::size_t>(end - line.begin()));
    shown += may_be_token(word) ? "(left out)" : word;
    line.remove_prefix(word.size());
    if (line.empty()) break;
    shown += line.front();
    line.remove_prefix(1);
  }
  return shown;
}

/// A text of several lines on one.
std::string on_one_line(const std::string& text, std::size_t most_lines) {
  std::vector<std::string> lines;
  std::istringstream input(text);
  for (std::string line; std::getline(input, line);) {
    if (!trimmed(line).empty()) lines.push_back(printable(trimmed(line)));
  }
  const std::size_t first = lines.size() > most_lines ? lines.size() - most_lines : 0;
  std::string joined;
  for (std::size_t i = first; i < lines.size(); ++i) joined += (i == first ? "" : " / ") + lines[i];
  return joined;
}

}  // namespace

std::string last_words(const std::string& said) {
  constexpr std::size_t kLines = 5;
  constexpr std::size_t kMostBytes = 1000;
  std::string words = without_tokens(on_one_line(said, kLines));
  if (words.size() > kMostBytes) words = "…" + printable(words.substr(words.size() - kMostBytes));
  return words;
}

Result<ExecCredential> read_exec_credential(const std::string& output, const std::string& version) {
  const Result<Node> read = read_document(output, Syntax::json, "");
  if (!read || read->kind != Node::Kind::map || text_in(*read, "kind") != "ExecCredential")
    return Error{.message = "prints no ExecCredential as JSON"};
  const std::string written = text_in(*read, "apiVersion");
  if (written != kGroup + version) {
    const std::string other = written.starts_with(kGroup) ? ": " + last_words(written) : "";
    return Error{.message =
                     fmt::format("prints an ExecCredential that is not of {}{}{}", kGroup, version, other)};
  }
  const Node* const status = read->find("status");
  if (status == nullptr || status->kind != Node::Kind::map)
    return Error{.message = "prints an ExecCredential without a status"};
  ExecCredential credential;
  net::Issued& issued = credential.issued;
  issued.token = text_in(*status, "token");
  issued.certificate.text = text_in(*status, "clientCertificateData");
  issued.key.text = text_in(*status, "clientKeyData");
  if (issued.certificate.text.empty() != issued.key.text.empty())
    return Error{.message = "prints a client certificate or a key, and they come together"};
  if (issued.token.empty() && issued.key.text.empty())
    return Error{.message = "prints neither a token nor a client certificate with its key"};
  if (!issued.token.empty() && !net::is_bearer_token(issued.token))
    return Error{.message = "prints a token that is not visible ASCII on one line"};
  if (!issued.key.text.empty() && (!is_pem(issued.certificate.text) || !is_pem(issued.key.text)))
    return Error{.message = "prints a client certificate or a key that is not PEM"};
  if (const std::string expires = text_in(*status, "expirationTimestamp"); !expires.empty()) {
    credential.expires = wall_of(expires);
    if (!credential.expires) return Error{.message = "prints an expirationTimestamp that is no time"};
  }
  return credential;
}

Result<ExecCredential> ExecCredentials::run(const std::function<bool()>& is_stopped) const {
  const kubernetes::ExecCommand& exec = *access_.exec;
  const Result<std::string> program = find_program(exec.command);
  if (!program) {
    const std::string hint = on_one_line(exec.install_hint, 20);
    return error_at(exec.named, program.error().message + (hint.empty() ? "" : "; " + hint));
  }
  Result<std::string> info = exec_info(access_);
  if (!info) return std::move(info).error();
  Command command{.program = *program, .args = exec.args, .environment = exec.environment, .time = time_};
  command.environment.emplace_back("KUBERNETES_EXEC_INFO", *std::move(info));
  Result<Ran> ran = run_command(command, is_stopped);
  if (!ran) return error_at(exec.named, ran.error().message);
  const auto failed = [&](const std::string& how) {
    const std::string words = last_words(ran->said);
    return error_at(exec.named,
                    fmt::format("'{}' {}{}", exec.command, how, words.empty() ? "" : "; it says: " + words));
  };
  if (!ran->failure.empty()) return failed(ran->failure);
  Result<ExecCredential> read = read_exec_credential(ran->output, exec.version);
  if (!read) return failed(read.error().message);
  return read;
}

Result<std::shared_ptr<const net::Issued>> ExecCredentials::now(const net::Issued* refused,
                                                                const std::function<bool()>& is_stopped) {
  std::unique_lock lock(mutex_, std::defer_lock);
  while (!lock.try_lock_for(std::chrono::milliseconds(200))) {
    if (is_stopped && is_stopped()) return error_at(access_.exec->named, "stopped");
  }
  const Wall begin = clock_();
  const bool is_good = issued_ != nullptr && refused != issued_.get() && !(expires_ && begin >= *expires_);
  if (is_good) return issued_;
  // A clock that was set back does not make the rest longer.
  if (rests_until_ && begin < *rests_until_ && begin >= *rests_until_ - kPause) {
    if (failure_) return *failure_;
    return issued_;
  }
  const bool is_first = issued_ == nullptr;
  Result<ExecCredential> ran = run(is_stopped);
  if (!ran && is_stopped && is_stopped()) return std::move(ran).error();
  failure_ = ran ? std::nullopt : std::optional(ran.error());
  if (!ran || !is_first) rests_until_ = clock_() + kPause;
  if (!ran) return std::move(ran).error();
  issued_ = std::make_shared<const net::Issued>(std::move(ran->issued));
  expires_ = ran->expires;
  return issued_;
}

}  // namespace mirab::kube
