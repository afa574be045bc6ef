#pragma once

#include <span>
#include <vector>

#include "simulation/replay/input.hpp"

namespace mirab::simulation {

/// May the task use such a machine by its name and labels?
bool may_use(const scheduling::JobSubmitted& task, const MachineKind& kind);

/// The same, and is the machine large enough when it is empty?
bool fits_empty(const scheduling::JobSubmitted& task, const MachineKind& kind, const Amounts& capacity);

/// max_r d_r / C_r of each request, C the machines that are up at first (or all that come, where none is).
/// [request]
std::vector<double> dominant_parts(const ReplayInput& input);

/// kTypical tasks for all those submitted, equal ones as one: a systematic sample of the tasks in the order
/// of `parts`, their dominant parts. O(requests log requests + jobs).
std::vector<TypicalTask> typical_tasks(const ReplayInput& input, const std::vector<double>& parts);

}  // namespace mirab::simulation
