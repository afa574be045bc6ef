#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <mirab/kubernetes/amounts.hpp>
#include <mirab/model/cluster_file.hpp>
#include <mirab/model/result.hpp>

namespace mirab::kubernetes {

/// What a container asks for of one resource.
struct Need {
  Units request = 0;  ///< > 0; where none is written its limit, or what was given for such containers
  std::optional<Units> limit = {};  ///< the present one
  Units step = 1;                   ///< a limit is written in multiples of it
  bool request_written = true;      ///< is the request in the manifest?
  Units known_request = 0;          ///< as Kubernetes has it, see Known
};

/// CPUs or memory of a container as Kubernetes has them; 0 is none.
struct Known {
  Units request = 0;  ///< the limit where no request is written
  Units limit = 0;
};

/// When a container runs.
enum class Role {
  init,     ///< before the others, alone but for the sidecars that began before it
  sidecar,  ///< an init container that never stops: from then on, next to all others
  main
};

struct Container {
  std::string name;
  Role role = Role::main;
  std::vector<Need> needs;           ///< [r]
  Known cpu = {};                    ///< whether it is shared or not
  Known memory = {};                 ///< the same
  bool restarts_for_memory = false;  ///< its resizePolicy when memory is resized
  std::string pointer;  ///< its place in the document, a JSON pointer: `/items/0/spec/containers/1`
};

/// A pod, or the template of several equal ones.
struct Workload {
  std::string name;                           ///< as it is shown: `frontend`, `deployment/web`; unique
  std::string kind;                           ///< `Pod`, `Deployment`
  std::string object;                         ///< metadata.name
  std::string space;                          ///< metadata.namespace; empty when it is not written
  std::int64_t pods = 1;                      ///< ≥ 1
  std::string node = {};                      ///< on which the pod runs; empty where that is not known
  std::string owner_kind = {};                ///< of what runs a pod: `Deployment`; `Pod` of a pod on its own
  std::string owner = {};                     ///< its name, without hash and time
  std::map<std::string, Units> devices = {};  ///< what it requests of resources by vendor: nvidia.com/gpu
  std::int64_t priority = 0;
  bool is_static = false;             ///< run by the kubelet from a file on its node, a mirror in the API
  bool is_windows = false;            ///< by spec.os.name
  std::vector<Units> overhead;        ///< what the pod takes in addition to its containers, [r]
  std::vector<Container> containers;  ///< init containers and sidecars first, each in their order
  std::size_t document = 0;           ///< of the text, from 0
  int line = 0;
};

/// The pods of a text.
struct Pods {
  std::vector<std::string> resources;  ///< those that are shared, the order of all [r]
  std::vector<Workload> workloads;
  std::vector<std::string> notices;  ///< what was left out, and why
};

/// What to read of a text.
struct PodReading {
  std::vector<std::string> resources;   ///< every container must ask for each of them
  std::vector<Amount> default_request;  ///< for containers that write neither request nor limit, or 0
  std::string node;                     ///< leave out pods on other nodes than this; empty: none
  bool only_pods = false;               ///< leave out templates: what runs is known from its pods
};

/// Reads pods as people have them: `kubectl get pods -o yaml` or `-o json`, and manifests with several
/// documents, of Pods, Deployments, StatefulSets, DaemonSets, ReplicaSets, ReplicationControllers, Jobs and
/// CronJobs; other kinds are passed over. A template counts as one pod for each replica; a Job
/// as the pods that it runs in parallel, at most those left to complete, and none while it is suspended.
/// Pods and Jobs that are done, and those whose owner is in the text too, are left out.
///
/// Errors name file, line and key: a container without a request, a limit below the request, no pod at all.
Result<Pods> read_pods(std::string_view text, Syntax syntax, const std::string& file,
                       const PodReading& reading);

/// What a pod takes when each of its containers takes `each`, as Kubernetes counts it: all that run together,
/// or what the largest step of its start needs, and the overhead of resource r.
Units taken_by_pod(const Workload& workload, std::size_t r, std::span<const Units> each);

/// taken_by_pod() of the requests.
Units request_of_pod(const Workload& workload, std::size_t r);

/// The same of the present limits; nothing when a container has none.
std::optional<Units> limit_of_pod(const Workload& workload, std::size_t r);

}  // namespace mirab::kubernetes
