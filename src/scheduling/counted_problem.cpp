#include "scheduling/counted_problem.hpp"

#include <charconv>
#include <fmt/format.h>

namespace mirab::scheduling {

CountedProblem::CountedProblem(const Problem& problem) : problem_(&problem) {
  for (std::size_t r = 0; r < resource_count(); ++r) units_.push_back(choose_unit(problem, r));
  count_servers();
  count_tasks();
}

void CountedProblem::count_servers() {
  pool_.assign(resource_count(), 0);
  for (const Server& server : problem_->servers()) {
    for (std::size_t r = 0; r < resource_count(); ++r) {
      const std::int64_t units = units_offered(server.capacity[r], units_[r]);
      capacities_.push_back(units);
      pool_[r] += units * server.count;
    }
  }
}

void CountedProblem::count_tasks() {
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

void CountedProblem::add_task(std::size_t user, const ResourceVector& demand) {
  users_.push_back(user);
  for (std::size_t r = 0; r < resource_count(); ++r) demands_.push_back(units_asked(demand[r], units_[r]));
}

double CountedProblem::amount(std::size_t resource, std::int64_t units) const {
  // Through text, so that it is rounded once: 10^-1 is no double, nor is 10^23.
  const std::string decimal = fmt::format("{}e{}", units, units_[resource].exponent);
  double amount = 0;
  std::from_chars(decimal.data(), decimal.data() + decimal.size(), amount);
  return amount;
}

std::vector<std::string> CountedProblem::notices() const {
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
