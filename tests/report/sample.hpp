#pragma once

#include <string>
#include <utility>
#include <vector>

#include <mirab/model/problem.hpp>

#include "report/outcome/comparison.hpp"

namespace mirab::report::test {

/// Two users on the pool of the slides: 9 CPUs, 18 GB; A takes (1, 4) a task, B takes (3, 1).
inline Problem slides() {
  Cluster cluster;
  cluster.resources = {"cpu", "memory"};
  cluster.servers = {{.name = "pool", .capacity = {Quantity(9), Quantity(18)}, .count = 1, .labels = {}}};
  User a{.name = "A", .demand = {Quantity(1), Quantity(4)}};
  User b{.name = "B", .demand = {Quantity(3), Quantity(1)}};
  cluster.users = {a, b};
  return *Problem::from(std::move(cluster));
}

/// These tasks of A and B, as an outcome of `mechanism`.
inline Outcome outcome(const std::string& mechanism, double tasks_of_a, double tasks_of_b) {
  Outcome result;
  result.mechanism = mechanism;
  result.seconds = 12e-6;
  result.allocation.tasks = {tasks_of_a, tasks_of_b};
  result.allocation.grants.add(0, 0, tasks_of_a, {tasks_of_a, 4 * tasks_of_a});
  result.allocation.grants.add(1, 0, tasks_of_b, {3 * tasks_of_b, tasks_of_b});
  result.allocation.servers = {
      {"pool", 1, {9, 18}, {tasks_of_a + 3 * tasks_of_b, 4 * tasks_of_a + tasks_of_b}, {}}};
  return result;
}

/// The same tasks, counted one by one.
inline Outcome filling(const std::string& discipline, std::int64_t tasks_of_a, std::int64_t tasks_of_b) {
  Outcome result =
      outcome(discipline + "/first-fit", static_cast<double>(tasks_of_a), static_cast<double>(tasks_of_b));
  result.filling = FillRecord{.discipline = discipline, .placement = "first-fit"};
  return result;
}

inline Comparison comparison(std::vector<Outcome> outcomes) {
  Comparison result{"textbook.yaml", slides(), 1, {}};
  for (Outcome& each : outcomes) result.outcomes.push_back(measured(result.problem, std::move(each)));
  return result;
}

}  // namespace mirab::report::test
