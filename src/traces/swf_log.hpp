#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <mirab/model/result.hpp>
#include <mirab/model/time.hpp>

/// Logs in the Standard Workload Format.
/// Source: S. J. Chapin et al., "Benchmarks and Standards for the Evaluation of Parallel Job Schedulers",
/// JSSPP 1999; version 2.2 of the format at the Parallel Workloads Archive.
namespace mirab::traces::swf {

/// Columns, from 0, named as in the format's definition.
enum Field : std::size_t {
  number,
  submit,
  wait,
  run,
  allocated,
  cpu_time,
  used_memory,
  requested,
  requested_time,
  requested_memory,
  status,
  user,
  group,
  executable,
  queue,
  partition,
  preceding,
  think_time,
};
inline constexpr std::size_t kFields = 18;
inline constexpr std::size_t kMostFields = 24;

/// One job of a log. A view: it lives as long as its line.
class Entry {
 public:
  Entry(std::array<std::string_view, kMostFields> fields, const std::string& file, int line)
      : fields_(fields), file_(&file), line_(line) {}

  std::string_view text(std::size_t field) const { return fields_[field]; }

  /// Any number. Errors: it is none.
  Result<double> value(std::size_t field) const;

  /// A number from 0 to `most`, cut to a whole one; no value for -1. Errors: no number, or another negative
  /// one, or a larger one.
  Result<std::optional<std::int64_t>> known(std::size_t field, std::int64_t most = kMost) const;

  static constexpr std::int64_t kMost = std::int64_t{1} << 52;  ///< as many KB are counted in bytes

  /// `file:line: field: "text" message`.
  Error error(std::size_t field, const std::string& message) const;

 private:
  std::array<std::string_view, kMostFields> fields_;
  const std::string* file_;
  int line_;
};

/// `; MaxProcs: 128` and its like, the first of each name.
using Head = std::map<std::string, std::string, std::less<>>;

/// Hands every job of a log with so many fields a line to `visit`, until it returns an error. Errors: as of
/// Lines; another number of fields; a log without a job.
Result<Head> read_log(const std::string& path, std::size_t fields,
                      const std::function<Check(const Entry&)>& visit);

/// The whole number under a name of the head, if it says one from 1 to 2^31.
std::optional<std::int64_t> number_in(const Head& head, std::string_view name);

}  // namespace mirab::traces::swf
