// A problem in whole units: the choice of the unit of each resource, all amounts counted in it, and what a
// fill refuses or warns of: too many servers or tasks, and tasks that no server holds.
#include "scheduling/fill/integer_problem.hpp"

#include <algorithm>
#include <charconv>
#include <climits>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <optional>
#include <string_view>

#include "model/eligibility.hpp"
#include "scheduling/ledger/server_pool.hpp"

namespace mirab::scheduling {

// Powers of ten in which a resource is counted, so that a ledger of placed tasks is exact and cannot drift:
// `0.5` and `0.125` CPUs are 500 and 125 units of 10^-3. Amounts that lie more than 19 digits apart have no
// such unit within 63 bits; then demand rounds up and capacity down, which may cost a task its place but
// never overcommits a server.

namespace {

/// The finest power of ten that an amount needs; no value when all amounts are 0.
std::optional<int> finest_exponent(std::span<const Offered> offered, std::span<const Quantity> asked) {
  std::optional<int> finest;
  const auto look = [&](const Quantity& amount) {
    if (!amount.is_zero()) finest = std::min(finest.value_or(INT_MAX), amount.exponent());
  };
  for (const Offered& offer : offered) look(offer.amount);
  for (const Quantity& demand : asked) look(demand);
  return finest;
}

/// Can all that is offered be counted in this unit?
bool can_count(std::span<const Offered> offered, int exponent) {
  std::int64_t left = kMaxUnits;
  for (const Offered& offer : offered) {
    const auto units = count_units(offer.amount, exponent, Rounding::down);
    if (!units) return false;
    if (*units > left / offer.count) return false;
    left -= *units * offer.count;
  }
  return true;
}

}  // namespace

Unit choose_unit(std::span<const Offered> offered, std::span<const Quantity> asked) {
  const std::optional<int> finest = finest_exponent(offered, asked);
  if (!finest) return {};
  int exponent = *finest;
  while (!can_count(offered, exponent)) ++exponent;
  return {.exponent = exponent, .exact = exponent == *finest};
}

Unit choose_unit(const Problem& problem, std::size_t resource) {
  std::vector<Offered> offered;
  std::vector<Quantity> asked;
  for (const Server& server : problem.servers())
    offered.push_back({.amount = server.capacity[resource], .count = server.count});
  for (const User& user : problem.users()) {
    asked.push_back(user.demand[resource]);
    for (const auto& [server, demand] : user.demand_on) asked.push_back(demand[resource]);
  }
  return choose_unit(offered, asked);
}

std::int64_t units_offered(const Quantity& capacity, Unit unit) {
  const auto units = count_units(capacity, unit.exponent, Rounding::down);
  MIRAB_ASSERT(units.has_value(), "the unit was chosen so that every capacity can be counted in it");
  return *units;
}

std::int64_t units_asked(const Quantity& demand, Unit unit) {
  return count_units(demand, unit.exponent, Rounding::up).value_or(INT64_MAX);
}

IntegerProblem::IntegerProblem(const Problem& problem) : problem_(&problem) {
  for (std::size_t r = 0; r < resource_count(); ++r) units_.push_back(choose_unit(problem, r));
  count_servers();
  count_tasks();
}

void IntegerProblem::count_servers() {
  pool_.assign(resource_count(), 0);
  for (const Server& server : problem_->servers()) {
    for (std::size_t r = 0; r < resource_count(); ++r) {
      const std::int64_t units = units_offered(server.capacity[r], units_[r]);
      capacities_.push_back(units);
      pool_[r] += units * server.count;
    }
  }
}

void IntegerProblem::count_tasks() {
  const std::vector<User>& users = problem_->users();
  for (const User& user : users) add_task(user.demand);

  exceptions_.resize(users.size());
  for (std::size_t n = 0; n < users.size(); ++n) {
    const std::optional<Quantity>& tasks = users[n].tasks;
    task_limits_.push_back(tasks ? count_units(*tasks, 0, Rounding::down).value_or(INT64_MAX) : INT64_MAX);
    if (users[n].demand_on.empty()) continue;
    exceptions_[n].assign(problem_->server_count(), n);
    for (std::size_t i = 0; i < problem_->server_count(); ++i) {
      const auto exception = users[n].demand_on.find(problem_->servers()[i].name);
      if (exception == users[n].demand_on.end()) continue;
      exceptions_[n][i] = task_count();
      add_task(exception->second);
    }
  }
}

void IntegerProblem::add_task(const ResourceVector& demand) {
  for (std::size_t r = 0; r < resource_count(); ++r) demands_.push_back(units_asked(demand[r], units_[r]));
}

double IntegerProblem::amount(std::size_t resource, std::int64_t units) const {
  // Through text, so that it is rounded once: 10^-1 is no double, nor is 10^23.
  const std::string decimal = fmt::format("{}e{}", units, units_[resource].exponent);
  double amount = 0;
  std::from_chars(decimal.data(), decimal.data() + decimal.size(), amount);
  return amount;
}

std::vector<std::string> IntegerProblem::notices() const {
  std::vector<std::string> notices;
  for (std::size_t r = 0; r < resource_count(); ++r) {
    if (units_[r].exact) continue;
    notices.push_back(
        fmt::format("{}: the amounts have too many digits between them to be counted exactly; counted in "
                    "units of 1e{}, with "
                    "demands rounded up and capacities down",
                    problem_->resources()[r], units_[r].exponent));
  }
  return notices;
}

// A fill spells out every server and places every task, so what a divisible mechanism does in no time may
// take too much memory or too many hours: 64Gi of memory holds 17 billion tasks of 4 bytes. That is
// refused beforehand.

namespace {

constexpr std::int64_t kMaxServers = 10'000'000;
constexpr std::int64_t kMaxTasks = 10'000'000'000;  // hours of placing one by one

/// A sum of tasks, which stops growing above kMaxTasks: it shows only whether it is above.
struct Tasks {
  std::int64_t sum = 0;
  void add(std::int64_t tasks) { sum += std::min(tasks, kMaxTasks + 1 - sum); }
};

/// How many tasks one empty server holds, min_r c_{i,r} / d_{n,i,r} floored, and the r of that minimum.
struct Room {
  std::int64_t tasks;
  std::size_t scarce;
};

Room room_on_one(const IntegerProblem& cluster, std::size_t user, std::size_t entry) {
  const auto demand = cluster.demand(cluster.task(user, entry));
  Room room{.tasks = INT64_MAX, .scarce = 0};
  for (std::size_t r = 0; r < demand.size(); ++r) {
    if (demand[r] == 0) continue;
    const std::int64_t tasks = cluster.capacity(entry)[r] / demand[r];
    if (tasks < room.tasks) room = {.tasks = tasks, .scarce = r};
  }
  return room;
}

/// What each user could place if alone, [n].
std::vector<Tasks> tasks_alone(const IntegerProblem& cluster) {
  std::vector<Tasks> alone(cluster.user_count());
  for (std::size_t n = 0; n < cluster.user_count(); ++n) {
    for (std::size_t i = 0; i < cluster.problem().server_count(); ++i) {
      if (!cluster.problem().eligible(n, i)) continue;
      alone[n].add(room_on_one(cluster, n, i).tasks * cluster.problem().servers()[i].count);
    }
  }
  return alone;
}

/// An upper bound on the tasks that fit on all servers, by any placement, `left_out` users not counted. On
/// one server those tasks of which resource r runs out first are no more than the most that one user has of
/// them, since all of them take r and none less than that user's; so sum these over r.
template <class LeftOut>
Tasks tasks_together(const IntegerProblem& cluster, LeftOut left_out) {
  Tasks together;
  for (std::size_t i = 0; i < cluster.problem().server_count(); ++i) {
    std::vector<std::int64_t> max_tasks(cluster.resource_count(), 0);
    for (std::size_t n = 0; n < cluster.user_count(); ++n) {
      if (left_out(n) || !cluster.problem().eligible(n, i)) continue;
      const Room room = room_on_one(cluster, n, i);
      max_tasks[room.scarce] = std::max(max_tasks[room.scarce], room.tasks);
    }
    for (const std::int64_t tasks : max_tasks) together.add(tasks * cluster.problem().servers()[i].count);
  }
  return together;
}

}  // namespace

Check check_server_count(const Problem& problem) {
  std::int64_t left = kMaxServers;
  for (const Server& server : problem.servers()) {
    if (server.count > left) {
      return Error{
          .message = fmt::format("more than {} servers in all; fill tracks each server", kMaxServers),
          .key = "servers"};
    }
    left -= server.count;
  }
  return {};
}

Check check_ends_in_time(const IntegerProblem& cluster) {
  const std::vector<Tasks> alone = tasks_alone(cluster);
  const auto is_limited = [&](std::size_t n) { return cluster.task_limit(n) < alone[n].sum; };
  const auto max_tasks = [&](std::size_t n) { return std::min(cluster.task_limit(n), alone[n].sum); };
  const auto none = [](std::size_t) { return false; };

  // Two bounds, either of which may be far too high: with many limited users, and with tiny tasks of few.
  Tasks bound = tasks_together(cluster, is_limited);
  std::size_t greediest = 0;
  for (std::size_t n = 0; n < cluster.user_count(); ++n) {
    if (is_limited(n)) bound.add(cluster.task_limit(n));
    if (max_tasks(n) > max_tasks(greediest)) greediest = n;
  }
  if (bound.sum <= kMaxTasks || tasks_together(cluster, none).sum <= kMaxTasks) return {};
  return Error{.message = fmt::format("more than {} tasks of all users together might fit, most of them of "
                                      "user '{}', and fill places them one by one; give it larger tasks, or "
                                      "limit them with `tasks`",
                                      kMaxTasks, cluster.problem().users()[greediest].name),
               .key = fmt::format("users[{}].demand", greediest)};
}

// A task may be larger than every single server though the cluster as a whole has room for it. Its user gets
// nothing, which should not look like a loss to others.

namespace {

constexpr std::size_t kMaxNamed = 5;  // users

/// The resource of which a task takes the largest part of an empty server: max_r d_{n,i,r} / c_{i,r}.
struct LargestPart {
  std::size_t entry;
  std::size_t resource;
  double part;
};

LargestPart largest_part(const IntegerProblem& cluster, std::size_t user, std::size_t entry) {
  const auto demand = cluster.demand(cluster.task(user, entry));
  const auto capacity = cluster.capacity(entry);
  LargestPart largest{.entry = entry, .resource = 0, .part = 0};
  for (std::size_t r = 0; r < demand.size(); ++r) {
    if (demand[r] == 0) continue;
    const double part = static_cast<double>(demand[r]) / static_cast<double>(capacity[r]);
    if (part > largest.part) largest = {.entry = entry, .resource = r, .part = part};
  }
  return largest;
}

bool holds_one(const IntegerProblem& cluster, std::size_t user, std::size_t entry) {
  const auto demand = cluster.demand(cluster.task(user, entry));
  return is_within(demand, cluster.capacity(entry));
}

/// Where the user's task nearly fits, if it fits on none of the servers where the user may run.
std::optional<LargestPart> nearest_server(const IntegerProblem& cluster, std::size_t user) {
  std::optional<LargestPart> nearest;
  for (std::size_t i = 0; i < cluster.problem().server_count(); ++i) {
    if (!cluster.problem().eligible(user, i)) continue;
    if (holds_one(cluster, user, i)) return std::nullopt;
    const LargestPart part = largest_part(cluster, user, i);
    if (!nearest || part.part < nearest->part) nearest = part;
  }
  return nearest;
}

std::string missing_notice(const Problem& problem, std::size_t user) {
  const std::string missing = lack_words(problem, lack_of(problem, user));
  if (missing.empty())
    return fmt::format("user '{}' may run on none of the servers", problem.users()[user].name);
  return fmt::format("no server on which user '{}' may run has all that it asks for; missing: {}",
                     problem.users()[user].name, missing);
}

std::string notice_of(const Problem& problem, std::size_t user, const LargestPart& short_of) {
  const auto [entry, r, part] = short_of;
  return fmt::format(
      "no server holds a task of user '{}': it takes {} {}, and {}, which comes nearest, has {}",
      problem.users()[user].name, problem.demand(user, entry)[r].text(), problem.resources()[r],
      problem.servers()[entry].name, problem.servers()[entry].capacity[r].text());
}

}  // namespace

std::vector<std::string> oversized_notices(const IntegerProblem& cluster) {
  std::vector<std::string> notices;
  std::size_t users = 0;
  for (std::size_t n = 0; n < cluster.user_count(); ++n) {
    if (cluster.task_limit(n) == 0) continue;
    const bool is_eligible = is_eligible_somewhere(cluster.problem(), n);
    const std::optional<LargestPart> short_of = nearest_server(cluster, n);
    if (is_eligible && !short_of) continue;
    if (++users > kMaxNamed) continue;
    notices.push_back(is_eligible ? notice_of(cluster.problem(), n, *short_of)
                                  : missing_notice(cluster.problem(), n));
  }
  if (users > kMaxNamed) {
    notices.push_back(fmt::format("no server holds a task of {} more users", users - kMaxNamed));
  }
  return notices;
}

}  // namespace mirab::scheduling
