#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include <mirab/kubernetes/limits.hpp>

namespace mirab::report {

/// The limits of some pods on one node, or of the templates of a cluster.
struct PodLimits {
  std::string title;  ///< the file as the user named it
  const kubernetes::Pods& pods;
  const kubernetes::Allocatable& node;
  const kubernetes::Limits& limits;
  std::string space = {};  ///< only the pods of this namespace; the sums are those of all
  std::size_t nodes = 1;   ///< of a cluster: on how many the pods run; `node` is all of them together
  std::vector<kubernetes::NodePods> on_nodes = {};  ///< of a cluster: these
};

/// What a person reads: request, old and new limit of every container, the sums, and what to know. Where that
/// is wider than `width`, a table for each resource; names are shortened where even these are wider.
std::string limits_table(const PodLimits& limits, std::size_t width);

/// docs/schema/limits.schema.json.
nlohmann::ordered_json limits_json(const PodLimits& limits);

/// One record a container and resource: pod, pods, container, resource, request, old_limit, new_limit; CPUs
/// and bytes as plain numbers, an old limit that there is not is empty.
std::string limits_csv(const PodLimits& limits);

}  // namespace mirab::report
