// What a machine may lack for a service: `mirab serve doctor`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "live/answers.hpp"

namespace mirab::service {

struct Finding {
  bool is_well = true;
  std::string sentence = {};
};

/// Looks at the file's rights, the room and the speed of its disk, the clock, versions and limits.
std::vector<Finding> examine(const std::string& file);

// What is made of that which was measured.

/// Of syncs that take so long, the median, in milliseconds; below 0: none was possible.
Finding finding_of_sync(double ms);

/// Of a clock that is now at `wall`; `last`: when the log was last written.
Finding finding_of_clock(live::Wall wall, std::optional<live::Wall> last);

/// Does something keep the clock right, as the kernel knows it?
Finding finding_of_time_service(bool is_synchronised);

}  // namespace mirab::service
