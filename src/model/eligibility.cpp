#include "model/eligibility.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "model/names.hpp"

namespace mirab {

bool are_selected(const std::map<std::string, LabelCondition>& select,
                  const std::map<std::string, std::string>& labels) {
  return std::all_of(select.begin(), select.end(), [&](const auto& wanted) {
    const auto label = labels.find(wanted.first);
    return holds(wanted.second,
                 label == labels.end() ? std::nullopt : std::optional<std::string_view>(label->second));
  });
}

bool are_tolerated(const std::vector<Taint>& taints, const std::vector<Toleration>& tolerations) {
  return std::all_of(taints.begin(), taints.end(), [&](const Taint& taint) {
    return !taint.keeps_off() || is_tolerated(taint, tolerations);
  });
}

bool is_selected(const User& user, const Server& server) { return are_selected(user.select, server.labels); }

bool is_let_in(const User& user, const Server& server) {
  return are_tolerated(server.taints, user.tolerates);
}

bool is_named(const User& user, const Server& server) {
  const auto is_in = [&](const std::vector<std::string>& names) {
    return std::find(names.begin(), names.end(), server.name) != names.end();
  };
  return (!user.servers || is_in(*user.servers)) && !is_in(user.not_servers);
}

std::string untolerated_taints(const User& user, const Server& server) {
  std::string taints;
  for (const Taint& taint : server.taints) {
    if (taint.keeps_off() && !is_tolerated(taint, user.tolerates))
      taints += (taints.empty() ? "" : ", ") + taint_text(taint);
  }
  return taints;
}

bool is_allowed(const User& user, const Server& server) {
  return is_named(user, server) && is_selected(user, server) && is_let_in(user, server);
}

namespace {

std::vector<std::string> allowed_servers(const User& user, const std::vector<Server>& servers) {
  std::vector<std::string> names;
  for (const Server& server : servers) {
    if (is_allowed(user, server)) names.push_back(server.name);
  }
  return names;
}

}  // namespace

NamesAndValues as_names_and_values(const User& user, const std::vector<Server>& servers) {
  const bool is_so = user.not_servers.empty() &&
                     std::all_of(user.select.begin(), user.select.end(),
                                 [](const auto& each) { return each.second.is_only_any_of(); }) &&
                     std::all_of(servers.begin(), servers.end(),
                                 [&](const Server& server) { return is_let_in(user, server); });
  if (!is_so) return {.servers = allowed_servers(user, servers), .select = {}};
  NamesAndValues said{.servers = user.servers, .select = {}};
  for (const auto& [label, condition] : user.select) said.select.emplace(label, *condition.any_of);
  return said;
}

void name_servers(Cluster& cluster) {
  const bool has_taints = std::any_of(cluster.servers.begin(), cluster.servers.end(),
                                      [](const Server& server) { return !server.taints.empty(); });
  for (User& user : cluster.users) {
    if (!has_taints && user.select.empty() && user.not_servers.empty()) continue;
    std::vector<std::string> servers = allowed_servers(user, cluster.servers);
    if (servers.size() < cluster.servers.size()) user.servers = std::move(servers);
    user.not_servers.clear();
    user.select.clear();
  }
  for (User& user : cluster.users) user.tolerates.clear();
  for (Server& server : cluster.servers) {
    server.labels.clear();
    server.taints.clear();
  }
}

void let_run_everywhere(User& user) {
  user.servers.reset();
  user.not_servers.clear();
  user.select.clear();
  user.tolerates = {Toleration{}};
  user.demand_on.clear();
}

const ResourceVector& demand_on(const User& user, const Server& server) {
  const auto special = user.demand_on.find(server.name);
  return special == user.demand_on.end() ? user.demand : special->second;
}

std::optional<std::size_t> lacking(const ResourceVector& demand, const Server& server) {
  for (std::size_t r = 0; r < demand.size(); ++r) {
    if (!demand[r].is_zero() && server.capacity[r].is_zero()) return r;
  }
  return std::nullopt;
}

bool is_eligible_somewhere(const Problem& problem, std::size_t user) {
  for (std::size_t i = 0; i < problem.server_count(); ++i) {
    if (problem.eligible(user, i)) return true;
  }
  return false;
}

std::vector<bool> eligible_somewhere(const Problem& problem) {
  std::vector<std::optional<bool>> of_class;
  std::vector<bool> somewhere;
  for (std::size_t n = 0; n < problem.user_count(); ++n) {
    const std::size_t alike = problem.eligibility_class(n);
    if (of_class.size() <= alike) of_class.resize(alike + 1);
    if (!of_class[alike]) of_class[alike] = is_eligible_somewhere(problem, n);
    somewhere.push_back(*of_class[alike]);
  }
  return somewhere;
}

Lack lack_of(const Problem& problem, std::size_t user) {
  const User& who = problem.users()[user];
  std::vector<std::size_t> lacking(problem.resources().size());  // on how many servers
  std::size_t allowed = 0;
  for (const Server& server : problem.servers()) {
    if (!is_allowed(who, server)) continue;
    ++allowed;
    const ResourceVector& demand = demand_on(who, server);
    for (std::size_t r = 0; r < demand.size(); ++r) {
      if (!demand[r].is_zero() && server.capacity[r].is_zero()) ++lacking[r];
    }
  }
  Lack on_all;
  Lack on_some{.is_together = true};
  for (std::size_t r = 0; r < lacking.size(); ++r) {
    if (lacking[r] == 0) continue;
    on_some.resources.push_back(r);
    if (lacking[r] == allowed) on_all.resources.push_back(r);
  }
  return on_all.resources.empty() && allowed > 0 ? on_some : on_all;
}

std::string lack_words(const Problem& problem, const Lack& lack) {
  std::string words;
  for (std::size_t i = 0; i < lack.resources.size(); ++i) {
    const bool is_last = i + 1 == lack.resources.size();
    words += (i == 0 ? "" : lack.is_together && is_last ? " and " : ", ");
    words += problem.resources()[lack.resources[i]];
  }
  return lack.is_together ? words + " together" : words;
}

void add_server(Cluster& cluster, const Problem& problem, Server server) {
  for (std::size_t n = 0; n < cluster.users.size(); ++n) {
    User& user = cluster.users[n];
    if (user.may_fit_nowhere && user.servers && !is_eligible_somewhere(problem, n))
      user.servers->push_back(server.name);
  }
  cluster.servers.push_back(std::move(server));
}

namespace {

// A label, or the values of one, that no server has: the likely slip where a `select` matches nothing. A
// value among others that do exist is none, and so is a label that must not be there.
Check check_select(const Cluster& cluster, std::size_t n) {
  const auto list = [](const std::set<std::string_view>& set) {
    return std::vector<std::string_view>(set.begin(), set.end());
  };
  for (const auto& [label, condition] : cluster.users[n].select) {
    if (holds(condition, std::nullopt)) continue;
    std::set<std::string_view> labels;
    std::set<std::string_view> values;
    for (const Server& server : cluster.servers) {
      for (const auto& [name, value] : server.labels) {
        labels.insert(name);
        if (name == label) values.insert(value);
      }
    }
    std::string key = fmt::format("users[{}].select.{}", n, label);
    if (labels.empty()) return Error{.message = "no server has labels", .key = std::move(key)};
    if (values.empty()) {
      return Error{
          .message = fmt::format("no server has a label '{}'{}", label, known_names(label, list(labels))),
          .key = std::move(key)};
    }
    if (!condition.any_of) continue;
    const std::vector<std::string>& wanted = *condition.any_of;
    const bool any = std::any_of(wanted.begin(), wanted.end(),
                                 [&](const std::string& value) { return values.contains(value); });
    if (!any) {
      return Error{.message = fmt::format("no server has '{}' for the label '{}'{}", wanted[0], label,
                                          known_names(wanted[0], list(values))),
                   .key = std::move(key)};
    }
  }
  return {};
}

}  // namespace

// Counted by the first reason that excludes each server.
Error fits_nowhere(const Cluster& cluster, std::size_t n, const std::string& who) {
  if (Check slip = check_select(cluster, n)) return *std::move(slip);
  const User& user = cluster.users[n];
  std::size_t by_name = 0;
  std::size_t by_label = 0;
  std::size_t by_taint = 0;
  std::set<std::string> taints;
  std::map<std::string_view, std::size_t> by_resource;
  for (std::size_t i = 0; i < cluster.servers.size(); ++i) {
    const Server& server = cluster.servers[i];
    if (!is_named(user, server)) {
      ++by_name;
    } else if (!is_selected(user, server)) {
      ++by_label;
    } else if (!is_let_in(user, server)) {
      ++by_taint;
      taints.insert(untolerated_taints(user, server));
    } else {
      ++by_resource[cluster.resources[*lacking(demand_on(user, server), server)]];
    }
  }
  std::vector<std::string> reasons;
  if (by_name > 0) reasons.push_back(fmt::format("`servers` excludes {}", by_name));
  if (by_label > 0) reasons.push_back(fmt::format("`select` excludes {}", by_label));
  if (by_taint > 0) {
    constexpr std::size_t kMostTaints = 3;
    const std::vector<std::string_view> all(taints.begin(), taints.end());
    reasons.push_back(fmt::format("taints keep it off {} ({})", by_taint, first_names(all, kMostTaints)));
  }
  for (const auto& [resource, count] : by_resource)
    reasons.push_back(fmt::format("{} without any {}", count, resource));
  std::string text;
  for (const std::string& reason : reasons) text += (text.empty() ? "" : ", ") + reason;

  std::string key = fmt::format("users[{}]", n);
  if (by_resource.empty())
    key += by_taint > 0 ? ".tolerates" : by_label > 0 ? ".select" : ".servers";
  else
    key += ".demand";
  return {.message = fmt::format("{} fits {}: {}", who.empty() ? fmt::format("user '{}'", user.name) : who,
                                 cluster.servers.size() == 1
                                     ? "nowhere"
                                     : fmt::format("on none of the {} servers", cluster.servers.size()),
                                 text),
          .key = key};
}

}  // namespace mirab
