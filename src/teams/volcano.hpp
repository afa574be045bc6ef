#pragma once

#include <span>

#include <mirab/model/result.hpp>

#include "kubernetes/cluster_import.hpp"
#include "teams/imported_teams.hpp"

namespace mirab::teams {

/// The Queues of Volcano, as `kubectl get queues.scheduling.volcano.sh,namespaces -o yaml` or `-o json`
/// prints them, in one text or several (docs/how-to/import-teams.md, "Volcano"). A namespace belongs to the
/// queue that its annotation `scheduling.volcano.sh/queue-name` names, or else to the queue `default`.
///
/// Errors name file, line and key. O(queues · levels · resources).
Result<ImportedTeams> import_volcano(std::span<const kubernetes::ObjectText> texts);

}  // namespace mirab::teams
