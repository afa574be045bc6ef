// What is placed now: no mechanism divides anything here, the allocation comes with the problem
// (Problem::running(), from `running` in a cluster file or from an allocation file). So that it can be
// compared with what mechanisms give, measured, audited and explained as theirs are.
//
// Example: C = (9, 18), d = (1, 4) and (3, 1), running 1 and 2 tasks: shares of 2/9 and 2/3.
// Known failure: it says nothing of another problem, so properties that compare clusters cannot be asked.
// Cost: O(N + K m + placed tasks m).
#include <fmt/format.h>

#include "mechanisms/registry.hpp"

namespace mirab {
namespace {

Result<Outcome> allocate_given(const Problem& problem, const Choice& choice, const Execution&) {
  const std::size_t m = problem.resource_count();
  Outcome outcome;
  outcome.mechanism = choice.text;
  outcome.certificate = {.kind = "given", .value = 0};
  Allocation& allocation = outcome.allocation;
  allocation.tasks.assign(problem.user_count(), 0.0);
  for (const Server& server : problem.servers()) {
    ServerUse& use = allocation.servers.emplace_back();
    use.name = server.name;
    use.count = server.count;
    for (const Quantity& amount : server.capacity)
      use.capacity.push_back(static_cast<double>(server.count) * amount.value());
    use.used.assign(m, 0.0);
  }
  std::vector<double> bundle(m);
  for (const PlacedTasks& placed : *problem.running()) {
    const ResourceVector& demand = problem.demand(placed.user, placed.server);
    for (std::size_t r = 0; r < m; ++r) {
      bundle[r] = placed.tasks * demand[r].value();
      allocation.servers[placed.server].used[r] += bundle[r];
    }
    allocation.tasks[placed.user] += placed.tasks;
    allocation.grants.add(placed.user, placed.server, placed.tasks, bundle);
  }
  return outcome;
}

constexpr Accepts given_accepted() {
  Accepts accepts = kServersAccept;
  accepts.groups = true;
  return accepts;
}

}  // namespace

Mechanism given_row() {
  return {.name = "given",
          .aliases = {},
          .scope = Scope::servers,
          .title = "What runs now",
          .summary = "No rule: what `running` in the cluster file, or --allocation FILE, says is placed now.",
          .yardstick = "–",
          .alpha = "–",
          .source = "the cluster file",
          .accepts = given_accepted(),
          .options = {},
          .claims = {},
          .objective = "nothing",
          .is_rule = false,
          .allocate = allocate_given};
}

}  // namespace mirab
