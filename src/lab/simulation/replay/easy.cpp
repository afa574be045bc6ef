#include "lab/simulation/replay/easy.hpp"

#include <algorithm>

namespace mirab::simulation {

void EasyQueue::submit(std::uint32_t job) {
  const ReplayJob& of = input_.jobs[job];
  waiting_.push_back({.job = job, .tasks = of.tasks, .gang = of.gang});
}

Duration EasyQueue::requested(std::uint32_t job) const { return input_.jobs[job].requested; }

void EasyQueue::change(EasyRoom& room, std::uint32_t request, std::int64_t tasks) const {
  const Amounts& demand = input_.requests[request].demand;
  for (std::size_t r = 0; r < demand.size(); ++r) room.free[r] -= tasks * demand[r];
}

bool EasyQueue::fits(const Part& part, std::span<const EasyRoom> rooms) const {
  const ReplayJob& job = input_.jobs[part.job];
  const scheduling::JobSubmitted& request = input_.requests[job.request];
  std::int64_t missing = std::min(part.gang, part.tasks);
  for (const EasyRoom& room : rooms) {
    if (!may_use(request, input_.machines.kinds[room.kind])) continue;
    std::int64_t here = std::min(missing, job.per_server.value_or(missing));
    for (std::size_t r = 0; r < request.demand.size(); ++r) {
      if (request.demand[r] > 0)
        here = std::min(here, std::max<std::int64_t>(0, room.free[r]) / request.demand[r]);
    }
    missing -= here;
    if (missing == 0) return true;
  }
  return false;
}

EasyQueue::Shadow EasyQueue::shadow(Duration now, std::vector<EasyRoom> rooms,
                                    std::vector<EasyEnding> endings) const {
  for (EasyEnding& ending : endings) ending.at = std::max(ending.at, now);
  std::stable_sort(endings.begin(), endings.end(),
                   [](const EasyEnding& a, const EasyEnding& b) { return a.at < b.at; });
  for (std::size_t k = 0; k < endings.size(); ++k) {
    change(rooms[endings[k].room], endings[k].request, -1);
    const bool is_last_of_its_time = k + 1 == endings.size() || endings[k + 1].at > endings[k].at;
    if (is_last_of_its_time && fits(waiting_.front(), rooms))
      return {.at = endings[k].at, .rooms = std::move(rooms)};
  }
  return {.at = Duration::max(), .rooms = std::move(rooms)};  // not on the servers that are up
}

void EasyQueue::start(Duration now, std::vector<EasyRoom> rooms, std::vector<EasyEnding> endings,
                      const EasyStart& start) {
  while (!waiting_.empty()) {
    Part& next = waiting_.front();
    if (!fits(next, rooms)) break;
    const std::vector<std::size_t> placed = start.attempt(next.job, std::min(next.gang, next.tasks));
    if (placed.empty()) break;
    start.keep();
    const std::uint32_t request = input_.jobs[next.job].request;
    for (const std::size_t room : placed) {
      change(rooms[room], request, 1);
      endings.push_back({.at = now + requested(next.job), .room = room, .request = request});
    }
    next.tasks -= static_cast<std::int64_t>(placed.size());
    if (next.tasks == 0) waiting_.pop_front();
  }
  if (waiting_.size() < 2) return;
  Shadow first = shadow(now, rooms, std::move(endings));
  backfill(now, rooms, first, start);
}

void EasyQueue::backfill(Duration now, std::vector<EasyRoom>& rooms, Shadow& first, const EasyStart& start) {
  for (std::size_t at = 1; at < waiting_.size(); ++at) {
    Part& part = waiting_[at];
    const std::uint32_t request = input_.jobs[part.job].request;
    const bool ends_before = requested(part.job) <= first.at - now;
    while (part.tasks > 0 && fits(part, rooms)) {
      const std::vector<std::size_t> placed = start.attempt(part.job, std::min(part.gang, part.tasks));
      if (placed.empty()) break;
      if (!ends_before) {
        for (const std::size_t room : placed) change(first.rooms[room], request, 1);
        if (!fits(waiting_.front(), first.rooms)) {
          for (const std::size_t room : placed) change(first.rooms[room], request, -1);
          start.undo();
          break;
        }
      }
      start.keep();
      for (const std::size_t room : placed) change(rooms[room], request, 1);
      part.tasks -= static_cast<std::int64_t>(placed.size());
    }
  }
  std::erase_if(waiting_, [](const Part& part) { return part.tasks == 0; });
}

}  // namespace mirab::simulation
