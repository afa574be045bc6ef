// What mirab.Engine decides: one step as a named tuple, many as a numpy array.
#include <cstdint>
#include <limits>
#include <vector>

#include "python/arguments.hpp"
#include "python/scheduler.hpp"

namespace mirab::python {
namespace {

namespace py = pybind11;
using namespace py::literals;
using namespace scheduling;

/// A row of what step_all returns.
struct TaskRow {
  std::uint64_t task;
  std::uint64_t job;
  std::uint64_t user;
  std::uint64_t server;
  bool preempted;
};

/// The tasks that end before those that take their place. A job of which a task is preempted is not over, and
/// its tasks end where the new one starts.
void add_rows(std::vector<TaskRow>& rows, const Engine& engine, const Placed& placed) {
  for (const Lost& lost : placed.preempted)
    rows.push_back({.task = static_cast<std::uint64_t>(lost.task),
                    .job = static_cast<std::uint64_t>(lost.job),
                    .user = static_cast<std::uint64_t>(engine.job(lost.job)->user),
                    .server = static_cast<std::uint64_t>(placed.server),
                    .preempted = true});
  TaskRow row{.task = static_cast<std::uint64_t>(placed.task),
              .job = static_cast<std::uint64_t>(placed.job),
              .user = static_cast<std::uint64_t>(placed.user),
              .server = static_cast<std::uint64_t>(placed.server),
              .preempted = false};
  rows.push_back(row);
  for (const Companion& other : placed.with) {
    row.task = static_cast<std::uint64_t>(other.task);
    row.server = static_cast<std::uint64_t>(other.server);
    rows.push_back(row);
  }
}

py::array_t<TaskRow> step_all(Scheduler& s, const std::optional<Time>& now,
                              const std::optional<std::uint64_t>& most) {
  std::vector<TaskRow> rows;
  for (std::uint64_t left = most.value_or(std::numeric_limits<std::uint64_t>::max()); left > 0; --left) {
    const std::optional<Placed> placed = s.step(now);
    if (!placed) break;
    add_rows(rows, s.engine, *placed);
  }
  return py::array_t<TaskRow>(static_cast<py::ssize_t>(rows.size()), rows.data());
}

}  // namespace

py::object PlacedRecord::operator()(const Placed& decided) const {
  py::tuple others(decided.with.size());
  for (std::size_t k = 0; k < decided.with.size(); ++k)
    others[k] = companion(static_cast<std::uint64_t>(decided.with[k].task),
                          static_cast<std::uint64_t>(decided.with[k].server));
  py::tuple preempted(decided.preempted.size());
  for (std::size_t k = 0; k < decided.preempted.size(); ++k)
    preempted[k] = lost_record(lost, decided.preempted[k]);
  return placed(static_cast<std::uint64_t>(decided.task), static_cast<std::uint64_t>(decided.job),
                static_cast<std::uint64_t>(decided.user), static_cast<std::uint64_t>(decided.server), others,
                preempted);
}

PlacedRecord add_steps(py::module_& module, EngineClass& engine, const Record& lost) {
  const PlacedRecord placed{
      .placed = Record(module, "mirab.Placed", "A task that was placed.",
                       {{"task", "its identifier"},
                        {"job", "of which job"},
                        {"user", "of which user"},
                        {"server", "on which server"},
                        {"others", "of its gang, which start at the same time, Companion each"},
                        {"preempted", "what ended there first, and waits again, Lost each"}}),
      .companion = Record(module, "mirab.Companion", "A task that starts together with another.",
                          {{"task", "its identifier"}, {"server", "on which server"}}),
      .lost = lost};
  engine.def(
      "step",
      [placed](Scheduler& s, const std::optional<Time>& now) -> py::object {
        const std::optional<Placed> next = s.step(now);
        if (!next) return py::none();
        return placed(*next);
      },
      "now"_a = py::none(),
      "Places the next task, or gang: Placed, or None when no waiting task is to be placed now. A time "
      "before the latest counts as the latest.");
  PYBIND11_NUMPY_DTYPE(TaskRow, task, job, user, server, preempted);
  engine.def(
      "step_all", &step_all, "now"_a = py::none(), "most"_a = py::none(),
      "Steps until nothing more is to be placed, or `most` times: a numpy array with the fields task, job, "
      "user, server (uint64) and preempted (bool), in the order in which it happens. One row for each task "
      "that starts, those that start together too; and with preemption, before it, one for each task that "
      "ended for it and waits again, where preempted is true.");
  return placed;
}

}  // namespace mirab::python
