#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <mirab/overlay/effects.hpp>

#include "simulation/overlay/roster.hpp"

namespace mirab::simulation {

/// What runs where, for what a run tells: shares, and room as if nothing were held. It believes every fact
/// and finds no fault. Whether promises are kept is the matter of other books (books.hpp), which also know
/// what is held and what users believe; they are two so that neither inherits a mistake of the other. They
/// agree on what runs, but for a task that lost its lease: to them it has ended, and here it runs until its
/// server says so or, when that is down, its user gives it up. Nobody in the overlay knows all this.
class Ledger {
 public:
  explicit Ledger(const Roster& roster);

  /// Started, Stopped and Lost; other facts change nothing. O(1); O(tasks of the server) to stop one, O(all
  /// tasks) to lose one.
  void on_fact(overlay::NodeId node, const overlay::Fact& fact);
  /// All that ran there is over. The users it took tasks from, one for each task; valid until the next call.
  std::span<const overlay::TaskId> on_death(overlay::NodeId server);

  std::uint64_t running(overlay::NodeId n) const { return running_[n]; }
  /// G_i = running · max_r D_ir / C_r. [N]
  std::vector<double> shares() const;
  double least_share() const;
  /// Capacity − running. [m]
  std::span<const std::int64_t> free(overlay::NodeId server) const;
  /// max_r of the part of the server's capacity in use.
  double used_part(overlay::NodeId server) const;
  /// Part of the cluster in use. [m]
  std::vector<double> used() const;

 private:
  bool stop(overlay::NodeId server, const overlay::TaskId& task);
  void change(overlay::NodeId server, const overlay::TaskId& task, std::int64_t tasks);

  const Roster& roster_;
  std::vector<std::uint64_t> running_;               // [N]
  std::vector<std::int64_t> free_;                   // [K × m]
  std::vector<std::vector<overlay::TaskId>> tasks_;  // that run there. [K]
  std::vector<overlay::TaskId> dead_;                // of the server that died last
};

}  // namespace mirab::simulation
