#include "traces/google2011_files.hpp"

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
    return unusable(path,
                    fmt::format("is of no known table: its name, or its folder's, should begin with {} or {}",
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

}  // namespace mirab::traces::google2011
