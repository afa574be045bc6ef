// MRFS and round robin: where tasks go.
//
// Source: Hamzeh, Fairness for Resource Allocation in Cloud Computing, chapter 5; docs/mathematics.md. With
// Ψ_k the tasks on a server that resource k dominates, a task dominated by k goes to a server where all Ψ are
// equal and their demands least, else where Ψ_k is the least, else into the non-dominant queue of the server
// with most room, where it does not count in Ψ (algorithm 5). Definition 5.2: "in each iteration t, only one
// task is scheduled in each server", which are the rounds here.
// Known failures: without rounds, as the engine plays it, a server that is balanced again is preferred to
// those that are not, and takes tasks until it is full. Over equal servers Σ (Ψ_CPU - Ψ_RAM) of all tasks is
// the same whatever the policy: MRFS can only spread it. O(tasks · servers).
#include "experiments/hamzeh_placing.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include <mirab/model/assert.hpp>
#include <mirab/scheduling/fill.hpp>

namespace mirab::experiments {
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
  std::size_t dominant = 0;
  for (std::size_t r = 1; r < demand.size(); ++r) {
    if (demand[r] * servers.capacity[dominant] > demand[dominant] * servers.capacity[r]) dominant = r;
  }
  return dominant;
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
  const Result<FillOutcome> filled = fill(
      problem,
      {.discipline = *choose_discipline("mrfs"), .placement = *choose_placement("first-fit"), .trace = true},
      random);
  MIRAB_ASSERT(filled, "tasks that can be placed");
  Placing placing{.server = std::vector<std::optional<std::size_t>>(batch.demand.size()),
                  .counted = std::vector<bool>(batch.demand.size())};
  std::vector<std::vector<double>> psi(servers.count, std::vector<double>(servers.capacity.size(), 0.0));
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

Placing place_in_turns(const TaskBatch& batch, const EqualServers& servers) {
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

}  // namespace mirab::experiments
