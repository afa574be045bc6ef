// The tasks for which fragmentation is measured. Weng et al. (FGD, USENIX ATC 2023, section 4.2) take the
// kinds of tasks that a workload has most; here a systematic sample (Cochran, Sampling Techniques, chapter 8)
// of all tasks in the order of their size is taken: the ⌈(k + ½) T / 64⌉-th smallest of T for k = 0 … 63. So
// small and large tasks are there as often as they are submitted, and nothing is drawn.
#include "simulation/replay/typical_tasks.hpp"

#include <algorithm>
#include <numeric>

namespace mirab::simulation {

bool may_use(const scheduling::JobSubmitted& task, const MachineKind& kind) {
  if (task.servers && std::find(task.servers->begin(), task.servers->end(), kind.name) == task.servers->end())
    return false;
  return std::all_of(task.select.begin(), task.select.end(), [&](const auto& wish) {
    const auto label = kind.labels.find(wish.first);
    return label != kind.labels.end() &&
           std::find(wish.second.begin(), wish.second.end(), label->second) != wish.second.end();
  });
}

bool fits_empty(const scheduling::JobSubmitted& task, const MachineKind& kind, const Amounts& capacity) {
  for (std::size_t r = 0; r < capacity.size(); ++r) {
    if (task.demand[r] > capacity[r]) return false;
  }
  return may_use(task, kind);
}

std::vector<double> dominant_parts(const ReplayInput& input) {
  std::vector<double> pool(input.resources.size(), 0.0);
  const auto add = [&](std::uint32_t kind) {
    for (std::size_t r = 0; r < pool.size(); ++r) pool[r] += static_cast<double>(input.capacity[kind][r]);
  };
  for (const std::uint32_t kind : input.machines.first) add(kind);
  if (input.machines.first.empty()) {
    for (const MachineChange& change : input.machines.changes) {
      if (change.kind == ServerChange::Kind::up) add(change.becomes);
    }
  }
  std::vector<double> parts;
  for (const scheduling::JobSubmitted& request : input.requests) {
    double part = 0;
    for (std::size_t r = 0; r < pool.size(); ++r) {
      if (pool[r] > 0) part = std::max(part, static_cast<double>(request.demand[r]) / pool[r]);
    }
    parts.push_back(part);
  }
  return parts;
}

std::vector<TypicalTask> typical_tasks(const ReplayInput& input, const std::vector<double>& parts) {
  std::vector<double> tasks(input.requests.size(), 0.0);
  for (const ReplayJob& job : input.jobs) tasks[job.request] += static_cast<double>(job.tasks);
  std::vector<std::size_t> order(input.requests.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return parts[a] < parts[b]; });
  std::erase_if(order, [&](std::size_t request) { return tasks[request] == 0; });
  const double total = std::accumulate(tasks.begin(), tasks.end(), 0.0);

  std::vector<TypicalTask> typical;
  double passed = 0;  // tasks before the request and of it
  std::size_t drawn = 0;
  for (const std::size_t request : order) {
    passed += tasks[request];
    TypicalTask task{.demand = input.requests[request].demand, .popularity = 0, .may_use = {}};
    for (; drawn < kTypical && (static_cast<double>(drawn) + 0.5) / kTypical * total <= passed; ++drawn)
      task.popularity += 1.0 / kTypical;
    if (task.popularity == 0) continue;
    for (const MachineKind& kind : input.machines.kinds)
      task.may_use.push_back(may_use(input.requests[request], kind));
    typical.push_back(std::move(task));
  }
  return typical;
}

}  // namespace mirab::simulation
