// Jobs over time from the node and pod lists `openb` of Alibaba's trace of 2023 (source: traces/openb.cpp).
//
// Not kept: phases, and that a pod which failed was perhaps submitted again. Known limit: a node's GPUs are
// one amount, so that parts of two GPUs may serve one pod. Cost: O(pods + kinds · entries).
#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <map>

#include <mirab/traces/openb.hpp>

#include "traces/lifetimes.hpp"
#include "traces/openb_lists.hpp"
#include "traces/openb_servers.hpp"
#include "traces/submitters.hpp"

namespace mirab::traces {

namespace {

using openb::Amounts;
using openb::Pod;
using openb::PodKind;
using std::chrono::seconds;

std::uint64_t last_time(const std::vector<Pod>& pods) {
  std::uint64_t last = 0;
  for (const Pod& pod : pods) {
    last = std::max({last, pod.created, pod.scheduled.value_or(0), pod.deleted.value_or(0)});
  }
  return last;
}

bool outlives(const Pod& pod, std::uint64_t end) { return !pod.deleted || *pod.deleted == end; }

/// How long it was seen to run. Requires a pod that was scheduled.
Duration seen(const Pod& pod, std::uint64_t end) {
  return seconds(pod.deleted.value_or(end) - *pod.scheduled);
}

Lifetimes lifetimes_of(const std::vector<Pod>& pods, std::uint64_t end) {
  Lifetimes lifetimes;
  for (const Pod& pod : pods) {
    if (!pod.scheduled) continue;
    if (outlives(pod, end)) {
      lifetimes.outlived(seen(pod, end));
    } else {
      lifetimes.ended(seen(pod, end));
    }
  }
  lifetimes.learn();
  return lifetimes;
}

/// Pods that became jobs, and those that did not.
struct Tally {
  std::uint64_t cut = 0, withdrawn = 0, without_request = 0, fitting_nowhere = 0, instant = 0;
};

/// The users that kinds of pods are, and what each asks for.
class Kinds {
 public:
  Kinds(const std::vector<Server>& servers, Workload& workload) : servers_(servers), workload_(workload) {}

  /// The number of the user and its request; none when the kind fits nowhere.
  std::optional<std::uint32_t> number(const PodKind& kind) {
    const auto [place, is_new] = numbers_.try_emplace(kind);
    if (!is_new || !fits(kind)) return place->second;
    place->second = static_cast<std::uint32_t>(workload_.users.size());
    User user = openb::user_of({kind, 1});
    workload_.users.push_back({.name = std::move(user.name)});
    workload_.requests.push_back({.demand = std::move(user.demand), .select = std::move(user.select)});
    return place->second;
  }

 private:
  bool fits(const PodKind& kind) const {
    return std::any_of(servers_.begin(), servers_.end(),
                       [&](const Server& server) { return openb::accepts(kind, server); });
  }

  const std::vector<Server>& servers_;
  Workload& workload_;
  std::map<PodKind, std::optional<std::uint32_t>> numbers_;
};

Duration runtime_of(const Pod& pod, std::uint64_t end, const Lifetimes& lifetimes, Random& random) {
  if (!pod.scheduled) return lifetimes.draw(Duration::zero(), random);
  if (outlives(pod, end)) return lifetimes.draw(seen(pod, end), random);
  return std::max<Duration>(seen(pod, end), seconds(1));
}

Tally add_jobs(const std::vector<Pod>& pods, const std::vector<Server>& servers, Random& random,
               Workload& workload) {
  const std::uint64_t end = last_time(pods);
  const Lifetimes lifetimes = lifetimes_of(pods, end);
  Kinds kinds(servers, workload);
  Tally tally;
  for (const Pod& pod : pods) {
    if (!pod.scheduled && pod.deleted) {
      ++tally.withdrawn;
    } else if (pod.kind.request == Amounts{}) {
      ++tally.without_request;
    } else if (const auto number = kinds.number(pod.kind); !number) {
      ++tally.fitting_nowhere;
    } else {
      const bool is_cut = !pod.scheduled || outlives(pod, end);
      if (is_cut) ++tally.cut;
      if (!is_cut && pod.deleted == pod.scheduled) ++tally.instant;
      workload.jobs.push_back({.name = pod.name,
                               .submitted = seconds(pod.created),
                               .user = *number,
                               .request = *number,
                               .runtime = runtime_of(pod, end, lifetimes, random),
                               .known = is_cut ? Runtime::cut : Runtime::measured});
    }
  }
  workload.span = seconds(end);
  return tally;
}

std::vector<std::string> provenance(const Workload& workload, std::int64_t nodes, const Tally& tally,
                                    std::uint64_t seed) {
  return {
      "From the node and pod lists `openb` of cluster-trace-gpu-v2023, published by Alibaba for study and "
      "research",
      "(https://github.com/alibaba/clusterdata). Cite: Q. Weng, L. Yang, Y. Yu, W. Wang, X. Tang, G. Yang "
      "and L. Zhang,",
      "Beware of Fragmentation: Scheduling GPU-Sharing Workloads with Fragmentation Gradient Descent, USENIX "
      "ATC 2023.",
      "Changed: equal nodes are put together, and all stands in another form.",
      fmt::format("Servers: {} nodes, an entry for each GPU model and capacity; memory in bytes.", nodes),
      fmt::format("Jobs: {} pods. Users: the trace names none; each of these {} is the pods of one qos, "
                  "gpu_spec and request.",
                  workload.jobs.size(), workload.users.size()),
      fmt::format("Runtimes are measured, but of {} pods that outlive the trace: drawn from those that are "
                  "longer than what was seen.",
                  tally.cut),
      fmt::format("Seed: {}.", seed),
  };
}

}  // namespace

Result<WorkloadImport> import_openb_workload(const std::string& node_list, const std::string& pod_list,
                                             Random& random) {
  const auto nodes = openb::read_nodes(node_list);
  if (!nodes) return nodes.error();
  const auto pods = openb::read_pod_times(pod_list);
  if (!pods) return pods.error();
  if (!lifetimes_of(*pods, last_time(*pods)).known()) {
    return Error{.message = "no pod is scheduled and deleted: nothing tells how long pods run",
                 .file = pod_list};
  }
  WorkloadImport import;
  import.cluster.resources = import.workload.resources = {"cpu", "memory", "gpu"};
  import.cluster.servers = openb::servers_of(*nodes);
  const Tally tally = add_jobs(*pods, import.cluster.servers, random, import.workload);
  if (import.workload.jobs.empty()) {
    return Error{.message = "no pod asks for something that a node has", .file = pod_list};
  }
  import.cluster.users = users_of(import.workload);

  std::int64_t count = 0;
  for (const Server& server : import.cluster.servers) count += server.count;
  import.provenance = provenance(import.workload, count, tally, random.seed());
  note(import.notices, "left out, pods that were deleted before they were scheduled", tally.withdrawn);
  note(import.notices, "left out, pods that request nothing", tally.without_request);
  note(import.notices, "left out, pods that fit on no node of a model that they accept",
       tally.fitting_nowhere);
  note(import.notices, "taken for 1 s, runtimes of 0 s", tally.instant);
  return import;
}

}  // namespace mirab::traces
