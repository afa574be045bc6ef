#include "scheduling/plain/allocation_of.hpp"

namespace mirab::plain {
namespace {

using Units = std::vector<std::int64_t>;  // [m]

std::vector<double> amounts(const CountedProblem& cluster, const Units& units) {
  std::vector<double> amounts;
  for (std::size_t r = 0; r < units.size(); ++r) amounts.push_back(cluster.amount(r, units[r]));
  return amounts;
}

Units multiple(std::span<const std::int64_t> units, std::int64_t times) {
  Units multiple(units.begin(), units.end());
  for (std::int64_t& count : multiple) count *= times;
  return multiple;
}

void add(Units& sum, const Units& units) {
  for (std::size_t r = 0; r < sum.size(); ++r) sum[r] += units[r];
}

}  // namespace

Allocation allocation_of(const Ledger& ledger) {
  const CountedProblem& cluster = ledger.cluster();
  const std::vector<Server>& servers = cluster.problem().servers();
  std::vector<Units> used(servers.size(), Units(cluster.resource_count(), 0));
  Allocation allocation;

  for (std::size_t n = 0; n < cluster.user_count(); ++n) {
    std::int64_t total = 0;
    for (const auto& [i, tasks] : ledger.placed(n)) {
      const Units taken = multiple(cluster.demand(cluster.task(n, i)), tasks);
      allocation.grants.push_back({.user = n,
                                   .server = i,
                                   .tasks = static_cast<double>(tasks),
                                   .resources = amounts(cluster, taken)});
      add(used[i], taken);
      total += tasks;
    }
    allocation.tasks.push_back(static_cast<double>(total));
  }
  for (std::size_t i = 0; i < servers.size(); ++i) {
    allocation.servers.push_back(
        {.name = servers[i].name,
         .count = servers[i].count,
         .capacity = amounts(cluster, multiple(cluster.capacity(i), servers[i].count)),
         .used = amounts(cluster, used[i]),
         .prices = {}});
  }
  return allocation;
}

}  // namespace mirab::plain
