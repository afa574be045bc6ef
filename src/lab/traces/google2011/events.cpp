// The machine events and task events of the Google trace of 2011: files, rows, and what they say.
#include "lab/traces/google2011/events.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fmt/format.h>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

namespace mirab::traces::google2011 {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kMachineTable = "machine_events";
constexpr std::string_view kTaskTable = "task_events";

/// What else comes with the trace, by how its name begins.
constexpr std::array<std::string_view, 9> kNotNeeded = {
    "job_events", "task_constraints", "task_usage", "machine_attributes", "SHA256SUM",
    "SHA1SUM",    "MD5SUM",           "README",     "schema.csv"};

bool is_not_needed_by_name(const std::string& name) {
  return std::any_of(kNotNeeded.begin(), kNotNeeded.end(),
                     [&](std::string_view beginning) { return name.starts_with(beginning); });
}

std::string folder_name(const fs::path& path) {
  std::error_code failed;
  return fs::absolute(path, failed).lexically_normal().parent_path().filename().string();
}

std::vector<std::string>* table_of_name(const std::string& name, TraceFiles& files) {
  if (name.starts_with(kMachineTable)) return &files.machine_events;
  if (name.starts_with(kTaskTable)) return &files.task_events;
  return nullptr;
}

/// The table to which a file belongs by its name or its folder's; none for any other file.
std::vector<std::string>* table_of(const fs::path& path, TraceFiles& files) {
  if (auto* table = table_of_name(path.filename().string(), files)) return table;
  if (is_not_needed_by_name(path.filename().string())) return nullptr;
  return table_of_name(folder_name(path), files);
}

/// Is it something of the trace that has no bearing on the cluster?
bool is_not_needed(const fs::path& path) {
  return is_not_needed_by_name(path.filename().string()) || is_not_needed_by_name(folder_name(path));
}

bool is_part_file(const fs::directory_entry& entry) {
  const std::string name = entry.path().filename().string();
  std::error_code ignored;
  return entry.is_regular_file(ignored) && (name.ends_with(".csv") || name.ends_with(".csv.gz"));
}

Error unusable(const std::string& path, std::string message) {
  return {.message = std::move(message), .file = path};
}

Check add_folder(const std::string& folder, TraceFiles& files) {
  std::error_code failed;
  std::vector<fs::path> parts;
  for (fs::recursive_directory_iterator entry(folder, failed), end; !failed && entry != end;
       entry.increment(failed)) {
    if (entry.depth() == 1) entry.disable_recursion_pending();
    if (is_part_file(*entry)) parts.push_back(entry->path());
  }
  if (failed) return unusable(folder, fmt::format("cannot be listed: {}", failed.message()));

  std::sort(parts.begin(), parts.end());
  for (const fs::path& part : parts) {
    if (auto* table = table_of(part, files)) table->push_back(part.string());
  }
  return std::nullopt;
}

Check add_file(const std::string& path, TraceFiles& files) {
  auto* table = table_of(path, files);
  if (table == nullptr && is_not_needed(path)) {
    files.passed_over.push_back(path);
    return std::nullopt;
  }
  if (table == nullptr) {
    return unusable(
        path, fmt::format(
                  "belongs to neither table: the name of the file or of its folder must begin with {} or {}",
                  kMachineTable, kTaskTable));
  }
  table->push_back(path);
  return std::nullopt;
}

}  // namespace

Result<TraceFiles> find_trace_files(const std::vector<std::string>& paths) {
  TraceFiles files;
  for (const std::string& path : paths) {
    std::error_code failed;
    const fs::file_status status = fs::status(path, failed);
    if (!fs::exists(status)) return unusable(path, "does not exist");
    Check added = fs::is_directory(status) ? add_folder(path, files) : add_file(path, files);
    if (added) return *std::move(added);
  }
  for (const auto& [table, found] :
       {std::pair(kMachineTable, &files.machine_events), std::pair(kTaskTable, &files.task_events)}) {
    if (found->empty()) {
      return Error{.message = fmt::format("no {} file in: {}", table, fmt::join(paths, ", "))};
    }
  }
  return files;
}

namespace {

std::uint64_t size(const std::string& file) {
  std::error_code failed;
  const auto bytes = std::filesystem::file_size(file, failed);
  return failed ? 0 : bytes;
}

}  // namespace

Result<std::uint64_t> time_of(const Row& row, const Column& column) {
  constexpr std::uint64_t kMost =
      (std::uint64_t{1} << 31) * 1'000'000;  // three such times fit into a Duration
  Result<std::uint64_t> time = row.whole(column);
  if (time && *time > kMost && *time != kAfterTheTrace) return row.error(column, "is more than 68 years");
  return time;
}

Bytes::Bytes(const TraceFiles& files, const ReadProgress& report) : report_(report) {
  for (const std::string& file : files.machine_events) total_ += size(file);
  for (const std::string& file : files.task_events) total_ += size(file);
}

void Bytes::read_of_file(std::uint64_t bytes) const {
  if (report_) report_(std::min(finished_ + bytes, total_), total_);
}

void Bytes::finish_file(const std::string& file) { finished_ += size(file); }

Check read_table(const std::vector<std::string>& files, const RowFormat& format,
                 const std::function<Check(const Row&)>& visit, Bytes& bytes) {
  for (const std::string& file : files) {
    if (Check failed =
            read_rows(file, format, visit, [&](std::uint64_t read) { bytes.read_of_file(read); })) {
      return failed;
    }
    bytes.finish_file(file);
  }
  return std::nullopt;
}

namespace {

Result<MachineChange> machine_change(const Row& row) {
  namespace column = machine_column;
  const auto time = time_of(row, column::time);
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
  return MachineChange{
      *time, *id, MachineEvent{*event}, {std::string(row.text(column::platform)), *cpu, *memory}};
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

}  // namespace

void follow(const MachineChange& change, Machines& machines) {
  switch (change.event) {
    case MachineEvent::add:
      machines.insert_or_assign(change.id, change.machine);
      break;
    case MachineEvent::remove:
      machines.erase(change.id);
      break;
    case MachineEvent::update:
      if (const auto known = machines.find(change.id); known != machines.end()) {
        Machine& machine = known->second;
        if (!change.machine.platform.empty()) machine.platform = change.machine.platform;
        if (change.machine.cpu) machine.cpu = change.machine.cpu;
        if (change.machine.memory) machine.memory = change.machine.memory;
      }
      break;
  }
}

Result<MachineEvents> read_machine_events(const TraceFiles& files, Bytes& bytes) {
  MachineEvents events;
  const auto on_row = [&](const Row& row) -> Check {
    Result<MachineChange> change = machine_change(row);
    if (!change) return change.error();
    if (!events.later.empty() && change->time < events.later.back().time) {
      return row.error(machine_column::time, "is before the time of an earlier row");
    }
    if (change->time == 0) {
      follow(*change, events.at_start);
    } else {
      events.later.push_back(*std::move(change));
    }
    return std::nullopt;
  };
  if (Check failed = read_table(files.machine_events, machine_column::format, on_row, bytes)) return *failed;
  return events;
}

Result<Trace> read_trace(const TraceFiles& files, const ReadProgress& progress) {
  Bytes bytes(files, progress);
  Result<MachineEvents> machines = read_machine_events(files, bytes);
  if (!machines) return machines.error();
  Trace trace{.machines = std::move(machines->at_start), .task_users = {}};
  const auto on_task = [&](const Row& row) { return count_task(row, trace.task_users); };
  if (Check failed = read_table(files.task_events, task_column::format, on_task, bytes)) return *failed;
  return trace;
}

}  // namespace mirab::traces::google2011
