// The cluster file (docs/reference/cluster-file.md): read to a Problem with errors that name file, line and
// key; written as YAML.
#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <fstream>
#include <iostream>
#include <sstream>
#include <system_error>

#include <mirab/model/choice.hpp>
#include <mirab/model/cluster_file.hpp>

#include "model/document.hpp"
#include "model/field_reader.hpp"

namespace mirab {

// The cluster file (docs/reference/cluster-file.md): from a document to a Cluster, key by key. What can be
// wrong with a cluster as such is for Problem::from to say; this file says what is wrong with its text, and
// adds the lines.

namespace {

// Reads one document.
class ClusterReader : FieldReader {
 public:
  ClusterReader(const Node& root, std::string file) : FieldReader(std::move(file)), root_(root) {}

  Result<Problem> read() {
    Cluster cluster = read_cluster();
    if (failed()) return *error();
    Result<Problem> problem = Problem::from(std::move(cluster));
    if (problem) return problem;
    Error wrong = problem.error();
    wrong.file = file();
    wrong.line = line_of(root_, wrong.key);
    return wrong;
  }

 private:
  Cluster read_cluster() {
    static constexpr std::array<std::string_view, 4> kKeys = {"version", "resources", "servers", "users"};
    if (root_.kind == Node::Kind::null) {
      fail("resources", "missing: the file is empty; it needs the keys resources, servers and users", 1);
      return {};
    }
    Cluster cluster;
    if (!expect_map(root_, "", kKeys)) return cluster;
    if (const Node* version = root_.find("version"); version != nullptr && version->text != "1") {
      fail("version", "must be 1, the version of this format", version->line);
    }
    if (root_.find("resources") == nullptr) {
      fail("resources", "missing: list the resources, such as `resources: [cpu, memory]`", root_.line);
    }
    for (const Node::Entry& entry : list(required(root_, "", "resources"), "resources")) {
      cluster.resources.push_back(text(entry.value, fmt::format("resources[{}]", cluster.resources.size())));
    }
    resources_ = cluster.resources;
    if (cluster.resources.size() > kMostResources) return cluster;  // Problem::from says it
    for (const Node::Entry& entry : rows("servers")) {
      cluster.servers.push_back(server(entry.value, fmt::format("servers[{}]", cluster.servers.size())));
      if (failed()) return cluster;
    }
    for (const Node::Entry& entry : rows("users")) {
      cluster.users.push_back(user(entry.value, fmt::format("users[{}]", cluster.users.size())));
      if (failed()) return cluster;
    }
    return cluster;
  }

  Server server(const Node& node, const std::string& key) {
    static constexpr std::array<std::string_view, 4> kKeys = {"name", "capacity", "count", "labels"};
    Server server;
    if (!expect_map(node, key, kKeys)) return server;
    server.name = text(required(node, key, "name"), key + ".name");
    server.capacity = amounts(required(node, key, "capacity"), key + ".capacity");
    if (const Node* count = node.find("count")) server.count = whole(*count, key + ".count");
    if (const Node* labels = node.find("labels")) server.labels = this->labels(*labels, key + ".labels");
    return server;
  }

  User user(const Node& node, const std::string& key) {
    static constexpr std::array<std::string_view, 7> kKeys = {"name",    "demand", "weight",   "tasks",
                                                              "servers", "select", "demand_on"};
    User user;
    if (!expect_map(node, key, kKeys)) return user;
    user.name = text(required(node, key, "name"), key + ".name");
    user.demand = amounts(required(node, key, "demand"), key + ".demand");
    if (const Node* weight = node.find("weight")) user.weight = amount(*weight, key + ".weight");
    if (const Node* tasks = node.find("tasks")) user.tasks = amount(*tasks, key + ".tasks");
    if (const Node* servers = node.find("servers")) user.servers = texts(*servers, key + ".servers");
    if (const Node* select = node.find("select")) user.select = choices(*select, key + ".select");
    if (const Node* others = node.find("demand_on");
        others != nullptr && expect_map(*others, key + ".demand_on")) {
      for (const Node::Entry& other : others->entries) {
        user.demand_on.emplace(other.key, amounts(other.value, key + ".demand_on." + other.key));
      }
    }
    return user;
  }

  // The servers or the users, unless their amounts would not fit into memory.
  const std::vector<Node::Entry>& rows(const std::string& key) {
    static const std::vector<Node::Entry> kNone;
    const Node& node = required(root_, "", key);
    const std::size_t resources = std::max<std::size_t>(1, resources_.size());
    if (node.entries.size() <= kMostAmounts / resources) return list(node, key);
    fail(key,
         fmt::format("{} of them with {} resources are more than {} amounts", node.entries.size(), resources,
                     kMostAmounts),
         node.line);
    return kNone;
  }

  ResourceVector amounts(const Node& node, const std::string& key) {
    return FieldReader::amounts(node, key, resources_);
  }

  const Node& root_;
  std::vector<std::string> resources_;
};

Result<Problem> read_cluster(std::istream& input, Syntax syntax, const std::string& name) {
  Result<Node> document = read_document(input, syntax, name);
  if (!document) return document.error();
  return ClusterReader(*document, name).read();
}

// A pipe has to be held in memory to see in which syntax it is written.
Result<Problem> read_standard_input() {
  const std::string name = "standard input";
  std::string text;
  std::array<char, 65536> chunk;
  while (std::cin.read(chunk.data(), chunk.size()), std::cin.gcount() > 0) {
    text.append(chunk.data(), static_cast<std::size_t>(std::cin.gcount()));
    if (text.size() > kMaxTextBytes) {
      return Error{.message = fmt::format("more than {} bytes; name a file instead", kMaxTextBytes),
                   .file = name};
    }
  }
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  const bool json = first != std::string::npos && text[first] == '{';
  std::istringstream input(std::move(text));
  return read_cluster(input, json ? Syntax::json : Syntax::yaml, name);
}

Syntax syntax_of(const std::string& path) { return path.ends_with(".json") ? Syntax::json : Syntax::yaml; }

}  // namespace

Result<Problem> read_cluster_file(const std::string& path) {
  if (path == "-") return read_standard_input();
  Result<std::ifstream> input = open_file(path);
  if (!input) return input.error();
  return read_cluster(*input, syntax_of(path), path);
}

int line_in_cluster_file(const std::string& path, std::string_view key) {
  std::ifstream input(path, std::ios::binary);
  if (path == "-" || !input.is_open()) return 0;
  const Result<Node> document = read_document(input, syntax_of(path), path);
  return document ? line_of(*document, key) : 0;
}

Result<Problem> read_cluster_text(std::string_view text, Syntax syntax, const std::string& name) {
  std::istringstream input{std::string(text)};
  return read_cluster(input, syntax, name);
}

// A Cluster as a cluster file in YAML (docs/reference/cluster-file.md), one line for each server and each
// user.

namespace {

// A scalar that reads back as the same text: plain where that is safe, else in double quotes.
std::string scalar(const std::string& text) {
  static constexpr std::array<std::string_view, 8> kWords = {"null", "true", "false", "yes",
                                                             "no",   "on",   "off",   "nan"};
  std::string lower = text;
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  const bool letters =
      !text.empty() && (std::isalpha(static_cast<unsigned char>(text[0])) != 0) &&
      std::all_of(text.begin(), text.end(), [](unsigned char c) {
        return c < 128 && (std::isalnum(c) != 0 || c == '-' || c == '_' || c == '.' || c == '/');
      });
  const bool plain = letters && std::find(kWords.begin(), kWords.end(), lower) == kWords.end();
  return plain ? text : json_string(text);
}

/// The text as a key with its colon. YAML lets only a key of up to 1024 characters stand without a "?".
std::string key(const std::string& text) {
  constexpr std::size_t kLongestPlain = 1024;
  const std::string written = scalar(text);
  return (written.size() > kLongestPlain ? "? " : "") + written + ": ";
}

std::string scalars(const std::vector<std::string>& texts) {
  std::string list;
  for (const std::string& text : texts) list += (list.empty() ? "" : ", ") + scalar(text);
  return "[" + list + "]";
}

/// The amount as people write it: whole mebibytes and gibibytes by their suffix, anything else plain.
std::string amount(const Quantity& quantity) {
  constexpr std::int64_t kMebi = std::int64_t{1} << 20;
  constexpr std::int64_t kGibi = std::int64_t{1} << 30;
  const auto whole = count_units(quantity, 0, Rounding::down);
  if (!whole || *whole < kMebi || *whole % kMebi != 0 || quantity != Quantity(*whole)) return quantity.text();
  if (*whole % kGibi == 0) return fmt::format("{}Gi", *whole / kGibi);
  return fmt::format("{}Mi", *whole / kMebi);
}

std::string amounts(const Cluster& cluster, const ResourceVector& vector) {
  std::string map;
  for (std::size_t r = 0; r < vector.size(); ++r) {
    if (vector[r].is_zero()) continue;
    map += (map.empty() ? "" : ", ") + key(cluster.resources[r]) + amount(vector[r]);
  }
  return "{" + map + "}";
}

std::string server_line(const Cluster& cluster, const Server& server) {
  std::string line =
      fmt::format("name: {}, capacity: {}", scalar(server.name), amounts(cluster, server.capacity));
  if (server.count != 1) line += fmt::format(", count: {}", server.count);
  if (!server.labels.empty()) {
    std::string labels;
    for (const auto& [label, value] : server.labels) {
      labels += (labels.empty() ? "" : ", ") + key(label) + scalar(value);
    }
    line += fmt::format(", labels: {{{}}}", labels);
  }
  return line;
}

std::string user_line(const Cluster& cluster, const User& user) {
  std::string line = fmt::format("name: {}, demand: {}", scalar(user.name), amounts(cluster, user.demand));
  if (user.weight != Quantity{1}) line += fmt::format(", weight: {}", user.weight.text());
  if (user.tasks) line += fmt::format(", tasks: {}", user.tasks->text());
  if (user.servers) line += fmt::format(", servers: {}", scalars(*user.servers));
  if (!user.select.empty()) {
    std::string select;
    for (const auto& [label, values] : user.select) {
      select += (select.empty() ? "" : ", ") + key(label) + scalars(values);
    }
    line += fmt::format(", select: {{{}}}", select);
  }
  if (!user.demand_on.empty()) {
    std::string others;
    for (const auto& [server, demand] : user.demand_on) {
      others += (others.empty() ? "" : ", ") + key(server) + amounts(cluster, demand);
    }
    line += fmt::format(", demand_on: {{{}}}", others);
  }
  return line;
}

}  // namespace

std::string write_cluster_yaml(const Cluster& cluster, const std::vector<std::string>& comment) {
  std::string yaml;
  for (const std::string& line : comment) {
    std::istringstream physical(line.empty() ? "\n" : line);
    for (std::string part; std::getline(physical, part);) yaml += part.empty() ? "#\n" : "# " + part + "\n";
  }
  yaml += fmt::format("version: 1\nresources: {}\nservers:\n", scalars(cluster.resources));
  for (const Server& server : cluster.servers) yaml += "  - {" + server_line(cluster, server) + "}\n";
  yaml += "users:\n";
  for (const User& user : cluster.users) yaml += "  - {" + user_line(cluster, user) + "}\n";
  return yaml;
}

}  // namespace mirab
