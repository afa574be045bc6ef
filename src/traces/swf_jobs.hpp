#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

#include <mirab/model/workload.hpp>

#include "traces/submitters.hpp"
#include "traces/swf_log.hpp"

/// What a log says of a job whatever it ran on: when, whose, how long.
namespace mirab::traces::swf {

struct Times {
  Duration submitted;  ///< since the first submission
  Duration runtime;
  std::uint32_t user;
};

/// A line of provenance.
std::string first_days(std::int64_t days);

/// Collects the jobs of a log. One owner.
class Jobs {
 public:
  /// With only the jobs that are submitted within so many days from the first.
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
  std::optional<std::int64_t> first_;  // seconds
  std::int64_t latest_ = 0;
  Duration end_{};
  std::uint64_t without_runtime_ = 0, parts_ = 0, instant_ = 0, fitting_nowhere_ = 0;
};

}  // namespace mirab::traces::swf
