#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include <mirab/model/quantity.hpp>

namespace mirab::scheduling {

/// What the engine calls the things it knows. A number is never given twice, so one that has gone is unknown
/// and not another user's.
enum class ServerId : std::uint64_t {};
enum class UserId : std::uint64_t {};
enum class JobId : std::uint64_t {};
enum class TaskId : std::uint64_t {};

/// One amount per resource, in the order of EngineOptions::resources, in whole units that the caller chooses
/// (thousandths of a CPU, bytes).
using Amounts = std::vector<std::int64_t>;

// What happens. Who applies an event gets what it brought about, or an error and an engine as it was.

struct ServerAdded {
  std::string name;  ///< servers of one kind may share theirs; jobs may ask for servers by it
  Amounts capacity;
  std::map<std::string, std::string> labels = {};
  friend bool operator==(const ServerAdded&, const ServerAdded&) = default;
};

/// Another capacity, of at least what is taken there.
struct ServerChanged {
  ServerId server;
  Amounts capacity;
  friend bool operator==(const ServerChanged&, const ServerChanged&) = default;
};

/// Its tasks go on, and it takes no new ones.
struct ServerDrained {
  ServerId server;
  friend bool operator==(const ServerDrained&, const ServerDrained&) = default;
};

/// A drained server takes tasks again.
struct ServerReopened {
  ServerId server;
  friend bool operator==(const ServerReopened&, const ServerReopened&) = default;
};

/// It is gone; nothing may run there.
struct ServerRemoved {
  ServerId server;
  friend bool operator==(const ServerRemoved&, const ServerRemoved&) = default;
};

/// It is gone with its tasks, which wait again, before the others of their jobs.
struct ServerFailed {
  ServerId server;
  friend bool operator==(const ServerFailed&, const ServerFailed&) = default;
};

struct UserAdded {
  std::string name;
  Quantity weight{1};  ///< φ > 0
  friend bool operator==(const UserAdded&, const UserAdded&) = default;
};

struct UserReweighted {
  UserId user;
  Quantity weight;
  friend bool operator==(const UserReweighted&, const UserReweighted&) = default;
};

/// Only without jobs.
struct UserRemoved {
  UserId user;
  friend bool operator==(const UserRemoved&, const UserRemoved&) = default;
};

/// A task goes to a domain, the servers with one value of the label, only while the job's tasks there, with
/// it, are at most this many more than in the domain with the fewest. Kubernetes' topologySpreadConstraints
/// with DoNotSchedule.
struct Spread {
  std::string label;
  std::int64_t most_apart = 1;  ///< ≥ 1
  friend bool operator==(const Spread&, const Spread&) = default;
};

/// `tasks` identical tasks of a user. What gang, per_server, spread and pack mean exactly:
/// docs/reference/engine.md.
struct JobSubmitted {
  UserId user;
  Amounts demand;                                               ///< of each task; at least one amount > 0
  std::int64_t tasks = 1;                                       ///< ≥ 1
  std::optional<std::vector<std::string>> servers = {};         ///< eligible servers by name; else all
  std::map<std::string, std::vector<std::string>> select = {};  ///< by label: any of the values
  std::map<std::string, Amounts> demand_on = {};                ///< another demand on servers of one name
  std::int64_t gang = 1;                        ///< this many of them start together, or none; 1 … tasks
  std::optional<std::int64_t> per_server = {};  ///< at most this many on one server at a time; ≥ 1
  std::optional<Spread> spread = {};            ///< over the domains of a label
  std::optional<std::string> pack = {};         ///< all that run in one domain of this label
  friend bool operator==(const JobSubmitted&, const JobSubmitted&) = default;
};

/// What runs of it stops, what waits is forgotten.
struct JobCancelled {
  JobId job;
  friend bool operator==(const JobCancelled&, const JobCancelled&) = default;
};

struct TaskFinished {
  TaskId task;
  friend bool operator==(const TaskFinished&, const TaskFinished&) = default;
};

/// It waits again, before the others of its job.
struct TaskFailed {
  TaskId task;
  friend bool operator==(const TaskFailed&, const TaskFailed&) = default;
};

using Event = std::variant<ServerAdded, ServerChanged, ServerDrained, ServerReopened, ServerRemoved,
                           ServerFailed, UserAdded, UserReweighted, UserRemoved, JobSubmitted, JobCancelled,
                           TaskFinished, TaskFailed>;

/// A task that ended before its time.
struct Lost {
  TaskId task;
  JobId job;
  friend bool operator==(const Lost&, const Lost&) = default;
};

/// A task that starts together with another.
struct Companion {
  TaskId task;
  ServerId server;
  friend bool operator==(const Companion&, const Companion&) = default;
};

/// What the engine decides.
struct Placed {
  TaskId task;
  JobId job;
  UserId user;
  ServerId server;
  std::vector<Companion> with = {};  ///< the other tasks of its gang, which start at the same time
  std::vector<Lost> preempted = {};  ///< ended there first, and wait again, before the others of their jobs
  friend bool operator==(const Placed&, const Placed&) = default;
};

}  // namespace mirab::scheduling
