#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <mirab/mechanisms/mechanism.hpp>
#include <mirab/model/problem.hpp>
#include <mirab/model/workload.hpp>

#include "lab/simulation/base/statistics.hpp"
#include "lab/simulation/reallocation.hpp"

namespace mirab::simulation {

/// A claimant: resources are divided among them.
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

/// What a mechanism gives to each claim and takes of each server entry.
struct DividedShares {
  std::vector<double> tasks;  ///< x_n, [claim]
  std::vector<double> used;   ///< [kind of server][resource], one after the other
  Status status = Status::exact;
  Certificate certificate;
  double seconds = 0;
  std::vector<std::string> notices;
};

/// Divides the servers among the claims, of which there are some. Errors: what the mechanism cannot honour.
Result<DividedShares> divide(const ServerKinds& kinds, std::span<const Submitter> users,
                             const Choice& mechanism, std::span<const Claim> claims);

inline constexpr std::string_view kChangesLeftOut =
    "servers that come or go are left out: the cluster stays as it is at the beginning";

/// Errors as for reallocate(), but for those of server_kinds() and of a mechanism.
Check check_reallocation(const Problem& cluster, const Workload& workload,
                         const ReallocationOptions& options);

/// Fills times, servers and active from what was held over [0, span): the use of each kind of server and
/// resource, then the number of claimants.
void report_use(const Problem& cluster, const ServerKinds& kinds, const ReallocationOptions& options,
                Duration span, const StepIntegral& steps, ReallocationOutcome& outcome);

}  // namespace mirab::simulation
