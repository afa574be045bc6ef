// The table of schedulers, in the order of the thesis.
#include <array>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <string>
#include <vector>

#include <mirab/model/assert.hpp>
#include <mirab/model/choice.hpp>
#include <mirab/overlay/scheduler.hpp>

namespace mirab::overlay {
namespace {

constexpr std::array<SchedulerRow, 8> kRows = {{
    {Scheduler::centralised_drf, "centralised-drf",
     "One server that knows all places a task of the poorest user, first fit.", "Östman, 4.1", true},
    {Scheduler::centralised_fifo, "centralised-fifo",
     "One server that knows all places the task that came first.", "Östman, 4.1", true},
    {Scheduler::probes, "probes",
     "Every task is queued on a server drawn at random and on two neighbours of little load.",
     "Östman, 4.2, after Ousterhout et al., Sparrow"},
    {Scheduler::ddrf_random, "ddrf-random",
     "A server serves its poorest user when no neighbour, drawn at random, has a poorer one.",
     "Östman, 4.3, after Zhu and Oh, DDRF"},
    {Scheduler::ddrf_gradient, "ddrf-gradient",
     "The same, with the neighbours that a gradient found before the first task.", "Östman, 4.3"},
    {Scheduler::dgdrf, "dgdrf",
     "The centre of the living gradient serves, when a neighbour confirms that it is the centre.",
     "Östman, 3.3, 4.4"},
    {Scheduler::pdgdrf, "pdgdrf",
     "A server serves when it is the centre, or when the Gini coefficient of its view falls.", "Östman, 4.5"},
    {Scheduler::level, "level", "Servers serve side by side up to a common level of the share.",
     "Mirab, docs/explanation/overlay.md"},
}};

}  // namespace

std::span<const SchedulerRow> schedulers() { return kRows; }

const SchedulerRow& row_of(Scheduler scheduler) {
  const auto index = static_cast<std::size_t>(scheduler);
  MIRAB_ASSERT(index < kRows.size() && kRows[index].scheduler == scheduler,
               "the table is in the order of the enum");
  return kRows[index];
}

Result<Scheduler> find_scheduler(std::string_view name) {
  std::vector<std::string_view> names;
  for (const SchedulerRow& row : kRows) {
    if (row.name == name) return row.scheduler;
    names.push_back(row.name);
  }
  const std::string near = nearest_names(name, names);
  return Error{.message =
                   fmt::format("there is no scheduler '{}'{}", name,
                               near.empty() ? fmt::format("; there are {}", fmt::join(names, ", ")) : near)};
}

}  // namespace mirab::overlay
