#pragma once

#include <set>
#include <string>
#include <vector>

#include <mirab/model/result.hpp>

#include "slurm/node_states.hpp"
#include "slurm/records.hpp"

namespace mirab::slurm {

using Words = std::set<std::string, std::less<>>;

/// A node, as far as it matters to jobs.
struct NodeRow {
  std::string name;
  Amounts amounts = {};
  Words partitions = {};
  Words features = {};
  NodeUse use = NodeUse::open;
  std::string state = {};          ///< as written
  bool is_of_a_partition = false;  ///< sinfo has a row for each partition of a node
};

/// The node of a record of scontrol, or those of a row of sinfo. Errors (message and key): no name, no CPUs,
/// no amount.
Result<std::vector<NodeRow>> read_nodes(const Record& record);

}  // namespace mirab::slurm
