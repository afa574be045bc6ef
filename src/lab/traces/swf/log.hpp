#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <mirab/model/result.hpp>
#include <mirab/model/time.hpp>
#include <mirab/model/workload.hpp>

#include "lab/traces/workload_import.hpp"

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
inline constexpr std::size_t kFields = 18;     ///< of the standard
inline constexpr std::size_t kMaxFields = 24;  ///< room for those that a log adds at the end

/// One job of a log. A view: it lives as long as its line.
class Entry {
 public:
  Entry(std::array<std::string_view, kMaxFields> fields, const std::string& file, int line)
      : fields_(fields), file_(&file), line_(line) {}

  std::string_view text(std::size_t field) const { return fields_[field]; }

  /// Any number. Errors: it is none.
  Result<double> value(std::size_t field) const;

  /// A number from 0 to `most`, rounded up to a whole one; no value for -1. Errors: no number, or another
  /// negative one, or a larger one.
  Result<std::optional<std::int64_t>> known(std::size_t field, std::int64_t most = kMost) const;

  /// Seconds as written, to nanoseconds. Else as known.
  Result<std::optional<Duration>> time(std::size_t field, std::int64_t most) const;

  static constexpr std::int64_t kMost = std::int64_t{1} << 52;  ///< as many KB are counted in bytes

  /// `file:line: field: "text" message`.
  Error error(std::size_t field, const std::string& message) const;

 private:
  std::array<std::string_view, kMaxFields> fields_;
  const std::string* file_;
  int line_;
};

/// `128` of `; MaxProcs: 128`, and its line.
struct HeadEntry {
  std::string text;
  int line;
};
/// By their names, the first of each.
using Head = std::map<std::string, HeadEntry, std::less<>>;

/// A kind of log: how many fields a line has, and what errors call such a log.
struct LogFormat {
  std::size_t fields;
  std::string_view name;
};

/// The standard one.
inline constexpr LogFormat kStandard{kFields, "the Standard Workload Format"};

/// Hands every job of a log of this format to `visit`, until it returns an error. Errors: as of
/// Lines; another number of fields; a log without a job.
Result<Head> read_log(const std::string& path, const LogFormat& format,
                      const std::function<Check(const Entry&)>& visit);

/// The whole number under a name of the head; nothing where the head does not have it, or says -1 or unknown.
/// Errors: it is none from 1 to 2^31, or something but a remark in brackets stands behind it.
Result<std::optional<std::int64_t>> number_in(const Head& head, std::string_view name,
                                              const std::string& file);

}  // namespace mirab::traces::swf

/// What a log says of a job whatever it ran on: when, whose, how long.
namespace mirab::traces::swf {

struct Times {
  Duration submitted;  ///< since the first submission
  Duration runtime;
  std::uint32_t user;
  std::optional<Duration> requested = {};  ///< the runtime that was asked for, if it is kept
};

/// A line of provenance.
std::string first_days(std::int64_t days);

/// Collects the jobs of a log. One owner.
class Jobs {
 public:
  /// With only the jobs that are submitted within `days` days of the first.
  explicit Jobs(std::optional<std::int64_t> days) : days_(days) {}

  /// When and whose; no value for what has no runtime, comes later, or is a part of another entry. Errors: as
  /// of Entry::known; a submission before the one above it, or at no known time.
  Result<std::optional<Times>> times(const Entry& entry);

  /// Adds `tasks` that start together.
  void add(const Entry& entry, const Times& times, const Request& request, std::int64_t tasks);

  /// Leaves out what does not fit: jobs whose task fits on no server, or with more tasks than all servers
  /// could hold. Errors: none is left.
  Result<Workload> finish(std::vector<std::string> resources, const std::vector<Server>& servers,
                          const std::string& file);

  /// What was left out and mended so far.
  std::vector<std::string> notices() const;

 private:
  std::uint32_t user(const std::string& name);

  std::optional<std::int64_t> days_;
  Requests requests_;
  Workload workload_;
  std::unordered_map<std::string, std::uint32_t> user_of_;
  std::optional<Duration> first_;
  Duration latest_{};
  Duration end_{};
  std::uint64_t without_runtime_ = 0, parts_ = 0, instant_ = 0, fitting_nowhere_ = 0;
};

}  // namespace mirab::traces::swf
