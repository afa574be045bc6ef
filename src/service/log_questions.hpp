// Questions that only the log can answer: old events, the audit, why a task was placed. Each opens the file
// read-only for itself and reads a page, so that the log's own checkpoints are never held up for long.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "live/reader.hpp"

namespace mirab::service {

struct OldEvents {
  std::vector<live::Change> changes;
  std::uint64_t after = 0;  ///< all up to here is in `changes`
  std::string failure;
};

/// What happened after revision `after`, as far as a page goes.
OldEvents old_events(const std::string& file, std::uint64_t after);

/// GET /audit.
live::Answer audit_page(const std::string& file, std::uint64_t after, std::size_t limit);

/// GET /tasks/{id}/explain: replays from the snapshot before the placement.
live::Answer placement_of(const std::string& file, live::Others others, const std::string& task,
                          const live::Caller& caller);

}  // namespace mirab::service
