// Validation: what interfaces.md calls a cluster file's rules, checked once and on construction.

#include <algorithm>
#include <fmt/format.h>
#include <set>

#include <mirab/model/problem.hpp>

#include "model/names.hpp"
#include "model/utf8.hpp"

namespace mirab {
namespace {

Check wrong(std::string key, std::string message) {
  return Error{.message = std::move(message), .key = std::move(key)};
}

bool demands_something(const ResourceVector& demand) {
  return std::any_of(demand.begin(), demand.end(), [](const Quantity& amount) { return !amount.is_zero(); });
}

// A name stands in tables, error messages and files: it is text on one line.
Check check_name(const std::string& name, std::string_view kind, std::string key) {
  if (name.empty()) return wrong(std::move(key), fmt::format("a {} needs a name", kind));
  if (!is_utf8(name)) return wrong(std::move(key), "is not valid UTF-8");
  const bool control =
      std::any_of(name.begin(), name.end(), [](unsigned char c) { return c < 0x20 || c == 0x7F; });
  if (control) return wrong(std::move(key), "holds a control character, such as a line break or a tab");
  return {};
}

Check check_size(const Cluster& cluster) {
  const std::size_t resources = cluster.resources.size();
  if (resources > kMostResources) {
    return wrong("resources",
                 fmt::format("{} resources; at most {} can be shared", resources, kMostResources));
  }
  const auto too_many = [&](std::size_t count) {
    return count > kMostAmounts / std::max<std::size_t>(1, resources);
  };
  if (too_many(cluster.servers.size()))
    return wrong("servers", fmt::format("more than {} amounts", kMostAmounts));
  if (too_many(cluster.users.size()))
    return wrong("users", fmt::format("more than {} amounts", kMostAmounts));
  return {};
}

Check check_resources(const Cluster& cluster) {
  if (cluster.resources.empty()) return wrong("resources", "there must be at least one resource");
  std::set<std::string_view> seen;
  for (std::size_t r = 0; r < cluster.resources.size(); ++r) {
    const std::string key = fmt::format("resources[{}]", r);
    if (Check bad = check_name(cluster.resources[r], "resource", key)) return bad;
    if (!seen.insert(cluster.resources[r]).second) {
      return wrong(key,
                   fmt::format("duplicate name: there is already a resource '{}'", cluster.resources[r]));
    }
  }
  return {};
}

// Names are given and unique in a list of servers or users.
template <class Named>
Check check_names(const std::vector<Named>& list, std::string_view list_key, std::string_view kind) {
  std::map<std::string_view, std::size_t> seen;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const std::string key = fmt::format("{}[{}].name", list_key, i);
    if (Check bad = check_name(list[i].name, kind, key)) return bad;
    const auto [first, is_new] = seen.emplace(list[i].name, i);
    if (!is_new) {
      return wrong(key, fmt::format("duplicate name: {}[{}] is already called '{}'", list_key, first->second,
                                    list[i].name));
    }
  }
  return {};
}

Check check_length(const ResourceVector& amounts, const Cluster& cluster, std::string key) {
  if (amounts.size() == cluster.resources.size()) return {};
  return wrong(std::move(key),
               fmt::format("{} amounts for {} resources", amounts.size(), cluster.resources.size()));
}

Check check_server(const Cluster& cluster, std::size_t i) {
  const Server& server = cluster.servers[i];
  if (Check bad = check_length(server.capacity, cluster, fmt::format("servers[{}].capacity", i))) return bad;
  if (server.count < 1) {
    return wrong(fmt::format("servers[{}].count", i),
                 fmt::format("must be a whole number from 1, not {}", server.count));
  }
  return {};
}

using ServerNumbers = std::map<std::string_view, std::size_t>;

ServerNumbers server_numbers(const Cluster& cluster) {
  ServerNumbers numbers;
  for (std::size_t i = 0; i < cluster.servers.size(); ++i) numbers.emplace(cluster.servers[i].name, i);
  return numbers;
}

Check check_server_name(const ServerNumbers& servers, const std::string& name, std::string key) {
  if (servers.contains(name)) return {};
  std::vector<std::string_view> names;
  for (const auto& [known, number] : servers) names.push_back(known);
  return wrong(std::move(key), fmt::format("there is no server '{}'{}", name, known_names(name, names)));
}

Check check_demand(const ResourceVector& demand, const Cluster& cluster, const std::string& user,
                   std::string key) {
  if (Check bad = check_length(demand, cluster, key)) return bad;
  if (demands_something(demand)) return {};
  return wrong(std::move(key),
               fmt::format("user '{}' demands nothing; at least one amount must be more than 0", user));
}

Check check_user(const Cluster& cluster, const ServerNumbers& servers, std::size_t n) {
  const User& user = cluster.users[n];
  const std::string key = fmt::format("users[{}]", n);
  if (Check bad = check_demand(user.demand, cluster, user.name, key + ".demand")) return bad;
  if (user.weight.is_zero()) return wrong(key + ".weight", "must be more than 0");
  if (user.servers) {
    for (std::size_t i = 0; i < user.servers->size(); ++i) {
      const std::string server_key = fmt::format("{}.servers[{}]", key, i);
      if (Check bad = check_server_name(servers, (*user.servers)[i], server_key)) return bad;
    }
  }
  for (const auto& [label, values] : user.select) {
    if (values.empty())
      return wrong(fmt::format("{}.select.{}", key, label), "names no value, so no server can match");
  }
  for (const auto& [server, demand] : user.demand_on) {
    const std::string demand_key = fmt::format("{}.demand_on.{}", key, server);
    if (Check bad = check_server_name(servers, server, demand_key)) return bad;
    if (Check bad = check_demand(demand, cluster, user.name, demand_key)) return bad;
  }
  return {};
}

Check check(const Cluster& cluster) {
  if (Check bad = check_size(cluster)) return bad;
  if (Check bad = check_resources(cluster)) return bad;
  if (cluster.servers.empty())
    return wrong("servers", "the cluster is empty: there must be at least one server");
  if (cluster.users.empty()) return wrong("users", "there must be at least one user");
  if (Check bad = check_names(cluster.servers, "servers", "server")) return bad;
  if (Check bad = check_names(cluster.users, "users", "user")) return bad;
  for (std::size_t i = 0; i < cluster.servers.size(); ++i) {
    if (Check bad = check_server(cluster, i)) return bad;
  }
  const ServerNumbers servers = server_numbers(cluster);
  for (std::size_t n = 0; n < cluster.users.size(); ++n) {
    if (Check bad = check_user(cluster, servers, n)) return bad;
  }
  return {};
}

}  // namespace

Result<Problem> Problem::from(Cluster cluster) {
  if (Check bad = check(cluster)) return *std::move(bad);
  Problem problem(std::move(cluster));
  problem.pool_.assign(problem.resource_count(), 0.0);
  for (const Server& server : problem.servers()) {
    for (std::size_t r = 0; r < problem.resource_count(); ++r) {
      problem.pool_[r] += static_cast<double>(server.count) * server.capacity[r].value();
    }
  }
  if (Check bad = problem.find_eligible_servers()) return *std::move(bad);
  return problem;
}

}  // namespace mirab
