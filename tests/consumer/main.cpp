// Two users share 9 CPUs and 18 GB: the example of Ghodsi et al., section 4.1, in which DRF gives 3 and 2
// tasks.
#include <cmath>
#include <iostream>

#include <mirab/mirab.hpp>

int main() {
  using mirab::Quantity;
  const auto problem = mirab::Problem::from({
      .resources = {"cpu", "memory"},
      .servers = {{.name = "pool", .capacity = {Quantity(9), Quantity(18)}}},
      .users = {{.name = "A", .demand = {Quantity(1), Quantity(4)}},
                {.name = "B", .demand = {Quantity(3), Quantity(1)}}},
  });
  if (!problem) {
    std::cerr << mirab::describe(problem.error()) << '\n';
    return 2;
  }
  const auto outcome = mirab::allocate(*problem, "drf");
  if (!outcome) {
    std::cerr << mirab::describe(outcome.error()) << '\n';
    return 2;
  }
  const auto& tasks = outcome->allocation.tasks;
  for (std::size_t n = 0; n < tasks.size(); ++n) {
    std::cout << problem->users()[n].name << ' ' << std::round(tasks[n] * 1e6) / 1e6 << '\n';
  }
}
