#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include <mirab/model/choice.hpp>
#include <mirab/model/random.hpp>
#include <mirab/model/result.hpp>
#include <mirab/model/time.hpp>
#include <mirab/scheduling/events.hpp>
#include <mirab/scheduling/fields.hpp>
#include <mirab/scheduling/fill.hpp>
#include <mirab/scheduling/why.hpp>

namespace mirab::scheduling {

/// The version of the decisions. It is raised when the same options, events and seed may bring other
/// decisions than before, so a log that was written under another version may not replay. The recordings in
/// tests/recordings hold the engine to it.
inline constexpr int kDecisionVersion = 9;
/// May a snapshot be of an earlier one? See restore().
enum class EarlierDecisions : std::uint8_t { refused, accepted };

/// What becomes of a job with tasks larger than any server that it may use: an error, or it waits for such a
/// server to come.
enum class Oversized { refuse, wait };
template <>
inline constexpr std::array<std::string_view, 3> kWords<Tie>{"first", "last", "random"};
template <>
inline constexpr std::array<std::string_view, 2> kWords<Oversized>{"refuse", "wait"};

/// Reservations against starvation. The tasks of one user that ask for the same wait together. When the next
/// of them fits nowhere and has waited for `after` since they began to wait or last got a task, a server is
/// kept for it, that of those who waited longest first: eligible, open, large enough when empty, and of these
/// the one where least has to be freed. It takes no other task, and the task that starts there is not
/// preempted as long as it runs. For a job with gang, per_server, spread or pack as many servers are kept as
/// the tasks need that start together. See docs/reference/engine.md, "Reservations".
struct Reserving {
  Duration after;                        ///< > 0
  std::size_t servers = 1;               ///< kept at once, at the most, those of a gang as one; ≥ 1
  std::optional<Duration> at_most = {};  ///< so long is one kept; > 0
};
template <>
struct Declared<Reserving> {
  static constexpr std::tuple kFields{
      field("after", &Reserving::after, "a task that waits this long is due"),
      field("servers", &Reserving::servers, "kept at once, at most; those of a gang count as one")
          .defaulted(),
      field("at_most", &Reserving::at_most, "how long one is kept").optional()};
};

/// Preemption: where nothing else can be placed, tasks of users above their fair share end for one of a user
/// below its own, never so that their order flips. So do tasks that hold what a group or user is guaranteed,
/// those of the same user with a lower priority, and those of users in lower tiers; of one user's tasks those
/// with lower priorities end first. Tasks that started on a server kept for them run on. With blocking=freeze
/// only the task with the lowest key may gain. See docs/reference/engine.md, "Preemption".
struct Preempting {
  std::int64_t tasks;  ///< ended in any time of this length, at the most; ≥ 1
  Duration per;        ///< > 0
};
template <>
struct Declared<Preempting> {
  static constexpr std::tuple kFields{
      field("tasks", &Preempting::tasks, "preempted in any time of this length, at most"),
      field("per", &Preempting::per, "that length")};
};

/// A server that is kept for the next task of a job, or one of those for tasks that start together.
struct Reservation {
  ServerId server;
  JobId job;
  UserId user;
  Time since;
  friend bool operator==(const Reservation&, const Reservation&) = default;
};

struct EngineOptions {
  std::vector<std::string> resources;  ///< names, the order of every Amounts; at least one
  Choice discipline;                   ///< whom to serve next
  Choice placement;                    ///< where its task goes
  Tie tie = Tie::first;
  Oversized oversized = Oversized::refuse;

  /// s_r: how much the part of each resource counts in a share, s_r a_r / C_r; 0 keeps it out. None: 1 for
  /// each. Of drf, asset and ps-dsf.
  std::vector<Quantity> share_scale = {};

  /// With one, users are compared by what they used lately, and by their present shares where that is equal:
  /// what lies a half-life back counts half. Of drf and asset. See docs/reference/engine.md.
  std::optional<Duration> half_life = {};

  std::optional<Reserving> reservations = {};

  /// Of drf, asset, tsf, round-robin and pf, without a half-life: a user has one key, which rises with what
  /// it uses and does not change with time.
  std::optional<Preempting> preemption = {};
};
template <>
struct Declared<EngineOptions> {
  using O = EngineOptions;
  static constexpr std::tuple kFields{
      field("resources", &O::resources, "names, the order of all amounts"),
      field("discipline", &O::discipline, "which user is served next").else_in_python("drf"),
      field("placement", &O::placement, "where its task goes").else_in_python("first-fit"),
      field("tie", &O::tie, "which user comes first among equals").defaulted(),
      field("oversized", &O::oversized, "what becomes of a job with tasks larger than every server")
          .defaulted(),
      field("share_scale", &O::share_scale, "by resource, how much it counts in a share").optional(),
      field("half_life", &O::half_life, "of past use").optional(),
      field("reservations", &O::reservations, "against starvation").optional(),
      field("preemption", &O::preemption, "from users above their fair share").optional()};
};

static_assert(kIsComplete<Reserving> && kIsComplete<Preempting> && kIsComplete<EngineOptions>);

/// Decides who is served next and where, as tasks, servers and users come and go. It does nothing itself:
/// events go in, decisions come out, and the time and the random numbers are the caller's. The same options,
/// events and seed give the same decisions.
///
/// Everything is counted in whole units. At any time every task is in exactly one state, and a user's
/// reported usage is the sum of its running tasks' demands. No decision takes a server over its capacity;
/// events that take what runs as it is may (TaskAdopted, ServerHeld, ServerChanged::allow_below_use).
///
/// An event that cannot be applied (an unknown identifier, an amount below zero, a time before the last one,
/// …) gives an error that names the key, and leaves the engine as it was. Several threads may ask at once
/// (const members change nothing); while one applies an event or takes a step, no other may use the engine.
class Engine {
 public:
  /// Errors: no resources, a name twice, an unknown discipline or placement, a bad option value, an option
  /// that the discipline does not honour.
  static Result<Engine> from(EngineOptions options);

  Engine(Engine&&) noexcept;
  Engine& operator=(Engine&&) noexcept;
  ~Engine();

  /// Another engine in the same state, which shares nothing with this one: for what would be if. The same
  /// later events, times and random numbers bring the same decisions. O(everything), some 40 ns a running
  /// task.
  Engine copy() const;

  Result<ServerId> apply(const ServerAdded& event, Time now);
  Check apply(const ServerChanged& event, Time now);
  Check apply(const ServerDrained& event, Time now);
  Check apply(const ServerReopened& event, Time now);
  Check apply(const ServerRemoved& event, Time now);
  Result<std::vector<Lost>> apply(const ServerFailed& event, Time now);
  Result<UserId> apply(const UserAdded& event, Time now);
  Check apply(const UserReweighted& event, Time now);
  Check apply(const UserRemoved& event, Time now);
  Result<JobId> apply(const JobSubmitted& event, Time now);
  Result<std::vector<Lost>> apply(const JobCancelled& event, Time now);
  Check apply(const TaskFinished& event, Time now);
  Check apply(const TaskFailed& event, Time now);
  Check apply(const ServerHeld& event, Time now);
  Check apply(const ServerRelabelled& event, Time now);
  Check apply(const SetChanged& event, Time now);
  Result<TaskId> apply(const TaskAdopted& event, Time now);
  Result<GroupId> apply(const GroupAdded& event, Time now);
  Check apply(const GroupChanged& event, Time now);
  Check apply(const GroupMoved& event, Time now);
  Check apply(const GroupRemoved& event, Time now);
  Check apply(const UserChanged& event, Time now);
  Check apply(const UserMoved& event, Time now);

  /// Places one task, the next that the discipline and the placement choose, or one gang; where a server is
  /// kept for a task and has room that one. Nothing when no waiting task is to be placed now. With preemption
  /// tasks may have ended for it. A time before the last one counts as the last one.
  std::optional<Placed> step(Time now, Random& random);

  /// The same, and why: `why` is written when a task is placed. Costs as much as why_waiting() in addition.
  std::optional<Placed> step(Time now, Random& random, WhyPlaced& why);

  /// The earliest time at which a step may do something though nothing happens before: a part of the budget
  /// of preemption is free again, tasks that may end by force come in another order, a server may be kept for
  /// a task, or one has been kept for long enough. After steps until nothing is placed it lies after now();
  /// nothing when time alone changes nothing. A step before does what one at now() does. With a half-life and
  /// blocking=freeze it is the time at which two users who wait change places, by the keys that a step then
  /// compares: O(queues + users log users). O(queues) with reservations, else O(1).
  std::optional<Time> next_by_time() const;

  std::size_t server_count() const;
  std::size_t user_count() const;
  std::size_t group_count() const;    ///< without the cluster
  std::size_t job_count() const;      ///< with waiting or running tasks
  std::size_t running_count() const;  ///< tasks

  const EngineOptions& options() const;
  std::optional<Time> now() const;  ///< of the latest event or step; nothing before the first

  /// What waits and runs of a job; nothing when it is unknown, or over.
  struct JobState {
    UserId user;
    std::int64_t waiting;
    std::int64_t running;
  };
  std::optional<JobState> job(JobId job) const;

  struct UserState {
    Amounts used;                              ///< by its running tasks
    std::int64_t running;                      ///< tasks
    double dominant_share;                     ///< max_r s_r used_r / C_r
    std::optional<double> decayed_share = {};  ///< U at the time of the latest event, with a half-life
  };
  std::optional<UserState> user(UserId user) const;

  /// A group; of kCluster all that there is.
  struct GroupState {
    std::string name;
    std::optional<GroupId> parent = {};  ///< of the cluster none
    Amounts used;                        ///< by the running tasks of all users below it
    std::int64_t running;                ///< tasks
    Amounts guarantee;                   ///< ĝ: as given, else the sum of the members'
    Amounts unused;                      ///< of the guarantee
    Amounts lent;                        ///< what of that is not free in the cluster: others use it
    double share;                        ///< max_r s_r used_r / C_r
    double key;  ///< κ: max_r s_r max(0, used_r − ĝ_r) / (C_r φ), all that it holds, cut by nothing
  };
  std::optional<GroupState> group(GroupId group) const;

  struct ServerState {
    Amounts capacity;
    Amounts free;  ///< of what neither tasks nor others take (ServerHeld)
    bool drained;
  };
  std::optional<ServerState> server(ServerId server) const;

  // Views of the ledger without copies. A span holds until the next event or step, and is empty where the
  // identifier is unknown.

  std::span<const std::int64_t> pool() const;             ///< C_r: what all servers have together, [m]
  std::span<const std::int64_t> used() const;             ///< what all running tasks take of it, [m]
  std::span<const std::int64_t> used(UserId user) const;  ///< what those of the user take, [m]
  std::span<const std::int64_t> capacity(ServerId server) const;  ///< [m]
  std::span<const std::int64_t> free(ServerId server) const;      ///< [m]

  struct TaskState {
    TaskId task;
    JobId job;
    ServerId server;
    Time started;
    std::int64_t role = 0;  ///< of a job with roles: the place of its role among them
  };
  /// A running task; nothing when it is unknown, or over. O(1).
  std::optional<TaskState> task(TaskId task) const;
  /// Visits the running tasks of a job, or on a server, the newest first. O(tasks visited).
  void for_each_task(JobId job, const std::function<void(const TaskState&)>& visit) const;
  void for_each_task(ServerId server, const std::function<void(const TaskState&)>& visit) const;
  /// The same of a job, until `visit` returns false: of the tasks that come after `behind`, and of all where
  /// that is no running task of the job.
  void for_each_task(JobId job, std::optional<TaskId> behind,
                     const std::function<bool(const TaskState&)>& visit) const;

  /// Visits the jobs of a user that wait or run, by their identifiers' numbers. O(jobs of all users).
  void for_each_job(UserId user, const std::function<void(JobId, const JobState&)>& visit) const;

  /// The servers that are kept now, in the order in which they were.
  std::vector<Reservation> reservations() const;

  /// Does some waiting task of the job, or all that have to start together, fit as things stand, on a server
  /// that is kept for it too? O(servers).
  bool fits(JobId job) const;

  /// Why the next task of the job is not placed by a step now; nothing when none waits. Changes nothing that
  /// can be seen. O(servers m + shapes × lanes × (a search) + queues × lanes × (a key)); with reservations
  /// and preemption as much more as a step takes that keeps servers, or ends tasks.
  std::optional<WhyWaiting> why_waiting(JobId job, Time now) const;

  /// Why a task of the job does not go to this server, as the latest step left it; nothing when either is
  /// unknown. O(m + wishes log labels); of a job with gang, per_server, spread or pack O(servers m) more.
  std::optional<WhyNotOn> why_not_on(JobId job, ServerId server) const;

  /// The first invariant that does not hold, in words; empty when all do. O(everything).
  std::string broken_invariant() const;

 private:
  friend std::string snapshot(const Engine& engine);
  friend Result<Engine> restore(std::string_view bytes, EarlierDecisions earlier);

  struct State;
  explicit Engine(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace mirab::scheduling
