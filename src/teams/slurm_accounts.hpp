#pragma once

#include <mirab/model/result.hpp>

#include "teams/imported_teams.hpp"

namespace mirab::teams {

/// What a user of the cluster file is, as of `mirab import slurm --team`.
enum class SlurmTeam { account, user };

/// The accounts of Slurm, as `sacctmgr show assoc -P` prints them with the column ParentName
/// (docs/how-to/import-teams.md, "Slurm"). The account `root` is the cluster.
///
/// Errors name file, line and column. O(associations · levels).
Result<ImportedTeams> import_slurm_accounts(const SourceText& source, SlurmTeam team);

}  // namespace mirab::teams
