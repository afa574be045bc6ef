// What a user would take instead: a table of jobs in PostgreSQL, each submit a transaction of one row with
// the job and one with its status.
#pragma once

#include <filesystem>
#include <string>
#include <sys/types.h>

namespace mirab::bench {

/// A cluster of its own in a temporary folder, as the packages set it up: fsync and synchronous_commit are
/// on.
class Postgres {
 public:
  /// Throws std::runtime_error where it is not installed or does not start.
  Postgres();
  ~Postgres();
  Postgres(const Postgres&) = delete;
  Postgres& operator=(const Postgres&) = delete;

  /// Submits `jobs` from `threads` threads with a connection each; returns the seconds it took.
  double submit(int threads, int jobs) const;

 private:
  std::filesystem::path folder_;
  pid_t process_ = -1;
};

}  // namespace mirab::bench
