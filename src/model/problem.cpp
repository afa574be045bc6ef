// A cluster becomes a Problem: every rule of the input is checked, and for each user the servers on which
// it may run are found.
#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>
#include <utility>

#include <mirab/model/problem.hpp>

#include "model/eligibility.hpp"
#include "model/names.hpp"

namespace mirab {

namespace {

constexpr std::size_t kMostEligibilities = 4'000'000'000;  // sets times servers, a bit for each: 500 MB

// Which servers does the user name? All when `servers` is left out, but for those that it excludes.
std::vector<bool> named_servers(const User& user, const std::map<std::string_view, std::size_t>& numbers) {
  std::vector<bool> named(numbers.size(), !user.servers);
  if (user.servers) {
    for (const std::string& name : *user.servers) named[numbers.at(name)] = true;
  }
  for (const std::string& name : user.not_servers) named[numbers.at(name)] = false;
  return named;
}

// A user whose `servers` names none fits on no server that might come.
bool may_wait(const User& user) { return user.may_fit_nowhere && (!user.servers || !user.servers->empty()); }

Error may_not_fit_nowhere(const Cluster& cluster, std::size_t n) {
  Error error = fits_nowhere(cluster, n);
  const std::optional<std::vector<std::string>>& servers = cluster.users[n].servers;
  if (!servers || !servers->empty()) error.message += "; with `may_fit_nowhere: true` it waits for a server";
  return error;
}

}  // namespace

const ResourceVector& Problem::demand(std::size_t user, std::size_t server) const {
  const User& who = cluster_.users[user];
  return who.demand_on.empty() ? who.demand : demand_on(who, cluster_.servers[server]);
}

// Users with the same constraints and the same set of demanded resources share a row, so that a million users
// without constraints cost a few rows, not a million.
Check Problem::find_eligible_servers() {
  using Pattern = std::vector<bool>;  // which resources are demanded
  const auto pattern = [](const ResourceVector& demand) {
    Pattern demanded;
    for (const Quantity& amount : demand) demanded.push_back(!amount.is_zero());
    return demanded;
  };
  struct Constraints {
    std::optional<std::vector<std::string>> servers;
    std::vector<std::string> not_servers;
    std::map<std::string, LabelCondition> select;
    std::vector<Toleration> tolerates;
    Pattern demanded;
    std::map<std::string, Pattern> demanded_on;
    auto operator<=>(const Constraints&) const = default;
  };
  struct Effect {
    std::size_t row;   // of eligibility_rows_
    bool constrained;  // does `servers`, `select` or a taint exclude a server?
    bool is_nowhere;   // is it eligible on no server?
  };

  std::map<std::string_view, std::size_t> numbers;  // of servers by name
  for (std::size_t i = 0; i < server_count(); ++i) numbers.emplace(cluster_.servers[i].name, i);
  std::map<Constraints, Effect> effects;
  std::map<std::vector<bool>, std::size_t> known_rows;
  const auto effect_of = [&](const User& user) {
    const std::vector<bool> named = named_servers(user, numbers);
    std::vector<bool> row(server_count());
    bool constrained = false;
    for (std::size_t i = 0; i < server_count(); ++i) {
      const Server& server = cluster_.servers[i];
      const bool allowed = named[i] && is_selected(user, server) && is_let_in(user, server);
      constrained = constrained || !allowed;
      row[i] = allowed && !lacking(demand_on(user, server), server);
    }
    const bool is_nowhere = std::find(row.begin(), row.end(), true) == row.end();
    const std::size_t index = known_rows.emplace(row, eligibility_rows_.size()).first->second;
    if (index == eligibility_rows_.size()) eligibility_rows_.push_back(std::move(row));
    return Effect{.row = index, .constrained = constrained, .is_nowhere = is_nowhere};
  };
  bool any_fits = false;
  for (std::size_t n = 0; n < user_count(); ++n) {
    const User& user = cluster_.users[n];
    Constraints constraints{user.servers,   user.not_servers,     user.select,
                            user.tolerates, pattern(user.demand), {}};
    for (const auto& [server, demand] : user.demand_on)
      constraints.demanded_on.emplace(server, pattern(demand));
    has_demand_on_ = has_demand_on_ || !user.demand_on.empty();

    auto known = effects.find(constraints);
    if (known == effects.end()) known = effects.emplace(std::move(constraints), effect_of(user)).first;
    const Effect& effect = known->second;
    if (effect.is_nowhere && !may_wait(user)) return may_not_fit_nowhere(cluster_, n);
    if (eligibility_rows_.size() * server_count() > kMostEligibilities) {
      return Error{
          .message = "users differ too much in where they may run: too many sets of eligible servers",
          .key = fmt::format("users[{}]", n)};
    }
    any_fits = any_fits || !effect.is_nowhere;
    eligibility_of_user_.push_back(effect.row);
    constrained_.push_back(effect.constrained);
    has_placement_constraints_ = has_placement_constraints_ || effect.constrained;
  }
  if (any_fits) return {};
  Error nobody = fits_nowhere(cluster_, 0);
  nobody.message += "; at least one user must fit somewhere";
  return nobody;
}

// Validation: the rules of docs/reference/cluster-file.md, checked once and on construction.

namespace {

Check wrong(std::string key, std::string message) {
  return Error{.message = std::move(message), .key = std::move(key)};
}

bool demands_something(const ResourceVector& demand) {
  return std::any_of(demand.begin(), demand.end(), [](const Quantity& amount) { return !amount.is_zero(); });
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
  if (too_many(cluster.groups.size()))
    return wrong("groups", fmt::format("more than {} amounts", kMostAmounts));
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
  std::set<std::string_view> seen;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const std::string key = fmt::format("{}[{}].name", list_key, i);
    if (Check bad = check_name(list[i].name, kind, key)) return bad;
    if (!seen.insert(list[i].name).second)
      return wrong(key, fmt::format("duplicate name: there is already a {} '{}'", kind, list[i].name));
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
  if (user.servers) {
    for (std::size_t i = 0; i < user.servers->size(); ++i) {
      const std::string server_key = fmt::format("{}.servers[{}]", key, i);
      if (Check bad = check_server_name(servers, (*user.servers)[i], server_key)) return bad;
    }
  }
  for (std::size_t i = 0; i < user.not_servers.size(); ++i) {
    const std::string server_key = fmt::format("{}.servers.not[{}]", key, i);
    if (Check bad = check_server_name(servers, user.not_servers[i], server_key)) return bad;
  }
  for (const auto& [label, condition] : user.select) {
    if (condition == LabelCondition() || (condition.any_of && condition.any_of->empty()))
      return wrong(fmt::format("{}.select.{}", key, label), "names no value, so no server can match");
  }
  for (const auto& [server, demand] : user.demand_on) {
    const std::string demand_key = fmt::format("{}.demand_on.{}", key, server);
    if (Check bad = check_server_name(servers, server, demand_key)) return bad;
    if (Check bad = check_demand(demand, cluster, user.name, demand_key)) return bad;
  }
  return {};
}

Check check_merged(const Merged& merged) {
  if (merged.nodes < 1)
    return wrong("merged.nodes", fmt::format("must be a whole number from 1, not {}", merged.nodes));
  if (merged.classes < 1 || merged.classes > merged.nodes)
    return wrong("merged.classes", fmt::format("must be a whole number from 1 to {}, the nodes, not {}",
                                               merged.nodes, merged.classes));
  if (!(merged.largest_difference >= 0 && merged.largest_difference < 1))
    return wrong("merged.largest_difference", "must be a part of a server: from 0, and below 1");
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
  if (cluster.merged) {
    if (Check bad = check_merged(*cluster.merged)) return bad;
  }
  const ServerNumbers servers = server_numbers(cluster);
  for (std::size_t n = 0; n < cluster.users.size(); ++n) {
    if (Check bad = check_user(cluster, servers, n)) return bad;
  }
  return {};
}

// What runs: the entries of `running`, each against what its server has, where its user may run, and how many
// tasks the user has.

constexpr double kRunsWithin = 1e-9;  // relative. Derived: what sums of a million doubles leave.

// The task shapes of every user who has some, by the user's name.
using Shapes = std::map<std::string_view, std::vector<std::string_view>>;

using UserNumbers = std::map<std::string_view, std::size_t>;

Shapes shape_names(const Cluster& cluster) {
  Shapes shapes;
  for (const User& user : cluster.users) {
    if (user.shape && user.group) shapes[*user.group].push_back(*user.shape);
  }
  return shapes;
}

// The name under which the tasks are a user of the problem.
Result<std::string> name_of_tasks(const Running& entry, const std::string& key, const Cluster& cluster,
                                  const UserNumbers& users, const Shapes& shapes) {
  const auto found = shapes.find(entry.user);
  if (found != shapes.end()) {
    const std::vector<std::string_view>& known = found->second;
    if (!entry.shape) {
      return *wrong(key + ".shape", fmt::format("missing: user '{}' has the task shapes {}", entry.user,
                                                first_names(known, known.size())));
    }
    if (std::find(known.begin(), known.end(), *entry.shape) == known.end()) {
      return *wrong(key + ".shape", fmt::format("user '{}' has no shape '{}'{}", entry.user, *entry.shape,
                                                known_names(*entry.shape, known)));
    }
    return fmt::format("{}/{}", entry.user, *entry.shape);
  }
  const auto number = users.find(entry.user);
  const User* user = number == users.end() ? nullptr : &cluster.users[number->second];
  if (user != nullptr && user->shape) {
    return *wrong(key + ".user", fmt::format("'{}' is a task shape: write user '{}' and shape '{}'",
                                             entry.user, *user->group, *user->shape));
  }
  if (user == nullptr) {
    std::vector<std::string_view> names;
    for (const User& each : cluster.users) {
      if (!each.shape) names.push_back(each.name);
    }
    for (const auto& [name, of] : shapes) names.push_back(name);
    return *wrong(key + ".user",
                  fmt::format("there is no user '{}'{}", entry.user, known_names(entry.user, names)));
  }
  if (entry.shape)
    return *wrong(key + ".shape", fmt::format("user '{}' has no task shapes; leave it out", entry.user));
  return entry.user;
}

}  // namespace

Check Problem::find_running() {
  if (!cluster_.running) return {};
  const Shapes shapes = shape_names(cluster_);
  const ServerNumbers servers = server_numbers(cluster_);
  UserNumbers users;
  for (std::size_t n = 0; n < user_count(); ++n) users.emplace(cluster_.users[n].name, n);
  std::map<std::pair<std::size_t, std::size_t>, double> placed;
  std::vector<double> tasks_of(user_count());
  std::vector<std::vector<double>> used(server_count(), std::vector<double>(resource_count()));
  const auto key_of = [](std::size_t k) { return fmt::format("running[{}]", k); };
  std::vector<std::string> names;  // all first: what fits says little while a name is wrong
  for (const Running& entry : *cluster_.running) {
    const std::string key = key_of(names.size());
    Result<std::string> name = name_of_tasks(entry, key, cluster_, users, shapes);
    if (!name) return name.error();
    if (Check bad = check_server_name(servers, entry.server, key + ".server")) return bad;
    names.push_back(*std::move(name));
  }
  for (std::size_t k = 0; k < cluster_.running->size(); ++k) {
    const Running& entry = (*cluster_.running)[k];
    const std::string key = key_of(k);
    const std::string& name = names[k];
    const std::size_t n = users.at(name);
    const std::size_t i = servers.at(entry.server);
    if (entry.tasks.is_zero()) continue;
    if (!eligible(n, i))
      return wrong(key + ".server", fmt::format("user '{}' may not run on '{}'", name, entry.server));
    const double tasks = entry.tasks.value();
    tasks_of[n] += tasks;
    const std::optional<Quantity>& most = cluster_.users[n].tasks;
    if (most && tasks_of[n] > most->value() * (1 + kRunsWithin)) {
      return wrong(key + ".tasks", fmt::format("user '{}' has {} tasks, and {:g} would run", name,
                                               most->text(), tasks_of[n]));
    }
    const Server& server = cluster_.servers[i];
    for (std::size_t r = 0; r < resource_count(); ++r) {
      used[i][r] += tasks * demand(n, i)[r].value();
      const double capacity = static_cast<double>(server.count) * server.capacity[r].value();
      if (used[i][r] <= capacity * (1 + kRunsWithin)) continue;
      return wrong(key + ".tasks",
                   fmt::format("more than fits: '{}'{} {:.15g} of {}, and with these tasks {:.15g} would be "
                               "in use",
                               server.name, server.count == 1 ? " has" : " and its equals have", capacity,
                               cluster_.resources[r], used[i][r]));
    }
    placed[{n, i}] += tasks;
  }
  running_.emplace();
  for (const auto& [where, tasks] : placed)
    running_->push_back({.user = where.first, .server = where.second, .tasks = tasks});
  return {};
}

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
  if (Check bad = problem.build_tree()) return *std::move(bad);
  if (Check bad = problem.find_running()) return *std::move(bad);
  return problem;
}

}  // namespace mirab
