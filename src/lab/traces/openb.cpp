// The openb trace of Alibaba (2023): its node and pod lists, and the cluster and the workload that
// they become.
#include "lab/traces/openb.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <compare>
#include <cstdint>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <mirab/model/assert.hpp>
#include <mirab/model/problem.hpp>
#include <mirab/model/quantity.hpp>
#include <mirab/model/result.hpp>

#include "lab/traces/csv.hpp"
#include "lab/traces/lifetimes.hpp"
#include "lab/traces/workload_import.hpp"
#include "model/names.hpp"

/// The two lists of the openb trace: what the nodes have, and what the pods ask for.
namespace mirab::traces::openb {

/// cpu, memory (bytes), gpu.
using Amounts = std::array<Quantity, 3>;

/// Nodes that are alike.
struct NodeKind {
  std::string model;  ///< of its GPUs; empty where the list names none
  Amounts capacity;

  friend auto operator<=>(const NodeKind&, const NodeKind&) = default;
};

/// Pods that are alike.
struct PodKind {
  std::string qos;
  std::set<std::string> models;  ///< the GPU models that it accepts; empty: any, and none
  Amounts request;

  friend auto operator<=>(const PodKind&, const PodKind&) = default;
};

/// How many nodes there are of each kind.
using Nodes = std::map<NodeKind, std::uint64_t>;

/// Some pods of one kind.
struct PodGroup {
  PodKind kind;
  std::uint64_t pods = 0;
};

/// Errors: as of read_rows; a heading other than the trace's; an amount that is too large.
Result<Nodes> read_nodes(const std::string& path);

/// One group for each kind, in the order in which their first pods appear. Errors: as of read_nodes.
Result<std::vector<PodGroup>> read_pods(const std::string& path);

/// One pod, and when it was there. Times in seconds, as in the trace.
struct Pod {
  std::string name;
  PodKind kind;
  std::uint64_t created;
  std::optional<std::uint64_t> scheduled;
  std::optional<std::uint64_t> deleted;
};

/// In the order of creation. Errors: as of read_nodes; creations that go backwards, a time before the one
/// that precedes it, or of more than 68 years.
Result<std::vector<Pod>> read_pod_times(const std::string& path);

namespace {

namespace node {
constexpr Column name{0, "sn"};
constexpr Column cpu{1, "cpu_milli"};
constexpr Column memory{2, "memory_mib"};
constexpr Column gpus{3, "gpu"};
constexpr Column model{4, "model"};
constexpr std::array heading{name, cpu, memory, gpus, model};
}  // namespace node

namespace pod {
constexpr Column name{0, "name"};
constexpr Column cpu{1, "cpu_milli"};
constexpr Column memory{2, "memory_mib"};
constexpr Column gpus{3, "num_gpu"};
constexpr Column gpu_part{4, "gpu_milli"};
constexpr Column models{5, "gpu_spec"};
constexpr Column qos{6, "qos"};
constexpr Column created{8, "creation_time"};
constexpr Column deleted{9, "deletion_time"};
constexpr Column scheduled{10, "scheduled_time"};
constexpr std::array heading{name,    cpu,     memory,   gpus, gpu_part, models, qos, Column{7, "pod_phase"},
                             created, deleted, scheduled};
}  // namespace pod

Check check_heading(const Row& row, std::span<const Column> heading) {
  for (const Column& column : heading) {
    if (row.text(column) != column.name) return row.error(column, "stands where the heading should");
  }
  return std::nullopt;
}

/// The rows below the heading.
Check read_list(const std::string& path, const std::string& what, std::span<const Column> heading,
                const std::function<Check(const Row&)>& visit) {
  bool below_heading = false;
  const auto on_row = [&](const Row& row) {
    return std::exchange(below_heading, true) ? visit(row) : check_heading(row, heading);
  };
  std::vector<std::string_view> names;
  for (const Column& column : heading) names.push_back(column.name);
  return read_rows(path, {heading.size(), fmt::format("{} ({})", what, fmt::join(names, ","))}, on_row,
                   [](std::uint64_t) {});
}

/// A whole number of the suffix's units: `m` thousandths, `Mi` mebibytes.
Result<Quantity> amount(const Row& row, const Column& column, std::string_view suffix) {
  const auto number = row.whole(column);
  if (!number) return number.error();
  Result<Quantity> amount = Quantity::parse(fmt::format("{}{}", *number, suffix));
  if (!amount) return row.error(column, amount.error());
  return amount;
}

/// num_gpu · gpu_milli / 1000: a part of one GPU, or all of several.
Result<Quantity> requested_gpus(const Row& row) {
  const auto gpus = row.whole(pod::gpus);
  if (!gpus) return gpus.error();
  const auto part = row.whole(pod::gpu_part);
  if (!part) return part.error();
  if (*part != 0 && *gpus > UINT64_MAX / *part) return row.error(pod::gpus, "is too many GPUs");
  Result<Quantity> amount = Quantity::parse(fmt::format("{}m", *gpus * *part));
  if (!amount) return row.error(pod::gpus, amount.error());
  return amount;
}

/// A text of which names and labels are made; it may be empty.
Check check_text(const Row& row, const Column& column) {
  const std::string_view text = row.text(column);
  if (is_utf8(text) && !has_control(text)) return std::nullopt;
  return row.error(column, Error{.message = "must be UTF-8 text without control characters"});
}

/// The parts of `A|B`; none of an empty text.
std::set<std::string> alternatives(std::string_view text) {
  std::set<std::string> parts;
  while (!text.empty()) {
    const std::string_view part = text.substr(0, text.find('|'));
    text.remove_prefix(std::min(part.size() + 1, text.size()));
    if (!part.empty()) parts.emplace(part);
  }
  return parts;
}

Result<PodKind> pod_kind(const Row& row) {
  const auto cpu = amount(row, pod::cpu, "m");
  if (!cpu) return cpu.error();
  const auto memory = amount(row, pod::memory, "Mi");
  if (!memory) return memory.error();
  const auto gpus = requested_gpus(row);
  if (!gpus) return gpus.error();
  for (const Column& column : {pod::models, pod::qos}) {
    if (const Check wrong = check_text(row, column)) return *wrong;
  }
  return PodKind{
      std::string(row.text(pod::qos)), alternatives(row.text(pod::models)), {*cpu, *memory, *gpus}};
}

/// Seconds; no value for an empty field.
Result<std::optional<std::uint64_t>> time(const Row& row, const Column& column, std::uint64_t least) {
  constexpr std::uint64_t kMostSeconds = std::uint64_t{1} << 31;  // four such times fit into a Duration
  if (row.text(column).empty()) return std::optional<std::uint64_t>();
  const auto seconds = row.whole(column);
  if (!seconds) return seconds.error();
  if (*seconds < least)
    return row.error(column, fmt::format("is before {}, the time that precedes it", least));
  if (*seconds > kMostSeconds) return row.error(column, "is more than 68 years");
  return std::optional(*seconds);
}

Result<Pod> pod_times(const Row& row, std::uint64_t least) {
  Result<PodKind> kind = pod_kind(row);
  if (!kind) return kind.error();
  const auto created = time(row, pod::created, least);
  if (!created) return created.error();
  if (!*created) return row.error(pod::created, "is no time");
  if (const Check wrong = check_text(row, pod::name)) return *wrong;
  const auto scheduled = time(row, pod::scheduled, **created);
  if (!scheduled) return scheduled.error();
  const auto deleted = time(row, pod::deleted, scheduled->value_or(**created));
  if (!deleted) return deleted.error();
  return Pod{std::string(row.text(pod::name)), *std::move(kind), **created, *scheduled, *deleted};
}

}  // namespace

Result<Nodes> read_nodes(const std::string& path) {
  Nodes nodes;
  const auto on_node = [&](const Row& row) -> Check {
    const auto cpu = amount(row, node::cpu, "m");
    if (!cpu) return cpu.error();
    const auto memory = amount(row, node::memory, "Mi");
    if (!memory) return memory.error();
    const auto gpus = amount(row, node::gpus, "");
    if (!gpus) return gpus.error();
    if (Check wrong = check_text(row, node::model)) return wrong;
    ++nodes[{std::string(row.text(node::model)), {*cpu, *memory, *gpus}}];
    return std::nullopt;
  };
  if (Check failed = read_list(path, "a list of nodes", node::heading, on_node)) return *failed;
  return nodes;
}

Result<std::vector<PodGroup>> read_pods(const std::string& path) {
  std::vector<PodGroup> groups;
  std::map<PodKind, std::size_t> group_of;
  const auto on_pod = [&](const Row& row) -> Check {
    Result<PodKind> read = pod_kind(row);
    if (!read) return read.error();
    PodKind& kind = *read;
    const auto [place, is_new] = group_of.try_emplace(kind, groups.size());
    if (is_new) groups.push_back({std::move(kind), 0});
    ++groups[place->second].pods;
    return std::nullopt;
  };
  if (Check failed = read_list(path, "a list of pods", pod::heading, on_pod)) return *failed;
  return groups;
}

Result<std::vector<Pod>> read_pod_times(const std::string& path) {
  std::vector<Pod> pods;
  const auto on_pod = [&](const Row& row) -> Check {
    Result<Pod> read = pod_times(row, pods.empty() ? 0 : pods.back().created);
    if (!read) return read.error();
    pods.push_back(*std::move(read));
    return std::nullopt;
  };
  if (Check failed = read_list(path, "a list of pods", pod::heading, on_pod)) return *failed;
  return pods;
}

}  // namespace mirab::traces::openb

/// Nodes and pods of the openb trace as servers and users.
namespace mirab::traces::openb {

/// An entry for each GPU model and capacity, in that order: `G2-96-393216-8`. Nodes without a capacity are
/// left out.
std::vector<Server> servers_of(const Nodes& nodes);

/// May the pod run there, and is there room for one?
bool accepts(const PodKind& pod, const Server& server);

/// Pods of one kind as the tasks of one user: `LS-12-24576-1-P100+T4`.
User user_of(const PodGroup& group);

namespace {

constexpr std::size_t kMemory = 1;
constexpr std::size_t kGpu = 2;
constexpr std::string_view kModelLabel = "gpu-model";

ResourceVector vector_of(const Amounts& amounts) { return {amounts.begin(), amounts.end()}; }

/// `96-393216-8`: CPUs, memory in MiB, GPUs.
std::string written(const Amounts& amounts) {
  const auto& [cpu, memory, gpu] = amounts;
  const auto bytes = count_units(memory, 0, Rounding::down);
  MIRAB_ASSERT(bytes.has_value(), "memory was read in MiB");
  return fmt::format("{}-{}-{}", cpu.text(), *bytes >> 20, gpu.text());
}

std::string model_label(const NodeKind& kind) {
  if (!kind.model.empty()) return kind.model;
  return kind.capacity[kGpu].is_zero() ? "none" : "unknown";
}

/// A node without any of a resource that every pod needs could not run a pod.
bool is_usable(const NodeKind& kind) {
  return !kind.capacity[0].is_zero() || !kind.capacity[kMemory].is_zero() || !kind.capacity[kGpu].is_zero();
}

}  // namespace

std::vector<Server> servers_of(const Nodes& nodes) {
  std::map<std::pair<std::string, Amounts>, std::uint64_t> counts;  // a model may be called as its label is
  for (const auto& [kind, count] : nodes) {
    if (is_usable(kind)) counts[{model_label(kind), kind.capacity}] += count;
  }
  std::vector<Server> servers;
  for (const auto& [entry, count] : counts) {
    const auto& [model, capacity] = entry;
    servers.push_back({.name = fmt::format("{}-{}", model, written(capacity)),
                       .capacity = vector_of(capacity),
                       .count = static_cast<std::int64_t>(count),
                       .labels = {{std::string(kModelLabel), model}}});
  }
  return servers;
}

bool accepts(const PodKind& pod, const Server& server) {
  if (!pod.models.empty() && !pod.models.contains(server.labels.at(std::string(kModelLabel)))) return false;
  return std::equal(pod.request.begin(), pod.request.end(), server.capacity.begin(),
                    [](const Quantity& asked, const Quantity& there) { return asked <= there; });
}

User user_of(const PodGroup& group) {
  const PodKind& kind = group.kind;
  User user{.name = fmt::format("{}-{}", kind.qos, written(kind.request)),
            .demand = vector_of(kind.request),
            .tasks = Quantity(static_cast<std::int64_t>(group.pods))};
  if (!kind.models.empty()) {
    user.name += fmt::format("-{}", fmt::join(kind.models, "+"));
    user.select.emplace(kModelLabel, std::vector<std::string>(kind.models.begin(), kind.models.end()));
  }
  return user;
}

}  // namespace mirab::traces::openb

// A fair-sharing problem from a GPU cluster: the node and pod lists `openb` of Alibaba's trace of 2023.
//
// Source of the data: Q. Weng et al., "Beware of Fragmentation: Scheduling GPU-Sharing Workloads with
// Fragmentation Gradient Descent", USENIX ATC 2023.
//
// The trace names no users. A user here is a kind of pod: all pods with the same qos, gpu_spec and request.
// So every user's demand is what its pods ask for, and no average of requests that no pod made.
//
// Known limits: a node's GPUs are one amount, so that parts of two GPUs may serve one pod; all pods of the
// trace want to run at once, whenever they were created and however they ended.

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
  note(import.notices, "left out, nodes without a capacity", listed - import.nodes);
  note(import.notices, "left out, pods that request nothing", users.without_request);
  note(import.notices, "left out, pods that fit on no node of a model that they accept",
       users.fitting_nowhere);
  return import;
}

// Jobs over time from the node and pod lists `openb` of Alibaba's trace of 2023.
//
// Not kept: phases, and that a pod which failed was perhaps submitted again. Known limit: a node's GPUs are
// one amount, so that parts of two GPUs may serve one pod. Cost: O(pods + kinds · entries).

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
class UsersOfKinds {
 public:
  UsersOfKinds(const std::vector<Server>& servers, Workload& workload)
      : servers_(servers), workload_(workload) {}

  /// The number of the user and its request; none when the kind fits nowhere.
  std::optional<std::uint32_t> number(const PodKind& kind) {
    const auto [place, is_new] = numbers_.try_emplace(kind);
    if (!is_new || !fits(kind)) return place->second;
    place->second = static_cast<std::uint32_t>(workload_.users.size());
    User user = openb::user_of({kind, 1});
    workload_.users.push_back({.name = std::move(user.name)});
    Request& request = workload_.requests.emplace_back(Request{.demand = std::move(user.demand)});
    for (auto& [label, condition] : user.select) request.select.emplace(label, *std::move(condition.any_of));
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
  UsersOfKinds kinds(servers, workload);
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
