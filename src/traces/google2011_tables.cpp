#include "traces/google2011_tables.hpp"

#include <algorithm>
#include <filesystem>
#include <system_error>

namespace mirab::traces::google2011 {

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

}  // namespace mirab::traces::google2011
