// Refused requests in the journal: some of each second are written, the others counted and summed up, so that
// a client that is refused all the time does not fill the disk.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>

#include "live/answers.hpp"

namespace mirab::service {

/// Any thread.
class Refusals {
 public:
  static constexpr std::uint64_t kSaid = 10;  ///< in a second

  /// Says it, or counts it. `fields` are made only in the first case.
  template <class Fields>
  void note(int status, Fields fields) {
    if (may_say(status)) say(fields());
  }
  /// Once a second: sums up what was not said.
  void turn();

 private:
  bool may_say(int status);
  static void say(const live::Json& fields);

  std::mutex mutex_;
  std::uint64_t said_ = 0;                      ///< in this second
  std::map<int, std::uint64_t> not_said_ = {};  ///< by status
};

}  // namespace mirab::service
