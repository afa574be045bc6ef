#pragma once

#include <mirab/model/result.hpp>

#include "teams/imported_teams.hpp"

namespace mirab::teams {

/// The queues of YARN's CapacityScheduler, of a capacity-scheduler.xml (docs/how-to/import-teams.md, "YARN").
/// Capacities in percent and weights are parts of the parent's and become parts of the cluster.
///
/// Errors name file, line and property. O(queues · levels + properties · queues).
Result<ImportedTeams> import_yarn(const SourceText& source);

}  // namespace mirab::teams
