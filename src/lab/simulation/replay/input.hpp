#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <mirab/scheduling/events.hpp>

#include "lab/simulation/replay.hpp"
#include "lab/simulation/replay/machines.hpp"
#include "scheduling/fill/engine_groups.hpp"

namespace mirab::simulation {

using scheduling::Amounts;

/// No usage is known: a task really uses what it is granted.
inline constexpr std::uint32_t kNoUsage = std::numeric_limits<std::uint32_t>::max();

/// A row of the workload, after scaling.
struct ReplayJob {
  std::uint32_t row;  ///< index into the workload's jobs
  Duration submitted;
  Duration runtime;
  Duration requested;  ///< what was asked for, else the runtime
  std::int64_t tasks;
  std::int64_t gang;
  std::optional<std::int64_t> per_server;
  std::uint32_t user;
  std::uint32_t request;
  std::uint32_t usage;  ///< or kNoUsage
};

/// One of the tasks by which fragmentation is measured, and on which kinds of machines it may run.
struct TypicalTask {
  Amounts demand;
  double popularity = 0;      ///< the part of all tasks for which it stands
  std::vector<bool> may_use;  ///< [kind]
};

/// What all contenders play: scaled, checked and counted in whole units. Immutable.
struct ReplayInput {
  std::vector<std::string> resources;
  std::vector<double> unit;  ///< what one count stands for, in the files' own unit, [resource]
  Machines machines;
  std::vector<Amounts> capacity;  ///< [kind], units
  std::vector<Submitter> users;
  std::vector<scheduling::UnitGroup> teams;         ///< each after its parent
  std::vector<std::optional<std::size_t>> team_of;  ///< [user], the one whose member it is
  std::vector<std::int64_t> oversized;              ///< tasks left out, [user]
  std::vector<std::int64_t> cut;                    ///< tasks whose runtime was drawn, [user]
  std::vector<scheduling::JobSubmitted> requests;   ///< with demand and wishes; the rest is the jobs'
  std::vector<ReplayJob> jobs;                      ///< by time of submission, without oversized ones
  std::vector<Usage> usages;
  std::vector<TypicalTask> typical;
  std::vector<std::uint32_t> largest;  ///< users who ask for most, in descending order; at most kLargest
  Duration span{};
  std::vector<std::string> notices;
};

/// The number of users whose shares are reported one by one: as many lines as a chart can show apart.
inline constexpr std::size_t kLargest = 12;

/// The number of tasks that stand for all in the measure of fragmentation. Derived: the part of tasks that do
/// not fit is known to 1/64; every sample looks at each of them on every kind of machine.
inline constexpr std::size_t kTypical = 64;

/// Checks, scales and counts. Errors as for replay(). O(machines + jobs log jobs + requests × kinds).
Result<ReplayInput> replay_input(const Problem& cluster, const Workload& workload, const ReplayScale& scale,
                                 std::uint64_t seed, const Teams& teams = {});

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
