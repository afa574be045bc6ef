#pragma once

#include <optional>
#include <vector>

#include <mirab/scheduling/why.hpp>

#include "scheduling/accounts.hpp"

namespace mirab::scheduling {

/// What a task of a shape finds on the servers.
struct ServersFor {
  WhyWaiting::Servers servers;
  std::vector<WhyWaiting::Constraint> constraints;
  std::optional<WhyWaiting::NearestMiss> nearest_miss;
};

/// O(servers (m + wishes log labels)).
ServersFor servers_for(const Accounts& accounts, std::uint32_t shape);

/// What it finds on one that is present. O(m + wishes log labels).
WhyNotOn why_not_on(const Accounts& accounts, std::uint32_t shape, std::uint32_t server);

}  // namespace mirab::scheduling
