#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <mirab/model/problem.hpp>
#include <mirab/model/random.hpp>
#include <mirab/model/result.hpp>

#include "lab/traces/workload_import.hpp"

namespace mirab::traces {

/// A cluster from the trace, and what was left out on the way.
struct OpenbImport {
  Cluster cluster;          ///< resources cpu, memory (bytes) and gpu
  std::uint64_t nodes = 0;  ///< in the servers
  std::uint64_t pods = 0;   ///< in the users' tasks

  /// Lines for the head of a file: attribution, and how pods became users.
  std::vector<std::string> provenance;

  /// What was left out, a sentence each.
  std::vector<std::string> notices;
};

/// Reads a node list and a pod list of the `openb` cluster (Alibaba, cluster-trace-gpu-v2023; CSV with its
/// heading, gzip or plain).
///
/// Servers: one entry for each GPU model and capacity, with a count, named `G2-96-393216-8` (model, CPUs,
/// memory in MiB, GPUs), in that order, with the label `gpu-model`; `none` where there is no GPU, `unknown`
/// where the list names no model.
///
/// Users: the trace has none. Pods of the same qos, gpu_spec and request are the tasks of one user: as many
/// as there are pods, in the order in which their first pod appears, named `LS-11.3-49152-1` (qos, CPUs,
/// memory in MiB, GPUs) and then `-P100+T4` where gpu_spec is `P100|T4`, which becomes
/// `select: {gpu-model: [P100, T4]}`. A pod requests num_gpu · gpu_milli / 1000 GPUs. Left out, with a
/// notice: pods that request nothing, and those that fit on no node of a model that they accept.
///
/// Errors name file, line and column: a truncated or damaged file, another heading, a wrong number of
/// columns, a bad number, an empty file; a list without a usable node or pod. Time O(rows + users · entries).
Result<OpenbImport> import_openb(const std::string& node_list, const std::string& pod_list);

/// Reads the same lists as a workload: every pod is a job of one task at its creation, of the user that
/// import_openb makes of its kind; servers are as there.
///
/// Runtimes: from scheduling to deletion, measured. A pod without a deletion, or whose deletion is the last
/// of the list, outlives it: its life is drawn from those that are longer than what was seen of it
/// (Runtime::cut; src/lab/traces/lifetimes.hpp). The span ends with the last time of the list.
///
/// Left out, with a notice: pods that were deleted before they were scheduled, that request nothing, or that
/// fit on no node. Errors: as of import_openb; times that go backwards; no pod that is deleted.
Result<WorkloadImport> import_openb_workload(const std::string& node_list, const std::string& pod_list,
                                             Random& random);

}  // namespace mirab::traces
