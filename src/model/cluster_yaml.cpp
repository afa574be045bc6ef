// A Cluster written as a cluster file in YAML (docs/reference/cluster-file.md), one line for each server and
// each user.
#include <algorithm>
#include <cctype>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <mirab/model/cluster_file.hpp>

#include "model/yaml_text.hpp"

namespace mirab {

namespace {

/// Taints or tolerations as a list: plain where they are made of letters, digits and their signs.
std::string terms(const std::vector<std::string>& texts) {
  std::string list;
  for (const std::string& text : texts) {
    const bool is_plain = std::isalpha(static_cast<unsigned char>(text[0])) != 0 && text.back() != ':' &&
                          std::all_of(text.begin(), text.end(), [](unsigned char c) {
                            return c < 128 && (std::isalnum(c) != 0 ||
                                               std::string_view("-_./=:<>").find(static_cast<char>(c)) !=
                                                   std::string_view::npos);
                          });
    const bool has_sign = text.find_first_of("=:<>") != std::string::npos;
    list += (list.empty() ? "" : ", ") + (is_plain && has_sign ? text : yaml_scalar(text));
  }
  return "[" + list + "]";
}

std::string amounts(const Cluster& cluster, const ResourceVector& vector) {
  std::string map;
  for (std::size_t r = 0; r < vector.size(); ++r) {
    if (vector[r].is_zero()) continue;
    map += (map.empty() ? "" : ", ") + yaml_key(cluster.resources[r]) + yaml_amount(vector[r]);
  }
  return "{" + map + "}";
}

std::string server_line(const Cluster& cluster, const Server& server) {
  std::string line =
      fmt::format("name: {}, capacity: {}", yaml_scalar(server.name), amounts(cluster, server.capacity));
  if (server.count != 1) line += fmt::format(", count: {}", server.count);
  if (!server.labels.empty()) {
    std::string labels;
    for (const auto& [label, value] : server.labels) {
      labels += (labels.empty() ? "" : ", ") + yaml_key(label) + yaml_scalar(value);
    }
    line += fmt::format(", labels: {{{}}}", labels);
  }
  if (!server.taints.empty()) {
    std::vector<std::string> taints;
    for (const Taint& taint : server.taints) taints.push_back(taint_text(taint));
    line += ", taints: " + terms(taints);
  }
  if (server.is_overfull) line += ", overfull: true";
  return line;
}

std::string quota_fields(const Cluster& cluster, const Quota& quota) {
  std::string fields;
  if (quota.guarantee) fields += fmt::format(", guarantee: {}", amounts(cluster, *quota.guarantee));
  if (!quota.limit.empty()) {
    std::string limits;
    for (std::size_t r = 0; r < quota.limit.size(); ++r) {
      if (quota.limit[r])
        limits +=
            (limits.empty() ? "" : ", ") + yaml_key(cluster.resources[r]) + yaml_amount(*quota.limit[r]);
    }
    fields += fmt::format(", limit: {{{}}}", limits);
  }
  if (!quota.reserved.empty()) fields += fmt::format(", reserved: {}", amounts(cluster, quota.reserved));
  return fields;
}

// The groups of a parent, each on a line with the groups within it below.
std::string group_lines(const Cluster& cluster, const std::optional<std::string>& parent,
                        const std::string& indent) {
  std::string lines;
  for (const Group& group : cluster.groups) {
    if (group.is_user || group.parent != parent) continue;
    std::string fields = fmt::format("name: {}", yaml_scalar(group.name));
    if (group.weight != Quantity{1}) fields += fmt::format(", weight: {}", group.weight.text());
    fields += quota_fields(cluster, group.quota);
    const std::string members = group_lines(cluster, group.name, indent + "  ");
    if (!members.empty()) fields += fmt::format(", groups: [\n{}{}]", members, indent);
    lines += fmt::format("{}{}{{{}}}{}\n", indent, parent ? "" : "- ", fields, parent ? "," : "");
  }
  return lines;
}

/// Those that are named, without those that are not eligible.
std::vector<std::string> named_servers(const User& user) {
  std::vector<std::string> servers = *user.servers;
  std::erase_if(servers, [&](const std::string& name) {
    return std::find(user.not_servers.begin(), user.not_servers.end(), name) != user.not_servers.end();
  });
  return servers;
}

std::string user_line(const Cluster& cluster, const User& user) {
  std::string line = fmt::format("name: {}, demand: {}", yaml_scalar(user.shape.value_or(user.name)),
                                 amounts(cluster, user.demand));
  if (user.group && !user.shape) line += fmt::format(", group: {}", yaml_scalar(*user.group));
  if (user.weight != Quantity{1}) line += fmt::format(", weight: {}", user.weight.text());
  line += quota_fields(cluster, user.quota);
  if (user.tasks) line += fmt::format(", tasks: {}", user.tasks->text());
  if (user.servers) line += fmt::format(", servers: {}", yaml_list(named_servers(user)));
  if (!user.servers && !user.not_servers.empty())
    line += fmt::format(", servers: {{not: {}}}", yaml_list(user.not_servers));
  if (!user.select.empty()) {
    std::string select;
    for (const auto& [label, wanted] : user.select) {
      select += (select.empty() ? "" : ", ") + yaml_key(label) + yaml_condition(wanted);
    }
    line += fmt::format(", select: {{{}}}", select);
  }
  if (!user.tolerates.empty()) {
    std::vector<std::string> tolerations;
    for (const Toleration& each : user.tolerates) tolerations.push_back(toleration_text(each));
    line += ", tolerates: " + terms(tolerations);
  }
  if (!user.demand_on.empty()) {
    std::string others;
    for (const auto& [server, demand] : user.demand_on) {
      others += (others.empty() ? "" : ", ") + yaml_key(server) + amounts(cluster, demand);
    }
    line += fmt::format(", demand_on: {{{}}}", others);
  }
  if (user.may_fit_nowhere) line += ", may_fit_nowhere: true";
  return line;
}

std::map<std::string_view, std::vector<const User*>> shapes_by_user(const Cluster& cluster) {
  std::map<std::string_view, std::vector<const User*>> shapes;
  for (const User& user : cluster.users) {
    if (user.shape && user.group) shapes[*user.group].push_back(&user);
  }
  return shapes;
}

std::string user_with_shapes(const Cluster& cluster, const std::string& name,
                             const std::vector<const User*>& shapes) {
  std::string fields = fmt::format("name: {}", yaml_scalar(name));
  const auto group = std::find_if(cluster.groups.begin(), cluster.groups.end(),
                                  [&](const Group& each) { return each.name == name; });
  if (group != cluster.groups.end()) {
    if (group->parent) fields += fmt::format(", group: {}", yaml_scalar(*group->parent));
    if (group->weight != Quantity{1}) fields += fmt::format(", weight: {}", group->weight.text());
    fields += quota_fields(cluster, group->quota);
  }
  std::string lines;
  for (const User* shape : shapes) lines += fmt::format("    {{{}}},\n", user_line(cluster, *shape));
  return fmt::format("  - {{{}, shapes: [\n{}  ]}}\n", fields, lines);
}

// A line for what runs of a shape, as long as its entries stand together and name no server twice.
std::string running_lines(const std::vector<Running>& running) {
  std::string lines;
  for (auto entry = running.begin(); entry != running.end();) {
    const std::string shape = entry->shape ? fmt::format(", shape: {}", yaml_scalar(*entry->shape)) : "";
    std::string tasks;
    std::set<std::string_view> servers;
    const auto first = entry;
    for (; entry != running.end() && entry->user == first->user && entry->shape == first->shape &&
           servers.insert(entry->server).second;
         ++entry)
      tasks += (tasks.empty() ? "" : ", ") + yaml_key(entry->server) + entry->tasks.text();
    lines += servers.size() == 1
                 ? fmt::format("  - {{user: {}{}, server: {}, tasks: {}}}\n", yaml_scalar(first->user), shape,
                               yaml_scalar(first->server), first->tasks.text())
                 : fmt::format("  - {{user: {}{}, tasks: {{{}}}}}\n", yaml_scalar(first->user), shape, tasks);
  }
  return lines;
}

// A difference that is rounded is rounded up, as it is a bound.
std::string merged_line(const Merged& merged) {
  constexpr double kPlaces = 1e6;
  return fmt::format("merged: {{nodes: {}, classes: {}, largest_difference: {:.6f}}}\n", merged.nodes,
                     merged.classes,
                     std::min(std::ceil(merged.largest_difference * kPlaces), kPlaces - 1) / kPlaces);
}

}  // namespace

std::string write_cluster_yaml(const Cluster& cluster, const std::vector<std::string>& comment) {
  std::string yaml = yaml_comment(comment);
  yaml += "version: 1\n";
  if (!cluster.title.empty()) yaml += fmt::format("title: {}\n", yaml_scalar(cluster.title));
  yaml += fmt::format("resources: {}\nservers:\n", yaml_list(cluster.resources));
  for (const Server& server : cluster.servers) yaml += "  - {" + server_line(cluster, server) + "}\n";
  if (cluster.merged) yaml += merged_line(*cluster.merged);
  if (const std::string groups = group_lines(cluster, {}, "  "); !groups.empty())
    yaml += "groups:\n" + groups;
  yaml += "users:\n";
  const std::map<std::string_view, std::vector<const User*>> shapes = shapes_by_user(cluster);
  std::set<std::string_view> written;
  for (const User& user : cluster.users) {
    if (!user.shape) {
      yaml += "  - {" + user_line(cluster, user) + "}\n";
    } else if (written.insert(*user.group).second) {
      yaml += user_with_shapes(cluster, *user.group, shapes.at(*user.group));
    }
  }
  if (cluster.running) yaml += cluster.running->empty() ? "running: []\n" : "running:\n";
  if (cluster.running) yaml += running_lines(*cluster.running);
  return yaml;
}

}  // namespace mirab
