#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <mirab/model/quantity.hpp>
#include <mirab/model/result.hpp>

/// The two lists of the openb trace: what the nodes have, and what the pods ask for.
namespace mirab::traces::openb {

/// cpu, memory (bytes), gpu.
using Amounts = std::array<Quantity, 3>;

/// Nodes that nobody can tell apart.
struct NodeKind {
  std::string model;  ///< of its GPUs; empty where the list names none
  Amounts capacity;

  friend auto operator<=>(const NodeKind&, const NodeKind&) = default;
};

/// Pods that nobody can tell apart.
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

}  // namespace mirab::traces::openb
