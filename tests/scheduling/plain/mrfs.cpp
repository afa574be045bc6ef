// MRFS: on every server as many tasks dominated by one resource as by any other.
//
// Source: Hamzeh, Fairness for Resource Allocation in Cloud Computing, section 5.2.2; docs/mathematics.md.
// With Ψ_k the tasks on a server that resource k dominates there, a task dominated by k may go to a server
// where Ψ_k ≤ min_j Ψ_j, so that k leads by one at most afterwards. Of these servers: first those where all Ψ
// are equal, the least Σ of dominant demands among them; then the first of the others. Where no server
// qualifies the task goes to the one with most room (worst-fit), among the non-dominant tasks, which do not
// count in Ψ. Whom to serve next is decided as by mlf-drs. Dominant demands are added up as parts of the
// server's capacity, so that CPUs and gigabytes can be: a rule of thumb, in doubles. O(K' m) for each task.
#include "scheduling/plain/mrfs.hpp"

#include <algorithm>

namespace mirab::plain {
namespace {

__extension__ using Wide = __int128;

}  // namespace

DominanceBalance::DominanceBalance(const Ledger& ledger)
    : ledger_(&ledger),
      dominated_(ledger.server_count(), std::vector<std::int64_t>(ledger.cluster().resource_count(), 0)),
      units_(ledger.server_count(), std::vector<std::int64_t>(ledger.cluster().resource_count(), 0)) {}

DominanceBalance::Dominance DominanceBalance::dominance(std::size_t user, std::size_t server) const {
  const auto capacity = ledger_->cluster().capacity(ledger_->entry(server));
  const auto demand = ledger_->demand(user, server);
  const auto first = std::find_if(demand.begin(), demand.end(), [](std::int64_t d) { return d > 0; });
  auto dominant = static_cast<std::size_t>(first - demand.begin());
  for (std::size_t r = dominant + 1; r < demand.size();
       ++r) {  // exactly: equal parts are equal in every unit
    if (Wide{demand[r]} * capacity[dominant] > Wide{demand[dominant]} * capacity[r]) dominant = r;
  }
  return {.resource = dominant, .units = demand[dominant]};
}

bool DominanceBalance::all_equal(std::size_t server) const {
  const auto& tasks = dominated_[server];
  return std::adjacent_find(tasks.begin(), tasks.end(), std::not_equal_to<>()) == tasks.end();
}

double DominanceBalance::demand(std::size_t server) const {
  const auto capacity = ledger_->cluster().capacity(ledger_->entry(server));
  double sum = 0;
  for (std::size_t k = 0; k < capacity.size(); ++k) {
    if (units_[server][k] > 0)
      sum += static_cast<double>(units_[server][k]) / static_cast<double>(capacity[k]);
  }
  return sum;
}

std::size_t DominanceBalance::place(const Search& search) {
  const std::size_t nowhere = ledger_->server_count();
  std::size_t balanced = nowhere;  // all Ψ equal, the least demand
  std::size_t behind = nowhere;    // Ψ_k among the least: the first
  ledger_->for_each_fit(search.user, search.first_fit, [&](std::size_t server) {
    const auto& tasks = dominated_[server];
    const std::size_t k = dominance(search.user, server).resource;
    if (tasks[k] > *std::min_element(tasks.begin(), tasks.end())) return;
    if (!all_equal(server)) {
      behind = std::min(behind, server);
    } else if (balanced == nowhere || demand(server) < demand(balanced)) {
      balanced = server;
    }
  });
  const std::size_t chosen = balanced != nowhere ? balanced : behind;
  if (chosen == nowhere) return worst_fit(search);
  const Dominance of_task = dominance(search.user, chosen);
  ++dominated_[chosen][of_task.resource];
  units_[chosen][of_task.resource] += of_task.units;
  return chosen;
}

}  // namespace mirab::plain
