#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include <mirab/model/result.hpp>

namespace mirab::kubernetes {

/// Something that the scheduler does on the API server, as its rules of access (RBAC) call it.
struct Permission {
  std::string_view verb;
  std::string_view group;  ///< empty: core
  std::string_view resource;
  std::string_view subresource = {};
  bool is_writing = false;  ///< not needed by a dry run
  enum class For { all, label_teams, preemption };
  For use = For::all;

  /// `create pods/binding`, `update leases.coordination.k8s.io`.
  std::string words() const;
};

/// What of it only some options ask for.
struct Uses {
  bool label_teams = false;  ///< a label of a namespace names its team
  bool preemption = false;   ///< pods may end for others
};

/// All of them, but for those of the Lease, which are of one namespace.
inline constexpr std::array kPermissions = {
    Permission{"list", "", "nodes"},
    Permission{"watch", "", "nodes"},
    Permission{"list", "", "pods"},
    Permission{"watch", "", "pods"},
    Permission{"get", "", "pods"},
    Permission{"create", "", "pods", "binding", true},
    Permission{"patch", "", "pods", "status", true},
    Permission{"create", "events.k8s.io", "events", "", true},
    Permission{"list", "", "namespaces", "", false, Permission::For::label_teams},
    Permission{"watch", "", "namespaces", "", false, Permission::For::label_teams},
    Permission{"list", "policy", "poddisruptionbudgets", "", false, Permission::For::preemption},
    Permission{"watch", "policy", "poddisruptionbudgets", "", false, Permission::For::preemption},
    Permission{"create", "", "pods", "eviction", true, Permission::For::preemption},
};
/// Those that these options ask for.
std::vector<Permission> permissions(const Uses& uses);

inline constexpr std::array kLeasePermissions = {
    Permission{"get", "coordination.k8s.io", "leases", "", true},
    Permission{"create", "coordination.k8s.io", "leases", "", true},
    Permission{"update", "coordination.k8s.io", "leases", "", true},
};

/// The body of a SelfSubjectAccessReview that asks for it: in one namespace, or empty: in all; of the object
/// of one name, or empty: of any.
std::string access_review(const Permission& permission, std::string_view space, std::string_view name = {});

/// Does the answer to that say that it is allowed?
bool is_allowed(std::string_view answer);

/// What `mirab kube manifest` prints: a service account, its rules, a deployment of two replicas, and a class
/// of requests of its own (FlowSchema), in YAML.
struct ManifestOptions {
  std::string space = "mirab-system";
  std::string image = "mirab:latest";  ///< where the program comes from
  std::string scheduler = "mirab";     ///< pods that name it are to be placed
  std::string flow_schema = "v1";      ///< its version of flowcontrol.apiserver.k8s.io; `none`: leave it out
  std::string team_label = {};         ///< of namespaces; empty: none
  std::string teams_file = {};         ///< the text of a teams file; empty: none
  bool preempts = false;               ///< with what it needs to evict
};
std::string manifest(const ManifestOptions& options);

/// Errors, with the option as key: a name that Kubernetes does not take, or that is no one word.
Check check_manifest(const ManifestOptions& options);

}  // namespace mirab::kubernetes
