#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <mirab/model/quantity.hpp>
#include <mirab/traces/google2011.hpp>

#include "traces/google2011_files.hpp"
#include "traces/row.hpp"

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
inline constexpr std::size_t count = 6;
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
inline constexpr std::size_t count = 13;
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

/// What happens behind the end of the trace is said to happen then.
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
Check read_table(const std::vector<std::string>& files, std::size_t columns,
                 const std::function<Check(const Row&)>& visit, Bytes& bytes);

}  // namespace mirab::traces::google2011
