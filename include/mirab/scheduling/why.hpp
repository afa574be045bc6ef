#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <mirab/model/time.hpp>
#include <mirab/scheduling/events.hpp>

namespace mirab::scheduling {

/// A server that is kept for one task: it accepts no other.
struct KeptServer {
  ServerId server;
  std::string server_name;
  UserId user;
  std::string user_name;
  JobId job;
  Time since;
  friend bool operator==(const KeptServer&, const KeptServer&) = default;
};

/// Tasks that end so that another fits on a server; see docs/reference/engine.md, "Preemption". Without
/// groups every user who loses some by share keeps a key of at least `key_after`. With groups or quotas keys
/// are those of users alone; a standing is the level of each node on a user's path, from the top, by whole
/// tasks (docs/explanation/teams.md).
struct ByForce {
  /// A user, and what it loses.
  struct Loser {
    UserId user;
    std::string user_name;
    double key_before;
    double key_after;
    std::int64_t tasks;
    Right right = Right::share;                ///< by which they may end
    std::vector<double> standing_before = {};  ///< with groups or quotas
    std::vector<double> standing_after = {};
    friend bool operator==(const Loser&, const Loser&) = default;
  };

  ServerId server;
  std::string server_name;
  double key_before;                         ///< of the user whose task is placed
  double key_after;                          ///< the level that separates it from those who lose
  std::vector<Loser> losers;                 ///< each user once, who loses the first task at first
  std::vector<Preempted> ends;               ///< the tasks
  std::vector<double> standing_before = {};  ///< of the user whose task is placed, with groups or quotas
  std::vector<double> standing_after = {};
  friend bool operator==(const ByForce&, const ByForce&) = default;
};

/// How a task stands in a tree of groups and quotas: docs/explanation/teams.md.
struct InTree {
  /// A group or user on its path, and the keys that it has for the task.
  struct Level {
    std::string name;
    double key;            ///< κ: what counts of what is used beyond the guarantee, per weight
    double whole;          ///< all that is used beyond it, per weight; what is more than the key is cut
    double held;           ///< ρ: the largest part of a resource that it holds, per weight
    bool is_last = false;  ///< its weight is 0, and the task lies beyond its guarantee: whatever its keys, it
                           ///< comes after its siblings with a weight
    friend bool operator==(const Level&, const Level&) = default;
  };
  /// What keeps a task from starting, whatever is free.
  struct Bound {
    std::string name;        ///< whose limit, or who has reserved most that is idle
    std::uint32_t resource;  ///< that the task would take too much of
    std::int64_t held;       ///< in use below the name; of a reserve in use or reserved in the cluster
    std::int64_t allowed;    ///< the limit; of a reserve what the cluster has
    friend bool operator==(const Bound&, const Bound&) = default;
  };
  /// The members of one group by which two tasks are compared.
  struct Parting {
    std::string group;  ///< empty: the cluster
    Level own;
    Level other;
    friend bool operator==(const Parting&, const Parting&) = default;
  };

  std::vector<Level> path = {};         ///< from the top down, the user last
  std::string covered_by = {};          ///< the lowest whose guarantee covers the task; empty: none
  std::optional<Bound> limit = {};      ///< the lowest limit in the way
  std::optional<Bound> reserve = {};    ///< with no limit in the way: what is reserved for others
  std::optional<Parting> parting = {};  ///< from the first of other users that is ahead, or comes next
  friend bool operator==(const InTree&, const InTree&) = default;
};

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
    std::int64_t not_allowed = 0;  ///< by name, label or set: see constraints
    std::int64_t too_small = 0;    ///< even if it were empty
    std::int64_t drained = 0;
    std::int64_t kept = 0;        ///< for other tasks: see kept_for_others
    std::int64_t pack = 0;        ///< in another domain of pack than the job's running tasks
    std::int64_t per_server = 0;  ///< with as many tasks of the job as it allows on one
    std::int64_t spread = 0;      ///< in a domain too far ahead of the one with the fewest tasks of the job
    std::int64_t full = 0;
    std::vector<std::int64_t> lacking;       ///< [m], full servers with too little of it free
    std::vector<std::int64_t> too_small_in;  ///< [m], too small servers with too little of it
    friend bool operator==(const Servers&, const Servers&) = default;
  } servers;

  /// The servers counted as kept, in the order in which they were.
  std::vector<KeptServer> kept_for_others = {};

  /// The server that is kept for this very task. It is counted as full, or with room.
  struct KeptForIt {
    ServerId server;
    std::string name;
    Time since;
    Amounts missing;                    ///< what is to come free there, [m]; nothing: the task has room
    std::vector<ServerId> others = {};  ///< kept with it, for tasks that start together
    friend bool operator==(const KeptForIt&, const KeptForIt&) = default;
  };
  std::optional<KeptForIt> kept_for_it = {};

  /// The waiting tasks of one role.
  struct RoleRoom {
    std::int64_t together;
    std::int64_t room;  ///< that found room when each took the first server, the largest tasks first
    friend bool operator==(const RoleRoom&, const RoleRoom&) = default;
  };

  /// Tasks of the job that have to start together: those that its gang lacks. Without it one starts.
  struct Gang {
    std::int64_t together;             ///< > 1
    std::int64_t room;                 ///< waiting tasks that have room at most, wherever they are placed
    std::vector<RoleRoom> roles = {};  ///< of a job with roles, each; `room` is their sum then
    friend bool operator==(const Gang&, const Gang&) = default;
  };
  std::optional<Gang> gang = {};

  /// One wish that keeps the job from servers: names, labels asked for, labels of spread and pack, a set.
  struct Constraint {
    std::string label;                    ///< the key of the label; empty: the names
    std::int64_t excludes;                ///< servers on which it does not hold
    std::int64_t alone;                   ///< those of them that every other wish admits
    std::optional<std::string> set = {};  ///< the name of the set (JobSubmitted::within), if it is that
    friend bool operator==(const Constraint&, const Constraint&) = default;
  };
  std::vector<Constraint> constraints = {};  ///< those there are, the names first, a set last

  /// The full server on which least has to be freed for one task, as a part of what the task takes; of equal
  /// ones the first. Of a gang, too, for one: it does not show whether the others find room then. None where
  /// the job's terms keep it from every full server.
  struct NearestMiss {
    ServerId server;
    std::string name;
    Amounts to_free;  ///< [m]; with this, and with no less of any, the task has room there
  };
  std::optional<NearestMiss> nearest_miss = {};

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
  /// are ahead or tied. None when no user is, and where it cannot be promised: where weights do not count
  /// (fifo, mlf-drs, mrfs), where other keys change with them (pf), against users with a key of 0, or beyond
  /// 10^18.
  std::optional<double> with_weight = {};

  /// With blocking=freeze: the task with the lowest key, for which there is no room. Nothing is placed until
  /// there is, or until another has the lowest key; but for served_first and forced_first.
  std::optional<Other> blocked_by = {};

  /// The first of the servers that are kept and have room for the task that they are kept for: that task is
  /// placed before all others, whatever their keys.
  std::optional<KeptServer> served_first = {};

  /// When nothing else can be placed: the task that the next step places by force; and if it is this one,
  /// what ends for it.
  std::optional<Other> forced_first = {};
  std::optional<ByForce> by_force = {};

  /// Tasks that the budget of preemption keeps from ending.
  struct OverBudget {
    Other first;         ///< the task for which it would end: of those for which some may end the first
    std::int64_t tasks;  ///< that would end for it: as soon as the budget allows enough, or else the fewest
    std::int64_t left;   ///< how many the budget allows now
    std::optional<Time> free_at = {};  ///< when the budget allows them; none: it never does
    friend bool operator==(const OverBudget&, const OverBudget&) = default;
  };
  /// When nothing can be placed, with force or without, and something could were there no budget.
  std::optional<OverBudget> over_budget = {};

  /// With groups or quotas. Then `key` and that of `next` are of the users alone, who is ahead is found where
  /// the paths part, and there is no `with_weight`.
  std::optional<InTree> tree = {};

  /// Is there room for the task, or for all that have to start together?
  bool has_room() const { return servers.with_room > 0 && (!gang || gang->room >= gang->together); }

  /// Is it the very task that is placed next?
  bool is_next() const {
    if (served_first) return served_first->job == job;
    if (by_force) return true;
    if (tree && (tree->limit || tree->reserve)) return false;
    return has_room() && older_jobs == 0 && own_ahead == 0 && users_ahead == 0 && users_tied == 0 &&
           !blocked_by;
  }
};

/// What is in the way of a task on one server: the first reason that applies.
enum class InTheWay { nothing, name, label, too_small, drained, kept, pack, per_server, spread, full, set };

/// Why a task of a job does not go to one server.
struct WhyNotOn {
  InTheWay reason = InTheWay::nothing;
  std::string label = {};  ///< the key of the first label that does not hold; of pack, of spread; or the set
  Amounts missing = {};    ///< too_small, full: how much more of each resource it would take, [m]
  std::int64_t running = 0;  ///< per_server, spread: tasks of the job on the server, or in its domain
  std::int64_t at_most = 0;  ///< per_server, spread: how many may run there now
  std::optional<KeptServer> kept = {};  ///< kept: for whom
  friend bool operator==(const WhyNotOn&, const WhyNotOn&) = default;
};

/// Why this user was served, and on this server: as data. It is of the moment before the task was placed, and
/// before any ended for it.
struct WhyPlaced {
  UserId user = {};
  std::string user_name = {};
  JobId job = {};
  double key = 0;  ///< of the discipline; the lowest of all whose tasks fit, unless kept_since or by_force
  std::int64_t users_waiting = 0;  ///< with waiting tasks
  std::int64_t users_fitting = 0;  ///< those of them with a task that fits somewhere
  std::int64_t users_tied = 0;     ///< other users that fit, with an equal key
  /// The first of another user whose task fits: with blocking=skip the next one, were this user not there and
  /// no server kept.
  std::optional<WhyWaiting::Other> runner_up = {};

  struct Line {
    std::uint32_t resource;  ///< that dominates the task
    std::int64_t round;      ///< in which the line is served
    friend bool operator==(const Line&, const Line&) = default;
  };
  std::optional<Line> line = {};     ///< mlf-drs and mrfs
  std::optional<Amounts> kind = {};  ///< ps-dsf: the capacity of the servers for which the key is, [m]
  std::optional<InTree> tree = {};   ///< with groups or quotas: the keys are compared where paths part

  /// It was the turn of the task because the server has been kept for it since then, and has room.
  std::optional<Time> kept_since = {};
  /// Nothing else could be placed, and these tasks ended for it.
  std::optional<ByForce> by_force = {};
  /// Tasks of the job that start at once: the first is explained, the others are in Placed::with.
  std::int64_t together = 1;

  ServerId server = {};
  std::string server_name = {};
  /// Of the kind, with ps-dsf; of a gang those that leave room for the others. 1 when the server was kept, 0
  /// when tasks ended there.
  std::int64_t servers_with_room = 0;
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
  Amounts free_after = {};   ///< with all that ended and started there
  bool was_freed = false;    ///< was something freed there that tasks set aside have not been held against?
};

/// Short plain English, a line for each fact, every one ended. `resources` as in EngineOptions.
std::string describe(const WhyWaiting& why, std::span<const std::string> resources);
std::string describe(const WhyNotOn& why, std::span<const std::string> resources);
std::string describe(const WhyPlaced& why, std::span<const std::string> resources);

}  // namespace mirab::scheduling
