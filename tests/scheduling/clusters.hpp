#pragma once

#include <fmt/format.h>
#include <string>
#include <vector>

#include <mirab/model/problem.hpp>
#include <mirab/model/random.hpp>
#include <mirab/scheduling/fill.hpp>

namespace mirab::scheduling {

inline Quantity amount(const std::string& text) {
  Result<Quantity> quantity = Quantity::parse(text);
  MIRAB_ASSERT(static_cast<bool>(quantity), "an amount in a test is written wrongly");
  return *quantity;
}

inline ResourceVector amounts(const std::vector<std::string>& texts) {
  ResourceVector amounts;
  for (const std::string& text : texts) amounts.push_back(amount(text));
  return amounts;
}

inline Server server(const std::string& name, const std::vector<std::string>& capacity,
                     std::int64_t count = 1) {
  return {.name = name, .capacity = amounts(capacity), .count = count, .labels = {}};
}

inline User user(const std::string& name, const std::vector<std::string>& demand) {
  return {.name = name, .demand = amounts(demand)};
}

inline User weighted(User user, const std::string& weight) {
  user.weight = amount(weight);
  return user;
}

inline User limited(User user, const std::string& tasks) {
  user.tasks = amount(tasks);
  return user;
}

/// It may fit nowhere.
inline User waiting(User user) {
  user.may_fit_nowhere = true;
  return user;
}

/// A valid problem; its resources are called r0, r1, …
inline Problem problem(std::vector<Server> servers, std::vector<User> users) {
  Cluster cluster{.resources = {}, .servers = std::move(servers), .users = std::move(users)};
  for (std::size_t r = 0; r < cluster.servers.front().capacity.size(); ++r) {
    cluster.resources.push_back(fmt::format("r{}", r));
  }
  Result<Problem> problem = Problem::from(std::move(cluster));
  MIRAB_ASSERT(static_cast<bool>(problem), "a problem in a test is not valid");
  return *std::move(problem);
}

struct Filling {
  std::string discipline = "drf";
  std::string placement = "first-fit";
  Tie tie = Tie::first;
  std::uint64_t seed = 1;
};

inline FillOptions options(const Filling& filling) {
  const Result<Choice> discipline = choose_discipline(filling.discipline);
  const Result<Choice> placement = choose_placement(filling.placement);
  MIRAB_ASSERT(discipline && placement, "a test asks for a discipline or placement that does not exist");
  return {.discipline = *discipline, .placement = *placement, .tie = filling.tie, .trace = true};
}

inline mirab::Outcome filled(const Problem& problem, const Filling& filling) {
  Random random(filling.seed);
  Result<mirab::Outcome> outcome = fill(problem, options(filling), random);
  MIRAB_ASSERT(static_cast<bool>(outcome), "a valid problem is not filled");
  return *std::move(outcome);
}

/// A small cluster with few different amounts, so that ties, exact fits, zeros, weights, limits, constraints
/// and demands per server are all frequent.
Problem random_problem(Random& random);

}  // namespace mirab::scheduling
