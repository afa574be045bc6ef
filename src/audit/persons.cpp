#include "audit/persons.hpp"

#include <algorithm>
#include <optional>

#include "fairness/share.hpp"
#include "model/eligibility.hpp"

namespace mirab {

std::vector<Person> persons(const Problem& problem, const Allocation& allocation,
                            std::span<const double> capacity) {
  const Tree& tree = problem.tree();
  std::vector<Person> persons;
  std::vector<std::optional<std::size_t>> of_group(problem.groups().size());  // that with its shapes
  for (std::size_t n = 0; n < problem.user_count(); ++n) {
    const User& user = problem.users()[n];
    if (!user.shape) {
      persons.push_back({.name = user.name, .users = {n}, .weight = user.weight.value()});
      continue;
    }
    const std::size_t group = tree.group_at(tree.parent(tree.node_of_user(n)));
    if (!of_group[group]) {
      of_group[group] = persons.size();
      persons.push_back({.name = *user.group, .users = {}, .weight = problem.groups()[group].weight.value()});
    }
    persons[*of_group[group]].users.push_back(n);
  }
  const std::vector<bool> is_eligible = eligible_somewhere(problem);
  std::vector<double> held(problem.resource_count());
  for (Person& person : persons) {
    held.assign(held.size(), 0.0);
    for (const std::size_t n : person.users) {
      person.is_eligible = person.is_eligible || is_eligible[n];
      for (const Grant& grant : allocation.grants.of(n)) {
        for (std::size_t r = 0; r < held.size(); ++r) held[r] += grant.resources[r];
      }
    }
    person.share = fairness::dominant_share<double>(held, capacity);
  }
  return persons;
}

std::vector<Person> persons(const Problem& problem, const Allocation& allocation) {
  return persons(problem, allocation, problem.pool());
}

std::vector<Person> eligible_persons(const Problem& problem, const Allocation& allocation) {
  std::vector<Person> some = persons(problem, allocation);
  std::erase_if(some, [](const Person& person) { return !person.is_eligible; });
  return some;
}

bool has_all(const Person& person, const std::vector<bool>& satisfied) {
  return std::all_of(person.users.begin(), person.users.end(), [&](std::size_t n) { return satisfied[n]; });
}

}  // namespace mirab
