#include "mechanisms/eligible_users.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>
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

// No tasks of the others, whatever these would take.
std::vector<User> without_tasks_of_others(std::vector<User> users, const std::vector<bool>& is_eligible,
                                          const User& like) {
  for (std::size_t n = 0; n < users.size(); ++n) {
    if (is_eligible[n]) continue;
    User& user = users[n];
    user.tasks = Quantity(0);
    user.demand = like.demand;
    user.demand_on = like.demand_on;
    user.servers.reset();
    user.select.clear();
  }
  return users;
}

}  // namespace

std::optional<EligibleUsers> eligible_users(const Problem& whole, const Mechanism& mechanism) {
  const std::vector<bool> is_eligible = eligible_somewhere(whole);
  Numbers numbers = numbers_of(is_eligible, true);
  if (numbers.size() == whole.user_count()) return {};
  Cluster cluster = whole.cluster();
  cluster.running.reset();
  if (mechanism.accepts.groups) {
    cluster.users = without_tasks_of_others(whole.users(), is_eligible, whole.users()[numbers[0]]);
    numbers.resize(whole.user_count());
    std::iota(numbers.begin(), numbers.end(), std::size_t{0});
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
  for (const Grant& grant : outcome.allocation.grants)
    all.grants.add(eligible.numbers[grant.user], grant.server, grant.tasks, grant.resources);
  std::vector<std::string_view> others;
  for (const std::size_t n : numbers_of(eligible_somewhere(whole), false))
    others.emplace_back(whole.users()[n].name);
  outcome.allocation = std::move(all);
  outcome.notices.push_back(
      fmt::format("no server on which they may run has all that they ask for, so they get nothing: {}",
                  first_names(others, kNamed)));
  return outcome;
}

}  // namespace mirab
