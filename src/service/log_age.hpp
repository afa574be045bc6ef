// How old the log is, counted in the time for which services have run on it. No wall clock takes part: one
// that jumps a year would have the log forgotten. Times in which no service ran do not count.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace mirab::service {

class LogAge {
 public:
  /// From text(), which is kept in the file; empty where it is not that.
  static LogAge from(std::string_view text);
  std::string text(std::chrono::seconds run) const;

  /// For how long services had run when text() was written.
  std::chrono::seconds run() const { return run_; }

  /// All up to `revision` was there at `now`. About two hundred marks for `kept` are remembered.
  void note(std::uint64_t revision, std::chrono::seconds now, std::chrono::seconds kept);
  /// The last revision that is known to be older than `kept`; 0: none.
  std::uint64_t older_than(std::chrono::seconds now, std::chrono::seconds kept) const;

 private:
  struct Mark {
    std::uint64_t revision;
    std::chrono::seconds at;
  };
  std::chrono::seconds run_{0};
  std::vector<Mark> marks_ = {};  ///< in order
};

}  // namespace mirab::service
