// The search for a server, and what it remembers from one task to the next.
#include "scheduling/placement/placement_search.hpp"

#include <algorithm>
#include <numeric>

namespace mirab::scheduling {

PlacementSearch::PlacementSearch(const Ledger& ledger, const PlacementChoice& choice, bool balances)
    : ledger_(ledger), choice_(choice) {
  if (balances) balance_.emplace();
}

void PlacementSearch::write_mix(std::vector<Wanted>& mix) const {
  constexpr std::size_t kMaxWanted = 16;
  mix.clear();
  if (!choice_.needs_mix) return;
  std::vector<std::int64_t> popularity(ledger_.task_classes.end(), 0);
  for (const QueueRow& queue : ledger_.queues) {
    if (queue.user != kNone)
      popularity[queue.task_class] += queue.running + (queue.first_job != kNone ? 1 : 0);
  }
  std::vector<std::uint32_t> task_classes(popularity.size());
  std::iota(task_classes.begin(), task_classes.end(), 0U);
  const auto last =
      task_classes.begin() + static_cast<std::ptrdiff_t>(std::min(kMaxWanted, task_classes.size()));
  std::partial_sort(task_classes.begin(), last, task_classes.end(), [&](std::uint32_t a, std::uint32_t b) {
    return popularity[a] != popularity[b] ? popularity[a] > popularity[b] : a < b;
  });
  for (auto task_class = task_classes.begin(); task_class != last && popularity[*task_class] > 0;
       ++task_class) {
    mix.push_back({.demand = ledger_.task_classes.alternatives(*task_class).front().demand,
                   .popularity = static_cast<double>(popularity[*task_class])});
  }
}

std::span<const std::int64_t> PlacementSearch::demand_of(std::uint32_t task) const {
  const TaskRow& row = ledger_.tasks[task];
  return ledger_.task_classes.demand_on(ledger_.task_class_of(row.job), row.server);
}

void PlacementSearch::server_removed(std::uint32_t server) {
  if (balance_) balance_->server_emptied(server);
}

void PlacementSearch::capacity_changes(std::uint32_t server) {
  if (balance_) ledger_.for_each_task_on(server, [&](std::uint32_t task) { task_ends(task); });
}

void PlacementSearch::capacity_changed(std::uint32_t server) {
  if (!balance_) return;
  ledger_.for_each_task_on(server, [&](std::uint32_t task) {
    balance_->task_started(ledger_.server_pool, task, server, demand_of(task));
  });
}

void PlacementSearch::set_not_counted(std::span<const std::uint32_t> tasks) {
  for (const std::uint32_t task : tasks) balance_->leave_out(task);
  for (std::uint32_t task = 0; task < ledger_.tasks.end(); ++task) {
    if (ledger_.tasks.holds(task) && balance_->counts(task))
      balance_->count(ledger_.server_pool, ledger_.tasks[task].server, demand_of(task));
  }
}

}  // namespace mirab::scheduling
