#pragma once

#include <span>
#include <vector>

#include <mirab/model/result.hpp>

#include "kubernetes/cluster_import.hpp"
#include "teams/imported_teams.hpp"

namespace mirab::teams {

/// The queues of YuniKorn: a queues.yaml, or a ConfigMap that holds one under the key `queues.yaml`, such as
/// `yunikorn-configs` (docs/how-to/import-teams.md, "YuniKorn"). Where a placement rule places pods by the
/// tag `namespace`, the queues below its parent have the namespaces of their names.
///
/// Errors name file, line and key. O(queues · levels · resources).
Result<ImportedTeams> import_yunikorn(std::span<const kubernetes::ObjectText> texts);

}  // namespace mirab::teams
