#pragma once

#include <mirab/scheduling/why.hpp>

#include "scheduling/accounts.hpp"
#include "scheduling/reservations.hpp"

namespace mirab::scheduling {

/// What a task of the job finds on the servers: `servers`, those kept for others, the constraints, the
/// nearest miss and the gang. Requires that some wait. `reservations` may be nullptr. O(servers (m + wishes
/// log labels)).
void explain_servers(const Accounts& accounts, const Reservations* reservations, std::uint32_t job,
                     WhyWaiting& why);

/// What it finds on one that is present. O(m + wishes log labels); of a job with terms O(servers m) more.
WhyNotOn why_not_on(const Accounts& accounts, const Reservations* reservations, std::uint32_t job,
                    std::uint32_t server);

/// By its name, and the names of those for whom it is kept.
KeptServer kept_server(const Accounts& accounts, const Reservations::Kept& kept);

}  // namespace mirab::scheduling
