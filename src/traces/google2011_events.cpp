#include "traces/google2011_events.hpp"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <system_error>

#include "traces/row.hpp"

namespace mirab::traces::google2011 {

namespace {

/// Columns as in the trace's schema.csv.
namespace machine_column {
constexpr Column time{0, "time"};
constexpr Column id{1, "machine ID"};
constexpr Column event{2, "event type"};
constexpr Column platform{3, "platform ID"};
constexpr Column cpu{4, "CPUs"};
constexpr Column memory{5, "Memory"};
constexpr std::size_t count = 6;
}  // namespace machine_column

namespace task_column {
constexpr Column job{2, "job ID"};
constexpr Column index{3, "task index"};
constexpr Column user{6, "user"};
constexpr Column cpu{9, "CPU request"};
constexpr Column memory{10, "memory request"};
constexpr std::size_t count = 13;
}  // namespace task_column

enum class MachineEvent : std::uint64_t { add = 0, remove = 1, update = 2 };

void update(Machine& machine, std::string_view platform, const std::optional<Quantity>& cpu,
            const std::optional<Quantity>& memory) {
  if (!platform.empty()) machine.platform = platform;
  if (cpu) machine.cpu = cpu;
  if (memory) machine.memory = memory;
}

Check apply_machine_event(const Row& row, Machines& machines) {
  namespace column = machine_column;
  const auto time = row.whole(column::time);
  if (!time) return time.error();
  const auto id = row.whole(column::id);
  if (!id) return id.error();
  const auto event = row.whole(column::event);
  if (!event) return event.error();
  const auto cpu = row.amount(column::cpu);
  if (!cpu) return cpu.error();
  const auto memory = row.amount(column::memory);
  if (!memory) return memory.error();

  if (*event > 2) return row.error(column::event, "is not 0 (add), 1 (remove) or 2 (update)");
  if (*time > 0) return std::nullopt;

  switch (MachineEvent{*event}) {
    case MachineEvent::add:
      machines.insert_or_assign(*id, Machine{std::string(row.text(column::platform)), *cpu, *memory});
      break;
    case MachineEvent::remove:
      machines.erase(*id);
      break;
    case MachineEvent::update:
      if (const auto known = machines.find(*id); known != machines.end()) {
        update(known->second, row.text(column::platform), *cpu, *memory);
      }
      break;
  }
  return std::nullopt;
}

TaskUser& user_of(TaskUsers& users, std::string_view hash) {
  if (const auto known = users.by_hash.find(hash); known != users.by_hash.end()) {
    return users.users[known->second];
  }
  users.by_hash.emplace(hash, users.users.size());
  return users.users.emplace_back(TaskUser{.hash = std::string(hash), .requests = {}});
}

Check count_task(const Row& row, TaskUsers& users) {
  namespace column = task_column;
  const auto job = row.whole(column::job);
  if (!job) return job.error();
  const auto index = row.whole(column::index);
  if (!index) return index.error();
  const auto cpu = row.amount(column::cpu);
  if (!cpu) return cpu.error();
  const auto memory = row.amount(column::memory);
  if (!memory) return memory.error();

  const std::string_view hash = row.text(column::user);
  if (hash.empty()) {
    ++users.without_request;
    return std::nullopt;
  }
  TaskUser& user = user_of(users, hash);
  if (!cpu->has_value() || !memory->has_value()) {
    ++users.without_request;
    return std::nullopt;
  }
  const Amounts request{**cpu, **memory};
  if (request == Amounts{}) {
    ++users.zero_requests;
    return std::nullopt;
  }
  if (users.tasks.insert({*job, *index}).second) ++user.requests[request];
  return std::nullopt;
}

/// The bytes of all files, and what has been read of them.
class Bytes {
 public:
  Bytes(const TraceFiles& files, const ReadProgress& report) : report_(report) {
    for (const std::string& file : files.machine_events) total_ += size(file);
    for (const std::string& file : files.task_events) total_ += size(file);
  }

  void read_of_file(std::uint64_t bytes) const {
    if (report_) report_(std::min(finished_ + bytes, total_), total_);
  }
  void finish_file(const std::string& file) { finished_ += size(file); }

 private:
  static std::uint64_t size(const std::string& file) {
    std::error_code failed;
    const auto bytes = std::filesystem::file_size(file, failed);
    return failed ? 0 : bytes;
  }

  const ReadProgress& report_;
  std::uint64_t total_ = 0;
  std::uint64_t finished_ = 0;
};

Check read_table(const std::vector<std::string>& files, std::size_t columns,
                 const std::function<Check(const Row&)>& visit, Bytes& bytes) {
  for (const std::string& file : files) {
    if (Check failed =
            read_rows(file, columns, visit, [&](std::uint64_t read) { bytes.read_of_file(read); })) {
      return failed;
    }
    bytes.finish_file(file);
  }
  return std::nullopt;
}

}  // namespace

Result<Trace> read_trace(const TraceFiles& files, const ReadProgress& progress) {
  Trace trace;
  Bytes bytes(files, progress);
  const auto on_machine = [&](const Row& row) { return apply_machine_event(row, trace.machines); };
  if (Check failed = read_table(files.machine_events, machine_column::count, on_machine, bytes))
    return *failed;
  const auto on_task = [&](const Row& row) { return count_task(row, trace.task_users); };
  if (Check failed = read_table(files.task_events, task_column::count, on_task, bytes)) return *failed;
  return trace;
}

}  // namespace mirab::traces::google2011
