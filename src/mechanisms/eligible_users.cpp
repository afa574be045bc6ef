#include "mechanisms/eligible_users.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include <mirab/model/assert.hpp>

#include "model/eligibility.hpp"
#include "model/names.hpp"

namespace mirab {
namespace {

using Numbers = std::vector<std::size_t>;

Numbers numbers_of(const std::vector<bool>& is_eligible, bool wanted) {
  Numbers numbers;
  for (std::size_t n = 0; n < is_eligible.size(); ++n) {
    if (is_eligible[n] == wanted) numbers.push_back(n);
  }
  return numbers;
}

// Without the others, and without groups and quotas.
std::vector<User> alone(const std::vector<User>& users, const Numbers& eligible) {
  std::vector<User> left;
  for (const std::size_t n : eligible) {
    User& user = left.emplace_back(users[n]);
    user.group.reset();
    user.shape.reset();
    user.quota = {};
  }
  return left;
}

bool is_any(const Quota& quota) {
  return quota.guarantee.has_value() || !quota.limit.empty() || !quota.reserved.empty();
}

// Which groups have such a user below them, by name.
std::set<std::string> groups_above(const Cluster& cluster, const std::vector<bool>& of_users) {
  std::map<std::string, std::optional<std::string>> parents;
  for (const Group& group : cluster.groups) parents.emplace(group.name, group.parent);
  std::set<std::string> above;
  for (std::size_t n = 0; n < cluster.users.size(); ++n) {
    if (!of_users[n]) continue;
    for (std::optional<std::string> at = cluster.users[n].group; at && above.insert(*at).second;)
      at = parents.at(*at);
  }
  return above;
}

// Who counts in the tree: the eligible users, and those of the others by whom a node without an eligible user
// has a guarantee or a reserve.
std::vector<bool> counted_in_tree(const Cluster& cluster, const std::vector<bool>& is_eligible) {
  const std::set<std::string> busy = groups_above(cluster, is_eligible);
  std::map<std::string, const Group*> groups;
  for (const Group& group : cluster.groups) groups.emplace(group.name, &group);
  std::vector<bool> counts = is_eligible;
  for (std::size_t n = 0; n < cluster.users.size(); ++n) {
    if (is_eligible[n]) continue;
    counts[n] = is_any(cluster.users[n].quota);
    for (std::optional<std::string> at = cluster.users[n].group; at && !busy.contains(*at);) {
      const Group& group = *groups.at(*at);
      counts[n] = counts[n] || is_any(group.quota);
      at = group.parent;
    }
  }
  return counts;
}

// The counted users and the groups above them. Of those that are not eligible no tasks, whatever these take.
void leave_out_others(Cluster& cluster, const std::vector<bool>& is_eligible,
                      const std::vector<bool>& counts) {
  const auto like =
      static_cast<std::size_t>(std::find(is_eligible.begin(), is_eligible.end(), true) - is_eligible.begin());
  const std::set<std::string> kept = groups_above(cluster, counts);
  std::erase_if(cluster.groups, [&](const Group& group) { return !kept.contains(group.name); });
  std::vector<User> users;
  for (std::size_t n = 0; n < cluster.users.size(); ++n) {
    if (!counts[n]) continue;
    User& user = users.emplace_back(cluster.users[n]);
    if (is_eligible[n]) continue;
    user.tasks = Quantity(0);
    user.demand = cluster.users[like].demand;
    user.demand_on = cluster.users[like].demand_on;
    user.servers.reset();
    user.select.clear();
  }
  cluster.users = std::move(users);
}

}  // namespace

std::optional<EligibleUsers> eligible_users(const Problem& whole, const Mechanism& mechanism) {
  const std::vector<bool> is_eligible = eligible_somewhere(whole);
  Numbers numbers = numbers_of(is_eligible, true);
  if (numbers.size() == whole.user_count()) return {};
  Cluster cluster = whole.cluster();
  cluster.running.reset();
  if (mechanism.accepts.groups) {
    const std::vector<bool> counts = counted_in_tree(cluster, is_eligible);
    leave_out_others(cluster, is_eligible, counts);
    numbers = numbers_of(counts, true);
  } else {
    cluster.users = alone(whole.users(), numbers);
    cluster.groups.clear();
  }
  Result<Problem> problem = Problem::from(std::move(cluster));
  MIRAB_ASSERT(static_cast<bool>(problem), "a part of a problem is one");
  return EligibleUsers{.problem = *std::move(problem), .numbers = std::move(numbers)};
}

Outcome with_all_users(Outcome outcome, const EligibleUsers& eligible, const Problem& whole) {
  constexpr std::size_t kNamed = 5;
  Allocation all{.tasks = std::vector<double>(whole.user_count()),
                 .grants = {},
                 .servers = std::move(outcome.allocation.servers)};
  for (std::size_t n = 0; n < eligible.numbers.size(); ++n)
    all.tasks[eligible.numbers[n]] = outcome.allocation.tasks[n];
  for (MergedLevel& level : outcome.merged_levels) {
    for (std::size_t& user : level.users) user = eligible.numbers[user];
  }
  for (const Grant& grant : outcome.allocation.grants)
    all.grants.add(eligible.numbers[grant.user], grant.server, grant.tasks, grant.resources);
  std::vector<std::string_view> without_servers, without_resources;
  for (const std::size_t n : numbers_of(eligible_somewhere(whole), false)) {
    std::vector<std::string_view>& others =
        lack_of(whole, n).resources.empty() ? without_servers : without_resources;
    others.emplace_back(whole.users()[n].name);
  }
  outcome.allocation = std::move(all);
  const auto note = [&](const char* why, const std::vector<std::string_view>& names) {
    if (!names.empty())
      outcome.notices.push_back(fmt::format("{}, so they get nothing: {}", why, first_names(names, kNamed)));
  };
  note("no server on which they may run has all that they ask for", without_resources);
  note("there is no server on which they may run", without_servers);
  return outcome;
}

}  // namespace mirab
