#pragma once

#include <span>
#include <string>
#include <vector>

#include <mirab/mechanisms/mechanism.hpp>
#include <mirab/model/workload.hpp>

#include "simulation/server_kinds.hpp"

namespace mirab::simulation {

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

}  // namespace mirab::simulation
