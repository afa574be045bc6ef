#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include <mirab/model/quantity.hpp>
#include <mirab/model/result.hpp>

#include "lab/traces/csv.hpp"
#include "lab/traces/google2011/import.hpp"

namespace mirab::traces::google2011 {

/// The part files of the two tables, in the order in which they are read.
struct TraceFiles {
  std::vector<std::string> machine_events;
  std::vector<std::string> task_events;
  std::vector<std::string> passed_over;  ///< named by the caller, of the trace, and not needed
};

/// Sorts files into tables by their names. A file belongs to the table with which its own name begins
/// (`task_events-part-00000-of-00500.csv.gz`), or else its folder's
/// (`task_events/part-00000-of-00500.csv.gz`). Of a folder, the .csv and .csv.gz files in it and in the
/// folders directly in it that belong to a table are taken, in the order of their names. The trace's other
/// tables, checksums and descriptions are passed over. Errors: a path that does not exist or is nothing of
/// the trace; a table without a file.
Result<TraceFiles> find_trace_files(const std::vector<std::string>& paths);

}  // namespace mirab::traces::google2011

/// The rows of the Google trace of 2011. Columns as in the trace's schema.csv.
namespace mirab::traces::google2011 {

/// cpu, memory: relative to the largest machine of the trace.
using Amounts = std::array<Quantity, 2>;

namespace machine_column {
inline constexpr Column time{0, "time"};
inline constexpr Column id{1, "machine ID"};
inline constexpr Column event{2, "event type"};
inline constexpr Column platform{3, "platform ID"};
inline constexpr Column cpu{4, "CPUs"};
inline constexpr Column memory{5, "Memory"};
inline const RowFormat format{6, "machine_events"};
}  // namespace machine_column

namespace task_column {
inline constexpr Column time{0, "time"};
inline constexpr Column job{2, "job ID"};
inline constexpr Column index{3, "task index"};
inline constexpr Column machine{4, "machine ID"};
inline constexpr Column event{5, "event type"};
inline constexpr Column user{6, "user"};
inline constexpr Column cpu{9, "CPU request"};
inline constexpr Column memory{10, "memory request"};
inline constexpr Column different_machines{12, "different machines restriction"};
inline const RowFormat format{13, "task_events"};
}  // namespace task_column

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

/// The time of all events after the end of the trace.
inline constexpr std::uint64_t kAfterTheTrace = INT64_MAX;

/// When the row's event happens, in µs. Errors: no whole number; more than 68 years, and not kAfterTheTrace.
Result<std::uint64_t> time_of(const Row& row, const Column& column);

/// The bytes of all files, and what has been read of them.
class Bytes {
 public:
  Bytes(const TraceFiles& files, const ReadProgress& report);

  void read_of_file(std::uint64_t bytes) const;
  void finish_file(const std::string& file);

 private:
  const ReadProgress& report_;
  std::uint64_t total_ = 0;
  std::uint64_t finished_ = 0;
};

/// Hands every row of a table's files to `visit`, in their order. Errors: as of read_rows.
Check read_table(const std::vector<std::string>& files, const RowFormat& format,
                 const std::function<Check(const Row&)>& visit, Bytes& bytes);

}  // namespace mirab::traces::google2011

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
