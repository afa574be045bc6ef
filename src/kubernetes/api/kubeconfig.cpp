// A kubeconfig: named clusters, named users, and contexts that join one of each.
#include "kubernetes/api/kubeconfig.hpp"

#include <array>
#include <cstddef>
#include <filesystem>
#include <fmt/format.h>
#include <optional>
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

/// What helps where nothing else does.
constexpr const char* kProxy =
    "is not supported; run `kubectl proxy`, and give a kubeconfig with `server: http://127.0.0.1:8001` and "
    "without a user";

/// A map of a file and where it stands.
struct Part {
  const Node* node;
  const std::string* file;
  std::string key;

  std::string at(std::string_view name) const {
    return key.empty() ? std::string(name) : fmt::format("{}.{}", key, name);
  }

  /// Nothing where it is left out, or null.
  const Node* find(std::string_view name) const {
    const Node* const found = node->find(name);
    return found == nullptr || found->kind == Node::Kind::null ? nullptr : found;
  }

  /// Where a key of it stands, or the map without it.
  FilePosition place(std::string_view name) const {
    const Node* const found = find(name);
    return {.key = at(name), .file = *file, .line = (found == nullptr ? *node : *found).line};
  }
};

/// As JSON, with each scalar as a text: what YAML takes for a number is not known any more.
std::string json_of(const Node& node) {
  if (node.kind == Node::Kind::null) return "null";
  if (node.kind == Node::Kind::scalar) return json_string(node.text);
  const bool is_map = node.kind == Node::Kind::map;
  std::string json;
  for (const Node::Entry& entry : node.entries) {
    json += json.empty() ? "" : ",";
    if (is_map) json += json_string(entry.key) + ":";
    json += json_of(entry.value);
  }
  return (is_map ? "{" : "[") + json + (is_map ? "}" : "]");
}

class KubeconfigReader {
 public:
  explicit KubeconfigReader(std::vector<Part> files) : files_(std::move(files)) {}

  Result<ApiAccess> read(std::string context_name) {
    for (const Part& file : files_) {
      FieldReader reader(*file.file);
      if (!reader.expect_map(*file.node, "")) return *reader.error();
    }
    FilePosition asked = {.key = "--context"};
    if (context_name.empty()) {
      for (const Part& file : files_) {
        context_name = text(file, "current-context");
        asked = file.place("current-context");
        if (!context_name.empty() || error_) break;
      }
      if (context_name.empty() && !error_) return no_current_context();
    }
    const Result<Part> context = named("contexts", "context", context_name, asked);
    if (!context) return context.error();
    const Result<Part> cluster =
        named("clusters", "cluster", text(*context, "cluster"), context->place("cluster"));
    if (!cluster) return cluster.error();
    access_.name_space = text(*context, "namespace");
    if (const Check wrong = read_cluster(*cluster)) return *wrong;
    const std::string user_name = text(*context, "user");
    if (!user_name.empty()) {
      const Result<Part> user = named("users", "user", user_name, context->place("user"));
      if (!user) return user.error();
      if (const Check wrong = read_user(*user, *cluster)) return *wrong;
    }
    if (error_) return *error_;
    return std::move(access_);
  }

 private:
  /// Empty where there is none. The first error of all is kept.
  std::string text(const Part& part, std::string_view name) {
    const Node* const node = part.find(name);
    if (node == nullptr) return {};
    FieldReader reader(*part.file);
    std::string read = reader.text(*node, part.at(name));
    if (!error_) error_ = reader.error();
    return read;
  }

  /// Left out: false.
  Result<bool> truth(const Part& part, std::string_view name) {
    const std::string read = text(part, name);
    if (read.empty() || read == "false") return false;
    if (read == "true") return true;
    return error_at(part.place(name), "must be true or false");
  }

  Error no_current_context() const {
    std::vector<std::string_view> known;
    for (const Part& file : files_) {
      const Node* const contexts = file.find("contexts");
      for (std::size_t i = 0; contexts != nullptr && i < contexts->entries.size(); ++i) {
        if (const Node* const name = contexts->entries[i].value.find("name")) known.push_back(name->text);
      }
    }
    return error_at(files_.front().place("current-context"),
                    known.empty() ? "is not set, and there are no contexts"
                                  : fmt::format("is not set; choose one with --context: {}",
                                                first_names(known, kMostNamedContexts)));
  }

  /// The map of a name in lists of `{name: …, <within>: {…}}`, of the first file that has it; `asked` names
  /// it.
  Result<Part> named(const std::string& list, const std::string& within, const std::string& name,
                     const FilePosition& asked) {
    std::vector<std::string_view> known;
    const Part* first = nullptr;  // with such a list
    for (const Part& file : files_) {
      const Node* const entries = file.find(list);
      if (entries != nullptr && first == nullptr) first = &file;
      for (std::size_t i = 0; entries != nullptr && i < entries->entries.size(); ++i) {
        const Node& entry = entries->entries[i].value;
        const Node* const its_name = entry.find("name");
        if (its_name == nullptr) continue;
        known.push_back(its_name->text);
        if (its_name->text != name) continue;
        Part part{entry.find(within), file.file, fmt::format("{}[{}].{}", list, i, within)};
        if (part.node != nullptr && part.node->kind == Node::Kind::map) return part;
        return error_at({.key = part.key, .file = *file.file, .line = entry.line}, "must be a map");
      }
    }
    if (error_) return *error_;
    if (name.empty()) return error_at(asked, fmt::format("missing: the name of a {}", within));
    FilePosition place = (first == nullptr ? files_.front() : *first).place(list);
    if (first == nullptr) place.line = 0;
    return error_at(place,
                    fmt::format("there is no {} '{}'{}", within, printable(name), known_names(name, known)));
  }

  /// `name`, a path, or `name-data`, the text in base64, which comes first.
  Result<Pem> pem(const Part& part, const std::string& name) {
    const std::string data = text(part, name + "-data");
    if (!data.empty()) {
      std::optional<std::string> decoded = decode_base64(data);
      if (decoded && decoded->find("-----BEGIN ") != std::string::npos)
        return Pem{.text = *std::move(decoded)};
      return error_at(part.place(name + "-data"), decoded ? "must hold PEM in base64" : "must be base64");
    }
    return Pem{.file = path(part, text(part, name)), .named = part.place(name)};
  }

  /// Relative to the folder of the file.
  static std::string path(const Part& part, const std::string& written) {
    if (written.empty() || written.front() == '/') return written;
    return (std::filesystem::path(*part.file).parent_path() / written).lexically_normal().string();
  }

  Check read_cluster(const Part& cluster) {
    access_.server = text(cluster, "server");
    access_.server_named = cluster.place("server");
    if (access_.server.empty() && !error_)
      return error_at(access_.server_named, "missing: the URL of the API server");
    Result<Pem> ca = pem(cluster, "certificate-authority");
    if (!ca) return ca.error();
    access_.ca = *std::move(ca);
    access_.server_name = text(cluster, "tls-server-name");
    access_.proxy_url = text(cluster, "proxy-url");
    const Result<bool> is_insecure = truth(cluster, "insecure-skip-tls-verify");
    if (!is_insecure) return is_insecure.error();
    access_.is_insecure = *is_insecure;
    if (access_.is_insecure && access_.ca.is_there())
      return error_at(cluster.place("insecure-skip-tls-verify"),
                      "must not be true where a certificate-authority is given");
    return {};
  }

  Check read_user(const Part& user, const Part& cluster) {
    constexpr std::array<std::pair<const char*, const char*>, 7> kNotRead = {
        {{"auth-provider", kProxy},
         {"as", kProxy},
         {"as-uid", kProxy},
         {"as-groups", kProxy},
         {"as-user-extra", kProxy},
         {"username", "basic authentication is refused; give a token or a client certificate"},
         {"password", "basic authentication is refused; give a token or a client certificate"}}};
    for (const auto& [name, why] : kNotRead) {
      if (user.find(name) != nullptr) return error_at(user.place(name), why);
    }
    access_.token = text(user, "token");
    access_.token_file = path(user, text(user, "tokenFile"));
    access_.token_file_named = user.place("tokenFile");
    Result<Pem> certificate = pem(user, "client-certificate");
    if (!certificate) return certificate.error();
    Result<Pem> key = pem(user, "client-key");
    if (!key) return key.error();
    if (certificate->is_there() != key->is_there() && !error_) {
      const char* const missing = key->is_there() ? "client-certificate" : "client-key";
      return error_at(user.place(missing), "missing: a client certificate and its key come together");
    }
    access_.certificate = *std::move(certificate);
    access_.key = *std::move(key);
    const bool has_token = !access_.token.empty() || !access_.token_file.empty();
    if (has_token || user.find("exec") == nullptr) return {};
    Result<ExecCommand> exec = read_exec(user, cluster);
    if (!exec) return exec.error();
    access_.exec = *std::move(exec);
    return {};
  }

  Result<ExecCommand> read_exec(const Part& user, const Part& cluster) {
    const Part exec{user.find("exec"), user.file, user.at("exec")};
    if (exec.node->kind != Node::Kind::map) return error_at(user.place("exec"), "must be a map");
    ExecCommand read{.named = user.place("exec")};
    constexpr std::string_view kGroup = "client.authentication.k8s.io/";
    const std::string version = text(exec, "apiVersion");
    if (version.starts_with(kGroup)) read.version = version.substr(kGroup.size());
    if (read.version != "v1" && read.version != "v1beta1")
      return error_at(exec.place("apiVersion"), fmt::format("must be {0}v1 or {0}v1beta1", kGroup));
    read.command = text(exec, "command");
    if (error_) return *error_;
    if (read.command.empty()) return error_at(exec.place("command"), "missing: what is run for credentials");
    if (read.command.find('/') != std::string::npos) {
      read.command = path(exec, read.command);
      if (read.command.find('/') == std::string::npos) read.command.insert(0, "./");  // or it were a name
    }
    read.install_hint = text(exec, "installHint");
    if (const Check wrong = read_words(exec, read)) return *wrong;
    const std::string mode = text(exec, "interactiveMode");
    if (mode == "Always")
      return error_at(
          exec.place("interactiveMode"),
          "is Always: the command would ask a person, and Mirab gives it no standard input; give a "
          "token or a client certificate, or run `kubectl proxy`");
    const bool may_be_left_out = read.version == "v1beta1";
    if (mode != "Never" && mode != "IfAvailable" && !(mode.empty() && may_be_left_out))
      return error_at(exec.place("interactiveMode"), "must be Never, IfAvailable or Always");
    const Result<bool> provides_cluster = truth(exec, "provideClusterInfo");
    if (!provides_cluster) return provides_cluster.error();
    read.provides_cluster = *provides_cluster;
    read.cluster_config = extension(cluster, "client.authentication.k8s.io/exec");
    if (error_) return *error_;
    return read;
  }

  /// Its `args` and `env`.
  Check read_words(const Part& exec, ExecCommand& read) {
    FieldReader reader(*exec.file);
    if (const Node* const args = exec.find("args")) {
      const std::string key = exec.at("args");
      for (const Node::Entry& each : reader.list(*args, key))
        read.args.push_back(reader.text(each.value, key));
    }
    if (const Node* const variables = exec.find("env")) {
      const std::string key = exec.at("env");
      for (const Node::Entry& each : reader.list(*variables, key)) {
        if (!reader.expect_map(each.value, key)) break;
        const std::string name = reader.text(reader.required(each.value, key, "name"), key + ".name");
        const Node* const value = each.value.find("value");
        const bool has_value = value != nullptr && value->kind != Node::Kind::null;
        if (!reader.failed() && (name.empty() || name.find('=') != std::string::npos))
          reader.fail(key + ".name", "must be the name of a variable", each.value.line);
        read.environment.emplace_back(name, has_value ? reader.text(*value, key + ".value") : "");
      }
    }
    return reader.error();
  }

  /// What a cluster's extension of a name holds, as JSON; empty: there is none.
  static std::string extension(const Part& cluster, std::string_view name) {
    const Node* const extensions = cluster.find("extensions");
    for (std::size_t i = 0; extensions != nullptr && i < extensions->entries.size(); ++i) {
      const Node& each = extensions->entries[i].value;
      const Node* const its_name = each.find("name");
      const Node* const its_value = each.find("extension");
      if (its_name != nullptr && its_name->text == name && its_value != nullptr) return json_of(*its_value);
    }
    return {};
  }

  std::vector<Part> files_;
  std::optional<Error> error_;
  ApiAccess access_;
};

}  // namespace

Result<ApiAccess> read_kubeconfig(std::span<const InputText> files, const std::string& context) {
  std::vector<Node> roots;
  roots.reserve(files.size());
  std::vector<Part> parts;
  for (const InputText& input : files) {
    Result<Node> root = read_document(input.text, input.syntax, input.name);
    if (!root) {
      Error error = std::move(root).error();
      error.message = error.message.substr(0, error.message.find("; last read"));  // it may be a secret
      return error;
    }
    parts.push_back({&roots.emplace_back(*std::move(root)), &input.name, ""});
  }
  return KubeconfigReader(std::move(parts)).read(context);
}

ApiAccess in_cluster_access(const std::string& host, const std::string& port, const std::string& folder) {
  const bool is_v6 = host.find(':') != std::string::npos && !host.starts_with('[');
  return {.server = fmt::format("https://{}:{}", is_v6 ? fmt::format("[{}]", host) : host, port),
          .ca = {.file = folder + "/ca.crt"},
          .token_file = folder + "/token"};
}

}  // namespace mirab::kubernetes
