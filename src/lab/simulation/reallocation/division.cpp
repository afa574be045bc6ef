// Equal servers merged once, before anything is divided: an imported cluster has an entry for each machine,
// of a handful of kinds, and a problem is built and solved at every division.
#include "lab/simulation/reallocation/division.hpp"

#include <numeric>

#include <mirab/model/classes.hpp>

#include "lab/simulation/base/workload_check.hpp"
#include "model/eligibility.hpp"

namespace mirab::simulation {
namespace {

// Nothing merged.
ServerKinds as_they_stand(const Problem& cluster, const Workload& workload) {
  ServerKinds kinds{.resources = cluster.resources(),
                    .servers = cluster.servers(),
                    .requests = reordered(workload.requests, resource_order(cluster, workload)),
                    .kind_of = std::vector<std::size_t>(cluster.server_count())};
  std::iota(kinds.kind_of.begin(), kinds.kind_of.end(), 0);
  return kinds;
}

ServerKinds merged(const Problem& wishes, std::vector<Request> requests) {
  const Classes classes = merge(wishes, MergeUsers::equal, MergeServers::equal);
  ServerKinds kinds{.resources = wishes.resources(),
                    .servers = {},
                    .requests = std::move(requests),
                    .kind_of = std::vector<std::size_t>(wishes.server_count())};
  for (const ServerClass& alike : classes.servers) {
    const Server& first = wishes.servers()[alike.members.front()];
    kinds.servers.push_back({.name = first.name, .capacity = first.capacity, .count = 0});
    for (const std::size_t entry : alike.members) {
      kinds.servers.back().count += wishes.servers()[entry].count;
      kinds.kind_of[entry] = kinds.servers.size() - 1;
    }
  }
  for (std::size_t n = 0; n < kinds.requests.size(); ++n) {
    if (!wishes.is_constrained(n)) continue;
    std::vector<std::string> eligible;
    for (std::size_t k = 0; k < kinds.servers.size(); ++k) {
      if (wishes.eligible(n, classes.servers[k].members.front())) eligible.push_back(kinds.servers[k].name);
    }
    kinds.requests[n].servers = std::move(eligible);
    kinds.requests[n].select.clear();
  }
  return kinds;
}

Check check_all_fit(const Problem& wishes) {
  const std::vector<bool> somewhere = eligible_somewhere(wishes);
  const auto first = std::find(somewhere.begin(), somewhere.end(), false);
  if (first == somewhere.end()) return {};
  return fits_nowhere(wishes.cluster(), static_cast<std::size_t>(first - somewhere.begin()), "a task of it");
}

}  // namespace

Result<ServerKinds> server_kinds(const Problem& cluster, const Workload& workload) {
  ServerKinds kinds = as_they_stand(cluster, workload);
  if (workload.users.empty() || workload.requests.empty()) return kinds;
  std::vector<Claim> claims;
  for (std::uint32_t request = 0; request < workload.requests.size(); ++request)
    claims.push_back({.claimant = request, .user = 0, .request = request});
  const Result<Problem> wishes = problem_of(kinds, workload.users, claims);
  const Check wrong = wishes ? check_all_fit(*wishes) : Check(wishes.error());
  if (!wrong) return merged(*wishes, std::move(kinds.requests));
  Error error = *wrong;
  if (error.key.starts_with("users")) error.key.replace(0, std::string_view("users").size(), "requests");
  return error;
}

ServerKinds without_constraints(ServerKinds kinds) {
  for (Request& request : kinds.requests) {
    request.servers.reset();
    request.select.clear();
  }
  return kinds;
}

Result<Problem> problem_of(const ServerKinds& kinds, std::span<const Submitter> users,
                           std::span<const Claim> claims) {
  Cluster cluster{.resources = kinds.resources, .servers = kinds.servers, .users = {}};
  for (std::size_t n = 0; n < claims.size(); ++n) {
    const Request& request = kinds.requests[claims[n].request];
    cluster.users.push_back({.name = std::to_string(n),
                             .demand = request.demand,
                             .weight = users[claims[n].user].weight,
                             .servers = request.servers,
                             .select = {request.select.begin(), request.select.end()},
                             .may_fit_nowhere = true});  // server_kinds refuses it, in words of a workload
  }
  return Problem::from(std::move(cluster));
}

// One division of a cluster among those who have work: a problem of its own, solved by a mechanism of the
// table.

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
