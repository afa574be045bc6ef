#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <mirab/mechanisms/mechanism.hpp>
#include <mirab/model/workload.hpp>

namespace mirab::simulation {

/// Somebody among whom resources are divided.
struct Claim {
  std::uint32_t claimant;
  std::uint32_t user;     ///< index into Workload::users, whose weight counts
  std::uint32_t request;  ///< index into Workload::requests

  friend bool operator==(const Claim&, const Claim&) = default;
};

/// What a mechanism gives to each claim and takes of each server entry.
struct DividedShares {
  std::vector<double> tasks;  ///< x_n, [claim]
  std::vector<double> used;   ///< [server entry][resource], one after the other
  Status status = Status::exact;
  Certificate certificate;
  double seconds = 0;
  std::vector<std::string> notices;
};

/// The cluster's servers, with a user for each of these claims: their names are their places in the list.
Result<Problem> problem_of(const Problem& cluster, const Workload& workload, std::span<const Claim> claims);

/// Divides the cluster's servers among the claims, of which there are some. Errors: what the mechanism cannot
/// honour.
Result<DividedShares> divide(const Problem& cluster, const Workload& workload, const Choice& mechanism,
                             std::span<const Claim> claims);

}  // namespace mirab::simulation
