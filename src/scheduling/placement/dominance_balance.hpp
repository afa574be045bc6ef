#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <unordered_set>
#include <vector>

#include "scheduling/placement/placements.hpp"

namespace mirab::scheduling {

/// Where MRFS places tasks: it keeps on every server the tasks that different resources dominate equal in
/// number.
class DominanceBalance {
 public:
  /// The server for a task; none when no server has room. O(servers m).
  std::optional<ServerIndex> find(const Search& search) const;

  void task_started(const ServerPool& server_pool, TaskIndex task, ServerIndex server,
                    std::span<const std::int64_t> demand);
  void task_ended(const ServerPool& server_pool, TaskIndex task, ServerIndex server,
                  std::span<const std::int64_t> demand);

  /// Nothing runs there: so its next owner begins.
  void server_emptied(ServerIndex server);

  /// The tasks that do not count in Ψ, in order. O(tasks).
  std::vector<TaskIndex> not_counted() const;

  /// A task that runs there counts in Ψ, or does not.
  void count(const ServerPool& server_pool, ServerIndex server, std::span<const std::int64_t> demand);
  void leave_out(TaskIndex task) { not_counted_.insert(task); }
  bool counts(TaskIndex task) const { return !not_counted_.contains(task); }

 private:
  struct OfServer {
    std::vector<std::int64_t> tasks;  // Ψ_k, [m]
    std::vector<std::int64_t> units;  // dominant demand of those tasks, [m]
  };
  const OfServer* of(ServerIndex server) const;
  static bool is_behind(const OfServer* there, std::size_t dominant);

  IndexedVector<ServerIndex, OfServer> servers_;  // shorter when the last ones have nothing
  std::unordered_set<TaskIndex> not_counted_;     // tasks that were placed where their resource led
};

}  // namespace mirab::scheduling
