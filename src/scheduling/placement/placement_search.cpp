// The search for a server, and what it remembers from one task to the next.
#include "scheduling/placement/placement_search.hpp"

#include <algorithm>

namespace mirab::scheduling {

PlacementSearch::PlacementSearch(const Ledger& ledger, const PlacementChoice& choice, bool balances)
    : ledger_(ledger), choice_(choice) {
  if (balances) balance_.emplace();
}

void PlacementSearch::write_mix(std::vector<Wanted>& mix) const {
  constexpr std::size_t kMaxWanted = 16;
  mix.clear();
  if (!choice_.needs_mix) return;
  IndexedVector<TaskClassIndex, std::int64_t> popularity(ledger_.task_classes.index_count());
  for (const QueueRow& queue : ledger_.queues) {
    if (queue.user != kNone)
      popularity[queue.task_class] += queue.running + (queue.first_job != kNone ? 1 : 0);
  }
  const Indices<TaskClassIndex> all = popularity.indices();
  std::vector<TaskClassIndex> task_classes(all.begin(), all.end());
  const auto last =
      task_classes.begin() + static_cast<std::ptrdiff_t>(std::min(kMaxWanted, task_classes.size()));
  std::partial_sort(task_classes.begin(), last, task_classes.end(), [&](TaskClassIndex a, TaskClassIndex b) {
    return popularity[a] != popularity[b] ? popularity[a] > popularity[b] : a < b;
  });
  for (auto task_class = task_classes.begin(); task_class != last && popularity[*task_class] > 0;
       ++task_class) {
    mix.push_back({.demand = ledger_.task_classes.alternatives(*task_class).front().demand,
                   .popularity = static_cast<double>(popularity[*task_class])});
  }
}

std::span<const std::int64_t> PlacementSearch::demand_of(TaskIndex task) const {
  return ledger_.demand(task);
}

void PlacementSearch::server_removed(ServerIndex server) {
  if (balance_) balance_->server_emptied(server);
}

void PlacementSearch::capacity_changes(ServerIndex server) {
  if (balance_) ledger_.for_each_task_on(server, [&](TaskIndex task) { task_ends(task); });
}

void PlacementSearch::capacity_changed(ServerIndex server) {
  if (!balance_) return;
  ledger_.for_each_task_on(server, [&](TaskIndex task) {
    balance_->task_started(ledger_.server_pool, task, server, demand_of(task));
  });
}

void PlacementSearch::set_not_counted(std::span<const TaskIndex> tasks) {
  for (const TaskIndex task : tasks) balance_->leave_out(task);
  for (const TaskIndex task : ledger_.tasks.present()) {
    if (balance_->counts(task))
      balance_->count(ledger_.server_pool, ledger_.tasks[task].server, demand_of(task));
  }
}

}  // namespace mirab::scheduling
