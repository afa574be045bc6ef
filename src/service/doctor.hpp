// What a machine may lack for a service: `mirab serve doctor`.
#pragma once

#include <string>
#include <vector>

namespace mirab::service {

struct Finding {
  bool is_well;
  std::string sentence;
};

/// Looks at the file's rights, the room and the speed of its disk, versions and limits.
std::vector<Finding> examine(const std::string& file);

}  // namespace mirab::service
