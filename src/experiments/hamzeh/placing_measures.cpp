// What H-FFMRA grants to tasks that were placed on equal servers.
//
// Source: Hamzeh, Fairness for Resource Allocation in Cloud Computing: penalty (5.4), sharing incentive
// (7.5.2), Pareto index (7.9) as a part of the fair share C_r / n of a server with n tasks. Every task is a
// user who may run on its server only. A bundle is counted as granted, and as whole tasks (Leontief).
#include <algorithm>
#include <fmt/format.h>
#include <numeric>

#include <mirab/mechanisms/mechanism.hpp>
#include <mirab/model/assert.hpp>

#include "experiments/hamzeh/placing.hpp"

namespace mirab::experiments {
namespace {

using Counts = std::vector<std::vector<double>>;  // [server][r]

Counts no_counts(const EqualServers& servers) {
  return Counts(servers.count, std::vector<double>(servers.capacity.size(), 0.0));
}

double mean_spread(const Counts& counts, const Counts& tasks) {
  double sum = 0, used = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (std::accumulate(tasks[i].begin(), tasks[i].end(), 0.0) == 0) continue;
    sum += spread(counts[i]);
    ++used;
  }
  return used > 0 ? sum / used : 0;
}

// The placed tasks as users of a problem, each on its server; `task_of` says which they are.
Problem placed_problem(const TaskBatch& batch, const Placing& placing, const EqualServers& servers,
                       std::vector<std::size_t>& task_of) {
  Cluster cluster = cluster_of(servers, servers.count);
  for (std::size_t k = 0; k < batch.demand.size(); ++k) {
    if (!placing.server[k]) continue;
    cluster.users.push_back({.name = fmt::format("{}", k + 1),
                             .demand = amounts_of(batch.demand[k]),
                             .servers = std::vector<std::string>{cluster.servers[*placing.server[k]].name}});
    task_of.push_back(k);
  }
  return *Problem::from(std::move(cluster));
}

void measure_bundles(const TaskBatch& batch, const Placing& placing, const EqualServers& servers,
                     PlacingMeasures& measures) {
  const std::size_t m = servers.capacity.size();
  Counts most(servers.count, std::vector<double>(m, -1.0));  // of the dominant bundles, over the fair share
  double placed = 0, satisfied = 0, counted = 0;
  measures.over_fair.assign(batch.demand.size(), 0);
  for (std::size_t k = 0; k < batch.demand.size(); ++k) {
    if (!placing.server[k]) continue;
    const std::size_t i = *placing.server[k], dominant = dominant_of(batch.demand[k], servers);
    const double there = std::accumulate(measures.dominated[i].begin(), measures.dominated[i].end(), 0.0);
    const double over_fair = measures.bundles[k][dominant] / (servers.capacity[dominant] / there);
    measures.over_fair[k] = over_fair;
    const bool has_fair_share = over_fair >= 1 - 1e-9;
    ++placed;
    satisfied += has_fair_share ? 1 : 0;
    counted += has_fair_share && placing.counted[k] ? 1 : 0;
    most[i][dominant] = std::max(most[i][dominant], over_fair);
    for (std::size_t r = 0; r < m; ++r) {
      const double part =
          measures.bundles[k][r] / servers.capacity[r] / static_cast<double>(servers.count * m);
      (r == dominant ? measures.dominant_part : measures.non_dominant_part) += part;
    }
  }
  measures.sharing_incentive = placed > 0 ? satisfied / placed : 1;
  measures.counted_incentive = placed > 0 ? counted / placed : 1;
  double sum = 0, groups = 0;
  for (const std::vector<double>& of_server : most) {
    for (const double over_fair : of_server) {
      if (over_fair < 0) continue;
      sum += over_fair - 1;
      ++groups;
    }
  }
  measures.pareto = groups > 0 ? sum / groups : 0;
}

}  // namespace

double penalty_of(const std::vector<double>& demand, const std::vector<double>& tasks,
                  const std::vector<double>& capacity) {
  std::vector<double> lambda(capacity.size(), 0.0);
  for (std::size_t r = 0; r < lambda.size(); ++r)
    lambda[r] = tasks[r] > 0 ? demand[r] / tasks[r] / capacity[r] : 0;
  return spread(lambda);
}

PlacingMeasures measure_placing(const TaskBatch& batch, const Placing& placing, const EqualServers& servers) {
  PlacingMeasures measures;
  measures.dominated = no_counts(servers);
  Counts counted = no_counts(servers), demand = no_counts(servers);
  double in_queues = 0, nowhere = 0;
  for (std::size_t k = 0; k < batch.demand.size(); ++k) {
    if (!placing.server[k]) {
      ++nowhere;
      continue;
    }
    const std::size_t dominant = dominant_of(batch.demand[k], servers);
    measures.dominated[*placing.server[k]][dominant] += 1;
    counted[*placing.server[k]][dominant] += placing.counted[k] ? 1 : 0;
    demand[*placing.server[k]][dominant] += batch.demand[k][dominant];
    in_queues += placing.counted[k] ? 0 : 1;
  }
  const auto tasks = static_cast<double>(batch.demand.size());
  measures.unplaced = nowhere / tasks;
  measures.not_counted = in_queues / tasks;
  measures.imbalance = mean_spread(measures.dominated, measures.dominated);
  measures.counted_imbalance = mean_spread(counted, measures.dominated);
  for (std::size_t i = 0; i < servers.count; ++i)
    measures.penalties.push_back(penalty_of(demand[i], measures.dominated[i], servers.capacity));
  measures.penalty = std::accumulate(measures.penalties.begin(), measures.penalties.end(), 0.0) /
                     static_cast<double>(servers.count);
  std::vector<std::size_t> task_of;
  const Problem problem = placed_problem(batch, placing, servers, task_of);
  const Result<Outcome> outcome = allocate(problem, "h-ffmra");
  MIRAB_ASSERT(outcome, "tasks that H-FFMRA can grant something");
  measures.bundles.resize(batch.demand.size());
  for (const Grant& grant : outcome->allocation.grants) {
    measures.bundles[task_of[grant.user]] = grant.resources;
    measures.tasks += grant.tasks;
  }
  measure_bundles(batch, placing, servers, measures);
  return measures;
}

}  // namespace mirab::experiments
