#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include <mirab/model/problem.hpp>
#include <mirab/model/workload.hpp>

namespace mirab::simulation {

/// Somebody among whom resources are divided.
struct Claim {
  std::uint32_t claimant;
  std::uint32_t user;     ///< index into Workload::users, whose weight counts
  std::uint32_t request;  ///< index into Workload::requests

  friend bool operator==(const Claim&, const Claim&) = default;
};

/// The servers of a cluster, entries that no request can tell apart taken as one, and the requests as they
/// stand on them: where one is constrained, its eligible servers by name.
struct ServerKinds {
  std::vector<std::string> resources;
  std::vector<Server> servers;       ///< [kind]
  std::vector<Request> requests;     ///< of the workload
  std::vector<std::size_t> kind_of;  ///< [server entry of the cluster]
};

/// Errors: a request that fits no server, or names one that is not there (`requests[3].servers`). O((N + K)
/// log(N + K) m + N K) for N requests and K entries.
Result<ServerKinds> server_kinds(const Problem& cluster, const Workload& workload);

/// The same for a mechanism that honours no placement constraints: the requests without theirs. What was
/// left out is for the caller to tell.
ServerKinds without_constraints(ServerKinds kinds);

/// The servers, with a user for each of these claims: their names are their places in the list. Errors as for
/// Problem::from.
Result<Problem> problem_of(const ServerKinds& kinds, std::span<const Submitter> users,
                           std::span<const Claim> claims);

}  // namespace mirab::simulation
