#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include <mirab/model/quantity.hpp>
#include <mirab/model/result.hpp>
#include <mirab/traces/google2011.hpp>

#include "traces/google2011_files.hpp"

/// The two tables of the Google trace of 2011 that tell who asks for what, and where it could run.
namespace mirab::traces::google2011 {

/// cpu, memory: relative to the largest machine of the trace.
using Amounts = std::array<Quantity, 2>;

/// A machine as its events up to time 0 leave it.
struct Machine {
  std::string platform;  ///< a hash; empty when the trace is silent
  std::optional<Quantity> cpu;
  std::optional<Quantity> memory;
};

/// The machines that are present at time 0, by id.
using Machines = std::map<std::uint64_t, Machine>;

/// A user, and what its distinct tasks request.
struct TaskUser {
  std::string hash;
  std::map<Amounts, std::uint64_t> requests;  ///< how many tasks make each request
};

/// Every user of the trace, and what was passed over.
struct TaskUsers {
  std::vector<TaskUser> users;        ///< in the order in which they first appear
  std::uint64_t without_request = 0;  ///< events without a user, or without a cpu or memory request
  std::uint64_t zero_requests = 0;    ///< events that request neither cpu nor memory

  /// Names a task in the whole trace.
  struct TaskId {
    std::uint64_t job;
    std::uint64_t index;
    friend bool operator==(const TaskId&, const TaskId&) = default;
  };
  struct TaskIdHash {
    std::size_t operator()(const TaskId& task) const noexcept {
      return static_cast<std::size_t>(task.job * 0x9E3779B97F4A7C15 + task.index);
    }
  };
  std::unordered_set<TaskId, TaskIdHash> tasks;             ///< those that are counted in a user's requests
  std::map<std::string, std::size_t, std::less<>> by_hash;  ///< an index into users
};

/// What both tables say.
struct Trace {
  Machines machines;
  TaskUsers task_users;
};

/// Reads all files of both tables, in their order.
///
/// Machine events at time 0 apply one after the other: 0 adds a machine, 1 removes it, 2 updates it; a field
/// that an update leaves empty stays as it was, and an update of a machine that is not there changes nothing.
/// Later events are checked and passed over. Of task events, each distinct task (job and index) counts once,
/// by its first event, of whatever kind, that asks for something.
///
/// Errors: as of read_rows; an unknown machine event.
Result<Trace> read_trace(const TraceFiles& files, const ReadProgress& progress);

}  // namespace mirab::traces::google2011
