// A Cluster as a cluster file in YAML (docs/cluster-file.md), one line for each server and each user.

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sstream>

#include <mirab/model/cluster_file.hpp>

namespace mirab {
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
  return plain ? text : nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
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
