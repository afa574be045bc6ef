#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include <mirab/model/quantity.hpp>
#include <mirab/model/result.hpp>
#include <mirab/traces/google2011.hpp>

#include "traces/google2011_tables.hpp"

/// The two tables of the Google trace of 2011 that tell who asks for what, and where it could run.
namespace mirab::traces::google2011 {

/// A machine as its events up to time 0 leave it.
struct Machine {
  std::string platform;  ///< a hash; empty when the trace is silent
  std::optional<Quantity> cpu;
  std::optional<Quantity> memory;
  friend bool operator==(const Machine&, const Machine&) = default;
};

enum class MachineEvent : std::uint64_t { add = 0, remove = 1, update = 2 };

/// A row of the machine events. Of an update, what is empty stays as it was.
struct MachineChange {
  std::uint64_t time;  ///< µs
  std::uint64_t id;
  MachineEvent event;
  Machine machine;
};

/// The machines that are present at time 0, by id.
using Machines = std::map<std::uint64_t, Machine>;

/// Machines over time.
struct MachineEvents {
  Machines at_start;
  std::vector<MachineChange> later;  ///< after time 0, in the order of time
};

/// Adds, removes or updates a machine. An update of a machine that is not there changes nothing.
void follow(const MachineChange& change, Machines& machines);

/// Reads the machine events. Errors: as of read_rows; an unknown event; times that go backwards.
Result<MachineEvents> read_machine_events(const TraceFiles& files, Bytes& bytes);

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
/// Machine events at time 0 apply one after the other; later ones are checked and passed over. Of task
/// events, each distinct task (job and index) counts once, by its first event, of whatever kind, that asks
/// for something.
///
/// Errors: as of read_rows and read_machine_events.
Result<Trace> read_trace(const TraceFiles& files, const ReadProgress& progress);

}  // namespace mirab::traces::google2011
