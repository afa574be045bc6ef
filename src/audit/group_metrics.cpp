#include <algorithm>

#include <mirab/audit/group_metrics.hpp>
#include <mirab/audit/metrics.hpp>

#include "model/dominance.hpp"

namespace mirab {
namespace {

constexpr double kWithin = 1e-9;  // of a fair share

using Table = std::vector<std::vector<double>>;

Table held(const Problem& problem, const Allocation& allocation) {
  Table held(problem.user_count(), std::vector<double>(problem.resource_count(), 0.0));
  for (const Grant& grant : allocation.grants) {
    for (std::size_t r = 0; r < grant.resources.size(); ++r) held[grant.user][r] += grant.resources[r];
  }
  return held;
}

double total_weight(const Problem& problem) {
  double total = 0;
  for (const User& user : problem.users()) total += user.weight.value();
  return total;
}

// What each of the allocation's servers has, one of an entry, or the pool.
std::vector<ExactVector> capacities(const Problem& problem, bool pooled) {
  if (pooled) return {exact_pool(problem)};
  std::vector<ExactVector> capacities;
  for (const Server& server : problem.servers()) capacities.push_back(exact(server.capacity));
  return capacities;
}

void measure_consumption(const Problem& problem, const Allocation& allocation, GroupMetrics& metrics) {
  const std::size_t m = problem.resource_count();
  const bool pooled = allocation.servers.size() != problem.server_count();
  const std::vector<ExactVector> capacity = capacities(problem, pooled);
  Table tasks(allocation.servers.size(), std::vector<double>(m, 0.0));
  Table demand = tasks;
  for (const Grant& grant : allocation.grants) {
    const ResourceVector& of_task =
        pooled ? problem.users()[grant.user].demand : problem.demand(grant.user, grant.server);
    const std::size_t dominant = dominant_resource(of_task, capacity[grant.server]);
    tasks[grant.server][dominant] += grant.tasks;
    demand[grant.server][dominant] += grant.tasks * of_task[dominant].value();
  }
  metrics.consumption = tasks;
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    const ServerUse& server = allocation.servers[i];
    std::vector<double> there;
    for (std::size_t k = 0; k < m; ++k) {
      const double of_one = server.capacity[k] / static_cast<double>(server.count);
      double& lambda = metrics.consumption[i][k];
      lambda = tasks[i][k] > 0 ? demand[i][k] / tasks[i][k] / of_one : 0;
      if (of_one > 0) there.push_back(lambda);
    }
    const auto [least, most] = std::minmax_element(there.begin(), there.end());
    metrics.penalty.push_back(there.empty() ? 0 : *most - *least);
  }
}

}  // namespace

GroupMetrics measure_groups(const Problem& problem, const Allocation& allocation) {
  const std::size_t m = problem.resource_count();
  const Table held = mirab::held(problem, allocation);
  const double weights = total_weight(problem);
  GroupMetrics metrics{.pareto_index = std::vector<std::optional<double>>(m),
                       .jain_dominant = {},
                       .jain_non_dominant = {},
                       .consumption = {},
                       .penalty = {}};
  Table dominated(m);
  Table others(m);
  double satisfied = 0;
  const std::vector<std::size_t> dominants = dominant_resources(problem);
  for (std::size_t n = 0; n < problem.user_count(); ++n) {
    const std::size_t dominant = dominants[n];
    for (std::size_t r = 0; r < m; ++r) (r == dominant ? dominated : others)[r].push_back(held[n][r]);
    const double fair = problem.pool()[dominant] * problem.users()[n].weight.value() / weights;
    const double beyond = held[n][dominant] - fair;
    std::optional<double>& index = metrics.pareto_index[dominant];
    index = index ? std::max(*index, beyond) : beyond;
    if (beyond >= -kWithin * fair) ++satisfied;
  }
  metrics.sharing_incentive_index = satisfied / static_cast<double>(problem.user_count());
  for (std::size_t r = 0; r < m; ++r) {
    metrics.jain_dominant.push_back(jain(dominated[r]));
    metrics.jain_non_dominant.push_back(jain(others[r]));
  }
  measure_consumption(problem, allocation, metrics);
  return metrics;
}

}  // namespace mirab
