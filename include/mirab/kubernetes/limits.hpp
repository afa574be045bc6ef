#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <mirab/kubernetes/amounts.hpp>
#include <mirab/kubernetes/pods.hpp>
#include <mirab/mechanisms/mechanism.hpp>
#include <mirab/model/allocation.hpp>
#include <mirab/model/choice.hpp>

namespace mirab::kubernetes {

/// When limits are recalculated.
enum class Recalculate {
  always,
  when_exceeded  ///< only when the present limits together are more than the node has, or one is missing
};

/// φ of one workload: of each of its pods.
struct PodWeight {
  std::string workload;  ///< by the name that is shown; `namespace/NAME`: of each pod of a namespace
  Quantity weight{1};    ///< > 0
};

/// f_r of one resource.
struct ResourceWeight {
  std::string resource;
  Quantity weight{1};  ///< > 0
};

struct LimitOptions {
  Choice mechanism;
  std::vector<PodWeight> weights = {};                ///< 1 for those left out
  std::vector<ResourceWeight> resource_weights = {};  ///< 1 for those left out
  std::optional<Quantity> at_most = {};               ///< how often the request a limit may be; ≥ 1
  Recalculate recalculate = Recalculate::always;
  Execution execution = {};
};

/// The class by which Kubernetes ranks pods when memory runs out.
enum class QualityOfService { guaranteed, burstable, best_effort };

/// `Guaranteed`, `Burstable`, `BestEffort`.
std::string_view quality_name(QualityOfService quality);

/// A workload with its limits.
struct WorkloadLimits {
  double weight = 1;
  std::vector<double> share;               ///< of one pod, in units, before rounding, ≥ its request; [r]
  std::vector<std::vector<Units>> limits;  ///< of its containers, [c][r]
  /// Of a template in a cluster: the node that leaves it no more than its requests, [r]; empty where none
  /// does.
  std::vector<std::string> full_node = {};
};

/// Pods that would be evicted if every pod used all that its present limits allow.
struct Eviction {
  std::size_t workload;
  std::int64_t pods;     ///< how many of its pods
  std::string resource;  ///< that runs out
  Units above;           ///< how far one of them would be above its request
  QualityOfService quality;
};

/// Fair limits of the pods of one node. W workloads, m resources.
struct Limits {
  std::string mechanism;  ///< as it was asked for
  Status status = Status::exact;
  Certificate certificate;
  bool recalculated = true;               ///< or else these are the present limits
  std::vector<WorkloadLimits> workloads;  ///< [w]
  std::vector<Units> requested;           ///< by all pods together, [r]
  std::vector<std::optional<Units>>
      limited_before;               ///< the present limits together; none where one is missing
  std::vector<Units> limited;       ///< the new ones, ≤ what the node has, [r]
  std::vector<Eviction> evictions;  ///< in the order in which they would come
  std::vector<std::string> notices;
};

/// Divides what the node has among the pods, by any mechanism, with no pod below its request; splits each
/// pod's part over its containers, in proportion to their requests where all run together, and rounds limits
/// down to whole thousandths of a CPU and to bytes, or to the unit in which the request is written.
///
/// Resource weights (the thesis, (4.75)): a pod's share is its largest part of any resource divided by that
/// resource's weight f_r. Only for mechanisms that compare dominant shares.
///
/// Errors: the requests exceed what the node has (by how much, and who asks for most); a weight of an unknown
/// pod or resource; what the mechanism cannot honour. Source: Hamzeh, thesis, section 4.5. Cost: some runs of
/// the mechanism on as many users as there are pods.
Result<Limits> fair_limits(const Pods& pods, const Allocatable& node, const LimitOptions& options);

/// A node, and how many pods of each workload run there.
struct NodePods {
  Allocatable node;
  std::vector<std::pair<std::size_t, std::int64_t>> pods;  ///< workload and count, ascending
};

/// Fair limits of the templates of a cluster.
struct ClusterLimits {
  Pods templates;         ///< a workload for each, with the number of its pods; containers as of one of them
  Allocatable all;        ///< what the nodes have together, without a name
  std::size_t nodes = 0;  ///< on which pods run
  Limits limits;          ///< of the templates
  std::vector<NodePods> on_nodes;  ///< those with pods, in their order
};

/// One limit for each template (Deployment, StatefulSet, DaemonSet, Job, CronJob, a pod on its own): the
/// least that fair_limits() gives any of its pods on any node. So on every node all limits together are at
/// most what it has. Pods of a template with other requests, as during an update, are a template of their
/// own.
///
/// Requires pods that were read with `only_pods`. Errors: as of fair_limits(), with the node; no pod on any
/// of the nodes; Recalculate::when_exceeded, which is not for clusters. Cost: one fair_limits() a node.
Result<ClusterLimits> fair_limits_of_cluster(const Pods& pods, const std::vector<Allocatable>& nodes,
                                             const LimitOptions& options);

/// Leaves out the workloads of other namespaces, and who of them would be evicted. Their limits were
/// computed with all, and the sums stay those of all, so that the neighbours on a node are counted. A pod
/// whose namespace is not written is in `default`. Error: no workload is in this namespace.
Check keep_namespace(const std::string& space, Pods& pods, Limits& limits);

/// The same of the templates of a cluster, and of its nodes: those stay on which one of them runs.
Check keep_namespace(const std::string& space, ClusterLimits& cluster);

}  // namespace mirab::kubernetes
