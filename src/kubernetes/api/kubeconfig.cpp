// A kubeconfig: named clusters, named users, and contexts that join one of each.
#include "kubernetes/api/kubeconfig.hpp"

#include <array>
#include <cstddef>
#include <filesystem>
#include <fmt/format.h>
#include <optional>
#include <sstream>
#include <string_view>
#include <utility>
#include <vector>

#include "model/field_reader.hpp"
#include "model/names.hpp"

namespace mirab::kubernetes {
namespace {

/// RFC 4648, with its padding; line breaks and blanks are passed over.
std::optional<std::string> decode_base64(std::string_view text) {
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bytes;
  unsigned bits = 0;
  int known = 0;
  std::size_t digits = 0;
  std::size_t padding = 0;
  for (const char c : text) {
    if (c == ' ' || c == '\n' || c == '\r' || c == '\t') continue;
    if (c == '=') {
      ++padding;
      continue;
    }
    const std::size_t digit = kDigits.find(c);
    if (digit == std::string_view::npos || padding > 0) return std::nullopt;
    ++digits;
    bits = (bits << 6U | static_cast<unsigned>(digit)) & 0xFFFFU;
    known += 6;
    if (known < 8) continue;
    known -= 8;
    bytes += static_cast<char>(bits >> static_cast<unsigned>(known) & 0xFFU);
  }
  const bool is_whole = (digits + padding) % 4 == 0 && padding <= 2;
  return is_whole ? std::optional(bytes) : std::nullopt;
}

constexpr std::size_t kMostNamedContexts = 20;  // in one line of an error

/// A map of the file and where it stands.
struct Part {
  const Node* node;
  std::string key;

  std::string at(std::string_view name) const { return fmt::format("{}.{}", key, name); }
};

class KubeconfigReader {
 public:
  KubeconfigReader(const Node& root, const std::string& file)
      : root_(root), reader_(file), folder_(std::filesystem::path(file).parent_path()) {}

  Result<ApiAccess> read(std::string context_name) {
    if (!reader_.expect_map(root_, "")) return *reader_.error();
    if (context_name.empty()) {
      context_name = text({&root_, ""}, "current-context");
      if (context_name.empty() && !reader_.failed()) return no_current_context();
    }
    const Result<Part> context = named("contexts", "context", context_name, "current-context");
    if (!context) return context.error();
    const Result<Part> cluster =
        named("clusters", "cluster", text(*context, "cluster"), context->at("cluster"));
    if (!cluster) return cluster.error();
    access_.kubeconfig = reader_.file();
    access_.name_space = text(*context, "namespace");
    if (const Check wrong = read_cluster(*cluster)) return *wrong;
    const std::string user_name = text(*context, "user");
    if (!user_name.empty()) {
      const Result<Part> user = named("users", "user", user_name, context->at("user"));
      if (!user) return user.error();
      if (const Check wrong = read_user(*user)) return *wrong;
    }
    if (reader_.failed()) return *reader_.error();
    return std::move(access_);
  }

 private:
  Error error(std::string key, std::string message, int line) const {
    return {.message = std::move(message), .key = std::move(key), .file = reader_.file(), .line = line};
  }

  static const Node* found(const Part& part, std::string_view name) {
    const Node* node = part.node->find(name);
    return node == nullptr || node->kind == Node::Kind::null ? nullptr : node;
  }

  /// Empty where there is none.
  std::string text(const Part& part, std::string_view name) {
    const Node* node = found(part, name);
    if (node == nullptr) return {};
    return reader_.text(*node, part.key.empty() ? std::string(name) : part.at(name));
  }

  Error no_current_context() const {
    std::vector<std::string_view> known;
    const Node* const contexts = root_.find("contexts");
    for (std::size_t i = 0; contexts != nullptr && i < contexts->entries.size(); ++i) {
      if (const Node* const name = contexts->entries[i].value.find("name")) known.push_back(name->text);
    }
    const Node* const current = root_.find("current-context");
    return error("current-context",
                 known.empty() ? "is not set, and there are no contexts"
                               : fmt::format("is not set; choose one with --context: {}",
                                             first_names(known, kMostNamedContexts)),
                 (current != nullptr ? *current : root_).line);
  }

  /// Where a key of a map stands, or the map without it.
  static FilePosition position(const Part& part, const std::string& name) {
    const Node* const node = found(part, name);
    return {.key = part.at(name), .line = (node == nullptr ? *part.node : *node).line};
  }

  /// The map of a name in a list of `{name: …, <within>: {…}}`; `asked` is the key that names it.
  Result<Part> named(const std::string& list, const std::string& within, const std::string& name,
                     const std::string& asked) {
    const Node* entries = root_.find(list);
    std::vector<std::string_view> known;
    for (std::size_t i = 0; entries != nullptr && i < entries->entries.size(); ++i) {
      const Node& entry = entries->entries[i].value;
      const Node* const its_name = entry.find("name");
      if (its_name == nullptr) continue;
      known.push_back(its_name->text);
      if (its_name->text != name) continue;
      const std::string key = fmt::format("{}[{}].{}", list, i, within);
      const Node* const map = entry.find(within);
      if (map == nullptr || map->kind != Node::Kind::map) return error(key, "must be a map", entry.line);
      return Part{map, key};
    }
    if (reader_.failed()) return *reader_.error();
    if (name.empty()) return error(asked, fmt::format("missing: the name of a {}", within), 0);
    return error(list,
                 fmt::format("there is no {} '{}'{}", within, printable(name), known_names(name, known)),
                 entries == nullptr ? 0 : entries->line);
  }

  /// `name`, a path, or `name-data`, the text in base64, which comes first.
  Result<Pem> pem(const Part& part, const std::string& name) {
    const std::string data = text(part, name + "-data");
    if (!data.empty()) {
      std::optional<std::string> decoded = decode_base64(data);
      if (decoded && decoded->find("-----BEGIN ") != std::string::npos)
        return Pem{.text = *std::move(decoded)};
      return error(part.at(name + "-data"), decoded ? "must hold PEM in base64" : "must be base64",
                   found(part, name + "-data")->line);
    }
    return Pem{.file = path(text(part, name)), .named = position(part, name)};
  }

  std::string path(const std::string& written) const {
    if (written.empty() || written.front() == '/') return written;
    return (folder_ / written).lexically_normal().string();
  }

  Check read_cluster(const Part& cluster) {
    access_.server = text(cluster, "server");
    access_.server_named = position(cluster, "server");
    if (access_.server.empty() && !reader_.failed())
      return error(cluster.at("server"), "missing: the URL of the API server", cluster.node->line);
    Result<Pem> ca = pem(cluster, "certificate-authority");
    if (!ca) return ca.error();
    access_.ca = *std::move(ca);
    access_.server_name = text(cluster, "tls-server-name");
    access_.proxy_url = text(cluster, "proxy-url");
    const std::string insecure = text(cluster, "insecure-skip-tls-verify");
    if (insecure != "" && insecure != "true" && insecure != "false")
      return error(cluster.at("insecure-skip-tls-verify"), "must be true or false",
                   found(cluster, "insecure-skip-tls-verify")->line);
    access_.is_insecure = insecure == "true";
    if (access_.is_insecure && access_.ca.is_there())
      return error(cluster.at("insecure-skip-tls-verify"),
                   "must not be true where a certificate-authority is given",
                   found(cluster, "insecure-skip-tls-verify")->line);
    return {};
  }

  Check read_user(const Part& user) {
    constexpr const char* kLater = "is not supported yet; give a token or a client certificate";
    constexpr std::array<std::pair<const char*, const char*>, 8> kNotRead = {
        {{"exec", kLater},
         {"auth-provider", kLater},
         {"as", "is not supported yet"},
         {"as-uid", "is not supported yet"},
         {"as-groups", "is not supported yet"},
         {"as-user-extra", "is not supported yet"},
         {"username", "basic authentication is refused; give a token or a client certificate"},
         {"password", "basic authentication is refused; give a token or a client certificate"}}};
    for (const auto& [name, why] : kNotRead) {
      if (const Node* const node = found(user, name)) return error(user.at(name), why, node->line);
    }
    access_.token = text(user, "token");
    access_.token_file = path(text(user, "tokenFile"));
    access_.token_file_named = position(user, "tokenFile");
    Result<Pem> certificate = pem(user, "client-certificate");
    if (!certificate) return certificate.error();
    Result<Pem> key = pem(user, "client-key");
    if (!key) return key.error();
    if (certificate->is_there() != key->is_there() && !reader_.failed()) {
      const char* const missing = key->is_there() ? "client-certificate" : "client-key";
      return error(user.at(missing), "missing: a client certificate and its key come together",
                   user.node->line);
    }
    access_.certificate = *std::move(certificate);
    access_.key = *std::move(key);
    return {};
  }

  const Node& root_;
  FieldReader reader_;
  std::filesystem::path folder_;
  ApiAccess access_;
};

}  // namespace

Result<ApiAccess> read_kubeconfig(const InputText& input, const std::string& context) {
  std::istringstream text(input.text);
  Result<Node> root = read_document(text, input.syntax, input.name);
  if (!root) {
    Error error = std::move(root).error();
    error.message = error.message.substr(0, error.message.find("; last read"));  // it may be a secret
    return error;
  }
  return KubeconfigReader(*root, input.name).read(context);
}

ApiAccess in_cluster_access(const std::string& host, const std::string& port, const std::string& folder) {
  const bool is_v6 = host.find(':') != std::string::npos && !host.starts_with('[');
  return {.server = fmt::format("https://{}:{}", is_v6 ? fmt::format("[{}]", host) : host, port),
          .ca = {.file = folder + "/ca.crt"},
          .token_file = folder + "/token"};
}

}  // namespace mirab::kubernetes
