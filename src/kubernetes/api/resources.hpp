#pragma once

#include <string_view>

namespace mirab::kubernetes {

/// A collection of objects of the API server.
struct Resource {
  std::string_view kind;                 ///< of its objects: `Pod`; the items of a list do not say it
  std::string_view plural;               ///< as permissions call it: `pods`
  std::string_view path;                 ///< of all namespaces: `/api/v1/pods`
  std::string_view field_selector = {};  ///< which of them are asked for; empty: all
};

/// Without those that have come to their end: a pod that finishes is deleted from this collection, and its
/// last phase is inside the event.
inline constexpr Resource kPods{.kind = "Pod",
                                .plural = "pods",
                                .path = "/api/v1/pods",
                                .field_selector = "status.phase!=Succeeded,status.phase!=Failed"};
inline constexpr Resource kNodes{.kind = "Node", .plural = "nodes", .path = "/api/v1/nodes"};
inline constexpr Resource kNamespaces{
    .kind = "Namespace", .plural = "namespaces", .path = "/api/v1/namespaces"};

/// policy/v1 is there from 1.21 on, policy/v1beta1 until 1.24.
inline constexpr Resource kBudgets{.kind = "PodDisruptionBudget",
                                   .plural = "poddisruptionbudgets",
                                   .path = "/apis/policy/v1/poddisruptionbudgets"};
inline constexpr Resource kOldBudgets{.kind = "PodDisruptionBudget",
                                      .plural = "poddisruptionbudgets",
                                      .path = "/apis/policy/v1beta1/poddisruptionbudgets"};

}  // namespace mirab::kubernetes
