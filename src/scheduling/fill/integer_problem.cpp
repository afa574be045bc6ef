// A problem in whole units: the choice of the unit of each resource, and all amounts counted in it.
#include "scheduling/fill/integer_problem.hpp"

#include <algorithm>
#include <charconv>
#include <climits>
#include <fmt/format.h>
#include <optional>

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
  for (std::size_t n = 0; n < users.size(); ++n) add_task(n, users[n].demand);

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
      add_task(n, exception->second);
    }
  }
}

void IntegerProblem::add_task(std::size_t user, const ResourceVector& demand) {
  users_.push_back(user);
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

}  // namespace mirab::scheduling
