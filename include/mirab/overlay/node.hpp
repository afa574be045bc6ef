#pragma once

#include <compare>
#include <cstdint>
#include <limits>
#include <vector>

#include <mirab/model/time.hpp>

namespace mirab::overlay {

/// A participant by its address: a server, a user, the gateway, the bootstrap server or the central server.
/// Whoever runs them gives the addresses.
using NodeId = std::uint32_t;

/// What a node tells of a server: how old the news is, in shuffles, and its utility (Östman, eq. 4.2), −∞ for
/// a server without users.
struct Descriptor {
  NodeId node = 0;
  std::uint32_t age = 0;
  double utility = -std::numeric_limits<double>::infinity();

  friend bool operator==(const Descriptor&, const Descriptor&) = default;
};

/// Is a before b in the order of utility? A total order: of equal utilities the lower address comes first
/// (docs/overlay.md says why `<` alone would deadlock when all shares are 0).
inline bool ranks_before(const Descriptor& a, const Descriptor& b) {
  return a.utility != b.utility ? a.utility > b.utility : a.node < b.node;
}

/// A task: the number'th of its user, from 1 on.
struct TaskId {
  NodeId user = 0;
  std::uint64_t number = 0;

  friend auto operator<=>(const TaskId&, const TaskId&) = default;
};

/// What a task takes of a server, in whole units of each resource (scheduling's units). [m]
using Amounts = std::vector<std::int64_t>;

/// A task as it travels.
struct Task {
  TaskId id;
  Amounts demand;      ///< ≥ 0, one of them > 0
  Duration runtime{};  ///< how long it runs; zero: without end
  std::uint64_t running =
      0;  ///< tasks of the user that run when this one is submitted: G_i = running · max_r D_ir / C_r

  friend bool operator==(const Task&, const Task&) = default;
};

/// How a server that holds room for a task calls that: the host's start in nanoseconds and a count, so that
/// no host ever gives a name twice, not even after it lost its memory.
struct ProposalId {
  std::uint64_t incarnation = 0;  ///< the host's start, nanoseconds since the origin
  std::uint64_t number = 0;

  friend auto operator<=>(const ProposalId&, const ProposalId&) = default;
};

}  // namespace mirab::overlay
