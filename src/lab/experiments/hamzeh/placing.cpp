// Tasks placed on equal servers by MRFS and round robin, what H-FFMRA grants them there, and the tasks
// themselves.
#include "lab/experiments/hamzeh/placing.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <numeric>
#include <utility>

#include <mirab/mechanisms/mechanism.hpp>
#include <mirab/model/assert.hpp>
#include <mirab/scheduling/fill.hpp>

#include "fairness/share.hpp"
#include "lab/experiments/experiment.hpp"
#include "lab/simulation/base/replications.hpp"

namespace mirab::experiments {

// MRFS and round robin: where tasks go.
//
// Source: Hamzeh, Fairness for Resource Allocation in Cloud Computing, chapter 5;
// docs/explanation/mathematics.md. With Ψ_k the tasks on a server that resource k dominates, a task dominated
// by k goes to a server where all Ψ are equal and their demands least, else where Ψ_k is the least, else into
// the non-dominant queue of the server with most room, where it does not count in Ψ (algorithm 5).
// Definition 5.2: "in each iteration t, only one task is scheduled in each server", which are the rounds
// here. Known failures: without rounds, as the engine plays it, a server that is balanced again is preferred
// to those that are not, and takes tasks until it is full. Over equal servers Σ (Ψ_CPU - Ψ_RAM) of all tasks
// is the same whatever the policy: MRFS can only spread it. O(tasks · servers).

namespace {

// A server while MRFS places tasks.
struct ServerState {
  std::vector<double> free = {};
  std::vector<double> psi = {};  // Ψ of the tasks that count
  double demand = 0;             // Σ of their dominant demands, as parts of the capacity
  bool served = false;           // had its task of this round
};

// The first of the lowest rank, and among those the least key.
struct Choosing {
  std::size_t server;
  int rank;
  double key;
};
constexpr int kNonDominantQueue = 2;  // rank: all Ψ equal, the task's resource behind, the non-dominant queue

bool fits(const std::vector<double>& demand, const std::vector<double>& free) {
  for (std::size_t r = 0; r < demand.size(); ++r) {
    if (demand[r] > free[r] + 1e-9) return false;
  }
  return true;
}

double room(const std::vector<double>& free, const EqualServers& servers) {
  double sum = 0;
  for (std::size_t r = 0; r < free.size(); ++r) sum += free[r] / servers.capacity[r];
  return sum;
}

std::optional<Choosing> choose_server(const std::vector<double>& demand, std::size_t dominant,
                                      const std::vector<ServerState>& states, const EqualServers& servers) {
  std::optional<Choosing> best;
  for (std::size_t i = 0; i < states.size(); ++i) {
    const ServerState& state = states[i];
    if (state.served || !fits(demand, state.free)) continue;
    const bool equal = spread(state.psi) == 0;
    const bool behind = state.psi[dominant] <= *std::min_element(state.psi.begin(), state.psi.end());
    const Choosing here{.server = i,
                        .rank = equal    ? 0
                                : behind ? 1
                                         : kNonDominantQueue,
                        .key = behind ? state.demand : -room(state.free, servers)};
    if (!best || std::pair(here.rank, here.key) < std::pair(best->rank, best->key)) best = here;
  }
  return best;
}

}  // namespace

Cluster cluster_of(const EqualServers& servers, std::size_t entries) {
  Cluster cluster;
  for (std::size_t r = 0; r < servers.capacity.size(); ++r)
    cluster.resources.push_back(fmt::format("{}", r + 1));
  for (std::size_t i = 0; i < entries; ++i)
    cluster.servers.push_back({.name = fmt::format("{}", i + 1),
                               .capacity = amounts_of(servers.capacity),
                               .count = static_cast<std::int64_t>(servers.count / entries)});
  return cluster;
}

ResourceVector amounts_of(const std::vector<double>& demand) {
  ResourceVector quantities;
  for (const double amount : demand) quantities.push_back(*Quantity::from(amount));
  return quantities;
}

std::size_t dominant_of(const std::vector<double>& demand, const EqualServers& servers) {
  return fairness::dominant_resource<double>(demand, servers.capacity);
}

double spread(const std::vector<double>& values) {
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  return *most - *least;
}

Placing place_by_mrfs_engine(const TaskBatch& batch, const EqualServers& servers) {
  Cluster cluster = cluster_of(servers, 1);
  for (std::size_t k = 0; k < batch.demand.size(); ++k)
    cluster.users.push_back({.name = fmt::format("{}", k + 1),
                             .demand = amounts_of(batch.demand[k]),
                             .tasks = Quantity(std::int64_t{1})});
  const Problem problem = *Problem::from(std::move(cluster));
  Random random(1);  // draws nothing: ties go to the first
  const Result<Outcome> filled = fill(
      problem,
      {.discipline = *choose_discipline("mrfs"), .placement = *choose_placement("first-fit"), .trace = true},
      random);
  MIRAB_ASSERT(filled, "tasks that can be placed");
  Placing placing{.server = std::vector<std::optional<std::size_t>>(batch.demand.size()),
                  .counted = std::vector<bool>(batch.demand.size())};
  std::vector<std::vector<double>> psi(servers.count, std::vector<double>(servers.capacity.size(), 0.0));
  for (const FillStep& step : filled->filling->steps) {
    const auto server = static_cast<std::size_t>(step.instance);
    const std::size_t dominant = dominant_of(batch.demand[step.user], servers);
    placing.server[step.user] = server;
    placing.counted[step.user] =
        psi[server][dominant] <= *std::min_element(psi[server].begin(), psi[server].end());
    if (placing.counted[step.user]) psi[server][dominant] += 1;
  }
  return placing;
}

Placing place_by_mrfs(const TaskBatch& batch, const EqualServers& servers) {
  Placing placing{.server = std::vector<std::optional<std::size_t>>(batch.demand.size()),
                  .counted = std::vector<bool>(batch.demand.size())};
  std::vector<ServerState> states(servers.count);
  for (ServerState& state : states)
    state = {.free = servers.capacity, .psi = std::vector<double>(servers.capacity.size(), 0.0)};
  for (std::size_t k = 0; k < batch.demand.size(); ++k) {
    const std::size_t dominant = dominant_of(batch.demand[k], servers);
    std::optional<Choosing> chosen = choose_server(batch.demand[k], dominant, states, servers);
    if (!chosen) {  // every server with room had its task of this round
      for (ServerState& state : states) state.served = false;
      chosen = choose_server(batch.demand[k], dominant, states, servers);
    }
    if (!chosen) continue;
    ServerState& state = states[chosen->server];
    state.served = true;
    for (std::size_t r = 0; r < state.free.size(); ++r) state.free[r] -= batch.demand[k][r];
    placing.server[k] = chosen->server;
    placing.counted[k] = chosen->rank < kNonDominantQueue;
    if (!placing.counted[k]) continue;
    state.psi[dominant] += 1;
    state.demand += batch.demand[k][dominant] / servers.capacity[dominant];
  }
  return placing;
}

Placing place_round_robin(const TaskBatch& batch, const EqualServers& servers) {
  Placing placing{.server = std::vector<std::optional<std::size_t>>(batch.demand.size()),
                  .counted = std::vector<bool>(batch.demand.size(), true)};
  std::vector<std::vector<double>> free(servers.count, servers.capacity);
  for (std::size_t k = 0; k < batch.demand.size(); ++k) {
    for (std::size_t turn = 0; turn < servers.count && !placing.server[k]; ++turn) {
      const std::size_t i = (k + turn) % servers.count;
      if (!fits(batch.demand[k], free[i])) continue;
      for (std::size_t r = 0; r < free[i].size(); ++r) free[i][r] -= batch.demand[k][r];
      placing.server[k] = i;
    }
  }
  return placing;
}

// What H-FFMRA grants to tasks that were placed on equal servers.
//
// Source: Hamzeh, Fairness for Resource Allocation in Cloud Computing: penalty (5.4), sharing incentive
// (7.5.2), Pareto index (7.9) as a part of the fair share C_r / n of a server with n tasks. Every task is a
// user who may run on its server only. A bundle is counted as granted, and as whole tasks (Leontief).

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
    measures.bundles[task_of[grant.user]].assign(grant.resources.begin(), grant.resources.end());
    measures.tasks += grant.tasks;
  }
  measure_bundles(batch, placing, servers, measures);
  return measures;
}

// Tasks for the experiments with MRFS: from the generator of Hamzeh's thesis, and from the Google trace.
//
// Source: Hamzeh, Fairness for Resource Allocation in Cloud Computing, 7.1.1 ("by the sample length of 1%");
// the requests of ClusterData2011_2 (data/README.md), which are parts of the largest machine.

RequestSource generated_requests(const RunOptions& options, double scale) {
  const simulation::DemandGroup group{.count = 40,
                                      .cpu_median = {60, 205},
                                      .cpu_deviation = 10,
                                      .radius = {900, 3000},
                                      .start = {0, 1000},
                                      .stretch = {1, 5}};
  RequestSource source{.profiles = {}, .sample = {}, .scale = scale};
  Random random = simulation::stream(options.seed, "profiles");
  for (std::int64_t n = 0; n < group.count; ++n)
    source.profiles.push_back(simulation::draw_profile(group, random));
  return source;
}

RequestSource google_requests(const RunOptions& options, const std::vector<double>& capacity, double scale) {
  const std::vector<std::vector<double>> rows = data_rows("google2011_requests.csv.gz");
  std::vector<double> upto;  // tasks of the rows so far
  double tasks = 0;
  for (const std::vector<double>& row : rows) upto.push_back(tasks += row[3]);
  Random random = simulation::stream(options.seed, "sample");
  RequestSource source{.profiles = {}, .sample = {}, .scale = scale};
  while (static_cast<double>(source.sample.size()) < tasks / 100) {
    const auto at = std::upper_bound(upto.begin(), upto.end(), random.unit() * tasks) - upto.begin();
    const std::vector<double>& row = rows[static_cast<std::size_t>(at)];
    source.sample.push_back({row[0] * capacity[0], row[1] * capacity[1]});
  }
  return source;
}

TaskBatch draw_batch(const RequestSource& source, std::size_t tasks, std::uint64_t seed,
                     std::size_t iteration) {
  Random random = simulation::stream(seed, "batch", {iteration});
  TaskBatch batch;
  for (std::size_t k = 0; k < tasks; ++k) {
    std::vector<double> demand =
        source.profiles.empty()
            ? source.sample[random.below(source.sample.size())]
            : simulation::draw_demand(source.profiles[random.below(source.profiles.size())],
                                      static_cast<std::int64_t>(iteration), random);
    demand.resize(2);
    for (double& amount : demand) amount = std::max(0.01, std::round(amount * source.scale * 100) / 100);
    batch.demand.push_back(std::move(demand));
  }
  return batch;
}

}  // namespace mirab::experiments
