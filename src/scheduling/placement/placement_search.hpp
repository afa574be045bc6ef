#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "scheduling/ledger/ledger.hpp"
#include "scheduling/placement/dominance_balance.hpp"
#include "scheduling/placement/placements.hpp"

namespace mirab::scheduling {

/// Where a task goes: the search of the placement, or of a discipline that places, and what it remembers of
/// the tasks that were placed.
class PlacementSearch {
 public:
  /// Requires the ledger to outlive it. `balances`: by DominanceBalance, whatever the placement.
  PlacementSearch(const Ledger& ledger, const PlacementChoice& choice, bool balances);
  /// A copy that looks at another ledger, which has the same rows.
  PlacementSearch(const PlacementSearch& other, const Ledger& ledger)
      : ledger_(ledger), choice_(other.choice_), balance_(other.balance_), last_used_(other.last_used_) {}

  /// A server with room for one of these ways to run a task; none when there is none.
  std::optional<ServerIndex> find(std::span<const SearchAlternative> alternatives, Random& random) {
    if (choice_.needs_mix) write_mix(mix_);
    return find(search_of(alternatives, mix_, random));
  }

  /// The same, of a search whose mix is already there.
  std::optional<ServerIndex> find(const Search& search) const {
    return balance_ ? balance_->find(search) : choice_.find(search);
  }
  Search search_of(std::span<const SearchAlternative> alternatives, std::span<const Wanted> mix,
                   Random& random) const {
    return {.server_pool = ledger_.server_pool,
            .search_alternatives = alternatives,
            .last_used = last_used_,
            .random = random,
            .mix = mix};
  }

  /// What is wanted at present, if the placement asks for it: the task classes with most running tasks and
  /// waiting queues together. O(queues).
  void write_mix(std::vector<Wanted>& mix) const;

  /// What the placement compares servers by; nullptr when it compares nothing.
  Measure measure() const { return balance_ ? nullptr : choice_.measure; }
  std::string_view measured() const { return choice_.measured; }

  /// The task has started, and was the latest.
  void task_started(TaskIndex task) {
    last_used_ = ledger_.tasks[task].server;
    if (balance_) balance_->task_started(ledger_.server_pool, task, last_used_, demand_of(task));
  }
  /// Requires that the ledger still has it.
  void task_ends(TaskIndex task) {
    if (balance_)
      balance_->task_ended(ledger_.server_pool, task, ledger_.tasks[task].server, demand_of(task));
  }
  void server_removed(ServerIndex server);

  /// Which resource dominates a task on a server depends on its capacity: to be called before and after that
  /// changes. O(tasks there).
  void capacity_changes(ServerIndex server);
  void capacity_changed(ServerIndex server);

  ServerIndex last_used() const { return last_used_; }
  void set_last_used(ServerIndex server) { last_used_ = server; }
  const std::optional<DominanceBalance>& balance() const { return balance_; }

  /// The tasks that do not count in the balance, as DominanceBalance::not_counted() gave them; all others
  /// that run do. Requires a discipline that places, and that nothing counts yet.
  void set_not_counted(std::span<const TaskIndex> tasks);

 private:
  std::span<const std::int64_t> demand_of(TaskIndex task) const;

  const Ledger& ledger_;
  PlacementChoice choice_;
  std::optional<DominanceBalance> balance_;  // of a discipline that places
  ServerIndex last_used_ = kFirstServer;     // the server of the latest task
  std::vector<Wanted> mix_;                  // of the latest search
};

}  // namespace mirab::scheduling
