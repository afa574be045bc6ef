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

bool is_selected(const User& user, const Server& server) {
  return std::all_of(user.select.begin(), user.select.end(), [&](const auto& wanted) {
    const auto label = server.labels.find(wanted.first);
    return label != server.labels.end() &&
           std::find(wanted.second.begin(), wanted.second.end(), label->second) != wanted.second.end();
  });
}

namespace {

bool is_named(const User& user, const Server& server) {
  return !user.servers ||
         std::find(user.servers->begin(), user.servers->end(), server.name) != user.servers->end();
}

}  // namespace

bool is_allowed(const User& user, const Server& server) {
  return is_named(user, server) && is_selected(user, server);
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
// value among others that do exist is none.
Check check_select(const Cluster& cluster, std::size_t n) {
  const auto list = [](const std::set<std::string_view>& set) {
    return std::vector<std::string_view>(set.begin(), set.end());
  };
  for (const auto& [label, wanted] : cluster.users[n].select) {
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
  std::map<std::string_view, std::size_t> by_resource;
  for (std::size_t i = 0; i < cluster.servers.size(); ++i) {
    const Server& server = cluster.servers[i];
    if (!is_named(user, server)) {
      ++by_name;
    } else if (!is_selected(user, server)) {
      ++by_label;
    } else {
      ++by_resource[cluster.resources[*lacking(demand_on(user, server), server)]];
    }
  }
  std::vector<std::string> reasons;
  if (by_name > 0) reasons.push_back(fmt::format("`servers` excludes {}", by_name));
  if (by_label > 0) reasons.push_back(fmt::format("`select` excludes {}", by_label));
  for (const auto& [resource, count] : by_resource)
    reasons.push_back(fmt::format("{} without any {}", count, resource));
  std::string text;
  for (const std::string& reason : reasons) text += (text.empty() ? "" : ", ") + reason;

  std::string key = fmt::format("users[{}]", n);
  if (by_resource.empty())
    key += by_label > 0 ? ".select" : ".servers";
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
