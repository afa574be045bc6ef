// MRFS: on every server as many tasks dominated by one resource as by any other.
//
// Source: Hamzeh, Fairness for Resource Allocation in Cloud Computing, section 5.2.2;
// docs/explanation/mathematics.md. With Ψ_k the tasks on a server that resource k dominates there, a task
// dominated by k may go to a server where Ψ_k ≤ min_j Ψ_j, so that k leads by one at most afterwards. Of
// these servers: first those where all Ψ are equal, the least Σ of dominant demands among them; then the
// first of the others. Where no server qualifies the task goes to the one with most room (worst-fit), among
// the non-dominant tasks, which do not count in Ψ. Whom to serve next is decided as by mlf-drs. Dominant
// demands are counted exactly, and added up as parts of the server's capacity, so that CPUs and gigabytes can
// be: Σ_k (units of k) / c_k, in doubles. When tasks end Ψ may lead by more than one until others fill up.
#include "scheduling/placement/dominance_balance.hpp"

#include <algorithm>

#include "fairness/share.hpp"

namespace mirab::scheduling {
namespace {

std::size_t dominant_there(std::span<const std::int64_t> demand, std::span<const std::int64_t> capacity) {
  return fairness::dominant_resource<fairness::Wide>(demand, capacity);
}

/// Σ_k (units of k) / c_k
double sum_of_parts(std::span<const std::int64_t> units, std::span<const std::int64_t> capacity) {
  double sum = 0;
  for (std::size_t k = 0; k < units.size(); ++k) {
    if (units[k] > 0) sum += static_cast<double>(units[k]) / static_cast<double>(capacity[k]);
  }
  return sum;
}

}  // namespace

const DominanceBalance::OfServer* DominanceBalance::of(ServerIndex server) const {
  return servers_.holds(server) && !servers_[server].tasks.empty() ? &servers_[server] : nullptr;
}

bool DominanceBalance::is_behind(const OfServer* there, std::size_t dominant) {
  if (there == nullptr) return true;
  return there->tasks[dominant] == *std::min_element(there->tasks.begin(), there->tasks.end());
}

std::optional<ServerIndex> DominanceBalance::find(const Search& search) const {
  std::optional<ServerIndex> balanced;  // all Ψ equal, the least demand, the first of equals
  std::optional<ServerIndex> behind;    // Ψ_k among the least, the first
  double least = 0;
  for (const SearchAlternative& variant : search.search_alternatives) {
    search.server_pool.any_with_room(variant, kFirstServer, [&](ServerIndex server) {
      const OfServer* const there = of(server);
      const auto capacity = search.server_pool.capacity(server);
      if (!is_behind(there, dominant_there(variant.demand, capacity))) return false;
      const bool all_equal =
          there == nullptr || std::adjacent_find(there->tasks.begin(), there->tasks.end(),
                                                 std::not_equal_to<>()) == there->tasks.end();
      if (!all_equal) {
        if (!behind || server < *behind) behind = server;
        return false;
      }
      const double demand = there == nullptr ? 0 : sum_of_parts(there->units, capacity);
      if (!balanced || demand < least || (demand == least && server < *balanced)) {
        balanced = server;
        least = demand;
      }
      return false;
    });
  }
  if (balanced) return balanced;
  return behind ? behind : worst_fit(search);
}

void DominanceBalance::task_started(const ServerPool& server_pool, TaskIndex task, ServerIndex server,
                                    std::span<const std::int64_t> demand) {
  if (is_behind(of(server), dominant_there(demand, server_pool.capacity(server)))) {
    count(server_pool, server, demand);
  } else {
    leave_out(task);
  }
}

void DominanceBalance::count(const ServerPool& server_pool, ServerIndex server,
                             std::span<const std::int64_t> demand) {
  const std::size_t k = dominant_there(demand, server_pool.capacity(server));
  servers_.cover(server);
  OfServer& there = servers_[server];
  there.tasks.resize(server_pool.resource_count(), 0);
  there.units.resize(server_pool.resource_count(), 0);
  ++there.tasks[k];
  there.units[k] += demand[k];
}

void DominanceBalance::task_ended(const ServerPool& server_pool, TaskIndex task, ServerIndex server,
                                  std::span<const std::int64_t> demand) {
  if (not_counted_.erase(task) > 0) return;
  const std::size_t k = dominant_there(demand, server_pool.capacity(server));
  --servers_[server].tasks[k];
  servers_[server].units[k] -= demand[k];
}

void DominanceBalance::server_emptied(ServerIndex server) {
  if (servers_.holds(server)) servers_[server] = {};
}

std::vector<TaskIndex> DominanceBalance::not_counted() const {
  std::vector<TaskIndex> tasks(not_counted_.begin(), not_counted_.end());
  std::sort(tasks.begin(), tasks.end());
  return tasks;
}

}  // namespace mirab::scheduling
