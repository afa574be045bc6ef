// MRFS against round robin: where tasks go, and what H-FFMRA grants them there.
//
// Source: Hamzeh, Fairness for Resource Allocation in Cloud Computing, chapter 5 (MRFS, penalty 5.4) and
// section 7.5 (sharing incentive, Pareto index 7.9). MRFS is the engine's own; a task counts in Ψ when its
// resource did not lead on its server, else it stands in the non-dominant queue (algorithm 5, line 21).
// Ψ of all tasks placed adds up to the same over equal servers whatever the policy: MRFS can only spread it.
#include "experiments/hamzeh_placing.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <numeric>

#include <mirab/mechanisms/mechanism.hpp>
#include <mirab/model/assert.hpp>
#include <mirab/scheduling/fill.hpp>

namespace mirab::experiments {
namespace {

ResourceVector exact(const std::vector<double>& amounts) {
  ResourceVector quantities;
  for (const double amount : amounts) quantities.push_back(*Quantity::from(amount));
  return quantities;
}

std::string name_of(std::size_t i) { return fmt::format("{}", i + 1); }

std::vector<std::string> resource_names(const EqualServers& servers) {
  std::vector<std::string> names;
  for (std::size_t r = 0; r < servers.capacity.size(); ++r) names.push_back(name_of(r));
  return names;
}

std::size_t dominant_of(const std::vector<double>& demand, const EqualServers& servers) {
  std::size_t dominant = 0;
  for (std::size_t r = 1; r < demand.size(); ++r) {
    if (demand[r] * servers.capacity[dominant] > demand[dominant] * servers.capacity[r]) dominant = r;
  }
  return dominant;
}

using Counts = std::vector<std::vector<double>>;  // [server][r]

Counts no_counts(const EqualServers& servers) {
  return Counts(servers.count, std::vector<double>(servers.capacity.size(), 0.0));
}

double spread(const std::vector<double>& values) {
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  return *most - *least;
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
  Cluster cluster{.resources = resource_names(servers), .servers = {}, .users = {}};
  for (std::size_t i = 0; i < servers.count; ++i)
    cluster.servers.push_back({.name = name_of(i), .capacity = exact(servers.capacity)});
  for (std::size_t k = 0; k < batch.demand.size(); ++k) {
    if (!placing.server[k]) continue;
    cluster.users.push_back({.name = name_of(k),
                             .demand = exact(batch.demand[k]),
                             .servers = std::vector<std::string>{name_of(*placing.server[k])}});
    task_of.push_back(k);
  }
  return *Problem::from(std::move(cluster));
}

// α of (5.4) on one server: averages of dominant demands as parts of the capacity.
double penalty_of(const std::vector<double>& demand, const std::vector<double>& tasks,
                  const std::vector<double>& capacity) {
  std::vector<double> lambda(capacity.size(), 0.0);
  for (std::size_t r = 0; r < lambda.size(); ++r)
    lambda[r] = tasks[r] > 0 ? demand[r] / tasks[r] / capacity[r] : 0;
  return spread(lambda);
}

void measure_bundles(const TaskBatch& batch, const Placing& placing, const EqualServers& servers,
                     PlacingMeasures& measures) {
  const std::size_t m = servers.capacity.size();
  Counts most(servers.count, std::vector<double>(m, -1.0));  // of the dominant bundles, over the fair share
  double placed = 0, satisfied = 0, counted = 0;
  for (std::size_t k = 0; k < batch.demand.size(); ++k) {
    if (!placing.server[k]) continue;
    const std::size_t i = *placing.server[k], dominant = dominant_of(batch.demand[k], servers);
    const double there = std::accumulate(measures.dominated[i].begin(), measures.dominated[i].end(), 0.0);
    const double over_fair = measures.bundles[k][dominant] / (servers.capacity[dominant] / there);
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

Placing place_by_mrfs(const TaskBatch& batch, const EqualServers& servers) {
  Cluster cluster{.resources = resource_names(servers), .servers = {}, .users = {}};
  cluster.servers.push_back({.name = "all",
                             .capacity = exact(servers.capacity),
                             .count = static_cast<std::int64_t>(servers.count)});
  for (std::size_t k = 0; k < batch.demand.size(); ++k)
    cluster.users.push_back(
        {.name = name_of(k), .demand = exact(batch.demand[k]), .tasks = Quantity(std::int64_t{1})});
  const Problem problem = *Problem::from(std::move(cluster));
  Random random(1);  // draws nothing: ties go to the first
  const Result<FillOutcome> filled = fill(
      problem,
      {.discipline = *choose_discipline("mrfs"), .placement = *choose_placement("first-fit"), .trace = true},
      random);
  MIRAB_ASSERT(filled, "tasks that can be placed");
  Placing placing{.server = std::vector<std::optional<std::size_t>>(batch.demand.size()),
                  .counted = std::vector<bool>(batch.demand.size())};
  Counts psi = no_counts(servers);
  for (const FillStep& step : filled->steps) {
    const auto server = static_cast<std::size_t>(step.instance);
    const std::size_t dominant = dominant_of(batch.demand[step.user], servers);
    placing.server[step.user] = server;
    placing.counted[step.user] =
        psi[server][dominant] <= *std::min_element(psi[server].begin(), psi[server].end());
    if (placing.counted[step.user]) psi[server][dominant] += 1;
  }
  return placing;
}

Placing place_in_turns(const TaskBatch& batch, const EqualServers& servers) {
  Placing placing{.server = std::vector<std::optional<std::size_t>>(batch.demand.size()),
                  .counted = std::vector<bool>(batch.demand.size(), true)};
  std::vector<std::vector<double>> free(servers.count, servers.capacity);
  for (std::size_t k = 0; k < batch.demand.size(); ++k) {
    for (std::size_t turn = 0; turn < servers.count && !placing.server[k]; ++turn) {
      const std::size_t i = (k + turn) % servers.count;
      const auto fits = [&](std::size_t r) { return batch.demand[k][r] <= free[i][r] + 1e-9; };
      bool all = true;
      for (std::size_t r = 0; r < free[i].size(); ++r) all = all && fits(r);
      if (!all) continue;
      for (std::size_t r = 0; r < free[i].size(); ++r) free[i][r] -= batch.demand[k][r];
      placing.server[k] = i;
    }
  }
  return placing;
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
