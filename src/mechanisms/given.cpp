// What is placed now: no mechanism divides anything here, the allocation comes with the problem
// (Problem::running(), from `running` in a cluster file or from an allocation file). So that it can be
// compared with what mechanisms give, measured, audited and explained as theirs are.
//
// Example: C = (9, 18), d = (1, 4) and (3, 1), running 1 and 2 tasks: shares of 2/9 and 2/3.
// Known failure: it says nothing of another problem, so properties that compare clusters cannot be asked.
// Cost: O(N + K m + placed tasks m).
#include <fmt/format.h>
#include <span>
#include <string>
#include <vector>

#include "mechanisms/registry.hpp"

namespace mirab {
namespace {

constexpr double kExcessBeyond = 1e-9;  // of a limit. Derived: what sums of a million doubles leave.

// What runs may be more than a limit, which is a rule for what is divided: each limit that is passed, named.
std::vector<std::string> beyond_limits(const Problem& problem) {
  const Tree& tree = problem.tree();
  const std::size_t m = problem.resource_count();
  std::vector<std::string> notices;
  if (tree.is_flat()) return notices;
  std::vector<std::vector<double>> used(tree.size(), std::vector<double>(m));
  for (const PlacedTasks& placed : *problem.running()) {
    const ResourceVector& demand = problem.demand(placed.user, placed.server);
    for (std::size_t node = tree.node_of_user(placed.user); node != 0; node = tree.parent(node)) {
      for (std::size_t r = 0; r < m; ++r) used[node][r] += placed.tasks * demand[r].value();
    }
  }
  for (std::size_t node = 1; node < tree.size(); ++node) {
    const std::span<const double> limit = tree.limit(node);
    const Group* group = tree.is_group(node) ? &problem.groups()[tree.group_at(node)] : nullptr;
    const std::string& name = group != nullptr ? group->name : problem.users()[tree.user_at(node)].name;
    for (std::size_t r = 0; r < limit.size(); ++r) {
      if (used[node][r] <= limit[r] * (1 + kExcessBeyond)) continue;
      notices.push_back(fmt::format("{} '{}' uses {:.10g} {}, {:.10g} more than its limit of {:.10g}",
                                    group != nullptr && !group->is_user ? "group" : "user", name,
                                    used[node][r], problem.resources()[r], used[node][r] - limit[r],
                                    limit[r]));
    }
  }
  return notices;
}

Result<Outcome> allocate_given(const Problem& problem, const Choice& choice, const Execution&) {
  const std::size_t m = problem.resource_count();
  Outcome outcome;
  outcome.mechanism = choice.text;
  outcome.certificate = {.kind = "given", .value = 0};
  outcome.notices = beyond_limits(problem);
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
