// Which mechanism for which problem: what each leaves out of account, and the one to take where none was
// asked for.
#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <functional>
#include <string>
#include <vector>

#include <mirab/mechanisms/mechanism.hpp>
#include <mirab/model/assert.hpp>

#include "mechanisms/registry.hpp"
#include "model/names.hpp"

namespace mirab {
namespace {

constexpr std::size_t kMostNamed = 3;

// The names of the users, or of the groups, that pass a test.
template <class List, class Test>
std::string names_of(const List& list, const Test& test) {
  std::vector<std::string_view> names;
  for (const auto& each : list) {
    if (test(each)) names.push_back(each.name);
  }
  return names.empty() ? "" : first_names(names, kMostNamed);
}

// What stands in the file that only mechanisms with a tree honour: `groups and guarantees`.
std::string parts_of_tree(const Problem& problem) {
  std::vector<std::string_view> parts;
  const auto any = [&](const auto& has) {
    return std::any_of(problem.groups().begin(), problem.groups().end(),
                       [&](const Group& group) { return has(group.quota); }) ||
           std::any_of(problem.users().begin(), problem.users().end(),
                       [&](const User& user) { return has(user.quota); });
  };
  const auto count = [&](bool users) {
    return std::count_if(problem.groups().begin(), problem.groups().end(),
                         [users](const Group& group) { return group.is_user == users; });
  };
  if (count(false) > 0) parts.push_back("groups");
  if (count(true) > 0) parts.push_back("task shapes");
  if (any([](const Quota& quota) { return quota.guarantee.has_value(); })) parts.push_back("guarantees");
  if (any([](const Quota& quota) { return !quota.limit.empty(); })) parts.push_back("limits");
  if (any([](const Quota& quota) { return !quota.reserved.empty(); })) parts.push_back("reserves");
  if (problem.has_zero_weight()) parts.push_back("a weight of 0");
  if (parts.empty()) return {};
  const std::string_view last = parts.back();
  parts.pop_back();
  return parts.empty() ? std::string(last) : fmt::format("{} and {}", fmt::join(parts, ", "), last);
}

std::int64_t servers_in_all(const Problem& problem) {
  std::int64_t servers = 0;
  for (const Server& server : problem.servers()) servers += server.count;
  return servers;
}

std::string counted_servers(const Problem& problem) {
  const std::int64_t servers = servers_in_all(problem);
  return servers == 1 ? "one server" : fmt::format("{} servers", servers);
}

std::vector<std::string> ignored(const Mechanism& row, const Problem& problem) {
  std::vector<std::string> what;
  if (row.scope == Scope::pool && has_several_servers(problem))
    what.push_back(fmt::format("that there are {}", counted_servers(problem)));
  if (!row.accepts.placement && problem.has_placement_constraints())
    what.push_back(fmt::format("`servers` and `select` of {}", constrained_users(problem)));
  if (!row.accepts.groups && !problem.tree().is_flat()) what.push_back(parts_of_tree(problem));
  return what;
}

}  // namespace

bool has_several_servers(const Problem& problem) {
  return problem.server_count() > 1 || problem.servers()[0].count > 1;
}

std::string constrained_users(const Problem& problem) {
  std::vector<std::string_view> names;
  for (std::size_t n = 0; n < problem.user_count(); ++n) {
    if (problem.is_constrained(n)) names.push_back(problem.users()[n].name);
  }
  return first_names(names, kMostNamed);
}

std::string pool_warning(const Problem& problem) {
  std::string text(kPooledServers);
  if (problem.has_placement_constraints())
    text += fmt::format(", and `servers` and `select` of {} are ignored", constrained_users(problem));
  text +=
      fmt::format(": tasks that fit into the sum of {} may fit on none of them", counted_servers(problem));
  const Recommendation better = recommended(problem);
  if (!better.choice.name.empty()) text += fmt::format("; {} respects each server", better.choice.name);
  return text;
}

std::vector<Applicability> applicability(const Problem& problem) {
  std::vector<Applicability> all;
  for (const Mechanism& row : mechanisms()) {
    Applicability& each = all.emplace_back(Applicability{.mechanism = &row});
    each.refused = check_accepts(row, problem);
    if (!each.refused) each.ignores = ignored(row, problem);
  }
  return all;
}

Recommendation recommended(const Problem& problem) {
  const std::string tree = parts_of_tree(problem);
  const bool several = has_several_servers(problem);
  const std::string_view name = tree.empty() ? (several ? "drfh" : "drf") : (several ? "hdrfh" : "hdrf");
  std::string reason = tree.empty() ? fmt::format("{}, without groups", counted_servers(problem))
                                    : fmt::format("{}, with {}", counted_servers(problem), tree);
  Recommendation taken{.choice = *choose_mechanism(name), .reason = std::move(reason)};
  if (problem.has_demand_on()) {
    const std::string who =
        names_of(problem.users(), [](const User& user) { return !user.demand_on.empty(); });
    taken = {.choice = *choose_mechanism("ps-dsf"),
             .reason = fmt::format(
                 "tasks of {} demand something else on some servers, which {} cannot honour", who, name)};
  }
  const Mechanism& row = mechanism_of(taken.choice);
  if (const Check refused = check_accepts(row, problem)) {
    return {.choice = {},
            .reason = fmt::format("no mechanism applies: {}, and {}; filling task by task can: mirab fill",
                                  taken.reason, refused->message.substr(0, refused->message.find(';')))};
  }
  if (const std::vector<std::string> left_out = ignored(row, problem); !left_out.empty())
    taken.reason += fmt::format("; it ignores {}", fmt::join(left_out, "; "));
  return taken;
}

}  // namespace mirab
