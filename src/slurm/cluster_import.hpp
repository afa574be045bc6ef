#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <mirab/model/problem.hpp>
#include <mirab/model/result.hpp>

#include "model/alike_servers.hpp"

namespace mirab::slurm {

/// What a team is.
enum class Team { account, user, partition };

struct ClusterImportOptions {
  Team team = Team::account;
  mpq_class tolerance = kAlike;  ///< by which nodes that count as alike may differ
};

/// A text with the name that errors call it.
struct CommandOutput {
  std::string file;
  std::string_view text;
};

/// A cluster of Slurm as a cluster file describes it.
struct ClusterImport {
  Cluster cluster;
  std::vector<std::vector<std::string>> nodes;  ///< of each server entry, by name
  std::vector<std::string> provenance;          ///< lines for the head of a file: what is a user, what a task
  std::vector<std::string> notices;             ///< what is left out or cannot be said, a sentence each
};

/// Nodes, as `scontrol show node` prints them, and jobs, as `scontrol show job`, `sacct -P` or `squeue` with
/// `|` between its columns prints them, or either with --json (docs/how-to/import-slurm.md).
///
/// Servers: nodes of alike CPUs, memory and generic resources on which the same jobs may run are one entry.
/// Types of generic resources are resources beside their sum. Partitions and features become the labels
/// `partition/NAME` and `feature/NAME` with the value `yes`.
///
/// Users: a team is an account, a user or a partition. A job on N nodes is N tasks, each with what the job
/// holds on its node, or else an N-th of what it requests. What runs is the present state; jobs that are done
/// or held are left out.
///
/// Errors name file, line and field: no node, no job, two nodes of a name, no amount. Pure.
Result<ClusterImport> import_cluster(const CommandOutput& nodes, const CommandOutput& jobs,
                                     const ClusterImportOptions& options);

}  // namespace mirab::slurm
