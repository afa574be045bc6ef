// A fair-sharing problem from a GPU cluster: the node and pod lists `openb` of Alibaba's trace of 2023.
//
// Source of the data: Q. Weng et al., "Beware of Fragmentation: Scheduling GPU-Sharing Workloads with
// Fragmentation Gradient Descent", USENIX ATC 2023.
//
// The trace names no users. A user here is a kind of pod: all pods with the same qos, gpu_spec and request.
// So every user's demand is what its pods ask for, and no average of requests that nobody made.
//
// Known limits: a node's GPUs are one amount, so that parts of two GPUs may serve one pod; all pods of the
// trace want to run at once, whenever they were created and however they ended.
#include <algorithm>
#include <fmt/format.h>
#include <string_view>

#include <mirab/traces/openb.hpp>

#include "traces/openb_lists.hpp"
#include "traces/openb_servers.hpp"

namespace mirab::traces {

namespace {

using openb::accepts;
using openb::Amounts;
using openb::PodGroup;
using openb::servers_of;
using openb::user_of;

/// Pods that became users' tasks, and those that did not.
struct Users {
  std::vector<User> users;
  std::uint64_t pods = 0;
  std::uint64_t without_request = 0;
  std::uint64_t fitting_nowhere = 0;
};

Users users_of(const std::vector<PodGroup>& groups, const std::vector<Server>& servers) {
  Users result;
  for (const PodGroup& group : groups) {
    const auto accepted = [&](const Server& server) { return accepts(group.kind, server); };
    if (group.kind.request == Amounts{}) {
      result.without_request += group.pods;
    } else if (std::none_of(servers.begin(), servers.end(), accepted)) {
      result.fitting_nowhere += group.pods;
    } else {
      result.users.push_back(user_of(group));
      result.pods += group.pods;
    }
  }
  return result;
}

std::vector<std::string> provenance(const OpenbImport& import) {
  const auto is_confined = [](const User& user) { return !user.select.empty(); };
  const auto confined = std::count_if(import.cluster.users.begin(), import.cluster.users.end(), is_confined);
  return {
      "From the node and pod lists `openb` of cluster-trace-gpu-v2023, published by Alibaba for study and "
      "research",
      "(https://github.com/alibaba/clusterdata). Cite: Q. Weng, L. Yang, Y. Yu, W. Wang, X. Tang, G. Yang "
      "and "
      "L. Zhang,",
      "Beware of Fragmentation: Scheduling GPU-Sharing Workloads with Fragmentation Gradient Descent, USENIX "
      "ATC 2023.",
      "Changed: equal nodes and equal pods are put together, and stand in another form.",
      fmt::format("Servers: {} nodes, an entry for each GPU model and capacity; memory in bytes.",
                  import.nodes),
      fmt::format(
          "Users: the trace names none. Each of these {} is the pods of one qos, gpu_spec and request, "
          "{} in all;",
          import.cluster.users.size(), import.pods),
      fmt::format("it has as many tasks as there are such pods. {} of the users name GPU models (gpu_spec).",
                  confined),
  };
}

void note_left_out(std::vector<std::string>& notices, std::string_view what, std::uint64_t count) {
  if (count > 0) notices.push_back(fmt::format("left out, {}: {}", what, count));
}

}  // namespace

Result<OpenbImport> import_openb(const std::string& node_list, const std::string& pod_list) {
  const auto nodes = openb::read_nodes(node_list);
  if (!nodes) return nodes.error();
  const auto groups = openb::read_pods(pod_list);
  if (!groups) return groups.error();

  OpenbImport import;
  import.cluster.resources = {"cpu", "memory", "gpu"};
  import.cluster.servers = servers_of(*nodes);
  if (import.cluster.servers.empty()) {
    return Error{.message = "no node has a capacity", .file = node_list};
  }
  for (const Server& server : import.cluster.servers)
    import.nodes += static_cast<std::uint64_t>(server.count);
  std::uint64_t listed = 0;
  for (const auto& [kind, count] : *nodes) listed += count;

  Users users = users_of(*groups, import.cluster.servers);
  if (users.users.empty()) {
    return Error{.message = "no pod asks for something that a node has", .file = pod_list};
  }
  import.cluster.users = std::move(users.users);
  import.pods = users.pods;

  import.provenance = provenance(import);
  note_left_out(import.notices, "nodes without a capacity", listed - import.nodes);
  note_left_out(import.notices, "pods that request nothing", users.without_request);
  note_left_out(import.notices, "pods that fit on no node of a model that they accept",
                users.fitting_nowhere);
  return import;
}

}  // namespace mirab::traces
