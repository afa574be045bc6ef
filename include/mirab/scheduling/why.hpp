#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <mirab/scheduling/events.hpp>

namespace mirab::scheduling {

/// Why a job's next task is not placed now, and what would change it: as data, for people and programs.
/// Everything is as a step at the time of the question would find it.
struct WhyWaiting {
  UserId user;
  std::string user_name;
  JobId job;
  std::int64_t waiting;  ///< tasks of the job

  /// All present servers, each counted once, for the first reason that applies.
  struct Servers {
    std::int64_t with_room = 0;
    std::int64_t not_allowed = 0;  ///< by name or label: see constraints
    std::int64_t too_small = 0;    ///< even if it were empty
    std::int64_t drained = 0;
    std::int64_t full = 0;
    std::vector<std::int64_t> lacking;       ///< [m], full servers with too little of it free
    std::vector<std::int64_t> too_small_in;  ///< [m], too small servers with too little of it
    friend bool operator==(const Servers&, const Servers&) = default;
  } servers;

  /// One wish that keeps the job from servers.
  struct Constraint {
    std::string label;      ///< the key of the label; empty: the names
    std::int64_t excludes;  ///< servers on which it does not hold
    std::int64_t alone;     ///< those of them that every other wish admits
    friend bool operator==(const Constraint&, const Constraint&) = default;
  };
  std::vector<Constraint> constraints;  ///< those there are, the names first

  /// The full server on which least has to be freed for one task, as a part of what the task takes; of equal
  /// ones the first.
  struct NearestMiss {
    ServerId server;
    std::string name;
    Amounts to_free;  ///< [m]; with this, and with no less of any, the task has room there
  };
  std::optional<NearestMiss> nearest_miss;

  /// Somebody's task.
  struct Other {
    UserId user;
    std::string user_name;
    JobId job;
    double key;  ///< of the discipline: the lower is served first
    friend bool operator==(const Other&, const Other&) = default;
  };
  std::optional<double> key = {};  ///< of this job's task; none while no server could run it (ps-dsf)
  std::int64_t older_jobs = 0;     ///< of the same user that wait for the same
  std::int64_t own_ahead = 0;      ///< tasks of the user that ask for something else, each kind once, ahead
  std::int64_t users_ahead = 0;    ///< other users with a task ahead
  std::int64_t users_tied = 0;     ///< with Tie::random: other users with whom it is drawn for
  std::optional<Other> next = {};  ///< the first of all that are ahead

  /// With more weight than this, by at least one part in 10^11, the user comes before all other users that
  /// are ahead or tied. None when nobody is, and where it cannot be promised: where weights do not count
  /// (fifo, mlf-drs, mrfs), where other keys change with them (pf), beside users with a key of 0, or beyond
  /// 10^18.
  std::optional<double> with_weight = {};

  /// With blocking=freeze: the task with the lowest key, for which there is no room. Nothing is placed until
  /// there is, or until another has the lowest key.
  std::optional<Other> blocked_by = {};

  /// Is it the very task that is placed next?
  bool is_next() const {
    return servers.with_room > 0 && older_jobs == 0 && own_ahead == 0 && users_ahead == 0 &&
           users_tied == 0 && !blocked_by;
  }
};

/// What is in the way of a task on one server: the first reason that applies.
enum class InTheWay { nothing, name, label, too_small, drained, full };

/// Why a task of a job does not go to one server.
struct WhyNotOn {
  InTheWay reason = InTheWay::nothing;
  std::string label = {};  ///< the key of the first label that does not hold
  Amounts missing = {};    ///< too_small, full: how much more of each resource it would take, [m]
  friend bool operator==(const WhyNotOn&, const WhyNotOn&) = default;
};

/// Why this user was served, and on this server: as data. It is of the moment before the task was placed.
struct WhyPlaced {
  UserId user = {};
  std::string user_name = {};
  JobId job = {};
  double key = 0;                  ///< of the discipline: the lowest of all whose tasks fit somewhere
  std::int64_t users_waiting = 0;  ///< with waiting tasks
  std::int64_t users_fitting = 0;  ///< those of them with a task that fits somewhere
  std::int64_t users_tied = 0;     ///< other users that fit, with an equal key
  /// The first of another user whose task fits: with blocking=skip the next one, were this user not there.
  std::optional<WhyWaiting::Other> runner_up = {};

  struct Line {
    std::uint32_t resource;  ///< that dominates the task
    std::int64_t round;      ///< in which the line is served
    friend bool operator==(const Line&, const Line&) = default;
  };
  std::optional<Line> line = {};     ///< mlf-drs and mrfs
  std::optional<Amounts> kind = {};  ///< ps-dsf: the capacity of the servers for which the key is, [m]

  ServerId server = {};
  std::string server_name = {};
  std::int64_t servers_with_room = 0;  ///< of the kind, with ps-dsf
  /// Where the placement puts the task when the chosen server is left out; with random placement it draws
  /// once more, from a copy of the numbers.
  std::optional<ServerId> runner_up_server = {};
  std::string runner_up_server_name = {};

  /// What the placement compares servers by.
  struct Measure {
    std::string_view what;  ///< in words
    double chosen;
    std::optional<double> runner_up;
    friend bool operator==(const Measure&, const Measure&) = default;
  };
  std::optional<Measure> measure = {};  ///< of best-fit, worst-fit and least-fragmentation

  Amounts free_before = {};  ///< on the server, [m]
  Amounts free_after = {};
  bool was_freed = false;  ///< was something freed there that tasks set aside have not been held against?
};

/// Short plain English, a line for each fact, every one ended. `resources` as in EngineOptions.
std::string describe(const WhyWaiting& why, std::span<const std::string> resources);
std::string describe(const WhyNotOn& why, std::span<const std::string> resources);
std::string describe(const WhyPlaced& why, std::span<const std::string> resources);

}  // namespace mirab::scheduling
