#include "model/counted_together.hpp"

#include <algorithm>
#include <compare>
#include <cstdint>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/alike_servers.hpp"
#include "model/exact.hpp"
#include "model/given_names.hpp"

namespace mirab {
namespace {

// How a user names a server.
enum class Named { in_servers, in_not_servers, in_demand_on };

struct Mention {
  std::size_t user;
  Named named;
  ResourceVector demand = {};  // of `demand_on`

  auto operator<=>(const Mention&) const = default;
};

// What servers that count together have in common.
struct Kind {
  std::vector<Mention> mentions = {};
  std::map<std::string, std::string> labels = {};  // those by which somebody selects
  std::vector<Taint> taints = {};
  bool is_overfull = false;

  auto operator<=>(const Kind&) const = default;
};

std::vector<Kind> kinds_of(const Cluster& cluster) {
  std::map<std::string_view, std::size_t> number;
  for (std::size_t i = 0; i < cluster.servers.size(); ++i) number.emplace(cluster.servers[i].name, i);
  std::set<std::string_view> selected;
  std::vector<Kind> kinds(cluster.servers.size());
  for (std::size_t n = 0; n < cluster.users.size(); ++n) {
    const User& user = cluster.users[n];
    for (const auto& [label, condition] : user.select) selected.insert(label);
    const auto mention = [&](const std::string& server, Named named, const ResourceVector& demand) {
      kinds[number.at(server)].mentions.push_back({.user = n, .named = named, .demand = demand});
    };
    const std::vector<std::string> in_servers = user.servers.value_or(std::vector<std::string>());
    for (const std::string& server : std::set(in_servers.begin(), in_servers.end()))
      mention(server, Named::in_servers, {});
    for (const std::string& server : std::set(user.not_servers.begin(), user.not_servers.end()))
      mention(server, Named::in_not_servers, {});
    for (const auto& [server, demand] : user.demand_on) mention(server, Named::in_demand_on, demand);
  }
  for (std::size_t i = 0; i < cluster.servers.size(); ++i) {
    const Server& server = cluster.servers[i];
    for (const auto& [label, value] : server.labels) {
      if (selected.contains(label)) kinds[i].labels.emplace(label, value);
    }
    for (const Taint& taint : server.taints) {
      if (taint.keeps_off()) kinds[i].taints.push_back(taint);
    }
    std::sort(kinds[i].taints.begin(), kinds[i].taints.end());
    kinds[i].is_overfull = server.is_overfull;
  }
  return kinds;
}

// What runs on one of the servers of each entry, if all of them run the same.
std::vector<ExactVector> used_on_each(const Problem& problem) {
  std::vector<ExactVector> used(problem.server_count());
  if (!problem.cluster().running) return used;
  std::map<std::string_view, std::size_t> servers, users;
  for (std::size_t i = 0; i < problem.server_count(); ++i) servers.emplace(problem.servers()[i].name, i);
  for (std::size_t n = 0; n < problem.user_count(); ++n) users.emplace(problem.users()[n].name, n);
  for (const Running& running : *problem.cluster().running) {
    const std::size_t i = servers.at(running.server);
    const std::size_t n = users.at(running.shape ? running.user + "/" + *running.shape : running.user);
    const ResourceVector& demand = problem.demand(n, i);
    used[i].resize(demand.size());
    for (std::size_t r = 0; r < demand.size(); ++r)
      used[i][r] += rational(running.tasks) * rational(demand[r]) / problem.servers()[i].count;
  }
  return used;
}

// One server, or several as one.
Server entry_of(const std::vector<Server>& servers, const AlikeClass& alike) {
  Server entry = servers[alike.servers.front()];
  entry.capacity = alike.capacity;
  entry.count = 0;
  std::vector<std::string_view> names;
  for (const std::size_t i : alike.servers) {
    const Server& server = servers[i];
    entry.count += server.count;
    names.push_back(server.name);
    std::erase_if(entry.labels, [&](const auto& label) {
      const auto same = server.labels.find(label.first);
      return same == server.labels.end() || same->second != label.second;
    });
  }
  if (const std::string common = common_beginning(names); names.size() > 1 && !common.empty())
    entry.name = common;
  return entry;
}

// In the order of the old names, each new one once.
std::vector<std::string> renamed(const std::vector<std::string>& servers,
                                 const std::map<std::string, std::string>& entry_of) {
  std::vector<std::string> entries;
  std::set<std::string> seen;
  for (const std::string& server : servers) {
    if (const std::string& entry = entry_of.at(server); seen.insert(entry).second) entries.push_back(entry);
  }
  return entries;
}

void rename_servers(Cluster& cluster, const std::map<std::string, std::string>& entry_of) {
  for (User& user : cluster.users) {
    if (user.servers) user.servers = renamed(*user.servers, entry_of);
    user.not_servers = renamed(user.not_servers, entry_of);
    std::map<std::string, ResourceVector> demand_on;
    for (const auto& [server, demand] : user.demand_on) demand_on.emplace(entry_of.at(server), demand);
    user.demand_on = std::move(demand_on);
  }
  if (!cluster.running) return;
  for (Running& running : *cluster.running) running.server = entry_of.at(running.server);
}

// An entry that stood for unlike servers before may be in one that does now: it is counted twice, but no more
// servers than there are.
Merged with_before(Merged now, const std::optional<Merged>& before, const std::vector<Server>& entries) {
  if (!before) return now;
  std::int64_t servers = 0;
  for (const Server& entry : entries) servers += entry.count;
  now.nodes = std::min(servers, now.nodes + before->nodes);
  now.classes = std::min(static_cast<std::int64_t>(entries.size()), now.classes + before->classes);
  now.largest_difference = 1 - (1 - now.largest_difference) * (1 - before->largest_difference);
  return now;
}

}  // namespace

CountedTogether counted_together(const Problem& problem, const mpq_class& tolerance) {
  CountedTogether counted{.cluster = problem.cluster(),
                          .entry_of = std::vector<std::size_t>(problem.server_count())};
  std::iota(counted.entry_of.begin(), counted.entry_of.end(), std::size_t{0});
  Cluster& cluster = counted.cluster;
  std::int64_t all = 0;
  for (const Server& server : cluster.servers) {
    if (__builtin_add_overflow(all, server.count, &all)) return counted;  // no count could tell their number
  }
  const std::vector<ExactVector> used = used_on_each(problem);
  const std::vector<Kind> kinds = kinds_of(cluster);
  std::map<Kind, std::size_t> number_of;
  std::vector<AlikeServer> each;
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    const std::size_t kind = number_of.emplace(kinds[i], number_of.size()).first->second;
    each.push_back({.capacity = cluster.servers[i].capacity, .used = used[i], .kind = kind});
  }
  const std::vector<AlikeClass> classes = alike_servers(each, tolerance);
  if (classes.size() == cluster.servers.size()) return counted;

  Merged merged;
  UniqueNames names;
  std::vector<Server> entries;
  std::map<std::string, std::string> entry_name;
  for (const AlikeClass& alike : classes) {  // names that stay are taken first
    if (alike.servers.size() == 1) names.take(cluster.servers[alike.servers[0]].name);
  }
  for (const AlikeClass& alike : classes) {
    Server entry = entry_of(cluster.servers, alike);
    if (alike.servers.size() > 1) entry.name = names.take(entry.name);
    for (const std::size_t i : alike.servers) {
      entry_name.emplace(cluster.servers[i].name, entry.name);
      counted.entry_of[i] = entries.size();
    }
    if (alike.most_left_out > 0) {
      merged.nodes += entry.count;
      ++merged.classes;
      merged.largest_difference = std::max(merged.largest_difference, alike.most_left_out);
    }
    entries.push_back(std::move(entry));
  }
  cluster.servers = std::move(entries);
  rename_servers(cluster, entry_name);
  if (merged.nodes > 0) cluster.merged = with_before(merged, cluster.merged, cluster.servers);
  return counted;
}

}  // namespace mirab
