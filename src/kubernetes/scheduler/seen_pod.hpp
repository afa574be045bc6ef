#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kubernetes/objects.hpp"
#include "kubernetes/placement_rules.hpp"
#include "kubernetes/pod_requests.hpp"
#include "kubernetes/scheduler/anti_affinity.hpp"
#include "model/wall.hpp"

namespace mirab::kubernetes {

/// The resource of which every pod takes one.
inline constexpr const char* kPodsResource = "pods";

/// Pods of this priority or more are critical for the cluster: they come before all others.
inline constexpr std::int64_t kSystemCritical = 2'000'000'000;

/// What the scheduler reads of a pod, whatever else the API server has of it.
struct SeenPod {
  std::string uid = {};
  std::string space = {};  ///< its namespace
  std::string name = {};
  bool has_generated_name = false;  ///< with five random characters, by the API server
  std::string scheduler = {};       ///< spec.schedulerName
  std::string node = {};            ///< spec.nodeName; empty: not bound
  std::int64_t priority = 0;
  Wall created = {};
  bool is_done = false;    ///< Succeeded or Failed
  bool is_ending = false;  ///< somebody deleted it; it still takes its room
  bool is_gated = false;   ///< a scheduling gate is left
  Amounts requests = {};   ///< with one of `pods`
  PlacementRule rule = {};
  NodeLabels labels = {};
  std::vector<AntiAffinity> repels = {};  ///< its required anti-affinities
  std::string unsupported = {};           ///< the field that Mirab cannot honour; empty: none
  std::string fault = {};                 ///< what is wrong with a value of that field; empty: nothing
  int preferences = 0;                    ///< that are not honoured
  std::string gang = {};                  ///< pods of one gang in a namespace start together; empty: alone
  std::int64_t gang_size = 0;             ///< how many those are
  bool has_controller = false;            ///< something makes a new pod when it ends
  bool never_preempts = false;            ///< preemptionPolicy: Never
  std::chrono::seconds grace{30};         ///< between its deletion and its end, at most
  std::string unscheduled_since = {};     ///< when its condition PodScheduled became False; empty: it is not

  std::string label() const { return space + "/" + name; }
};

/// Reads a pod of the API server. What the API server would not have let through, such as an amount that is
/// none, is the `fault` of a field. Errors: no uid, no name.
Result<SeenPod> read_seen_pod(const Object& pod);

/// Did the kubelet refuse a pod that was bound to its node, as its status says?
bool is_rejected(const Object& pod);

}  // namespace mirab::kubernetes
