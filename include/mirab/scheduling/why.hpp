#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <mirab/scheduling/events.hpp>

namespace mirab::scheduling {

/// Why a job's next task is not placed now, and what would change it: as data, for people and programs.
struct WhyWaiting {
  std::int64_t waiting;  ///< tasks of the job

  /// Of all present servers, each counted once, for the first reason that applies.
  struct Servers {
    std::int64_t with_room = 0;
    std::int64_t not_allowed = 0;  ///< by name or label
    std::int64_t too_small = 0;    ///< even if it were empty
    std::int64_t drained = 0;
    std::int64_t full = 0;
    std::vector<std::int64_t>
        lacking;  ///< [m], of those that are full: on how many there is too little of it
  } servers;

  /// The full server on which least has to be freed for one task, as a part of what the task takes: and how
  /// much of each resource, [m].
  struct NearestMiss {
    ServerId server;
    Amounts to_free;
  };
  std::optional<NearestMiss> nearest_miss;

  /// Somebody's task that fits somewhere and comes before.
  struct Before {
    UserId user;
    JobId job;
    double key;  ///< of the discipline: the lower is served first
  };
  double key = 0;                   ///< of this job
  std::int64_t older_jobs = 0;      ///< of the same user that wait for the same
  std::int64_t ahead = 0;           ///< users' equal tasks, each once, that fit somewhere and come before
  std::optional<Before> next = {};  ///< the first of them
  std::optional<double> with_weight = {};  ///< with more weight than this the user comes before all of them

  /// Is it the very task that is placed next? (Of those that tie at random, one of them.)
  bool is_next() const { return servers.with_room > 0 && ahead == 0 && older_jobs == 0; }
};

}  // namespace mirab::scheduling
