// One division of a cluster among those who have work: a problem of its own, solved by a mechanism of the
// table.
#include "simulation/divided_shares.hpp"

namespace mirab::simulation {
namespace {

// A mechanism that pours all servers into one uses the same part of each.
std::vector<double> spread(const Problem& problem, std::span<const double> of_pool) {
  std::vector<double> used;
  for (const Server& server : problem.servers()) {
    for (std::size_t r = 0; r < of_pool.size(); ++r) {
      const double capacity = static_cast<double>(server.count) * server.capacity[r].value();
      used.push_back(capacity > 0 ? of_pool[r] * capacity / problem.pool()[r] : 0);
    }
  }
  return used;
}

std::vector<double> used_of(const Problem& problem, const Allocation& allocation) {
  if (allocation.servers.size() != problem.server_count())
    return spread(problem, allocation.servers.front().used);
  std::vector<double> used;
  for (const ServerUse& server : allocation.servers)
    used.insert(used.end(), server.used.begin(), server.used.end());
  return used;
}

}  // namespace

Result<DividedShares> divide(const ServerKinds& kinds, std::span<const Submitter> users,
                             const Choice& mechanism, std::span<const Claim> claims) {
  const Result<Problem> problem = problem_of(kinds, users, claims);
  if (!problem) return problem.error();
  Result<Outcome> outcome = allocate(*problem, mechanism);
  if (!outcome) return outcome.error();
  return DividedShares{.tasks = outcome->allocation.tasks,
                       .used = used_of(*problem, outcome->allocation),
                       .status = outcome->status,
                       .certificate = outcome->certificate,
                       .seconds = outcome->seconds,
                       .notices = std::move(outcome->notices)};
}

}  // namespace mirab::simulation
