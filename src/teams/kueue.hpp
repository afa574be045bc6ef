#pragma once

#include <span>

#include <mirab/model/result.hpp>

#include "kubernetes/cluster_import.hpp"
#include "teams/imported_teams.hpp"

namespace mirab::teams {

/// The ClusterQueues, Cohorts, LocalQueues and ResourceFlavors of Kueue (v1beta1 and v1beta2), as `kubectl
/// get clusterqueues,cohorts,localqueues,resourceflavors -A -o yaml` or `-o json` prints them, in one text or
/// several (docs/how-to/import-teams.md, "Kueue"). The namespaces of a ClusterQueue are those of its
/// LocalQueues.
///
/// Quotas are summed over flavors. The quotas of a cohort are lent by the sum of its members, and a tree of
/// cohorts gets no more than its sum, as in Kueue. Errors name file, line and key. O(queues · levels ·
/// quotas).
Result<ImportedTeams> import_kueue(std::span<const kubernetes::ObjectText> texts);

}  // namespace mirab::teams
