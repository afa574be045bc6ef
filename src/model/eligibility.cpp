// Eligibility: on which servers a user may run. Its `servers` and `select` must allow the server, and the
// server must have some of every resource that the user demands there.

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>

#include <mirab/model/problem.hpp>

#include "model/names.hpp"

namespace mirab {
namespace {

constexpr std::size_t kMostEligibilities = 4'000'000'000;  // sets times servers, a bit for each

// Which servers does `servers` of the user name? All when it is left out.
std::vector<bool> named_servers(const User& user, const std::map<std::string_view, std::size_t>& numbers) {
  std::vector<bool> named(numbers.size(), !user.servers);
  if (user.servers) {
    for (const std::string& name : *user.servers) named[numbers.at(name)] = true;
  }
  return named;
}

bool selected(const User& user, const Server& server) {
  return std::all_of(user.select.begin(), user.select.end(), [&](const auto& wanted) {
    const auto label = server.labels.find(wanted.first);
    return label != server.labels.end() &&
           std::find(wanted.second.begin(), wanted.second.end(), label->second) != wanted.second.end();
  });
}

// The first resource that is demanded and of which the server has none.
std::optional<std::size_t> lacking(const ResourceVector& demand, const Server& server) {
  for (std::size_t r = 0; r < demand.size(); ++r) {
    if (!demand[r].is_zero() && server.capacity[r].is_zero()) return r;
  }
  return std::nullopt;
}

const ResourceVector& demand_on(const User& user, const Server& server) {
  const auto special = user.demand_on.find(server.name);
  return special == user.demand_on.end() ? user.demand : special->second;
}

// A label, or the values of one, that no server has: the likely slip where a `select` matches nothing. A
// value beside others that do exist is none.
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

// Why a user fits on no server, counted by the first reason that excludes each.
Error fits_nowhere(const Cluster& cluster, std::size_t n, const std::vector<bool>& named) {
  if (Check slip = check_select(cluster, n)) return *std::move(slip);
  const User& user = cluster.users[n];
  std::size_t by_name = 0;
  std::size_t by_label = 0;
  std::map<std::string_view, std::size_t> by_resource;
  for (std::size_t i = 0; i < cluster.servers.size(); ++i) {
    const Server& server = cluster.servers[i];
    if (!named[i]) {
      ++by_name;
    } else if (!selected(user, server)) {
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
  return {.message = fmt::format("user '{}' fits {}: {}", user.name,
                                 cluster.servers.size() == 1
                                     ? "nowhere"
                                     : fmt::format("on none of the {} servers", cluster.servers.size()),
                                 text),
          .key = key};
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
    std::map<std::string, std::vector<std::string>> select;
    Pattern demanded;
    std::map<std::string, Pattern> demanded_on;
    auto operator<=>(const Constraints&) const = default;
  };
  struct Effect {
    std::size_t row;   // of eligibility_rows_
    bool constrained;  // does `servers` or `select` exclude a server?
  };

  std::map<std::string_view, std::size_t> numbers;  // of servers by name
  for (std::size_t i = 0; i < server_count(); ++i) numbers.emplace(cluster_.servers[i].name, i);
  std::map<Constraints, Effect> effects;
  std::map<std::vector<bool>, std::size_t> known_rows;
  for (std::size_t n = 0; n < user_count(); ++n) {
    const User& user = cluster_.users[n];
    Constraints constraints{user.servers, user.select, pattern(user.demand), {}};
    for (const auto& [server, demand] : user.demand_on)
      constraints.demanded_on.emplace(server, pattern(demand));
    has_demand_on_ = has_demand_on_ || !user.demand_on.empty();

    const auto known = effects.find(constraints);
    if (known != effects.end()) {
      eligibility_of_user_.push_back(known->second.row);
      constrained_.push_back(known->second.constrained);
      continue;
    }
    const std::vector<bool> named = named_servers(user, numbers);
    std::vector<bool> row(server_count());
    bool constrained = false;
    for (std::size_t i = 0; i < server_count(); ++i) {
      const Server& server = cluster_.servers[i];
      const bool allowed = named[i] && selected(user, server);
      constrained = constrained || !allowed;
      row[i] = allowed && !lacking(demand_on(user, server), server);
    }
    if (std::find(row.begin(), row.end(), true) == row.end()) return fits_nowhere(cluster_, n, named);
    const std::size_t index = known_rows.emplace(row, eligibility_rows_.size()).first->second;
    if (index == eligibility_rows_.size()) eligibility_rows_.push_back(std::move(row));
    if (eligibility_rows_.size() * server_count() > kMostEligibilities) {
      return Error{
          .message = "users differ too much in where they may run: too many sets of eligible servers",
          .key = fmt::format("users[{}]", n)};
    }
    effects.emplace(std::move(constraints), Effect{.row = index, .constrained = constrained});
    eligibility_of_user_.push_back(index);
    constrained_.push_back(constrained);
    has_placement_constraints_ = has_placement_constraints_ || constrained;
  }
  return {};
}

}  // namespace mirab
