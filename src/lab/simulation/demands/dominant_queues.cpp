// Queues on a host that is shared in space: one for each dominant resource, against the order of arrival and
// against that of DRF.
//
// Source: Hamzeh, Fairness for Resource Allocation in Cloud Computing, section 4.2.2 with table 4.1 (order),
// and section 6.2.1 (execution, after CloudSim):
//
//   eft = est + r_l / (capacity · cores)    (6.1), every task on one core
//   capacity = Σ_i cap_i / np               (6.2)
//
// In a round the heads of all queues that are not empty run in order of arrival
// (docs/explanation/mathematics.md, section 8). Section 7.2.4: "DRF schedules tasks with the lowest dominant
// resource in each iteration". Example (table 4.1): arrivals 0 to 9 dominated by memory, CPU, CPU, disk, CPU,
// memory, disk, CPU, CPU, memory are served as 0, 1, 3, 2, 5, 6, 4, 9, 7, 8. Known failures: what a task
// takes does not count; a queue with many tasks gets one turn a round all the same, so that its tasks wait
// the longer. (6.3), the time-shared host, orders nothing and is left out.
#include "lab/simulation/demands/dominant_queues.hpp"

#include <algorithm>
#include <deque>
#include <functional>
#include <numeric>
#include <queue>
#include <utility>

namespace mirab::simulation {
namespace {

// The tasks that have arrived and not started.
class Waiting {
 public:
  Waiting(std::span<const QueuedTask> tasks, QueueOrder order) : tasks_(tasks), order_(order) {
    std::size_t resources = 0;
    for (const QueuedTask& task : tasks) resources = std::max(resources, task.dominant + 1);
    queues_.resize(order == QueueOrder::dominant_queues ? resources : 1);
  }

  bool empty() const { return count_ == 0; }

  void arrive(std::size_t task) {
    ++count_;
    if (order_ == QueueOrder::lowest_share)
      by_share_.emplace(tasks_[task].dominant_share, task);
    else
      queues_[order_ == QueueOrder::dominant_queues ? tasks_[task].dominant : 0].push_back(task);
  }

  std::size_t take() {
    --count_;
    if (order_ == QueueOrder::lowest_share) {
      const std::size_t task = by_share_.top().second;
      by_share_.pop();
      return task;
    }
    if (round_.empty()) begin_round();
    const std::size_t task = round_.front();
    round_.pop_front();
    return task;
  }

 private:
  // The heads of all queues, by arrival, which is the order of their numbers.
  void begin_round() {
    for (std::deque<std::size_t>& queue : queues_) {
      if (queue.empty()) continue;
      round_.push_back(queue.front());
      queue.pop_front();
    }
    std::sort(round_.begin(), round_.end());
  }

  using ByShare = std::pair<double, std::size_t>;
  std::span<const QueuedTask> tasks_;
  QueueOrder order_;
  std::size_t count_ = 0;
  std::vector<std::deque<std::size_t>> queues_;
  std::deque<std::size_t> round_;
  std::priority_queue<ByShare, std::vector<ByShare>, std::greater<>> by_share_;
};

}  // namespace

std::vector<ServedTask> serve(std::span<const QueuedTask> tasks, QueueOrder order,
                              const SpaceSharedHost& host) {
  const double elements = static_cast<double>(host.strength.size());
  const double capacity = std::accumulate(host.strength.begin(), host.strength.end(), 0.0) / elements;
  std::priority_queue<double, std::vector<double>, std::greater<>> idle_from;
  for (std::size_t i = 0; i < host.strength.size(); ++i) idle_from.push(0);
  Waiting waiting(tasks, order);
  std::vector<ServedTask> served;
  std::size_t arrived = 0;
  while (served.size() < tasks.size()) {
    double now = idle_from.top();
    if (waiting.empty() && arrived < tasks.size()) now = std::max(now, tasks[arrived].arrival);
    while (arrived < tasks.size() && tasks[arrived].arrival <= now) waiting.arrive(arrived++);
    const std::size_t task = waiting.take();
    idle_from.pop();
    const double finish = now + tasks[task].instructions / capacity;
    idle_from.push(finish);
    served.push_back({.task = task, .start = now, .finish = finish});
  }
  return served;
}

}  // namespace mirab::simulation
